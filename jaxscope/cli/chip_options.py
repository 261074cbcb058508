"""Options that name chips: whose limits `roofline` takes, and what `targets` compiles for."""

from __future__ import annotations

import argparse


def add_roofline_options(parser: argparse.ArgumentParser) -> None:
    """Give `roofline` its options."""
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="measure anew what this machine reaches at most (3 s), and keep it",
    )
    parser.add_argument(
        "--chip",
        metavar="NAME",
        help="take what is published of a chip as the limits, such as v5e or h100",
    )


def add_targets_options(parser: argparse.ArgumentParser) -> None:
    """Give `targets` its options."""
    parser.add_argument(
        "--targets",
        default="",
        metavar="A,B,…",
        help="such as v5e:2x2,h100,aot:gpu:a100:8,cpu (default: every chip that the installed "
        "compilers know)",
    )


def read_targets(words: str) -> tuple[str, ...]:
    """The targets of a list with commas, each once."""
    return tuple(dict.fromkeys(word.strip() for word in words.split(",") if word.strip()))
