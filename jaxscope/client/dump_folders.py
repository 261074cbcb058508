"""What a job left behind: the modules in dump folders of XLA and JAX and in single files.

Files of dump folders are told apart by the names that XLA and JAX give them, all others by their
content; what a file really is, its reader sees. Nothing is loaded here but the first bytes of
files that have no such name.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from jaxscope.errors import SourceError
from jaxscope.model.dumps import FoundDumps, ModuleFiles
from jaxscope.model.file_kinds import FileForm, is_job_text, recognise
from jaxscope.model.said import join_first, say
from jaxscope.wire.job_files import MODULE_ENDING, PACKED, read_head, read_whole

MAX_FILES = 200_000
"""Of a folder, those in its folders included; a run with all passes of a hundred modules has
30,000."""
_MAX_LOOKED_AT = 5_000
_MAX_DEPTH = 6

# What XLA names the files of a module, and JAX those of a function.
_XLA = re.compile(r"(?P<time>\d+\.)?(?P<number>module_\d+)\.(?P<name>[^.]+)(?:\.(?P<rest>.+))?")
_XLA_ROLES = (
    ("pass", re.compile(r"(?:.+\.)?\d{4,}\..+?\.after_.+\.(?:txt|hlo|hlo\.pb|pb)" + PACKED)),
    ("hlo", re.compile(r"(?:.+\.)?before_optimizations\.(?:txt|hlo|hlo\.pb|pb)" + PACKED)),
    (
        "optimized",
        re.compile(r"(?:(?P<platform>.+)_)?after_optimizations\.(?:txt|hlo|hlo\.pb|pb)" + PACKED),
    ),
    ("assignment", re.compile(r"(?:.+_)?after_optimizations-buffer-assignment\.txt" + PACKED)),
    ("fusion_log", re.compile(r".*priority_fusion_dump\.txt")),
    ("code", re.compile(r"(?:.+\.)?(?:ir-no-opt\.ll|ir-with-opt\.ll|ptx|o|thunk_sequence\.txt)")),
)
_NAME_ENDS = re.compile(
    r"(?P<name>.+?)(?:\.cl_\d+)?\.(?:before_optimizations\.|\d{4,}\..+?\.after_)"
)
_INSIDE = re.compile(r"module\.mlir(?:bc)?" + PACKED)
_STAMPED = re.compile(r"(?P<name>.+)_(?P<time>\d{13,})")
"""With jaxlib 0.8 such a folder holds a module's StableHLO; the time is in ms."""
_JAX_IR = re.compile(r"jax_ir(?P<number>\d+)_(?P<name>.+?)(?:_compile)?\.mlir(?:bc)?" + PACKED)
_JAXPR = re.compile(r"jax_(?P<number>\d+)_(?P<name>.+)\.jaxpr\.(?P<ending>txt|html)" + PACKED)

_CACHED = re.compile(r"(?P<name>(?:p?jit|pmap)_.+)-(?P<key>[0-9a-f]{64})(?P<ends>-cache|-atime)?")
"""An entry of JAX's persistent compilation cache, or the time at which it was last used."""

_ROLES_OF_FORM = {
    FileForm.HLO_TEXT: "module",
    FileForm.HLO_PROTO: "module",
    FileForm.MLIR_TEXT: "stablehlo",
    FileForm.MLIR_BYTECODE: "stablehlo",
    FileForm.EXPORT: "stablehlo",
    FileForm.JAXPR: "jaxpr",
}
_TEXT_ENDINGS = (".log", ".txt", ".out", ".err")
_MAX_TEXT_BYTES = 256 << 20
_MAX_TEXT_IN_FOLDER = 16 << 20
_MAX_OLDER_S = 60.0
"""Files that are copied without their times are written in the order of their names."""
_WEIGHTY = ("optimized", "module", "cached", "hlo", "stablehlo", "jaxpr")
"""By whose size modules are compared."""


class _Files:
    """The files of one module while they are being found."""

    def __init__(self, name: str, home: str, time: str = "", number: str = "") -> None:
        self.name, self.home, self.time, self.number = name, home, time, number
        self.platform = ""
        self.files: dict[str, list[str]] = {}

    def add(self, role: str, path: str) -> None:
        self.files.setdefault(role, []).append(path)


