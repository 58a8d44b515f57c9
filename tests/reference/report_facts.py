"""The facts of a report of nobody, with something in every section: what pages and charts are tried on."""

from __future__ import annotations

import datetime
from typing import Any

from hedgerow.report.facts.context import Context, Governance
from hedgerow.report.facts.figures import Bar, Figure
from hedgerow.report.facts.sections import (
    AllColumns,
    AnalysesFacts,
    AnalysisFacts,
    Asked,
    Association,
    Attacker,
    Attackers,
    Attempt,
    Attempts,
    Caution,
    ChangedFact,
    Changes,
    ChosenRole,
    ClassSizes,
    ClearColumnFacts,
    ColumnFacts,
    Columns,
    Data,
    Digest,
    DisclosureFacts,
    EstimateFacts,
    Evidence,
    HarbourFinding,
    LabelShare,
    Level,
    ManyRows,
    NotFiner,
    NotFinerColumn,
    Pair,
    Precedent,
    ProportionFacts,
    Provenance,
    ReportFacts,
    Role,
    Roles,
    SafeHarbour,
    Score,
    SensitiveFacts,
    SizeGroup,
    Smaller,
    Standard,
    Standards,
    Summary,
    Suppression,
    TogetherFacts,
    UniqueColumn,
    UniqueValues,
    Untried,
    Utility,
    Verdict,
    WorkingParty,
)

__all__ = ["example_facts"]

PRECEDENTS = (Precedent(3, 0.33, "Some use it.", "A paper."), Precedent(20, 0.05, "Others use it.", "A rule."))


def figure(label: str, value: float | None, text: str = "", **more: Any) -> Figure:
    return Figure(label, value, text or f"{value:,}", f"This is what {label} means.", **more)


def attacker(name: Any, highest: float, average: float) -> Attacker:
    return Attacker(
        name=name,
        story=f"The {name} looks for somebody.",
        highest=figure("highest risk", highest),
        average=figure("average risk", average),
        at_risk=figure("at risk", 0.0, "0 %"),
        note="no population was given",
        levels=tuple(Level(one, highest <= one.threshold, average <= one.threshold) for one in PRECEDENTS),
    )


def column(name: str, **more: Any) -> ColumnFacts:
    bars = (Bar("young", "value", 0.4, 0.35), Bar("<old> & others", "others", 0.6, 0.65))
    return ColumnFacts(
        name=name,
        role="quasi-identifier",
        kind="number",
        hierarchy="intervals of 5 and 10",
        published_as="ranges (90 %), * (10 %)",
        bars=bars,
        bars_note="Every bar holds at least 10 records.",
        ncp=figure("NCP", 0.21),
        entropy_kept=figure("entropy kept", 0.6, "60 %"),
        suppressed=figure("suppressed", 0.1, "10 %"),
        distinction=figure("distinction", 0.01),
        separation=figure("separation", 0.8),
        distinction_before=figure("distinction before", 0.1),
        separation_before=figure("separation before", 0.95),
        **more,
    )


NAMES = ("age", "zip <area>", "sex")


def overview() -> dict[str, Any]:
    """What the report is about, and what holds."""
    return {
        "edition": "internal",
        "subject": "release",
        "title": "People & places <2026>",
        "made_on": "2026-05-01",
        "summary": Summary(
            "Every class has at least 10 people.",
            "good",
            ("A grave warning.",),
            (figure("records", 1_000), figure("k", 10), figure("highest risk", 0.1), figure("lost", 0.21)),
        ),
        "context": Context(recipient="the university", release_model="non-public", purpose="research"),
        "data": Data(
            figures=(figure("rows", 1_000), figure("people", 900)),
            counted="people",
            coverage="A sample.",
            roles=(Role("quasi-identifiers", NAMES, "By which a person could be found."),),
        ),
        "roles": Roles(
            "For 1 of 3 columns a reason is recorded.",
            (
                ChosenRole("age", "quasi-identifier", "A. Steward", "Neighbours know it."),
                ChosenRole("zip <area>", "quasi-identifier", "hedgerow advise", "It is <old>.", "left out"),
                ChosenRole("sex", "quasi-identifier", "", ""),
            ),
        ),
        "many_rows": ManyRows("2 people have very many rows.", (figure("median rows", 2), figure("most", 311))),
        "asked": Asked(
            True,
            "All requirements hold.",
            (
                Evidence(
                    "10-anonymity", "k", figure("asked", 10), figure("reached", 12), True, False, None, "Counted."
                ),
                Evidence(
                    "3-diversity",
                    "l",
                    figure("asked", 3),
                    figure("reached", 2),
                    False,
                    False,
                    figure("bad", 7),
                    "Counted.",
                ),
                Evidence("1-anonymity", "k", figure("asked", 1), figure("reached", 12), True, True, None, "Counted."),
            ),
        ),
    }


