"""All facts of all kinds of subjects, in both editions."""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

import hedgerow as hr
from hedgerow.anonymizers.registry import METHODS
from hedgerow.engines import _files as files
from hedgerow.engines.workspace import Shares
from hedgerow.errors import BadInput
from hedgerow.release import Release
from hedgerow.report.facts import gather
from hedgerow.report.facts._provenance import with_digests
from hedgerow.report.facts._subject import Originals, Subject
from hedgerow.report.facts.context import Context, Governance
from hedgerow.report.facts.figures import Edition, Figure
from hedgerow.report.facts.sections import ReportFacts

TODAY = datetime.date(2026, 5, 1)
EDITIONS: tuple[Edition, ...] = ("internal", "public")
SCHEMA = hr.Schema(
    quasi=["age", "sex", "education"],
    target="income",
    sensitive=["disease"],
    insensitive=["marital-status"],
    accept=["marital-status"],
    others="drop",
)


@pytest.fixture(scope="module")
def people() -> pa.Table:
    table: pa.Table = hr.datasets.make_census(400, random_state=4)
    return table


@pytest.fixture(scope="module")
def release(people: pa.Table) -> Release:
    return hr.anonymize(people, SCHEMA, k=5, random_state=987_654_321)


def plain(facts: ReportFacts) -> dict[str, Any]:
    return dataclasses.asdict(facts)


def figures(facts: object) -> Iterator[Figure]:
    """All figures, wherever they stand."""
    if isinstance(facts, Figure):
        yield facts
    elif dataclasses.is_dataclass(facts) and not isinstance(facts, type):
        for field in dataclasses.fields(facts):
            yield from figures(getattr(facts, field.name))
    elif isinstance(facts, tuple):
        for one in facts:
            yield from figures(one)


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_report(people: pa.Table, method: str, edition: Edition) -> None:
    few = people.slice(0, 60).select(["age", "sex", "income"])
    parameters: dict[str, Any] = {"time_limit": 5.0} if method == "mingen" else {}
    made = hr.anonymize(
        few, hr.Schema(quasi=["age", "sex"], target="income"), method=method, k=5, random_state=1, **parameters
    )
    facts = gather(made, edition=edition)
    assert [one.name for one in facts.columns.columns] == ["age", "sex", "income"]
    assert facts.provenance.method == method
    assert facts.provenance.paper
    # Nothing tells of which country people without a ZIP code or a state are.
    lacking = {"analyses", "attempts", "context", "governance", "safe_harbour", "together", "utility"}
    lacking |= {"changes", "many_rows", "roles"} | ({"not_finer", "unique_values"} if edition == "public" else set())
    assert set(facts.absent) == lacking
    json.dumps(plain(facts))  # plain values only


def test_an_internal_report_tells_what_was_kept(release: Release) -> None:
    facts = gather(release, today=TODAY)
    assert (facts.subject, facts.edition, facts.made_on) == ("release", "internal", "2026-05-01")
    for one in facts.columns.columns[:3]:
        assert one.ncp is not None
        assert one.separation_before is not None
        assert all(bar.before is not None for bar in one.bars)
    assert facts.association is not None
    assert facts.association.pairs[0].before is not None


def test_a_public_report_tells_nothing_of_original_rows(release: Release) -> None:
    facts = gather(release, edition="public")
    assert facts.association is not None
    assert facts.columns.identified_most is None
    for one in facts.columns.columns:
        assert (one.ncp, one.entropy_kept, one.suppressed) == (None, None, None)
        assert (one.distinction_before, one.separation_before) == (None, None)
        assert all(bar.before is None for bar in one.bars)
    assert all(pair.before is None and pair.change is None for pair in facts.association.pairs)


def test_sections_of_the_public_edition_cannot_know_original_rows(release: Release) -> None:
    """They are given a subject that holds nothing but what a recipient has."""
    about = Subject.of(release, "public")
    assert about.originals is None
    held = [getattr(about, field.name) for field in dataclasses.fields(about)]
    assert not any(isinstance(one, Originals | Release) or one is release.recoding for one in held)
    assert Subject.of(release, "internal").originals is not None


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
@pytest.mark.parametrize("method", ["mondrian", "datafly", "hedge", "kactus"])
def test_a_recipient_could_write_the_public_report(people: pa.Table, tmp_path: Path, name: str, method: str) -> None:
    """From the files alone, whatever is in the public edition comes out the same: so it tells nothing more."""
    made = hr.anonymize(people, SCHEMA, method=method, k=5, random_state=3, suppression_limit=0.05)
    loaded = hr.Release.load(made.save(tmp_path / name))
    public, again = (plain(gather(one, edition="public", today=TODAY)) for one in (made, loaded))
    assert (public.pop("subject"), again.pop("subject")) == ("release", "loaded release")
    assert again["provenance"].pop("digests") != public["provenance"].pop("digests")
    for one in (public, again):
        one["provenance"].pop("digests_note")
        one["provenance"].pop("manifest")
    assert public == again


def test_the_same_of_proportions(people: pa.Table, tmp_path: Path) -> None:
    made = hr.anonymize(people, SCHEMA, k=5, random_state=3, publish_proportions=True)
    loaded = hr.Release.load(made.save(tmp_path / "out.csv"))
    public, again = (gather(one, edition="public", today=TODAY) for one in (made, loaded))
    assert public.disclosure == again.disclosure
    assert public.disclosure.proportions
    assert [one.what for one in again.provenance.digests] == ["the table", "the proportions"]


def test_a_loaded_release_has_no_before_in_any_edition(release: Release, tmp_path: Path) -> None:
    facts = gather(hr.Release.load(release.save(tmp_path / "out.csv")))
    assert facts.subject == "loaded release"
    assert all(bar.before is None for one in facts.columns.columns for bar in one.bars)
    assert facts.provenance.manifest == "The table is the one that the manifest beside it describes."


