"""What many ranks recorded, in one SQLite file beside their folders, and questions over all.

`jaxscope run` and `jaxscope.watch` leave a folder `rank-N` of each process. Their lists are read
into `ranks.sqlite`: a row for each program of each rank; names, arguments, fingerprints and reasons
once. A list is read again where its file has changed. What is in the folders is a stranger's: it is
checked against its form, nothing in it is run, and a list that does not fit is left out with the
reason. The store holds nothing else, so it may be deleted at any time.

A module is what can be found again in other ranks: the n-th program of a function, by name, file,
line and types of arguments. Ranks compiled different programs for it where the fingerprints of
their StableHLO differ.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sqlite3
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

import msgspec

from jaxscope.errors import SourceError, UsageError
from jaxscope.model.ranks import LIST_NAME, number_of_folder
from jaxscope.model.units import file_name
from jaxscope.schema.archive_container import MAX_JSON_ITEMS, check_items, open_regular

STORE_NAME = "ranks.sqlite"
MAX_RANKS = 20_000
MAX_LIST_BYTES = 64 << 20
MAX_QUERY_S = 60.0
_BATCH = 64
_MAX_CHARACTERS = 20_000
"""Of a name or a reason."""
_APPLICATION_ID = 0x4A585231
_HEADER_BYTES = 100
_MOST_REASONS = 3

_SCHEMA = """\
CREATE TABLE rank (number INTEGER PRIMARY KEY, host TEXT, num_ranks INTEGER, exit_status INTEGER, \
jax TEXT, programs INTEGER, seconds REAL, outside INTEGER, outside_seconds REAL, \
peak_bytes INTEGER, of_allocator INTEGER, problem TEXT, size INTEGER, changed INTEGER);
CREATE TABLE module (id INTEGER PRIMARY KEY, function TEXT, file TEXT, line INTEGER, \
arguments TEXT, nth INTEGER);
CREATE TABLE program (id INTEGER PRIMARY KEY, fingerprint TEXT);
CREATE TABLE reason (id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE compiled (module INTEGER, rank INTEGER, program INTEGER, calls INTEGER, trace REAL, \
lower REAL, compile REAL, seconds REAL, reason INTEGER, capture TEXT, \
PRIMARY KEY (module, rank)) WITHOUT ROWID;
"""
_READS = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)


# The form of a list, as far as it is read.

_Text = Annotated[str, msgspec.Meta(max_length=_MAX_CHARACTERS)]
_Count = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]
_Seconds = Annotated[float, msgspec.Meta(ge=0, lt=1e12)]
_Name = Annotated[str, msgspec.Meta(pattern=r"^[\w.-]{1,200}\.jaxscope$")]


class _Times(msgspec.Struct):
    trace: _Seconds | None = None
    lower: _Seconds | None = None
    compile: _Seconds | None = None


class _Variant(msgspec.Struct):
    arguments: list[_Text]
    calls: _Count
    seconds: _Times
    reason: _Text | None = None
    capture: _Name | None = None
    fingerprint: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")] | None = None


class _Function(msgspec.Struct):
    function: _Text
    variants: list[_Variant]
    file: _Text | None = None
    line: _Count | None = None


class _Outside(msgspec.Struct):
    count: _Count
    seconds: _Seconds


class _Memory(msgspec.Struct):
    bytes: list[_Count]
    peak_bytes: _Count | None = None


class _Rank(msgspec.Struct):
    number: _Count
    num_ranks: _Count
    host: _Text
    jax: _Text = ""


class _List(msgspec.Struct):
    compilations: list[_Function]
    exit_status: Annotated[int, msgspec.Meta(gt=-(2**31), lt=2**31)] | None
    rank: _Rank | None = None
    outside: list[_Outside] = []
    memory: _Memory | None = None


_DECODER = msgspec.json.Decoder(_List)


# What is asked.


class RankSummary(NamedTuple):
    """One rank.

    Attributes:
        num_ranks: How many ranks there were, as its launcher or JAX said; None where neither did.
        exit_status: Of the script, negative where a signal ended it; None where it has not ended,
            or was ended together with what watched it.
        jax: Its version of JAX; empty where nothing was compiled.
        programs: Of functions that were jitted.
        seconds: What tracing, lowering and compiling these took.
        outside: Programs compiled outside of calls of these, and their seconds.
        peak_bytes: The most of a device's memory; None where nothing was looked at.
        of_allocator: Whether a device's allocator said that; else it is of arrays between calls.
        problem: Why its list could not be read; empty where it was.
    """

    number: int
    host: str
    num_ranks: int | None
    exit_status: int | None
    jax: str
    programs: int
    seconds: float
    outside: int
    outside_seconds: float
    peak_bytes: int | None
    of_allocator: bool
    problem: str


class Module(NamedTuple):
    """What ranks have in common: the `nth` program, from 0, of these arguments' types."""

    function: str
    file: str
    line: int | None
    arguments: str
    nth: int


class Difference(NamedTuple):
    """A module that is not the same in all ranks.

    Attributes:
        groups: Ranks that compiled the same program, the largest group first.
        unknown: Ranks that compiled it, of whose program nothing is known.
        without: Ranks that did not compile it.
        captures: Of each group the rank and the file of a capture, where there is one.
    """

    module: Module
    groups: tuple[tuple[int, ...], ...]
    unknown: tuple[int, ...]
    without: tuple[int, ...]
    captures: tuple[tuple[int, str] | None, ...]


class Spread(NamedTuple):
    """Seconds to trace, lower and compile a module, over the ranks that did."""

    module: Module
    ranks: int
    low: float
    median: float
    high: float
    slowest: int


class Again(NamedTuple):
    """A function that was compiled again.

    Attributes:
        ranks: Those that did.
        programs: How often, over all ranks.
        least: How often in the rank of `ranks` that did least.
        most: How often in the one that did most.
        most_in: That one; the first of several.
        seconds: What it took, over all ranks.
        reasons: Why, the most frequent first; at most three.
        num_reasons: How many there are.
    """

    function: str
    file: str
    line: int | None
    ranks: tuple[int, ...]
    programs: int
    least: int
    most: int
    most_in: int
    seconds: float
    reasons: tuple[str, ...]
    num_reasons: int


class RankStore:
    """The store of a folder that holds a folder `rank-N` of each rank. Use it with `with`.

    Attributes:
        folder: That was given.
        place: The store's file; None where it is in memory, since nothing can be written there.
        num_read: Lists that were read now, not before.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Bring the store up to date with the folders.

        Raises:
            SourceError: There is no such folder.
            UsageError: What lies in the store's place is no store of this release.
        """
        self.folder = Path(folder)
        self.num_read = 0
        try:
            found = _find_lists(self.folder)
        except OSError as error:
            raise SourceError(f"{folder} cannot be read: {error.strerror or error}.") from None
        place = self.folder / STORE_NAME
        self.place: Path | None = place if found or place.exists() else None
        try:
            self._open(str(self.place or ":memory:"))
            self._update(found)
        except sqlite3.OperationalError:  # read-only, full, or on a disk without locks
            self.place = None
            self._open(":memory:")
            self._update(found)
        self._database.set_authorizer(_allow_reading)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def ranks(self) -> list[RankSummary]:
        """All ranks, by number, those whose lists cannot be read included."""
        columns = ", ".join(RankSummary._fields)
        rows = self._database.execute(f"SELECT {columns} FROM rank ORDER BY number")
        return [RankSummary(*row) for row in rows]

    @functools.cached_property
    def missing(self) -> tuple[int, ...]:
        """Ranks that others say there are, and that left no list."""
        there = {number for (number,) in self._database.execute("SELECT number FROM rank")}
        (count,) = self._database.execute("SELECT max(num_ranks) FROM rank").fetchone()
        return tuple(n for n in range(min(count or 0, MAX_RANKS)) if n not in there)

    def differences(self, most: int | None = None) -> tuple[list[Difference], int]:
        """Modules that differ between ranks, and how many there are.

        Those first of which ranks compiled different programs for the same arguments.

        Args:
            most: So many at most; None for all.
        """
        known = [each.number for each in self.ranks() if not each.problem]
        rows = self._database.execute(
            "SELECT module, min(program) <> max(program), count(*) FROM compiled GROUP BY module "
            "HAVING min(program) <> max(program) OR count(*) < ?",
            (len(known),),
        ).fetchall()
        rows.sort(key=lambda row: (not row[1], -abs(2 * row[2] - len(known)), row[0]))
        found = [self._difference(module, known) for module, _, _ in rows[:most]]
        return found, len(rows)

    @functools.cached_property
    def num_unknown(self) -> int:
        """Modules of which the program of some rank is not known, so that it cannot be compared."""
        asked = "SELECT count(DISTINCT module) FROM compiled WHERE program IS NULL"
        (count,) = self._database.execute(asked).fetchone()
        return int(count)

    def slowest(self, most: int) -> list[Spread]:
        """The modules that took some rank longest to trace, lower and compile."""
        rows = self._database.execute(
            "SELECT module, count(*), max(seconds), rank FROM compiled GROUP BY module "
            "ORDER BY max(seconds) DESC LIMIT ?",  # SQLite takes the rank of the row that has it
            (most,),
        ).fetchall()
        found = []
        for module, ranks, high, slowest in rows:
            seconds = [s for (s,) in self._of(module, "seconds")]
            low, middle = min(seconds), statistics.median_low(seconds)
            found.append(Spread(self._module(module), ranks, low, middle, high, slowest))
        return found

    def again(self, most: int) -> list[Again]:
        """Functions that were compiled again: first those of which ranks differ in that, then what
        took longest over all of them.
        """
        run = self._database.execute
        num_ranks = sum(not each.problem for each in self.ranks())
        modules: defaultdict[tuple[Any, ...], set[int]] = defaultdict(set)
        seconds: Counter[tuple[Any, ...]] = Counter()
        uneven: set[tuple[Any, ...]] = set()
        for module, count, taken in run(
            "SELECT module, count(*), sum(seconds) FROM compiled WHERE reason IS NOT NULL "
            "GROUP BY module"
        ).fetchall():
            key = self._module(module)[:3]
            modules[key].add(module)
            seconds[key] += taken
            if count != num_ranks:
                uneven.add(key)
        chosen = sorted(modules, key=lambda key: (key not in uneven, -seconds[key]))[:most]
        return [self._compiled_again(key, modules[key], seconds[key]) for key in chosen]

    def _compiled_again(self, key: tuple[Any, ...], modules: set[int], seconds: float) -> Again:
        function, file, line = key
        ranks: Counter[int] = Counter()
        reasons: Counter[int] = Counter()
        for module in modules:
            for rank, reason in self._of(module, "rank, reason"):
                if reason is not None:
                    ranks[rank] += 1
                    reasons[reason] += 1
        told = [
            self._database.execute("SELECT text FROM reason WHERE id = ?", (reason,)).fetchone()[0]
            for reason, _ in reasons.most_common(_MOST_REASONS)
        ]
        most = max(ranks.values())
        return Again(
            function,
            file,
            line,
            tuple(sorted(ranks)),
            ranks.total(),
            min(ranks.values()),
            most,
            min(rank for rank, count in ranks.items() if count == most),
            seconds,
            tuple(told),
            len(reasons),
        )

    def query(self, text: str, most: int = 100_000) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The columns and rows of one SELECT of the user's; nothing can be written by it.

        Raises:
            UsageError: It is no SELECT, is wrong, or takes too long.
        """
        deadline = time.monotonic() + MAX_QUERY_S
        self._database.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
        try:
            asked = self._database.execute(text)
            return [name for name, *_ in asked.description or ()], asked.fetchmany(most)
        except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
            raise UsageError(
                f"The query failed: {error}.",
                remedy="One SELECT over the tables: "
                + ", ".join(line.split()[2] for line in _SCHEMA.splitlines()[:5]),
            ) from None
        finally:
            self._database.set_progress_handler(None, 0)

    def _difference(self, module: int, known: Sequence[int]) -> Difference:
        programs: defaultdict[int | None, list[int]] = defaultdict(list)
        captures: dict[int | None, tuple[int, str]] = {}
        for rank, program, capture in self._of(module, "rank, program, capture"):
            programs[program].append(rank)
            if capture is not None:
                captures.setdefault(program, (rank, capture))
        unknown = programs.pop(None, [])
        there = {*unknown, *itertools.chain(*programs.values())}
        order = sorted(programs, key=lambda program: (-len(programs[program]), programs[program]))
        return Difference(
            self._module(module),
            tuple(tuple(programs[program]) for program in order),
            tuple(unknown),
            tuple(rank for rank in known if rank not in there),
            tuple(captures.get(program) for program in order),
        )

    def _of(self, module: int, columns: str) -> sqlite3.Cursor:
        return self._database.execute(
            f"SELECT {columns} FROM compiled WHERE module = ? ORDER BY rank", (module,)
        )

    def _module(self, number: int) -> Module:
        columns = ", ".join(Module._fields)
        row = self._database.execute(f"SELECT {columns} FROM module WHERE id = ?", (number,))
        return Module(*row.fetchone())

    # How it is filled.

    def _open(self, place: str) -> None:
        if place != ":memory:":
            _refuse_others(Path(place))
        # Only this object uses it, if from several threads.
        self._database = sqlite3.connect(place, 60.0, check_same_thread=False)
        try:
            self._prepare()
        except sqlite3.DatabaseError as error:
            self._database.close()
            if isinstance(error, sqlite3.OperationalError):
                raise
            Path(place).unlink(missing_ok=True)  # ours, and damaged: it holds nothing of its own
            self._database = sqlite3.connect(place, 60.0, check_same_thread=False)
            self._prepare()

    def _prepare(self) -> None:
        run = self._database.execute
        run("PRAGMA trusted_schema = OFF")
        run("PRAGMA cell_size_check = ON")
        run("PRAGMA synchronous = OFF")  # what a loss of power damages is made anew
        there = [sql for (sql,) in run("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
        if there == [part.strip() for part in _SCHEMA.split(";")[:-1]]:
            return
        if there:
            raise sqlite3.DatabaseError("another schema")
        run(f"PRAGMA application_id = {_APPLICATION_ID}")
        self._database.executescript(_SCHEMA)

    def _update(self, found: dict[int, tuple[int, int]]) -> None:
        """Read the lists that are new or have changed, and forget those that are gone."""
        run = self._database.execute
        before = {n: (size, at) for n, size, at in run("SELECT number, size, changed FROM rank")}
        changed = sorted(number for number in found if before.get(number) != found[number])
        gone = [(n,) for n in before if before[n] != found.get(n)]
        if not changed and not gone:
            return
        with self._database:  # all of it, or nothing
            run("BEGIN IMMEDIATE")
            if gone:
                run("CREATE TEMP TABLE gone (rank INTEGER PRIMARY KEY)")
                self._database.executemany("INSERT INTO gone VALUES (?)", gone)
                run("DELETE FROM compiled WHERE rank IN (SELECT rank FROM gone)")
                run("DELETE FROM rank WHERE number IN (SELECT rank FROM gone)")
                run("DROP TABLE gone")
            filling = _Filling(self._database)
            for start in range(0, len(changed), _BATCH):
                filling.add(
                    (number, found[number], _read_list(self.folder / f"rank-{number}"))
                    for number in changed[start : start + _BATCH]
                )
        self.num_read = len(changed)


class _Filling:
    """Writes ranks into the tables; texts that are known already get the numbers that they have."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._modules = self._known("module", ", ".join(Module._fields))
        self._programs = self._known("program", "fingerprint")
        self._reasons = self._known("reason", "text")

    def _known(self, table: str, columns: str) -> dict[tuple[Any, ...], int]:
        rows = self._database.execute(f"SELECT id, {columns} FROM {table}")
        return {tuple(texts): number for number, *texts in rows}

    def add(self, ranks: Iterable[tuple[int, tuple[int, int], _List | str]]) -> None:
        """Write ranks: number, size and time of the file, and the list or why there is none."""
        sizes = [len(each) for each in (self._modules, self._programs, self._reasons)]
        rows: list[tuple[Any, ...]] = []
        summaries = []
        for number, stamp, found in ranks:
            own = [] if isinstance(found, str) else list(self._rows(number, found))
            summaries.append((*_summarise(number, found, own), *stamp))
            rows += own
        for table, known, size in zip(
            ("module", "program", "reason"),
            (self._modules, self._programs, self._reasons),
            sizes,
            strict=True,
        ):
            new = [
                (number, *texts) for texts, number in itertools.islice(known.items(), size, None)
            ]
            _insert(self._database, table, new)
        rows.sort(key=lambda row: row[:2])
        _insert(self._database, "compiled", rows)
        _insert(self._database, "rank", summaries)

    def _rows(self, rank: int, found: _List) -> Iterator[tuple[Any, ...]]:
        nth: Counter[tuple[Any, ...]] = Counter()
        for function in found.compilations:
            # The same script may lie elsewhere on other machines.
            file = file_name(function.file or "")
            for variant in function.variants:
                times = variant.seconds
                known = [s for s in (times.trace, times.lower, times.compile) if s is not None]
                key = (function.function, file, function.line, "; ".join(variant.arguments))
                yield (
                    _number(self._modules, (*key, nth[key])),
                    rank,
                    _number(self._programs, (variant.fingerprint,)),
                    variant.calls,
                    times.trace,
                    times.lower,
                    times.compile,
                    sum(known),
                    _number(self._reasons, (variant.reason,)),
                    variant.capture,
                )
                nth[key] += 1


def _number(known: dict[tuple[Any, ...], int], texts: tuple[Any, ...]) -> int | None:
    """The number of texts, a new one where they have none; None of nothing."""
    if texts == (None,):
        return None
    return known.setdefault(texts, len(known) + 1)


def _insert(database: sqlite3.Connection, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:
        places = ", ".join("?" * len(rows[0]))
        database.executemany(f"INSERT INTO {table} VALUES ({places})", rows)


def _summarise(number: int, found: _List | str, rows: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    if isinstance(found, str):
        return RankSummary(number, "", None, None, "", 0, 0.0, 0, 0.0, None, False, found)
    memory, rank = found.memory, found.rank
    peaks = [] if memory is None else memory.bytes
    return RankSummary(
        number,
        rank.host if rank is not None else "",
        rank.num_ranks if rank is not None else None,
        found.exit_status,
        rank.jax if rank is not None else "",
        len(rows),
        sum(row[7] for row in rows),
        sum(each.count for each in found.outside),
        sum(each.seconds for each in found.outside),
        (memory.peak_bytes if memory and memory.peak_bytes else None) or max(peaks, default=None),
        bool(memory and memory.peak_bytes),
        "",
    )


def _find_lists(folder: Path) -> dict[int, tuple[int, int]]:
    """Size and time in ns of the list of each rank that has one."""
    found = {}
    with os.scandir(folder) as entries:
        for entry in itertools.islice(entries, MAX_RANKS):
            number = number_of_folder(entry.name)
            if number is not None:
                with contextlib.suppress(OSError):
                    about = os.stat(os.path.join(entry.path, LIST_NAME))
                    found[number] = (about.st_size, about.st_mtime_ns)
    return found


def _read_list(folder: Path) -> _List | str:
    """The list of a rank, or why it cannot be read."""
    try:
        with open_regular(folder / LIST_NAME, MAX_LIST_BYTES) as file:
            data = file.read(MAX_LIST_BYTES)
        check_items(data, MAX_JSON_ITEMS)
        return _DECODER.decode(data)
    except (OSError, ValueError, RecursionError) as error:
        return (getattr(error, "strerror", None) or str(error))[:200]


def _refuse_others(place: Path) -> None:
    """Raises: UsageError: Something lies there that no release of jaxscope wrote."""
    try:
        with open_regular(place, 1 << 50) as file:
            head = file.read(_HEADER_BYTES)
    except FileNotFoundError:
        return
    except (OSError, ValueError):
        head = b"\0"
    is_ours = head[:15] == b"SQLite format 3" and head[68:72] == _APPLICATION_ID.to_bytes(4)
    if head and not is_ours:
        raise UsageError(
            f"{place} is in the place of the store of ranks, and is none.",
            remedy="Move it elsewhere.",
        )


def _allow_reading(action: int, *_about: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY
