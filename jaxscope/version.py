"""The version of jaxscope: the only place that has it."""

__version__ = "0.2.0.dev0"