@pytest.mark.parametrize("edition", EDITIONS)
def test_an_audit_keeps_no_cells(people: pa.Table, edition: Edition) -> None:
    facts = gather(hr.audit(people, quasi=["age", "sex"], sensitive=["disease"], target="income"), edition=edition)
    assert facts.subject == "audit"
    unknown = (
        "asked",
        "attempts",
        "together",
        "safe_harbour",
        "association",
        "suppression",
        "utility",
        "analyses",
        "context",
        "governance",
        *("changes", "many_rows", "not_finer", "roles", "unique_values"),
    )
    assert set(facts.absent) == set(unknown)
    assert all(getattr(facts, name) is None for name in unknown)
    assert all(reason.endswith(".") for reason in facts.absent.values())
    assert facts.attackers.attackers[0].highest.value == 1
    assert all(not one.bars and one.separation is not None for one in facts.columns.columns)
    assert facts.columns.identifies_most == "age"
    assert {role.name for role in facts.data.roles} == {"quasi-identifiers", "sensitive", "target"}


def test_a_loaded_release_of_people_counts_rows_and_says_so(tmp_path: Path) -> None:
    visits = pa.table({"who": [f"p{at // 2}" for at in range(40)], "town": ["Ulm"] * 20 + ["Bern"] * 20})
    schema = hr.Schema(quasi=["town"], entity="who", identifying=["who"])
    made = hr.anonymize(visits, schema, k=5, random_state=1)
    loaded = gather(hr.Release.load(made.save(tmp_path / "out.csv")))
    assert "people" in [one.topic for one in loaded.cautions]
    assert "people" not in [one.topic for one in gather(made).cautions]


def test_the_audit_of_a_release_is_an_audit(release: Release) -> None:
    facts = gather(hr.audit(release))
    assert facts.subject == "audit"
    assert facts.asked is not None
    assert facts.provenance.requirements == ("5-anonymity",)


class TinyShares(Shares):
    """So small that only a few tuples fit."""

    def most_tuples(self, columns: int) -> int:
        return 7


@pytest.mark.parametrize("method", ["mondrian", "kactus"])
def test_a_table_that_does_not_fit_tells_the_same(
    people: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    path = tmp_path / "people.csv"
    pa_csv.write_csv(people, path)
    options: dict[str, Any] = {"method": method, "k": 5, "random_state": 3}
    in_memory = gather(hr.anonymize(path, SCHEMA, **options), today=TODAY)
    monkeypatch.setattr(files, "divided", lambda _limit: TinyShares(10**9, 10**9))
    made = hr.anonymize(path, SCHEMA, **options)
    assert made.originals is None
    found, expected = plain(gather(made, today=TODAY)), plain(in_memory)
    # Which rows are looked at to see what columns in clear give away is left to chance.
    assert found.pop("all_columns")["k_all"] == expected.pop("all_columns")["k_all"]
    # Reasons are known of tables in memory only.
    assert (found.pop("not_finer"), found["absent"].pop("not_finer", "")) == (None, gather(made).absent["not_finer"])
    assert expected.pop("not_finer") is not None
    assert found == expected


def test_context_and_governance_come_as_they_are_without_notes_for_recipients(release: Release) -> None:
    told = Context(recipient="the university", coverage="sample", notes="they asked twice")
    signed = Governance(signatory="A. Steward", date=TODAY, notes="ask the lawyer")
    facts = gather(release, context=told, governance=signed)
    assert (facts.context, facts.governance) == (told, signed)
    assert facts.data.coverage.startswith("The table is a sample")
    public = gather(release, edition="public", context=told, governance=signed)
    assert public.context == dataclasses.replace(told, notes=None)
    assert public.governance == dataclasses.replace(signed, notes=None)
    assert "context" not in public.absent


@pytest.mark.parametrize("edition", EDITIONS)
def test_no_seed_and_no_path_is_told(people: pa.Table, tmp_path: Path, edition: Edition) -> None:
    folder = tmp_path / "secretfolder"
    folder.mkdir()
    pa_csv.write_csv(people, folder / "secretfile.csv")
    made = hr.anonymize(folder / "secretfile.csv", SCHEMA, k=5, random_state=987_654_321)
    saved = made.save(folder / "secretout.csv")
    written = json.loads((folder / "secretout.csv.manifest.json").read_text())
    for one in (made, hr.Release.load(saved)):
        facts = gather(one, edition=edition)
        text = repr(dataclasses.replace(facts, provenance=with_digests(facts.provenance, written)))
        assert written["output"]["sha256"] in text
        for canary in ("987654321", "987,654,321", "secretfolder", "secretfile", "secretout"):
            assert canary not in text


def test_never_a_legal_claim(release: Release) -> None:
    for edition in EDITIONS:
        text = repr(gather(release, edition=edition).working_party).lower()
        assert "is anonymous" not in text
        assert "anonymous data" not in text


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_figure_explains_itself(release: Release, edition: Edition) -> None:
    found = list(figures(gather(release, edition=edition)))
    assert len(found) > 40
    for one in found:
        assert one.label
        assert one.text
        assert one.meaning.endswith(".")
        assert one.meaning[0].isupper()


def test_what_no_report_can_be_of(release: Release) -> None:
    with pytest.raises(BadInput, match="must be a Release or an Audit"):
        gather("out.csv")  # type: ignore[arg-type]  # what a user may type
    with pytest.raises(BadInput, match="must be 'internal' or 'public'"):
        gather(release, edition="secret")  # type: ignore[arg-type]  # what a user may type