def risks() -> dict[str, Any]:
    """Who might look for somebody, and what attacks found out."""
    return {
        "attackers": Attackers(
            (attacker("prosecutor", 0.1, 0.03), attacker("journalist", 0.08, 0.02), attacker("marketer", 0.02, 0.02)),
            figure("threshold", 0.1),
            "A remark.",
            "The context names it.",
        ),
        "classes": ClassSizes(
            counted="people",
            figures=(figure("classes", 60), figure("smallest", 12), figure("median", 17.0), figure("largest", 40)),
            histogram=(
                SizeGroup(8, 15, "8–15", 30, 400, 0.444, 0.444),
                SizeGroup(16, 31, "16–31", 20, 400, 0.444, 0.889),
                SizeGroup(32, 63, "32–63", 3, 100, 0.111, 1.0),
            ),
            smaller=(Smaller(2, 0, 0, 0.0), Smaller(19, 40, 500, 0.556)),
            threshold=10,
        ),
        "attempts": Attempts(
            (
                Attempt(
                    "membership",
                    "Somebody asks who is in it.",
                    "is in the table",
                    400,
                    300,
                    figure("claimed of members", 0.7),
                    figure("claimed of others", 0.4),
                    figure("right of members", 0.71),
                    figure("right of others", 0.0),
                    figure("wrong of members", 0.0),
                    figure("wrong of others", 0.4),
                    0.3,
                    0.2,
                    0.4,
                    "30 points (20 to 40)",
                    "note",
                    "Finds out more",
                    ("precision: 64%",),
                ),
                Attempt(
                    "minimality",
                    "Somebody asks why.",
                    "the value of '<old>'",
                    400,
                    60,
                    figure("claimed of members", 0.02),
                    figure("claimed of others", 0.03),
                    figure("right of members", 0.01),
                    figure("right of others", 0.012),
                    figure("wrong of members", 0.0),
                    figure("wrong of others", 0.4),
                    -0.02,
                    -0.05,
                    0.1,
                    "-2 points (-5 to 10)",
                    "good",
                    "Nothing beyond chance",
                    (),
                ),
            ),
            (Untried("label", "The release has no target <old>."),),
            ("Only 60% of members fit a class.",),
            "1 of 2 attacks finds out more.",
            "How to read it.",
        ),
        "working_party": WorkingParty(
            (
                Verdict("singling out", "Can one person be picked out?", "good", "No.", ("k is 12.",)),
                Verdict("linkability", "Can rows be joined?", "unknown", "It is not known.", ("No entity.",)),
                Verdict("inference", "Can something be learnt?", "bad", "Yes.", ("Some classes tell.",)),
            ),
            "A paper of 2014.",
            "No legal claim.",
        ),
        "safe_harbour": SafeHarbour(
            (HarbourFinding("zip", "ZIP codes", "note", ("zip <area>",), "Three digits.", "The rule."),), "Not all."
        ),
    }


def disclosures() -> dict[str, Any]:
    """What is learnt without finding a row."""
    return {
        "disclosure": DisclosureFacts(
            columns=(SensitiveFacts("disease", "sensitive", figure("homogeneity", 0.0), (figure("distinct l", 3),)),),
            proportions=(ProportionFacts("age", figure("surest", 0.5), figure("on average", 0.2), figure("told", 3)),),
            people_revealed=(figure("singled out", 0),),
            sentence="Something is told.",
        ),
        "together": TogetherFacts(
            sentence="Classes cross.",
            compared="By 'age'.",
            figures=(figure("k together", 1), figure("alone", None, "2 to 9")),
            learnt=(figure("zip <area>", 0.2),),
            remarks=("Something was taken for granted.",),
        ),
        "changes": Changes(
            "What differs: k.", (ChangedFact("k", "5", "10", True), ChangedFact("method", "<old>", "<old>", False))
        ),
        "unique_values": UniqueValues(
            "Somebody has a value that nobody else has.",
            "note",
            (UniqueColumn("zip <area>", "quasi-identifier", figure("fewest", 1), figure("unique values", 17)),),
            ("case <area>",),
        ),
        "all_columns": AllColumns(
            k_all=figure("k over all columns", 2),
            wildcard_k=figure("k with wildcards", None, "not computed"),
            linked=(),
            columns=(
                ClearColumnFacts(
                    "income", "target", figure("alone", 0.1), figure("k", 2), "age", figure("tells", 0.3), True, True
                ),
                ClearColumnFacts("shoe", "insensitive", figure("alone", 0.1), figure("k", 9), None, None, False, False),
            ),
            accepted=("income",),
            sentence="One column was accepted.",
        ),
    }


