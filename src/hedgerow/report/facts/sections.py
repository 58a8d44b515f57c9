"""The sections of a report as plain values: a frozen dataclass for each, and :class:`ReportFacts` with all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hedgerow.report.facts.context import Context, Governance
from hedgerow.report.facts.figures import Bar, Edition, Figure, Judgement

__all__ = [
    "AllColumns",
    "AnalysesFacts",
    "AnalysisFacts",
    "Asked",
    "Association",
    "Attacker",
    "Attackers",
    "Attempt",
    "Attempts",
    "Caution",
    "Changes",
    "ChangedFact",
    "ChosenRole",
    "ClassSizes",
    "ClearColumnFacts",
    "ColumnFacts",
    "Columns",
    "Data",
    "Digest",
    "DisclosureFacts",
    "EstimateFacts",
    "Evidence",
    "HarbourFinding",
    "LabelShare",
    "Level",
    "ManyRows",
    "NotFiner",
    "NotFinerColumn",
    "Pair",
    "Precedent",
    "Provenance",
    "ReportFacts",
    "Role",
    "Roles",
    "SafeHarbour",
    "Score",
    "SensitiveFacts",
    "SizeGroup",
    "Smaller",
    "Standard",
    "Standards",
    "SubjectKind",
    "Summary",
    "Suppression",
    "TogetherFacts",
    "ProportionFacts",
    "UniqueColumn",
    "UniqueValues",
    "Untried",
    "Utility",
    "Verdict",
    "WorkingParty",
]


# --------------------------------------------------------------------------------------------------
# What attacks on the release found out.


@dataclass(frozen=True)
class Attempt:
    """One attack on the people of the table and on others.

    Attributes
    ----------
    name : str
    story : str
        What the attacker does.
    claim : str
        What the attacker claims about a person.
    people, others : int
        The number of attacked people of the table, and of attacked others.
    claimed, claimed_of_others : Figure
        The share of them about whom the attacker claims something.
    right, right_of_others : Figure
        The share of them about whom the claim is right.
    wrong, wrong_of_others : Figure
        The share of them about whom the claim is wrong.
    excess, low, high : float
        What is found out about people of the table beyond others, with its 95 % interval, as differences of shares.
    excess_text : str
        The same in words.
    judgement : {"good", "note"}
    verdict : str
        Whether it works, finds nothing, or has too few people to say, in a few words.
    remarks : tuple of str
    """

    name: str
    story: str
    claim: str
    people: int
    others: int
    claimed: Figure
    claimed_of_others: Figure
    right: Figure
    right_of_others: Figure
    wrong: Figure
    wrong_of_others: Figure
    excess: float
    low: float
    high: float
    excess_text: str
    judgement: Judgement
    verdict: str
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Untried:
    """An attack that was not tried, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Attempts:
    """All attacks.

    Attributes
    ----------
    attempts : tuple of Attempt
    untried : tuple of Untried
    remarks : tuple of str
        What to know about the people who were attacked.
    sentence : str
        The result of all attacks.
    meaning : str
        How to read the figures.
    """

    attempts: tuple[Attempt, ...]
    untried: tuple[Untried, ...]
    remarks: tuple[str, ...]
    sentence: str
    meaning: str


# --------------------------------------------------------------------------------------------------
# What a reader learns about people without finding their rows, and what all columns reveal together.


@dataclass(frozen=True)
class SensitiveFacts:
    """A sensitive column or the target, and what the classes reveal about it.

    Attributes
    ----------
    name : str
    role : {"target", "sensitive"}
    homogeneity : Figure
        The share of records in classes with a single value.
    figures : tuple of Figure
        Every model's figure of the worst class: distinct l, entropy l, recursive c, t, alpha; none of a target that is
        not sensitive.
    """

    name: str
    role: Literal["target", "sensitive"]
    homogeneity: Figure
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class ProportionFacts:
    """A quasi-identifier, and what published proportions reveal about it beyond the table."""

    name: str
    surest: Figure
    average: Figure
    revealed: Figure


@dataclass(frozen=True)
class DisclosureFacts:
    """Disclosure without finding a row.

    Attributes
    ----------
    columns : tuple of SensitiveFacts
    proportions : tuple of ProportionFacts
        Empty if none are published.
    people_revealed : tuple of Figure
        How many people the proportions single out, and how many they count exactly; empty if none are published.
    sentence : str
    """

    columns: tuple[SensitiveFacts, ...]
    proportions: tuple[ProportionFacts, ...]
    people_revealed: tuple[Figure, ...]
    sentence: str