def find_dumps(
    paths: Sequence[str], on_progress: Callable[[str], None] = lambda _: None
) -> FoundDumps:
    """Find the modules in folders and files.

    Args:
        paths: Of them.
        on_progress: Told what is being looked at; what it raises ends the search.

    Raises:
        SourceError: A path cannot be read, or there is nothing in all of them that is known.
    """
    finder = _Finder(on_progress)
    for path in paths:
        finder.look_at(os.path.abspath(os.path.expanduser(path)))
    return finder.result(tuple(paths))


def is_dump(path: str) -> bool:
    """Whether a path is a folder, or a file that is no Python file but known."""
    if os.path.isdir(path) or _CACHED.fullmatch(os.path.basename(path)):
        return True
    try:
        most = 0 if path.endswith(".py") else _MAX_TEXT_IN_FOLDER
        return _recognise_file(path, most) is not None
    except SourceError:
        return False


def _recognise_file(path: str, most_text: int) -> FileForm | None:
    """What a file is; of texts so many bytes are looked at.

    Raises:
        SourceError: It cannot be read.
    """
    head = read_head(path)
    form = recognise(head)
    if form is None and most_text and head and b"\0" not in head:
        return FileForm.JOB_TEXT if is_job_text(read_head(path, most_text)) else None
    return form


class _Finder:
    def __init__(self, on_progress: Callable[[str], None]) -> None:
        self._on_progress = on_progress
        self._xla: dict[tuple[str, str, str, str], _Files] = {}
        self._stamped: list[_Files] = []
        self._jax: dict[tuple[str, str, str], _Files] = {}
        self._jaxprs: dict[tuple[str, str, str], _Files] = {}
        self._single: list[_Files] = []
        self._captures: list[str] = []
        self._profiles: list[str] = []
        self._texts: list[str] = []
        self._text_bytes = 0
        self._others: list[str] = []
        self._notes: list[str] = []
        self._passed_over: dict[str, list[str]] = {}
        self._num_files = self._num_looked_at = 0

    def look_at(self, path: str) -> None:
        """Look at what was named.

        Raises:
            SourceError: It cannot be read, or is nothing that is known.
        """
        if not os.path.isdir(path):
            self._add(path, is_named=True)
            return
        before = self._num_files
        for found in self._walk(path, _MAX_DEPTH):
            self._add(found, is_named=False)
        if self._num_files == before:
            raise _nothing_in(path, " ".join(["It holds no file.", *self._tell_passed_over()]))

    def _walk(self, folder: str, depth: int) -> Iterator[str]:
        self._on_progress(f"Looking at {folder}")
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            reason = error.strerror or str(error)
            if depth == _MAX_DEPTH:
                raise SourceError(
                    say("{path} cannot be read.", path=folder),
                    why=reason,
                    where=folder,
                    remedy=say("Name a folder that you may read."),
                ) from None
            self._pass_over(folder, reason)
            return
        for entry in listed:
            if self._num_files >= MAX_FILES:
                note = say(
                    "Only the first {max_files:,} files were looked at.", max_files=MAX_FILES
                )
                self._notes += [] if note in self._notes else [note]
                return
            if entry.is_dir(follow_symlinks=False):
                if depth > 0:
                    yield from self._walk(entry.path, depth - 1)
                else:
                    self._pass_over(entry.path, f"more than {_MAX_DEPTH} folders down")
            elif os.path.isfile(entry.path):  # a link may lead in a circle
                self._num_files += 1
                yield entry.path
            elif os.path.isdir(entry.path):
                self._pass_over(entry.path, say("a link to a folder, which can be named itself"))

    def _pass_over(self, path: str, reason: str) -> None:
        self._passed_over.setdefault(reason, []).append(path)

    def _tell_passed_over(self) -> list[str]:
        return [
            say("Passed over: {paths}: {reason}.", paths=join_first(paths, 1), reason=reason)
            for reason, paths in self._passed_over.items()
        ]

    def _add(self, path: str, *, is_named: bool) -> None:
        folder, name = os.path.split(path)
        if not any(
            add(folder, name, path)
            for add in (self._add_xla, self._add_stamped, self._add_jax, self._add_cached)
        ):
            self._add_by_content(path, is_named=is_named)
        elif is_named:
            read_head(path)  # a file that was named must be there

    def _add_xla(self, folder: str, name: str, path: str) -> bool:
        inside = _XLA.fullmatch(os.path.basename(folder)) if _INSIDE.fullmatch(name) else None
        match = inside or _XLA.fullmatch(name)
        if match is None or (inside is None and not match["rest"]):
            return False
        home = os.path.dirname(folder) if inside else folder
        # The time is written on request, and of one process; others may have used the same number.
        key = (home, match["time"] or "", match["number"], match["name"])
        module = self._xla.get(key) or _Files(match["name"], home, key[1], match["number"])
        if inside:
            module.add("stablehlo", path)
        elif not self._add_role(module, match["rest"], path):
            return True  # what else XLA writes: other tables, options, graphs
        self._xla[key] = module
        return True

    def _add_stamped(self, folder: str, name: str, path: str) -> bool:
        match = _STAMPED.fullmatch(os.path.basename(folder)) if _INSIDE.fullmatch(name) else None
        if match is None:
            return False
        module = _Files(match["name"], os.path.dirname(folder))
        module.add("stablehlo", path)
        self._stamped.append(module)
        return True

    def _add_role(self, module: _Files, rest: str, path: str) -> bool:
        for role, pattern in _XLA_ROLES:
            found = pattern.fullmatch(rest)
            if found is not None:
                module.add(role, path)
                if role == "optimized":
                    module.platform = _platform(found["platform"] or "")
                return True
        return False

    def _add_jax(self, folder: str, name: str, path: str) -> bool:
        if match := _JAX_IR.fullmatch(name):
            key = (folder, match["number"], match["name"])
            self._jax.setdefault(key, _Files(match["name"], folder)).add("stablehlo", path)
        elif match := _JAXPR.fullmatch(name):
            key = (folder, match["number"], match["name"])
            role = "jaxpr" if match["ending"] == "txt" else "places"
            self._jaxprs.setdefault(key, _Files(_module_name(match["name"]), folder)).add(
                role, path
            )
        else:
            return False
        return True

    def _add_cached(self, folder: str, name: str, path: str) -> bool:
        match = _CACHED.fullmatch(name)
        if match is not None and match["ends"] != "-atime":
            module = _Files(match["name"], folder, number=match["key"][:8])
            module.add("cached", path)
            self._single.append(module)
        return match is not None

    def _add_by_content(self, path: str, *, is_named: bool) -> None:
        if not is_named:
            self._num_looked_at += 1
            if self._num_looked_at > _MAX_LOOKED_AT:
                self._others.append(path)
                return
        try:
            form = _recognise_file(path, self._most_text(path, is_named=is_named))
        except SourceError:
            if is_named:
                raise
            form = None
        if form is FileForm.CAPTURE:
            self._captures.append(path)
        elif form is FileForm.PROFILE:
            self._profiles.append(path)
        elif form in (FileForm.JOB_TEXT, FileForm.MEMORY_PROFILE):
            self._texts.append(path)
        elif form is not None:
            module = _Files(os.path.basename(path), os.path.dirname(path))
            module.add(_ROLES_OF_FORM[form], path)
            self._single.append(module)
        elif is_named:
            raise _unknown(path)
        else:
            self._others.append(path)

    def _most_text(self, path: str, *, is_named: bool) -> int:
        """How much of a text is looked at: much of one that was named, else by its name."""
        if is_named:
            return _MAX_TEXT_BYTES
        if not path.endswith(_TEXT_ENDINGS) or self._text_bytes > _MAX_TEXT_BYTES:
            return 0
        self._text_bytes += min(_size([path]), _MAX_TEXT_IN_FOLDER)
        return _MAX_TEXT_IN_FOLDER

    def result(self, paths: tuple[str, ...]) -> FoundDumps:
        self._find_whole_names()
        modules = _join(self._join_times(), self._stamped)
        for dumped in (self._jax, self._jaxprs):
            modules = _join(modules, _without_repeats(list(dumped.values())))
        modules += self._single
        if not (modules or self._captures or self._profiles or self._texts):
            count = (
                say("None of its {num_files:,} files is one.", num_files=self._num_files)
                if self._num_files
                else ""
            )
            raise _nothing_in(
                ", ".join(paths), " ".join([count, *self._tell_passed_over()]).strip()
            )
        labels = _unique_labels(modules)
        found = [_finish(each, label) for each, label in zip(modules, labels, strict=True)]
        notes = [*self._tell_passed_over(), *self._notes]
        if self._others and self._num_looked_at > _MAX_LOOKED_AT:
            notes = [
                *notes,
                say(
                    "Only {max_looked_at:,} files with names of no kind were looked at.",
                    max_looked_at=_MAX_LOOKED_AT,
                ),
            ]
        return FoundDumps(
            *(paths, tuple(found), tuple(self._captures), tuple(self._profiles), tuple(notes)),
            tuple(self._texts),
        )

    def _find_whole_names(self) -> None:
        """Give modules whose names have a dot the whole of them.

        Where a name ends, the names of some files tell: those before optimization and between
        passes, and the folder of the StableHLO. Names of kernels follow that of the module.
        """
        found: dict[tuple[str, str, str, str], _Files] = {}
        for (home, time, number, first), module in self._xla.items():
            stem = f"{time}{number}."
            paths = [(role, path) for role, each in module.files.items() for path in each]
            names = {_whole_name(path, stem) for _, path in paths} - {""} or {first}
            for role, path in paths:
                own = _file_stem(path).removeprefix(stem).removeprefix(f"{number}.")
                fitting = [name for name in names if f"{own}.".startswith(f"{name}.")]
                name = max(fitting, key=len, default=first)
                key = (home, time, number, name)
                whole = found.setdefault(key, _Files(name, home, time, number))
                whole.platform = module.platform
                whole.add(role, path)
        self._xla = found

    def _join_times(self) -> list[_Files]:
        """XLA's modules. Some files never have a time in their names, such as machine code.

        They belong to the module of their number if one process wrote to the folder. Of several
        processes each wrote over those of the one before: such files stay apart.
        """
        timed: dict[tuple[str, str, str], list[_Files]] = {}
        for (home, time, number, name), module in self._xla.items():
            if time:
                timed.setdefault((home, number, name), []).append(module)
        modules = []
        for (home, time, number, name), module in self._xla.items():
            others = timed.get((home, number, name), [])
            if time or len(others) != 1:
                modules.append(module)
            else:
                for role, paths in module.files.items():
                    others[0].files.setdefault(role, []).extend(paths)
        return modules


