"""Runs in many processes: each rank has its own folder, and what differs between them is found."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jaxscope as library
from jaxscope.errors import SourceError, UsageError
from jaxscope.model.ranks import find_launched_rank, name_ranks
from jaxscope.report.document import write_text
from jaxscope.report.ranks import ranks_to_document, ranks_to_json
from jaxscope.schema.rank_store import _APPLICATION_ID, STORE_NAME, RankStore
from tests.cli.commands import CommandLine
from tests.multiprocess.test_jobs import launch

LAUNCHER = f"{shlex.quote(sys.executable)} {Path(__file__).with_name('launcher.py')}"
TRAIN = """
import os, signal
import jax, jax.numpy as jnp

rank = int(os.environ["PMI_RANK"])

@jax.jit
def step(w, x):
    y = x @ w
    return (y * (2.0 if rank == 1 else 1.0)).sum()

@jax.jit
def log(x):
    return x + 1

step(jnp.ones((4, 4)), jnp.ones((8, 4)))
if rank == 0:
    log(jnp.ones(3))
if rank == 2:
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def jaxscope(capfd: pytest.CaptureFixture[str]) -> CommandLine:
    """The command line in this process, with what the processes of a launcher print."""
    return CommandLine(capfd)  # type: ignore[arg-type] # both fixtures catch alike


@pytest.mark.slow
def test_ranks_of_a_launcher_keep_what_they_saw_and_differences_are_found(
    jaxscope: CommandLine, tmp_path: Path
) -> None:
    script, seen = tmp_path / "train.py", tmp_path / "seen"
    script.write_text(TRAIN)
    (seen / "rank-5").mkdir(parents=True)  # of an earlier run
    (seen / "rank-5" / "compilations.json").write_text("{}")
    done = jaxscope("run", "--launcher", f"{LAUNCHER} 3", "--out", seen, script)
    assert done.status == 4, done.errors  # a rank was killed
    assert "rank 2 ended by SIGKILL" in done.output
    lists = [json.loads((seen / f"rank-{n}" / "compilations.json").read_text()) for n in range(3)]
    assert [each["exit_status"] for each in lists] == [0, 0, -signal.SIGKILL]
    assert [each["rank"]["number"] for each in lists] == [0, 1, 2]
    assert all((seen / f"rank-{n}" / "step.jaxscope").exists() for n in range(3))

    found = jaxscope("ranks", seen, "differ")
    assert found.status == 5
    assert "step (train.py:7): 2 programs: rank 1; ranks 0 and 2." in found.output
    assert "only rank 0" in found.output
    assert "1.0:f32[] → 2.0:f32[] (train.py:10)" in found.output
    told = jaxscope("ranks", seen, "differ", "--json").json()["differences"]
    step = next(each for each in told if each["function"] == "step")
    assert [group["ranks"] for group in step["programs"]] == [[0, 2], [1]]


@pytest.mark.parametrize(
    ("launcher", "status"),
    [("no-such-launcher -n 2", 3), ("true", 3), ("'", 2), (" ", 2)],
)
def test_launchers_that_start_nothing(
    jaxscope: CommandLine, tmp_path: Path, launcher: str, status: int
) -> None:
    (tmp_path / "a.py").touch()
    words = ("--launcher", launcher, "--out", tmp_path / "seen", tmp_path / "a.py")
    assert jaxscope("run", *words).status == status


@pytest.mark.slow
def test_a_launcher_that_tells_no_rank(jaxscope: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import jax\n")
    words = ("--launcher", "env A=1", "--out", tmp_path / "seen", tmp_path / "a.py")
    done = jaxscope("run", *words)
    assert done.status == 3 and "none that knows its rank" in done.errors


@pytest.mark.slow
def test_the_runtime_of_jax_says_the_rank_where_no_launcher_does(tmp_path: Path) -> None:
    more = "jax.jit(total)(shared()).block_until_ready()\njax.jit(odd)(shared())\n"
    answers = launch(tmp_path, ["run", "--out", "seen", "job.py"], more=more)
    assert [answer.status for answer in answers] == [0, 0], answers
    with RankStore(tmp_path / "seen") as store:
        assert [(rank.number, rank.num_ranks) for rank in store.ranks()] == [(0, 2), (1, 2)]
        found, count = store.differences()  # device and process numbers make no difference
        assert (count, found[0].module.function, found[0].groups) == (1, "odd", ((0,), (1,)))
    assert not (tmp_path / "seen" / "compilations.json").exists()


@pytest.mark.parametrize(
    ("environment", "rank"),
    [
        ({"SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "8"}, (3, 8)),
        ({"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, None),  # a batch script
        ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}, (1, 2)),
        ({"PMI_RANK": "0", "PMI_SIZE": "1"}, None),
        ({"PMI_RANK": "9", "PMI_SIZE": "2"}, None),
        ({"PMI_RANK": "-1", "PMI_SIZE": "x"}, None),
        ({}, None),
    ],
)
def test_the_rank_that_launchers_say(
    environment: dict[str, str], rank: tuple[int, int] | None
) -> None:
    assert find_launched_rank(environment) == rank


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ([3], "rank 3"),
        ([1, 0], "ranks 0 and 1"),
        ([*range(37), *range(38, 512)], "ranks 0–36 and 38–511"),
        ([0, 2, 4, 6, 8, 10, 12, 14], "ranks 0, 2, 4, 6, 8, 10 and 2 more"),
    ],
)
def test_ranks_in_words(numbers: list[int], told: str) -> None:
    assert name_ranks(numbers) == told


def test_a_fingerprint_is_of_the_program_and_not_of_its_place() -> None:
    def found(scale: float) -> str | None:
        with library.watch() as seen:
            jax.jit(lambda x: x * scale)(jnp.ones(3))
        (each,) = seen.to_json()["compilations"]
        fingerprint: str | None = each["variants"][0]["fingerprint"]
        return fingerprint

    def elsewhere(scale: float) -> str | None:
        with library.watch() as seen:
            jax.jit(lambda y: y * scale)(jnp.ones(3))
        fingerprint: str | None = seen.to_json()["compilations"][0]["variants"][0]["fingerprint"]
        return fingerprint

    first = found(2.0)
    assert first is not None and len(first) == 64
    assert elsewhere(2.0) == first != found(3.0)


# Made-up lists.


def variant(fingerprint: int = 1, seconds: float = 0.5, **more: Any) -> dict[str, Any]:
    return {
        "arguments": ["x: f32[3]"],
        "calls": 1,
        "seconds": {"trace": 0.1, "lower": None, "compile": seconds},
        "reason": None,
        "capture": None,
        "fingerprint": f"{fingerprint:064x}",
        **more,
    }


def write_rank(folder: Path, number: int, *variants: dict[str, Any], **more: Any) -> Path:
    place = folder / f"rank-{number}" / "compilations.json"
    place.parent.mkdir(exist_ok=True, parents=True)
    function = {"function": "step", "file": f"/home/{number}/a.py", "line": 7}
    listed = {
        "rank": {"number": number, "num_ranks": 4, "host": f"node{number}", "jax": "0.10.2"},
        "compilations": [{**function, "variants": list(variants)}],
        "exit_status": 0,
        **more,
    }
    place.write_text(json.dumps(listed))
    return place


def tell(folder: Path, question: str = "") -> str:
    with RankStore(folder) as store:
        return write_text(ranks_to_document(store, question))


@pytest.fixture
def four(tmp_path: Path) -> Path:
    for number in range(4):
        write_rank(tmp_path, number, variant())
    return tmp_path


def test_ranks_that_are_alike(four: Path, jaxscope: CommandLine) -> None:
    assert tell(four, "differ") == "No module differs between ranks."
    assert jaxscope("ranks", four, "differ").status == 0
    assert tell(four).startswith("4 ranks on 4 hosts: all ended well.")


def test_each_kind_of_difference(four: Path) -> None:
    again = variant(2, arguments=["x: f32[4]"], reason="x: another shape")
    memory = {"bytes": [1 << 20], "peak_bytes": 1 << 30}
    write_rank(four, 1, variant(9, 60.0), memory=memory)
    write_rank(four, 2, variant(), again, memory={"bytes": [1 << 20], "peak_bytes": 1 << 20})
    write_rank(four, 3, variant() | {"fingerprint": None}, exit_status=None)
    differ = tell(four, "differ")
    assert "2 programs: rank 1; ranks 0 and 2" in differ
    assert "only rank 2" in differ
    assert "1.0 min in rank 1, 600 ms in the median rank" in tell(four, "slow")
    assert "rank 1 took longest, 1.0 min; the median rank took 600 ms" in tell(four, "slow")
    assert "step (a.py:7) was compiled again 1 time in rank 2." in tell(four, "again")
    assert "Memory at most: 1.00 GiB in rank 1, 1.00 MiB in the median rank" in tell(four, "memory")
    ranks = tell(four, "ranks")
    assert "rank 3 did not end, or not yet" in ranks
    rows = [line.split()[:2] for line in ranks.splitlines() if "node" in line]
    assert rows[0] == ["3", "node3"]


def test_what_is_not_known_is_not_said_to_be_alike(four: Path) -> None:
    write_rank(four, 3, variant() | {"fingerprint": None})
    told = tell(four, "differ")
    assert "No module is known to differ between ranks." in told
    assert "Of 1 module the program of some rank is not known" in told
    assert "is known to differ" in tell(four)
    with RankStore(four) as store:
        assert ranks_to_json(store, "differ")["modules_of_unknown_program"] == 1
    for number in (1, 2, 3):
        write_rank(four, number).write_text("{")
    assert tell(four, "differ") == "Nothing can be compared: there are not two lists to read."


def test_memory_is_told_as_what_it_was_measured(four: Path) -> None:
    for number in range(4):
        write_rank(four, number, variant(), memory={"bytes": [8], "peak_bytes": None})
    assert "8 B in each of 4 ranks (bytes of arrays between calls)." in tell(four, "memory")
    write_rank(four, 1, variant(), memory={"bytes": [8], "peak_bytes": 8})
    assert "(peak of a device's allocator or bytes of arrays" in tell(four, "memory")


def test_programs_of_one_kind_are_told_apart_by_their_order(four: Path) -> None:
    for number in range(4):
        write_rank(four, number, variant(1), variant(3 if number == 2 else 2))
    with RankStore(four) as store:
        (found,), count = store.differences()
    assert (found.module.nth, found.groups, count) == (1, ((0, 1, 3), (2,)), 1)


def test_only_what_changed_is_read_again(four: Path) -> None:
    with RankStore(four) as store:
        assert store.num_read == 4
    write_rank(four, 2, variant(5))
    (four / "rank-3" / "compilations.json").unlink()
    (four / "rank-3").rmdir()
    with RankStore(four) as store:
        assert store.num_read == 1
        assert store.missing == (3,)
        assert store.differences()[0][0].groups == ((0, 1), (2,))
    with RankStore(four) as store:
        assert store.num_read == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"compilations": [',
        "[]",
        "[" * 100_000,
        '{"compilations": [], "exit_status": 1e999}',
        json.dumps({"compilations": [{"function": "f", "variants": [variant(calls=2**63)]}]}),
        json.dumps({"compilations": [{"function": "f", "variants": [variant(capture="../x")]}]}),
        json.dumps({"compilations": [{"function": "f", "variants": [variant(seconds=-1.0)]}]}),
        json.dumps({"compilations": [{"function": "f" * 30_000, "variants": []}]}),
    ],
)
def test_a_list_that_does_not_fit_is_left_out_and_told(four: Path, text: str) -> None:
    (four / "rank-1" / "compilations.json").write_text(text)
    with RankStore(four) as store:
        assert [bool(rank.problem) for rank in store.ranks()] == [False, True, False, False]
        assert store.differences() == ([], 0)
    assert "rank 1 cannot be read" in tell(four)


