"""From a bare machine to a running jaxscope: what `./run` does. Standard library only.

It runs before anything is installed, so nothing here may import more than Python brings.
"""