def kept_and_lost() -> dict[str, Any]:
    """What is kept, and what was left out."""
    return {
        "columns": Columns(tuple(map(column, NAMES)), "age", "zip <area>", 10, "people"),
        "association": Association(
            NAMES,
            (
                Pair(NAMES[0], NAMES[1], 0.5, 0.41, -0.09),
                Pair(NAMES[0], NAMES[2], 0.1, 0.1, 0.0),
                Pair(NAMES[1], NAMES[2], 0.2, 0.45, 0.25),
            ),
            figure("mean change", 0.113),
            "It is measured.",
        ),
        "suppression": Suppression(
            figure("rows left out", 0.01),
            figure("cells", 0.1),
            (LabelShare("low", "value", 0.7, 0.1, 0.01), LabelShare("high", "value", 0.3, 0.2, None)),
            "By label.",
        ),
        "not_finer": NotFiner(
            "One requirement forbids most.",
            (NotFinerColumn("zip <area>", (("10-anonymity forbids more", figure("share", 0.43, "43 %")),)),),
        ),
        "utility": Utility(
            "accuracy",
            True,
            "five times twofold",
            (
                Score("c45", "mondrian", 10, 0.85, 0.81, 0.76, 0.556),
                Score("mlp", "mondrian", None, 0.86, None, 0.76, None),
            ),
            "How often learners are right.",
        ),
        "analyses": AnalysesFacts(
            (
                AnalysisFacts(
                    "mean days by ward",
                    "as published",
                    "mean",
                    "fair",
                    "note",
                    0.71,
                    0.052,
                    ("Intervals count rows.",),
                    (
                        EstimateFacts("surgery", 4.5, 4.1, 4.9, 4.7, 4.4, 5.0, 0.71),
                        EstimateFacts("oncology", 6.25, None, None),
                    ),
                    3,
                ),
                AnalysisFacts(
                    "mean days", "on redrawn rows", "mean", None, "unknown", None, None, ("It cannot be run.",), (), 0
                ),
            ),
            "How the table is read.",
            "What the words mean.",
            True,
            False,
        ),
    }


def governance() -> dict[str, Any]:
    """What to know, who answers for it, and how it was made."""
    return {
        "cautions": (
            Caution("minimality", "Minimality", "An attacker may know the method.", source="A paper."),
            Caution("weak", "Weak", "It does not hold.", "bad"),
        ),
        "governance": Governance(
            signatory="A. Steward",
            role="registry",
            date=datetime.date(2026, 5, 1),
            expiry=datetime.date(2027, 5, 1),
            evaluate_again="when a further table is released",
        ),
        "provenance": Provenance(
            method="mondrian",
            paper="A paper of 2006.",
            requirements=("10-anonymity",),
            parameters={"k": "10"},
            method_facts={"groups": "60"},
            hierarchies={"age": "intervals"},
            losses=(figure("ncp", 0.21),),
            versions={"python": "3.11"},
            digests=(Digest("out.csv", "0" * 64),),
            digests_note="Compare them.",
            manifest="It fits.",
        ),
        "standards": Standards(
            (Standard("Who is it for?", ("context", "utility"), "Context", "Goals"),), "In our own words."
        ),
        "absent": {"utility": "Nothing was evaluated.", "context": "Nobody has said for whom."},
    }


def example_facts(**changes: Any) -> ReportFacts:
    """Facts of an internal edition; ``changes`` are fields that shall be different."""
    sections = overview() | risks() | disclosures() | kept_and_lost() | governance()
    return ReportFacts(**(sections | changes))