def _file_stem(path: str) -> str:
    """The name of a file, or of the folder of a StableHLO module."""
    folder, name = os.path.split(path)
    return os.path.basename(folder) if _INSIDE.fullmatch(name) else name


def _whole_name(path: str, stem: str) -> str:
    """The name of the module as a file tells it; empty where it does not."""
    own = _file_stem(path).removeprefix(stem)
    if _INSIDE.fullmatch(os.path.basename(path)):
        return own
    found = _NAME_ENDS.match(own)
    return found["name"] if found else ""


def _module_name(function: str) -> str:
    """How JAX names the module of a function: that of a `<lambda>` is `jit__lambda`."""
    return re.sub(r"[^\w.-]", "_", f"jit_{function}").rstrip("_")


def _join(modules: list[_Files], others: list[_Files]) -> list[_Files]:
    """Give modules the files of another dump that are of the same name.

    Where one name stands for several modules, they are joined in their order if there are as many
    of each; else nothing tells which belong together, and they stay apart.
    """
    for name in dict.fromkeys(other.name for other in others):
        mine = [module for module in modules if module.name == name]
        theirs = [other for other in others if other.name == name]
        if len(mine) != len(theirs):
            modules = [*modules, *theirs]
            continue
        for module, other in zip(mine, theirs, strict=True):
            for role, paths in other.files.items():
                module.files.setdefault(role, paths)
    return modules


def _without_repeats(found: list[_Files]) -> list[_Files]:
    """JAX writes a jaxpr each time a function is traced or lowered; the same one counts once."""
    counts = Counter(each.name for each in found)
    kept: dict[tuple[str, str], _Files] = {}
    for number, each in enumerate(found):
        texts = each.files.get("jaxpr") or each.files.get("stablehlo")
        is_compared = counts[each.name] > 1
        content = _digest(texts[0]) if texts and is_compared else str(number)
        kept.setdefault((each.name, content), each)
    return list(kept.values())


def _digest(path: str) -> str:
    try:
        return hashlib.sha256(read_whole(path)).hexdigest()
    except SourceError:
        return path  # what cannot be read is like nothing else


