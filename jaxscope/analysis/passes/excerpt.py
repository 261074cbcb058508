"""The text of what a pass changed, before and after, bounded."""

from __future__ import annotations

from jaxscope.analysis.passes.snapshot import Snapshot

MAX_CHARS = 40_000
"""Per pass and side: what a reader can look through."""

_CONTEXT = 2
_GAP = "  …"


def excerpt_changes(
    before: Snapshot, after: Snapshot, removed: set[str], added: set[str], changed: set[str]
) -> tuple[str, str]:
    """The changed instructions with a few around them, as they were and as they are."""
    return (
        _excerpt(before, removed | (changed & before.rows.keys()), MAX_CHARS),
        _excerpt(after, added | (changed & after.rows.keys()), MAX_CHARS),
    )


def _excerpt(snapshot: Snapshot, wanted: set[str], limit: int) -> str:
    lines: list[str] = []
    size = 0
    homes = {snapshot.rows[name].computation for name in wanted}
    for home, members in snapshot.computations.items():
        if home not in homes:
            continue
        if lines:
            lines.append("")
        title = f"{'ENTRY ' if home == snapshot.entry else ''}%{home} {{"
        lines.append(title)
        shown = _around(members, wanted)
        last = -1
        for index in shown:
            if index != last + 1:
                lines.append(_GAP)
            last = index
            line = snapshot.rows[members[index]].line()
            size += len(line) + 1
            if size > limit:
                return "\n".join([*lines, "  … and more: the text is too long to keep"])
            lines.append(line)
        if last != len(members) - 1:
            lines.append(_GAP)
        lines.append("}")
    return "\n".join(lines)


def _around(members: list[str], wanted: set[str]) -> list[int]:
    """Positions of the wanted instructions and of their neighbours."""
    shown: set[int] = set()
    for index, name in enumerate(members):
        if name in wanted:
            shown.update(range(max(index - _CONTEXT, 0), index + _CONTEXT + 1))
    return sorted(index for index in shown if index < len(members))
