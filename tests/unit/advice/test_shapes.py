"""What texts look like."""

from __future__ import annotations

import pytest

from hedgerow.advice._names import CODE, DATED, ICD, is_free_text, mostly, shape_of


@pytest.mark.parametrize(
    ("texts", "shape"),
    [
        (["a@b.org", "c.d@e.co.uk", "x+y@z.de"], "e-mail addresses"),
        (["https://a.b/c", "www.x.org", "http://y"], "web addresses"),
        (
            ["DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19", "FR1420041010050500013M02606"],
            "bank accounts (IBAN)",
        ),
        (["123e4567-e89b-12d3-a456-426614174000"] * 3, "random identifiers (UUID)"),
        (["078-05-1120", "219-09-9999", "457-55-5462"], "social security numbers"),
        (["4111 1111 1111 1111", "5500-0000-0000-0004", "3400 0000 0000 0009"], "card numbers"),
        (["10.0.0.1", "192.168.1.1", "8.8.8.8"], "network addresses"),
        (["+1 212 555 0100", "(030) 1234567", "0171-5551234"], "telephone numbers"),
        (["01234", "99999", "12345"], None),
        (["2024-03-31", "31.12.2024", "01/02/2023"], None),
        (["a@b.org", "c@d.org"], None),
        (["Bonn", "Lyon", "Rom"], None),
        ([], None),
    ],
)
def test_shapes_that_tell_a_person(texts: list[str], shape: str | None) -> None:
    assert shape_of(texts) == shape


def test_a_few_may_differ() -> None:
    assert shape_of([f"p{n}@x.org" for n in range(19)] + ["none"]) == "e-mail addresses"
    assert shape_of([f"p{n}@x.org" for n in range(8)] + ["none"] * 2) is None


def test_codes_and_dates() -> None:
    assert mostly(["A01", "B12", "C99"], CODE)
    assert not mostly(["Bonn", "Lyon", "Rome"], CODE)
    assert mostly(["I10.9", "J45", "E11.65"], ICD)
    assert not mostly(["10115", "20095", "80331"], ICD)
    assert mostly(["31.12.2024", "2024/1/5", "1-2-24"], DATED)


def test_free_text() -> None:
    assert is_free_text(["came with a cough and fever", "sent home after the second visit", "no change at all since"])
    assert not is_free_text(["Sales Manager", "IT Assistant", "Head of Finance"])