def _unique_labels(modules: Sequence[_Files]) -> list[str]:
    """Names, each with as much of number, time and folder as it takes to tell it from others."""
    above = os.path.commonpath([module.home for module in modules]) if modules else ""
    levels: list[list[str]] = [[module.name for module in modules]]
    levels.append([f"{m.number or f'file_{n}'}.{m.name}" for n, m in enumerate(modules)])
    levels.append([f"{m.time}{name}" for m, name in zip(modules, levels[-1], strict=True)])
    levels.append(
        [
            os.path.join(os.path.relpath(module.home, above), name)
            for module, name in zip(modules, levels[-1], strict=True)
        ]
    )
    counts = [Counter(level) for level in levels]
    return [
        next(
            (name for name, count in zip(names, counts, strict=True) if count[name] == 1), names[-1]
        )
        for names in zip(*levels, strict=True)
    ]


def _finish(found: _Files, label: str) -> ModuleFiles:
    files = {role: tuple(_ordered(role, paths)) for role, paths in found.files.items()}
    weight = next((_size(files[role]) for role in _WEIGHTY if files.get(role)), 0)
    total = sum(map(_size, files.values()))
    notes = tuple(filter(None, [_tell_old_files(files)]))
    return ModuleFiles(found.name, label, found.platform, files, total, weight, notes=notes)


def _tell_old_files(files: Mapping[str, Sequence[str]]) -> str:
    """What to say of files that are older than the first one that XLA writes of a module."""
    times = {path: _time(path) for paths in files.values() for path in paths}
    began = max((times[path] for path in files.get("hlo", ())), default=math.nan)
    old = [path for path, time in times.items() if time < began - _MAX_OLDER_S]
    if not old:
        return ""
    such = os.path.basename(old[0])
    count = f"{len(old):,} files of this module are" if len(old) > 1 else "A file of this module is"
    return say(
        "{count} older than its HLO before optimization, which is written first "
        "({such}): an earlier process may have written to the same folder. Give each "
        "run a folder of its own.",
        count=count,
        such=such,
    )


def _time(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return math.nan


def _ordered(role: str, paths: Iterable[str]) -> list[str]:
    """Protos before texts, which are the same module; passes by their numbers, one file each."""
    listed = sorted(paths, key=lambda path: (".pb" not in os.path.basename(path)[-8:], path))
    if role != "pass":
        return listed
    chosen = {MODULE_ENDING.sub("", p): p for p in listed[::-1]}
    return [chosen[stem] for stem in sorted(chosen)]


def _platform(text: str) -> str:
    """`sm_9.0_gpu` is a GPU."""
    return next((kind for kind in ("gpu", "tpu", "cpu") if text.endswith(kind)), "")


def _size(paths: Iterable[str]) -> int:
    total = 0
    for path in itertools.islice(paths, MAX_FILES):
        try:
            total += os.stat(path).st_size
        except OSError:
            continue
    return total


def _unknown(path: str) -> SourceError:
    if path.endswith(".py"):
        what = say("{path} is a Python file, which no job left behind.", path=path)
        return SourceError(what, remedy=say("Look at it: jaxscope {path}", path=path))
    why = say(
        "By its content it is no HLO, StableHLO or jaxpr, nothing that jax.export serialized, no "
        "profile and no capture; and no text in which JAX logs compilations or XLA lacks memory."
    )
    remedy = say(
        "Name a dump folder of XLA (--xla_dump_to) or of JAX (JAX_DUMP_IR_TO), or a file of "
        "one of these kinds."
    )
    if b'"traceEvents"' in read_head(path):
        why = say("It is a profile as JSON for trace viewers, which holds no module.")
        remedy = say("Open the .xplane.pb that the profiler wrote beside it.")
    return SourceError(
        say("{name} is nothing that jaxscope can open.", name=os.path.basename(path)),
        why=why if _size([path]) else say("It is empty."),
        where=path,
        remedy=remedy,
        kind="NothingKnown",
    )


def _nothing_in(path: str, why: str) -> SourceError:
    return SourceError(
        say("There is no module in {path}.", path=path),
        why=why,
        where=path,
        remedy=say(
            "Run the job with XLA_FLAGS=--xla_dump_to=DIR, or with JAX_DUMP_IR_TO=DIR, and open "
            "DIR."
        ),
        kind="NothingKnown",
    )
