"""Machine code as text: object files read, disassembled and listed kernel by kernel."""

from jaxscope.analysis.machine.kernel_lines import link_kernel_lines
from jaxscope.analysis.machine.listing import CodePart, list_machine_code

__all__ = ["CodePart", "link_kernel_lines", "list_machine_code"]