def test_what_is_no_file_is_not_waited_for(four: Path) -> None:
    for number, make in ((1, os.mkfifo), (2, os.mkdir)):
        place = four / f"rank-{number}" / "compilations.json"
        place.unlink()
        make(place)
    (four / "rank-3" / "compilations.json").unlink()
    (four / "rank-x").mkdir()
    (four / "rank-007").mkdir()
    with RankStore(four) as store:
        assert [bool(rank.problem) for rank in store.ranks()] == [False, True, True]
        assert store.missing == (3,)


def test_names_cannot_reach_the_terminal(four: Path, jaxscope: CommandLine) -> None:
    place = write_rank(four, 1, variant())
    place.write_text(place.read_text().replace('"step"', '"\\u001b[2Jstep"'))
    told = jaxscope("ranks", four, "differ").output
    assert "step" in told and "\x1b" not in told


def test_a_store_that_is_damaged_is_made_anew(four: Path) -> None:
    RankStore(four).close()
    place = four / STORE_NAME
    data = bytearray(place.read_bytes())
    data[200:] = b"x" * (len(data) - 200)
    place.write_bytes(data)
    assert tell(four, "differ") == "No module differs between ranks."


def test_a_store_of_another_form_is_made_anew(four: Path) -> None:
    with sqlite3.connect(four / STORE_NAME) as other:
        other.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        other.execute("CREATE VIEW rank AS SELECT 7 AS number, 'forged' AS host")
    other.close()
    assert tell(four).startswith("4 ranks on 4 hosts: all ended well.")


