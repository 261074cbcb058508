"""From a bare machine to a running jaxscope: what `./run` does. Standard library only.

It runs before anything is installed, so nothing here may import more than Python brings.
"""


# The one way in which set-up fails: a sentence with its way out.


class SetupProblem(Exception):
    """Set-up cannot go on; the message says why and what to do, fit to print.

    Attributes:
        exit_status: What the process ends with; 3 means that something needed is missing.
    """

    def __init__(self, message: str, exit_status: int = 3) -> None:
        super().__init__(message)
        self.exit_status = exit_status
