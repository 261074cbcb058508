"""The one way in which set-up fails: a sentence with its way out."""

from __future__ import annotations


class SetupProblem(Exception):
    """Set-up cannot go on; the message says why and what to do, fit to print.

    Attributes:
        exit_status: What the process ends with; 3 means that something needed is missing.
    """

    def __init__(self, message: str, exit_status: int = 3) -> None:
        super().__init__(message)
        self.exit_status = exit_status
