"""Make `jaxscope/program/hlo/hlo_descriptors.binpb` out of an installed jaxlib.

No package of reasonable size ships the Python classes of XLA's `hlo.proto`, but jaxlib's shared
library embeds the serialized FileDescriptorProtos of every proto it was built with. This script
finds those that `hlo.proto` needs and writes them, dependencies first, as one FileDescriptorSet.
Protocol buffers are forward compatible, so the result of one jaxlib serves every other.

    python bench/make_hlo_descriptors.py [SHARED_LIBRARY]
"""

from __future__ import annotations

import importlib.util
import mmap
import pathlib
import sys

from google.protobuf import descriptor_pb2

ROOT_FILE = "xla/service/hlo.proto"
OUTPUT = (
    pathlib.Path(__file__).resolve().parent.parent
    / "jaxscope"
    / "program"
    / "hlo"
    / "hlo_descriptors.binpb"
)
_LAST_FIELD_NUMBER = 14  # `edition` of FileDescriptorProto
_LENGTH_DELIMITED = 2


def find_shared_library() -> pathlib.Path:
    """The library of the jaxlib that is installed here."""
    spec = importlib.util.find_spec("jaxlib")
    if spec is None or spec.origin is None:
        raise SystemExit("jaxlib is not installed; name its shared library as the argument")
    return max(pathlib.Path(spec.origin).parent.glob("*.so"), key=lambda path: path.stat().st_size)


def read_varint(data: mmap.mmap, position: int) -> tuple[int, int]:
    """The number at `position` and the position after it."""
    number = shift = 0
    while True:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, position


def find_end(data: mmap.mmap, start: int) -> int:
    """Where the FileDescriptorProto that starts at `start` ends.

    Nothing marks the end, so fields are read for as long as they are fields of a
    FileDescriptorProto in rising order, which is how the compiler writes them.
    """
    position, previous = start, 0
    while True:
        try:
            key, after_key = read_varint(data, position)
            number, wire_type = key >> 3, key & 7
            if not previous <= number <= _LAST_FIELD_NUMBER or number == 0:
                return position
            value, after = read_varint(data, after_key)
        except IndexError:
            return position
        if wire_type == _LENGTH_DELIMITED:
            after += value
        elif wire_type != 0:
            return position
        if after > len(data):
            return position
        position, previous = after, number


def find_file(data: mmap.mmap, name: str) -> descriptor_pb2.FileDescriptorProto:
    """Read the descriptor of the proto file `name` out of a library's bytes."""
    needle = b"\x0a" + bytes([len(name)]) + name.encode()
    start = data.find(needle)
    while start >= 0:
        end = find_end(data, start)
        found = descriptor_pb2.FileDescriptorProto.FromString(data[start:end])
        if found.message_type:
            return found
        start = data.find(needle, start + 1)
    raise SystemExit(f"the descriptor of {name} is not in this library")


def collect(data: mmap.mmap, name: str, found: dict[str, bytes]) -> None:
    """Add the descriptor of `name` to `found`, after those that it imports."""
    if name in found:
        return
    if name.startswith("google/protobuf/"):
        # Well-known files: the pool takes its own runtime's copy, which is always there.
        from google.protobuf import any_pb2, duration_pb2, timestamp_pb2, wrappers_pb2

        known = (any_pb2, duration_pb2, timestamp_pb2, wrappers_pb2)
        by_name = {module.DESCRIPTOR.name: module.DESCRIPTOR for module in known}
        found[name] = by_name[name].serialized_pb
        return
    descriptor = find_file(data, name)
    for dependency in descriptor.dependency:
        collect(data, dependency, found)
    found[name] = descriptor.SerializeToString()


def main(arguments: list[str]) -> None:
    """Write the descriptor set and say what is in it."""
    library = pathlib.Path(arguments[0]) if arguments else find_shared_library()
    found: dict[str, bytes] = {}
    with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        collect(data, ROOT_FILE, found)
    descriptors = descriptor_pb2.FileDescriptorSet()
    for serialized in found.values():
        descriptors.file.add().ParseFromString(serialized)
    OUTPUT.write_bytes(descriptors.SerializeToString(deterministic=True))
    print(f"{OUTPUT.name}: {OUTPUT.stat().st_size} bytes, {len(found)} files")
    for name in found:
        print("   ", name)


if __name__ == "__main__":
    main(sys.argv[1:])