@dataclass(frozen=True)
class ClearColumnFacts:
    """A column that is published unchanged.

    Attributes
    ----------
    name : str
    role : str
    alone : Figure
        The share of people whose value nobody else has.
    k : Figure
        The fewest who share a class and a value of this column.
    reveals_of : str or None
        The quasi-identifier about which the column reveals most.
    reveals : Figure or None
        How much it reveals.
    discloses, accepted : bool
        Whether that is too much, and whether somebody has accepted it by name.
    known_from : tuple of str
        The quasi-identifiers that determine it.
    """

    name: str
    role: str
    alone: Figure
    k: Figure
    reveals_of: str | None
    reveals: Figure | None
    discloses: bool
    accepted: bool
    known_from: tuple[str, ...] = ()


@dataclass(frozen=True)
class AllColumns:
    """All published columns together.

    Attributes
    ----------
    k_all : Figure
        The fewest records that share the values of all columns.
    wildcard_k : Figure
        The k if missing and suppressed cells may stand for anything.
    linked : tuple of Figure
        The fewest people who share the classes of their rows, where a person's rows can be linked; empty otherwise.
    columns : tuple of ClearColumnFacts
    accepted : tuple of str
        The columns that disclose and were accepted.
    sentence : str
    determined : tuple of Figure
        The k with the columns that quasi-identifiers determine; empty if they determine none.
    """

    k_all: Figure
    wildcard_k: Figure
    linked: tuple[Figure, ...]
    columns: tuple[ClearColumnFacts, ...]
    accepted: tuple[str, ...]
    sentence: str
    determined: tuple[Figure, ...] = ()