def test_ranks_of_different_versions_and_jobs_are_told(four: Path) -> None:
    other = {"number": 3, "num_ranks": 8, "host": "node3", "jax": "0.8.0"}
    write_rank(four, 3, variant(), rank=other)
    told = tell(four, "ranks")
    assert "whose fingerprints cannot be compared: 0.10.2 in ranks 0–2; 0.8.0 in rank 3." in told
    assert "so they are of different jobs: 4 in ranks 0–2; 8 in rank 3." in told
    assert "Nothing was recorded of ranks 4–7." in told


def test_nothing_else_is_overwritten(four: Path) -> None:
    place = four / STORE_NAME
    with sqlite3.connect(place) as other:
        other.execute("CREATE TABLE mine (x)")
    other.close()
    before = place.read_bytes()
    with pytest.raises(UsageError, match="is none"):
        RankStore(four)
    assert place.read_bytes() == before


def test_a_folder_that_cannot_be_written(four: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def refuse(place: str, *more: Any, **options: Any) -> sqlite3.Connection:
        if place != ":memory:":
            raise sqlite3.OperationalError("attempt to write a readonly database")
        return connect(place, *more, **options)

    monkeypatch.setattr(sqlite3, "connect", refuse)
    assert "made in memory" in tell(four)


def test_queries_read_and_do_nothing_else(four: Path, jaxscope: CommandLine) -> None:
    asked = "SELECT rank, sum(seconds) AS s FROM compiled GROUP BY rank"
    found = jaxscope("ranks", four, "--sql", asked, "--json").json()
    assert found["columns"] == ["rank", "s"] and found["rows"][3] == [3, pytest.approx(0.6)]
    for other in (
        "DELETE FROM rank",
        "PRAGMA journal_mode",
        f"ATTACH '{four}/x' AS x",
        "SELECT load_extension('x')",
        "SELECT 1; SELECT 2",
        "SELECT nothing",
    ):
        assert jaxscope("ranks", four, "--sql", other).status == 2, other
    assert jaxscope("ranks", four, "differ", "--sql", asked).status == 2
    assert not (four / "x").exists()


def test_folders_without_ranks(tmp_path: Path, jaxscope: CommandLine) -> None:
    assert jaxscope("ranks", tmp_path).status == 1
    assert not (tmp_path / STORE_NAME).exists()
    assert jaxscope("ranks", tmp_path / "none").status == 1
    with pytest.raises(SourceError):
        library.ranks(tmp_path / "none")


def test_the_library_shows_what_the_command_prints(four: Path) -> None:
    with library.ranks(four) as found:
        assert str(found) == tell(four)
