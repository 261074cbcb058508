"""`jaxscope ranks DIR [QUESTION]`: what many ranks compiled, and what differs between them."""

from __future__ import annotations

from jaxscope.cli.output import print_found
from jaxscope.cli.parser import DIFFERENT, Options
from jaxscope.errors import SourceError, UsageError
from jaxscope.report.ranks import MOST_ROWS, ranks_to_document, ranks_to_json, rows_to_document
from jaxscope.schema.rank_store import RankStore


def run(options: Options) -> int:
    """Bring the store up to date and answer; 5 where it was asked what differs, and something does.

    Raises:
        SourceError: There is no such folder, or nothing of ranks in it.
        UsageError: A query cannot be run.
    """
    folder, question = options.others[0], options.question or ""
    if question and options.sql:
        raise UsageError("A question and --sql are two things to ask.", remedy="Ask one of them.")
    with RankStore(folder) as store:
        if not store.ranks():
            raise SourceError(
                f"{folder} has no folder rank-0, rank-1, … in it.",
                remedy="jaxscope run --launcher 'srun -n 8' --out DIR train.py makes them.",
            )
        if options.sql:
            names, rows = store.query(options.sql)
            print_found(
                options,
                lambda: {"columns": names, "rows": [[_plain(v) for v in row] for row in rows]},
                lambda: rows_to_document(names, rows),
            )
            return 0
        print_found(
            options,
            lambda: ranks_to_json(store, question),
            lambda: ranks_to_document(store, question, *[MOST_ROWS] * options.is_whole),
        )
        return DIFFERENT if question == "differ" and store.differences(1)[1] else 0


def _plain(value: object) -> object:
    """As JSON has it: bytes, which a query can make, in hexadecimal digits."""
    return value.hex() if isinstance(value, bytes) else value
