"""Our own databases see nothing but what is handed to them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from hedgerow.io.connections import open_database


def test_no_python_variable_is_found() -> None:
    people = pa.table({"age": [39]})
    assert duckdb.connect().sql("SELECT * FROM people").fetchall() == [(39,)]
    with open_database() as database, pytest.raises(duckdb.CatalogException):
        database.sql("SELECT * FROM people")
    assert people.num_rows == 1


def test_nothing_is_downloaded() -> None:
    with open_database() as database:
        settings = database.sql("SELECT name, value FROM duckdb_settings() WHERE name LIKE 'auto%_known_extensions'")
        assert dict(settings.fetchall()) == {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        with pytest.raises(duckdb.Error):
            database.sql("SELECT * FROM 's3://bucket/x.parquet'")


def test_settings_and_relations_that_outlive_the_name() -> None:
    relation = open_database(threads=1).from_arrow(pa.table({"age": [39]}))
    assert relation.fetchall() == [(39,)]


def test_connections_of_one_process_do_not_see_each_other() -> None:
    with open_database() as one, open_database() as other:
        one.register("people", pa.table({"age": [39]}))
        other.register("people", pa.table({"age": [50]}))
        assert one.sql("SELECT * FROM people").fetchall() == [(39,)]
        assert other.sql("SELECT * FROM people").fetchall() == [(50,)]
        with open_database() as third, pytest.raises(duckdb.CatalogException):
            third.sql("SELECT * FROM people")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("module", ["hedgerow.io.connections", "hedgerow.verifier._grouping"])
def test_a_fork_has_a_database_of_its_own(module: str) -> None:
    """A database without its threads would hang: in the child, and when it ends."""
    code = (
        "import os, warnings\n"
        "warnings.simplefilter('ignore')\n"
        f"from {module} import open_database\n"
        "def asked():\n"
        "    with open_database() as database:\n"
        "        return database.sql('SELECT count(*) FROM range(1000000) AS t(i) WHERE i % 7 = 0').fetchall()\n"
        "before = asked()\n"
        "child = os.fork()\n"
        "same = asked() == before\n"
        "if child:\n"
        "    same = same and os.waitpid(child, 0)[1] == 0\n"
        "raise SystemExit(not same)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_a_copy_that_fails_comes_back(tmp_path: Path) -> None:
    """A full disk, or too little memory, while parts of the file are still being written."""
    code = (
        "import duckdb\n"
        "from hedgerow.io.connections import open_database\n"
        "for failing in range(30_000, 230_000, 5_000):\n"
        "    note = f\"CASE WHEN i = {failing} THEN error('full') ELSE repeat(md5(i::VARCHAR), 8) END\"\n"
        "    rows = f'SELECT {note} AS note FROM range(300_000) AS t(i)'\n"
        "    with open_database(threads=2) as database:\n"
        "        try:\n"
        "            database.execute(f\"COPY ({rows}) TO 'out.parquet' (ROW_GROUP_SIZE 2048)\")\n"
        "        except duckdb.InvalidInputException:\n"
        "            continue\n"
        "    raise SystemExit(1)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60, cwd=tmp_path).returncode == 0


SPILLING = """
import os, stat, tempfile, threading
from MODULE import open_database

os.umask(0o022)
seen, stop = set(), threading.Event()


def watch():
    while not stop.wait(0.005):
        for top in (os.getcwd(), tempfile.gettempdir()):
            for base, folders, files in os.walk(top):
                seen.update(os.path.join(base, one) for one in files if "duckdb_temp" in one)
                for one in folders:
                    if base == top:
                        assert os.stat(os.path.join(base, one)).st_mode & 0o077 == 0, "others can read it"


watcher = threading.Thread(target=watch)
watcher.start()
with open_database() as database:
    database.execute("SET memory_limit = '60MB'")
    database.execute("SET threads = 1")
    rows = "SELECT i, repeat(md5(i::VARCHAR), 3) AS note FROM range(1_500_000) AS t(i)"
    database.execute(f"CREATE TEMP TABLE sorted AS SELECT * FROM ({rows}) ORDER BY note").fetchall()
stop.set()
watcher.join()
assert seen, "it did not spill"
assert not os.listdir(os.getcwd())
"""


@pytest.mark.parametrize("module", ["hedgerow.io.connections", "hedgerow.verifier._grouping"])
def test_what_is_spilled_is_hidden_and_removed(module: str, tmp_path: Path) -> None:
    """Not into the working directory, readable by nobody else, and gone with the program."""
    for name in ("work", "temporary"):
        (tmp_path / name).mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    command = [sys.executable, "-c", SPILLING.replace("MODULE", module)]
    done = subprocess.run(
        command, check=False, timeout=120, cwd=tmp_path / "work", env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "work").iterdir()) == []
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_database_of_its_own_spills_where_it_is_told_or_nowhere() -> None:
    with open_database(threads=1) as database:
        assert database.execute("SELECT current_setting('temp_directory')").fetchall() == [("",)]