@dataclass(frozen=True)
class TogetherFacts:
    """The table together with an earlier release, and what both disclose.

    Attributes
    ----------
    sentence : str
    compared : str
        By which columns rows of both were compared.
    figures : tuple of Figure
    learnt : tuple of Figure
        For each sensitive column, the share of people for whom a single value is left.
    remarks : tuple of str
    """

    sentence: str
    compared: str
    figures: tuple[Figure, ...]
    learnt: tuple[Figure, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class ChangedFact:
    """A fact about a release that differs from the earlier one, or may: before and now, as texts."""

    what: str
    before: str
    now: str
    changed: bool


@dataclass(frozen=True)
class Changes:
    """What has changed since an earlier release, by the manifests of both."""

    sentence: str
    facts: tuple[ChangedFact, ...]


# --------------------------------------------------------------------------------------------------
# Questions about single people and values: for the publisher only.


@dataclass(frozen=True)
class UniqueColumn:
    """A published column and its rarest value.

    Attributes
    ----------
    name : str
    role : str
    fewest : Figure
        The fewest who have one of its values.
    unique : Figure
        The number of values that only one person, or row, has.
    """

    name: str
    role: str
    fewest: Figure
    unique: Figure


@dataclass(frozen=True)
class UniqueValues:
    """Whether anybody has a value that nobody else has, column by column; ``exempt`` columns name people."""

    sentence: str
    judgement: Judgement
    columns: tuple[UniqueColumn, ...]
    exempt: tuple[str, ...]


@dataclass(frozen=True)
class ManyRows:
    """How many rows people have."""

    sentence: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class NotFinerColumn:
    """A quasi-identifier, and why its cells do not show more: a reason and its share of the records, for each."""

    name: str
    reasons: tuple[tuple[str, Figure], ...]


@dataclass(frozen=True)
class NotFiner:
    """Why cells do not show more."""

    sentence: str
    columns: tuple[NotFinerColumn, ...]


# --------------------------------------------------------------------------------------------------
# Whether people could be found again: attackers, class sizes, and the questions of authorities.


@dataclass(frozen=True)
class Precedent:
    """A threshold that others use.

    Attributes
    ----------
    k : int
        The least class size.
    threshold : float
        The highest chance of finding a person again: 1/k, as it is usually written (0.33, 0.2, 0.09, 0.05).
    used_by : str
        Who uses it, and for what.
    source : str
        The publication that says so.
    """

    k: int
    threshold: float
    used_by: str
    source: str


@dataclass(frozen=True)
class Level:
    """Whether a risk stays within a threshold.

    Attributes
    ----------
    precedent : Precedent
    within : bool
        Whether the highest risk is at most the threshold.
    average_within : bool
        Whether the average risk is.
    """

    precedent: Precedent
    within: bool
    average_within: bool


@dataclass(frozen=True)
class Attacker:
    """One attacker.

    Attributes
    ----------
    name : {"prosecutor", "journalist", "marketer"}
    story : str
        Who the attacker is, and what they do.
    highest, average, at_risk : Figure
        Chances and shares, 0 to 1.
    note : str
        The assumption behind the figures.
    levels : tuple of Level
        The four thresholds, from the loosest to the strictest.
    """

    name: Literal["prosecutor", "journalist", "marketer"]
    story: str
    highest: Figure
    average: Figure
    at_risk: Figure
    note: str
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Attackers:
    """The three attackers; a record whose chance is above ``threshold`` counts as at risk.

    Attributes
    ----------
    attackers : tuple of Attacker
    threshold : Figure
    remark : str
    asked : str
        Who asked for the threshold, or that it is customary, in a sentence.
    """

    attackers: tuple[Attacker, ...]
    threshold: Figure
    remark: str
    asked: str = ""


@dataclass(frozen=True)
class SizeGroup:
    """The classes with ``low`` to ``high`` records, and the share of records in these and all smaller classes."""

    low: int
    high: int
    label: str
    classes: int
    records: int
    share: float
    cumulative: float


@dataclass(frozen=True)
class Smaller:
    """The classes of at most ``size`` records, and their records."""

    size: int
    classes: int
    records: int
    share: float


@dataclass(frozen=True)
class ClassSizes:
    """The sizes of the equivalence classes.

    Attributes
    ----------
    counted : {"rows", "people"}
    figures : tuple of Figure
        Number, smallest, median, mean, largest.
    histogram : tuple of SizeGroup
        By powers of two; ``cumulative`` is the share of records in classes up to ``high``.
    smaller : tuple of Smaller
        For the named thresholds (2, 4, 10, 19 records: below k = 3, 5, 11, 20), and just below the k that was asked.
    threshold : int or None
        The k that was asked, a line in the chart. No class may be smaller.
    """

    counted: Literal["rows", "people"]
    figures: tuple[Figure, ...]
    histogram: tuple[SizeGroup, ...]
    smaller: tuple[Smaller, ...]
    threshold: int | None


@dataclass(frozen=True)
class HarbourFinding:
    """One of the facts that HIPAA's safe harbour requires.

    Attributes
    ----------
    topic : {"zip", "age", "date"}
    title : str
    judgement : {"good", "note", "bad", "unknown"}
        A judgement of the published columns; ``unknown`` where no column fits the topic.
    columns : tuple of str
        The columns that fit the topic.
    sentence : str
    rule : str
        The text of the rule.
    """

    topic: Literal["zip", "age", "date"]
    title: str
    judgement: Judgement
    columns: tuple[str, ...]
    sentence: str
    rule: str


@dataclass(frozen=True)
class SafeHarbour:
    """Facts about HIPAA's safe harbour; ``remark`` names what was not examined."""

    findings: tuple[HarbourFinding, ...]
    remark: str


@dataclass(frozen=True)
class Verdict:
    """One of the three questions of the EU's working party.

    Attributes
    ----------
    question : {"singling out", "linkability", "inference"}
    asks : str
        The question in plain words.
    judgement : {"good", "note", "bad", "unknown"}
    answer : str
        One sentence; never a legal claim.
    evidence : tuple of str
        What the answer rests on, a sentence each.
    """

    question: Literal["singling out", "linkability", "inference"]
    asks: str
    judgement: Judgement
    answer: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class WorkingParty:
    """The three verdicts; ``remark`` names their limits."""

    verdicts: tuple[Verdict, ...]
    source: str
    remark: str


# --------------------------------------------------------------------------------------------------
# What was kept of the table, and what was left out.


@dataclass(frozen=True)
class ColumnFacts:
    """A column, and what was kept of it.

    Attributes
    ----------
    name : str
    role : {"quasi-identifier", "target", "sensitive"}
    kind : str or None
        ``"text"``, ``"number"``, ``"date"`` or ``"order"``, where it is known.
    hierarchy : str or None
        How the column generalizes, in words.
    published_as : str
        The kinds of its cells with their shares: ranges, sets, labels, values, ``*``.
    bars : tuple of Bar
        The distribution over groups of at least k records, before and after where that may be shown.
    bars_note : str
        How the bars were made, or why there are none.
    ncp : Figure or None
        How wide the published cells are.
    entropy_kept : Figure or None
        The share of the bits of the column that are left.
    suppressed : Figure or None
        The share of ``*``.
    distinction, separation : Figure or None
        How many distinct cells the published column has, and how many pairs of records differ in it.
    distinction_before, separation_before : Figure or None
        The same of the original column.
    """

    name: str
    role: Literal["quasi-identifier", "target", "sensitive"]
    kind: str | None
    hierarchy: str | None
    published_as: str
    bars: tuple[Bar, ...]
    bars_note: str
    ncp: Figure | None = None
    entropy_kept: Figure | None = None
    suppressed: Figure | None = None
    distinction: Figure | None = None
    separation: Figure | None = None
    distinction_before: Figure | None = None
    separation_before: Figure | None = None


@dataclass(frozen=True)
class Columns:
    """All columns, and what was kept of them.

    Attributes
    ----------
    columns : tuple of ColumnFacts
        Quasi-identifiers first, then target and sensitive columns.
    identifies_most : str or None
        The quasi-identifier that distinguishes most people, as published.
    identified_most : str or None
        The same in the original table, where that may be shown.
    pooled_to : int
        The fewest records of a bar.
    counted : {"rows", "people"}
        The unit of ``pooled_to``.
    """

    columns: tuple[ColumnFacts, ...]
    identifies_most: str | None
    identified_most: str | None
    pooled_to: int
    counted: Literal["rows", "people"]


@dataclass(frozen=True)
class Pair:
    """The association of two columns, 0 to 1: before, after, and the change (after less before)."""

    first: str
    second: str
    before: float | None
    after: float
    change: float | None


@dataclass(frozen=True)
class Association:
    """Whether columns are still associated as they were.

    Attributes
    ----------
    columns : tuple of str
        In the order of the heatmap.
    pairs : tuple of Pair
        Each pair once, ``first`` before ``second`` in ``columns``.
    mean_change : Figure or None
        The mean of the absolute changes.
    measure : str
        How association is measured, in a sentence.
    """

    columns: tuple[str, ...]
    pairs: tuple[Pair, ...]
    mean_change: Figure | None
    measure: str


@dataclass(frozen=True)
class LabelShare:
    """The records with one label of the target, and what was suppressed of them.

    Attributes
    ----------
    label : str
        A label that at least k records have, or the name for all other labels together.
    kind : {"value", "others", "missing"}
    share : float
        Its share of the published records.
    cells : float
        The share of their quasi-identifier cells that are ``*``.
    rows : float or None
        The share of its original records that were left out; ``None`` where it may not be shown.
    """

    label: str
    kind: Literal["value", "others", "missing"]
    share: float
    cells: float
    rows: float | None


@dataclass(frozen=True)
class Suppression:
    """The suppressed rows and cells, overall and by label of the target."""

    rows: Figure | None
    cells: Figure
    labels: tuple[LabelShare, ...]
    labels_note: str


@dataclass(frozen=True)
class Score:
    """The scores of one learner: on the original rows, on the release, and by always predicting the majority.

    Attributes
    ----------
    learner, method : str
    k : int or None
    raw, published, majority : float or None
    kept : float or None
        How much of the way from the majority to the raw rows is left: 0 to 1, and beyond where it is better.
    """

    learner: str
    method: str
    k: int | None
    raw: float | None
    published: float | None
    majority: float | None
    kept: float | None


@dataclass(frozen=True)
class Utility:
    """The scores of all learners.

    Attributes
    ----------
    score : str
        The name of the score: ``accuracy``, ``rmse``, …
    higher_is_better : bool
    protocol : str
    rows : tuple of Score
    meaning : str
    """

    score: str
    higher_is_better: bool
    protocol: str
    rows: tuple[Score, ...]
    meaning: str


# --------------------------------------------------------------------------------------------------
# What recipients will find with the analyses that they plan.


@dataclass(frozen=True)
class EstimateFacts:
    """An estimate on the release and, in the internal edition, on the original rows.

    Attributes
    ----------
    name : str
    release, release_low, release_high : float or None
        The estimate with the ends of its interval.
    original, original_low, original_high, overlap : float or None
        ``None`` in the public edition, and where few original records stand behind it.
    """

    name: str
    release: float | None
    release_low: float | None
    release_high: float | None
    original: float | None = None
    original_low: float | None = None
    original_high: float | None = None
    overlap: float | None = None


@dataclass(frozen=True)
class AnalysisFacts:
    """An analysis by one reading of the release.

    Attributes
    ----------
    analysis : str
        As it was written.
    reading : str
        How the release was read.
    shows : str
        What is estimated: a share, a mean, a coefficient.
    agreement : {"good", "fair", "poor"} or None
    judgement : {"good", "note", "bad", "unknown"}
    overlap, error : float or None
        The mean overlap of the intervals, and the median relative error; ``None`` in the public edition.
    notes : tuple of str
    estimates : tuple of EstimateFacts
    hidden : int
        How many further estimates are not shown.
    """

    analysis: str
    reading: str
    shows: str
    agreement: str | None
    judgement: Judgement
    overlap: float | None
    error: float | None
    notes: tuple[str, ...]
    estimates: tuple[EstimateFacts, ...]
    hidden: int


@dataclass(frozen=True)
class AnalysesFacts:
    """All analyses.

    Attributes
    ----------
    rows : tuple of AnalysisFacts
    meaning : str
        How the release is read, and what is shown.
    thresholds : str
        What the words mean.
    redrawn : bool
        Whether redrawn rows were analysed, too.
    public : bool
        Whether figures of the original rows are left out.
    """

    rows: tuple[AnalysisFacts, ...]
    meaning: str
    thresholds: str
    redrawn: bool
    public: bool


# --------------------------------------------------------------------------------------------------
# How the table was made, and what its publisher should know.


@dataclass(frozen=True)
class Caution:
    """A caution for publishers and readers of the table.

    Attributes
    ----------
    topic : str
        ``"weak"``, ``"minimality"``, ``"downcoding"``, ``"homogeneity"``, ``"several releases"``, ``"rows"``,
        ``"remark"``, …
    title : str
    text : str
        What can happen, and what helps.
    judgement : {"note", "bad"}
    source : str or None
        The paper that describes it.
    """

    topic: str
    title: str
    text: str
    judgement: Judgement = "note"
    source: str | None = None


@dataclass(frozen=True)
class Digest:
    """The SHA-256 of a file of the release."""

    what: str
    sha256: str


@dataclass(frozen=True)
class Provenance:
    """How the table was made.

    Attributes
    ----------
    method : str or None
    paper : str or None
    requirements : tuple of str
    parameters : mapping of str to str
        As they are written in the manifest; no seed.
    method_facts : mapping of str to str
        What the method reports about its result.
    hierarchies : mapping of column to str
    losses : tuple of Figure
        Every metric.
    versions : mapping of str to str
    digests : tuple of Digest
        Empty if the release is not saved, or if its place is not known.
    digests_note : str
    manifest : str or None
        Whether the table is the one that the manifest beside it describes.
    """

    method: str | None
    paper: str | None
    requirements: tuple[str, ...]
    parameters: Mapping[str, str]
    method_facts: Mapping[str, str]
    hierarchies: Mapping[str, str]
    losses: tuple[Figure, ...]
    versions: Mapping[str, str]
    digests: tuple[Digest, ...]
    digests_note: str
    manifest: str | None


@dataclass(frozen=True)
class Standard:
    """A question, where this report answers it, and the subjects of two standards that ask it.

    Attributes
    ----------
    question : str
    parts : tuple of str
        The names of the parts of the report.
    iso, nist : str
        The subject in ISO/IEC 27559 and in NIST SP 800-188, in our own words.
    """

    question: str
    parts: tuple[str, ...]
    iso: str
    nist: str


@dataclass(frozen=True)
class Standards:
    """Where two standards ask for what this report says; ``remark`` names what that does not mean."""

    rows: tuple[Standard, ...]
    remark: str


# --------------------------------------------------------------------------------------------------
# What the table is, what was asked, and what holds.


@dataclass(frozen=True)
class Summary:
    """The summary for a reader who reads nothing else.

    Attributes
    ----------
    sentence : str
        What holds, in one sentence.
    judgement : {"good", "note", "bad", "unknown"}
    grave : tuple of str
        What makes the table or its promise worth nothing; shown before anything else.
    figures : tuple of Figure
        The four to six figures at the top: records, k, classes, the highest risk, what is lost.
    beyond : str
        What the sentence does not cover: that fewer look alike over all published columns. It is as prominent.
    """

    sentence: str
    judgement: Judgement
    grave: tuple[str, ...]
    figures: tuple[Figure, ...]
    beyond: str = ""


@dataclass(frozen=True)
class Role:
    """A role and its columns.

    Attributes
    ----------
    name : str
        ``"quasi-identifiers"``, ``"target"``, ``"sensitive"``, ``"published unchanged"``, ``"accepted"``,
        ``"pseudonymized"``, ``"dropped"``, ``"person"``.
    columns : tuple of str
    meaning : str
    """

    name: str
    columns: tuple[str, ...]
    meaning: str


@dataclass(frozen=True)
class ChosenRole:
    """A column, its role, and who chose it and why.

    Attributes
    ----------
    name, role : str
    by : str
        Who chose it; empty if that is not recorded.
    reason : str
    suggested : str
        The role that was suggested, where it is another one; else empty.
    """

    name: str
    role: str
    by: str
    reason: str
    suggested: str = ""


@dataclass(frozen=True)
class Roles:
    """Who chose the role of each column, and why."""

    sentence: str
    columns: tuple[ChosenRole, ...]


@dataclass(frozen=True)
class Data:
    """The size of the table, and the roles of its columns.

    Attributes
    ----------
    figures : tuple of Figure
        Rows, people, rows that were left out, columns.
    counted : {"rows", "people"}
        What k counts.
    coverage : str
        Whether the table is a sample or a population, in a sentence; also where that is not known.
    roles : tuple of Role
        Only roles that some column has.
    """

    figures: tuple[Figure, ...]
    counted: Literal["rows", "people"]
    coverage: str
    roles: tuple[Role, ...]


@dataclass(frozen=True)
class Evidence:
    """One requirement, and the evidence that it holds or fails.

    Attributes
    ----------
    requirement : str
    measure : str
        ``k``, ``l``, ``t``, …
    required, reached : Figure
    holds : bool
    promises_nothing : bool
        Whether every table meets the requirement.
    violating : Figure or None
        The records in classes that break the requirement; ``None`` where none do.
    evidence : str
        What was counted, in one sentence.
    """

    requirement: str
    measure: str
    required: Figure
    reached: Figure
    holds: bool
    promises_nothing: bool
    violating: Figure | None
    evidence: str


@dataclass(frozen=True)
class Asked:
    """The requirements, and whether they hold."""

    holds: bool
    sentence: str
    requirements: tuple[Evidence, ...]


# --------------------------------------------------------------------------------------------------
# The root of all facts: one field for each section of a report.


SubjectKind = Literal["release", "loaded release", "audit"]
"""The subject of a report: a release as it was made, a release read from its files, or the audit of any table."""


@dataclass(frozen=True)
class ReportFacts:
    """All facts of a report, one field for each section, in the order of ISO/IEC 27559.

    A section that is not known for the subject or not shown in the edition is ``None``; ``absent`` then has a sentence
    that says why, under the name of the field.

    Attributes
    ----------
    edition : {"internal", "public"}
    subject : {"release", "loaded release", "audit"}
    title : str
    made_on : str
        The day of the report, ``2026-05-01``.
    """

    edition: Edition
    subject: SubjectKind
    title: str
    made_on: str
    summary: Summary
    context: Context | None
    data: Data
    roles: Roles | None
    many_rows: ManyRows | None
    asked: Asked | None
    attackers: Attackers
    classes: ClassSizes
    attempts: Attempts | None
    working_party: WorkingParty
    safe_harbour: SafeHarbour | None
    disclosure: DisclosureFacts
    together: TogetherFacts | None
    changes: Changes | None
    all_columns: AllColumns
    unique_values: UniqueValues | None
    not_finer: NotFiner | None
    columns: Columns
    association: Association | None
    suppression: Suppression | None
    utility: Utility | None
    analyses: AnalysesFacts | None
    cautions: tuple[Caution, ...]
    governance: Governance | None
    provenance: Provenance
    standards: Standards
    absent: Mapping[str, str] = field(default_factory=dict)
