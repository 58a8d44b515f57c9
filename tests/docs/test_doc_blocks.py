"""The machinery that runs pages finds every block, and notices what is wrong on a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from doc_blocks import blocks_of, commands_of, same
from doc_running import run_page

PAGE = """# A page

```sh
hedgerow methods \\
    --help
hedgerow nothing   # exit 2
```

<!-- not run: it needs a cluster -->
```python
spark.stop()
```

1. A file:

    ```toml title="job.toml"
    k = 5
    ```

```
printed
```
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "page.md"


def test_blocks_are_found_with_their_marks(written: Path) -> None:
    written.write_text(PAGE, encoding="utf-8")
    typed, spark, job, printed = blocks_of(written)

    assert [(one.typed, one.status) for one in commands_of(typed)] == [
        ("hedgerow methods --help", 0),
        ("hedgerow nothing", 2),
    ]
    assert spark.not_run == "it needs a cluster"
    assert (job.file, job.text) == ("job.toml", "k = 5\n")
    assert (printed.language, printed.text, printed.line) == ("text", "printed\n", 20)


@pytest.mark.parametrize(
    ("shown", "printed", "equal"),
    [
        ("a\nb\n", "a   \nb", True),
        ("a\n…\nd", "a\nb\nc\nd", True),
        ("a …", "a b\nc", True),
        ("a\nb", "a\nc", False),
        ("a", "a\nb", False),
        ("k is 5.", "k is 53", False),
    ],
)
def test_what_is_shown_is_compared_line_by_line(shown: str, printed: str, equal: bool) -> None:
    assert same(shown, printed) is equal


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("```sh\nhedgerow nothing\n```\n", "exit 2"),
        ("```sh\nfalse\n```\n", "exit 1"),
        ("```sh\necho one\n```\n\n```\ntwo\n```\n", "printed was\none"),
        ("```\nalone\n```\n", "nothing before"),
        ("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n", "printed was\n2"),
        ("```pycon\n>>> 1 + 1\n3\n```\n", "Got:\n    2"),
        ("```toml\nk = 5\n```\n", "nothing runs"),
    ],
)
def test_a_page_that_is_wrong_fails(page: str, words: str, written: Path) -> None:
    written.write_text(page, encoding="utf-8")
    with pytest.raises(AssertionError) as caught:
        run_page(written)
    assert words in str(caught.value)


def test_blocks_share_names_and_files(written: Path) -> None:
    text = '```text title="two.txt"\n2\n```\n\n```python\nimport pathlib\n\n'
    text += 'x = int(pathlib.Path("two.txt").read_text())\n```\n\n'
    written.write_text(f"{text}```pycon\n>>> y = x + 1\n```\n\n```pycon\n>>> y\n3\n```\n", encoding="utf-8")
    run_page(written)
