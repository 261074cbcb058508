"""Machine code as text: object files read, disassembled and listed kernel by kernel."""

from jaxscope.analysis.machine.listing import CodePart, list_machine_code

__all__ = ["CodePart", "list_machine_code"]
