"""The part of msgspec that jaxscope calls, in plain Python, for the viewer in a browser.

msgspec itself is compiled, and there is no build of it for WebAssembly. This takes its place there:
the same names, the same values, and the same refusal of what does not have the declared type. The
wording of errors is its own. A type becomes one function once; reading then costs a few calls of
Python for each value.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import functools
import inspect
import json as _json
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal

Convert = Callable[[Any], Any]


class MsgspecError(Exception):
    """What all errors of this module are."""


class DecodeError(MsgspecError, ValueError):
    """It is no JSON."""


class ValidationError(DecodeError):
    """It does not have the declared type."""


class UnsetType(enum.Enum):
    """The type of `UNSET`: a field that was left out."""

    UNSET = "UNSET"

    def __bool__(self) -> bool:
        return False


class _NoDefault(enum.Enum):
    NODEFAULT = "NODEFAULT"


UNSET = UnsetType.UNSET
NODEFAULT = _NoDefault.NODEFAULT


@dataclasses.dataclass(frozen=True)
class Meta:
    """Limits of a value, within `Annotated`."""

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    multiple_of: float | None = None
    pattern: str | None = None
    min_length: int | None = None
    max_length: int | None = None


@dataclasses.dataclass(frozen=True)
class _Field:
    default: Any = NODEFAULT
    default_factory: Any = NODEFAULT
    name: str | None = None


def field(
    *, default: Any = NODEFAULT, default_factory: Any = NODEFAULT, name: str | None = None
) -> Any:
    """A field of a `Struct` with a default, or with another key."""
    return _Field(default, default_factory, name)


@dataclasses.dataclass(frozen=True)
class _Options:
    forbid_unknown_fields: bool = False
    array_like: bool = False
    tag_field: str | None = None
    tag: str | None = None


class Struct:
    """A record whose annotations are its fields."""

    __struct_options__ = _Options()
    __struct_fields__: typing.ClassVar[dict[str, _Field]] = {}

    def __init_subclass__(
        cls,
        frozen: bool = False,
        kw_only: bool = False,
        forbid_unknown_fields: bool = False,
        array_like: bool = False,
        tag_field: str | None = None,
        tag: str | None = None,
    ) -> None:
        """Note the fields, those of the bases first, and the options, which are inherited too."""
        super().__init_subclass__()
        base = cls.__struct_options__
        cls.__struct_options__ = _Options(
            forbid_unknown_fields or base.forbid_unknown_fields,
            array_like or base.array_like,
            tag_field or base.tag_field,
            tag or base.tag,
        )
        fields = dict(cls.__struct_fields__)
        for name in inspect.get_annotations(cls):
            default = cls.__dict__.get(name, NODEFAULT)
            fields[name] = default if isinstance(default, _Field) else _Field(default)
            if name in cls.__dict__:
                delattr(cls, name)
        cls.__struct_fields__ = fields

    def __init__(self, *values: Any, **named: Any) -> None:
        """Set the fields.

        Raises:
            TypeError: A value is missing, or is of no field.
        """
        fields = self.__struct_fields__
        named |= zip(fields, values, strict=False)
        for name, described in fields.items():
            if name in named:
                setattr(self, name, named.pop(name))
            elif described.default_factory is not NODEFAULT:
                setattr(self, name, described.default_factory())
            elif described.default is not NODEFAULT:
                setattr(self, name, described.default)
            else:
                raise TypeError(f"Missing required argument {name!r}")
        if named:
            raise TypeError(f"Unexpected keyword argument {next(iter(named))!r}")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).values()))


def defstruct(
    name: str,
    fields: Iterable[tuple[Any, ...]],
    *,
    bases: tuple[type, ...] = (Struct,),
    **options: Any,
) -> Any:
    """A `Struct` of these fields: name, type and, where there is one, default."""
    described = [(each[0], each[1], each[2] if len(each) > 2 else NODEFAULT) for each in fields]
    body: dict[str, Any] = {"__annotations__": {key: kind for key, kind, _ in described}}
    body |= {key: default for key, _, default in described if default is not NODEFAULT}
    return types.new_class(name, bases, options, lambda space: space.update(body))


def convert(value: Any, type: Any) -> Any:
    """The value of that type that plain values stand for.

    Raises:
        ValidationError: They stand for none.
    """
    return _converter(type)(value)


def to_builtins(value: Any, *, enc_hook: Convert | None = None) -> Any:
    """A value as dictionaries, lists, texts and numbers."""
    return _to_plain(value, enc_hook)


class json:
    """JSON of values of declared types."""

    @staticmethod
    def decode(data: bytes | str, *, type: Any = Any) -> Any:
        """The value of that type that JSON stands for.

        Raises:
            DecodeError: It is no JSON, or (a `ValidationError`) of another type.
        """
        try:
            plain = _json.loads(
                data if isinstance(data, str) else bytes(data).decode(),
                parse_constant=_refuse_constant,
            )
        except ValueError as error:
            raise DecodeError(str(error)) from None
        return _converter(type)(plain)

    @staticmethod
    def encode(value: Any, *, enc_hook: Convert | None = None) -> bytes:
        """A value as JSON."""
        plain = _to_plain(value, enc_hook)
        return _json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()

    @dataclasses.dataclass
    class Decoder:
        """Reads JSON of one type."""

        type: Any = Any

        def decode(self, data: bytes | str) -> Any:
            """As `json.decode`."""
            return json.decode(data, type=self.type)


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"JSON has no {text}")


def _to_plain(value: Any, enc_hook: Convert | None) -> Any:
    if value is None or isinstance(value, bool | int | float) or type(value) is str:
        return None if isinstance(value, float) and value - value != 0.0 else value
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {_to_key(key): _to_plain(each, enc_hook) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_to_plain(each, enc_hook) for each in value]
    if isinstance(value, Struct):
        return _struct_to_plain(value, enc_hook)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = (each.name for each in dataclasses.fields(value))
        return {name: _to_plain(getattr(value, name), enc_hook) for name in names}
    if enc_hook is None:
        raise TypeError(f"Encoding objects of type {type(value).__name__} is unsupported")
    return _to_plain(enc_hook(value), enc_hook)


def _to_key(key: Any) -> str:
    return key if isinstance(key, str) else str(key)


def _struct_to_plain(value: Struct, enc_hook: Convert | None) -> Any:
    options, found = value.__struct_options__, {}
    if options.tag_field is not None:
        found[options.tag_field] = options.tag
    for name, described in value.__struct_fields__.items():
        item = getattr(value, name)
        if item is not UNSET:
            found[described.name or name] = _to_plain(item, enc_hook)
    return list(found.values()) if options.array_like else found


@functools.cache
def _converter(kind: Any) -> Convert:
    """What makes a value of that type of a plain one, or raises `ValidationError`."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return lambda value: value
    if kind is None or kind is types.NoneType:
        return _exactly(types.NoneType)
    if kind in (bool, int, str):
        return _exactly(kind)
    if kind is float:
        return _read_float
    if origin is Annotated:
        return _limited(_converter(arguments[0]), arguments[1:])
    if origin is Literal:
        return _literal(arguments)
    if origin in (typing.Union, types.UnionType):
        return _union(arguments)
    if kind in (list, tuple, dict, set, frozenset):
        return _converter({list: list[Any], tuple: tuple[Any, ...], dict: dict[Any, Any]}[kind])
    if origin in (list, set, frozenset, collections.abc.Sequence):
        return _many(list if origin is collections.abc.Sequence else origin, arguments[0])
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return _many(tuple, arguments[0])
        return _fixed(arguments)
    if origin in (dict, collections.abc.Mapping):
        return _mapping(arguments[0], arguments[1])
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _enumerated(kind)
    if isinstance(kind, type) and issubclass(kind, Struct):
        return _later(kind, _struct)
    if dataclasses.is_dataclass(kind):
        return _later(kind, _dataclass)
    raise TypeError(f"Type {kind!r} is not supported")


def _wrong(expected: str, value: Any) -> ValidationError:
    return ValidationError(f"Expected `{expected}`, got `{type(value).__name__}`")


def _exactly(kind: type) -> Convert:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise _wrong(kind.__name__, value)
        return value

    return read


def _read_float(value: Any) -> float:
    if type(value) is int:
        return float(value)
    if not isinstance(value, float):
        raise _wrong("float", value)
    return value


def _limited(read: Convert, limits: tuple[Any, ...]) -> Convert:
    checks = [check for meta in limits if isinstance(meta, Meta) for check in _checks(meta)]

    def read_limited(value: Any) -> Any:
        found = read(value)
        if found is not None and not all(check(found) for check in checks):
            raise ValidationError(f"{found!r:.80} is outside its limits")
        return found

    return read_limited


def _checks(meta: Meta) -> Iterable[Callable[[Any], bool]]:
    for name in ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern"):
        limit = getattr(meta, name)
        if limit is not None:
            yield functools.partial(_CHECKS[name], limit)


_CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "ge": lambda limit, value: value >= limit,
    "gt": lambda limit, value: value > limit,
    "le": lambda limit, value: value <= limit,
    "lt": lambda limit, value: value < limit,
    "multiple_of": lambda limit, value: value % limit == 0,
    "min_length": lambda limit, value: len(value) >= limit,
    "max_length": lambda limit, value: len(value) <= limit,
    "pattern": lambda limit, value: re.search(limit, value) is not None,
}


def _literal(values: tuple[Any, ...]) -> Convert:
    def read(value: Any) -> Any:
        for each in values:
            if type(each) is type(value) and each == value:
                return each
        raise ValidationError(f"Invalid value {value!r:.80}")

    return read


def _union(kinds: tuple[Any, ...]) -> Convert:
    """One reader for each kind of plain value; of several records the tag decides."""
    readers: dict[type, Convert] = {}
    tagged: dict[str, Convert] = {}
    tag_field = ""
    for kind in kinds:
        if kind is UnsetType:
            continue
        if (
            isinstance(kind, type)
            and issubclass(kind, Struct)
            and kind.__struct_options__.tag_field
        ):
            tag_field = kind.__struct_options__.tag_field
            tagged[str(kind.__struct_options__.tag)] = _converter(kind)
            continue
        for plain in _plain_kinds(kind):
            readers.setdefault(plain, _converter(kind))
    if float in readers:
        readers.setdefault(int, readers[float])

    def read(value: Any) -> Any:
        reader = readers.get(type(value))
        if tagged and type(value) is dict and isinstance(tag := value.get(tag_field), str):
            reader = tagged.get(tag, reader)
        if reader is None:
            raise _wrong(" | ".join(str(kind) for kind in kinds), value)
        return reader(value)

    return read


def _plain_kinds(kind: Any) -> tuple[type, ...]:
    """The types of plain values that stand for values of a type."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return (types.NoneType, bool, int, float, str, list, tuple, dict)
    if kind is None or kind is types.NoneType:
        return (types.NoneType,)
    if origin is Annotated:
        return _plain_kinds(arguments[0])
    if origin is Literal:
        return tuple({type(value) for value in arguments})
    if origin in (typing.Union, types.UnionType):
        return tuple(plain for each in arguments for plain in _plain_kinds(each))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return tuple({type(member.value) for member in kind})
    if kind in (bool, int, float, str):
        return (kind,)
    base = origin or kind
    if isinstance(base, type) and issubclass(base, list | tuple | set | frozenset):
        return (list, tuple)
    if isinstance(kind, type) and issubclass(kind, Struct) and kind.__struct_options__.array_like:
        return (list, tuple)
    return (dict,)


def _many(make: Callable[[Iterable[Any]], Any], kind: Any) -> Convert:
    read = _converter(kind)

    def read_many(values: Any) -> Any:
        if type(values) not in (list, tuple):
            raise _wrong("array", values)
        return make([read(value) for value in values])

    return read_many


def _fixed(kinds: tuple[Any, ...]) -> Convert:
    readers = [_converter(kind) for kind in kinds]

    def read_fixed(values: Any) -> Any:
        if type(values) not in (list, tuple) or len(values) != len(readers):
            raise _wrong(f"array of length {len(readers)}", values)
        return tuple([read(value) for read, value in zip(readers, values, strict=True)])

    return read_fixed


def _mapping(key: Any, kind: Any) -> Convert:
    if key is not Any and _plain_kinds(key) != (str,):  # JSON is read otherwise then
        raise TypeError(f"Keys of type {key!r} are not supported")
    read_key, read = _converter(key), _converter(kind)

    def read_mapping(values: Any) -> Any:
        if type(values) is not dict:
            raise _wrong("object", values)
        return {read_key(name): read(value) for name, value in values.items()}

    return read_mapping


def _enumerated(kind: type[enum.Enum]) -> Convert:
    members = {member.value: member for member in kind}

    def read(value: Any) -> Any:
        if isinstance(value, bool | list | dict) or value not in members:
            raise ValidationError(f"Invalid enum value {value!r:.80}")
        return members[value]

    return read


def _later(kind: type, make: Callable[[Any], Convert]) -> Convert:
    """A reader that is made when it is first needed: types may hold themselves."""
    made: list[Convert] = []

    def read(value: Any) -> Any:
        if not made:
            made.append(make(kind))
        return made[0](value)

    return read


def _struct(kind: Any) -> Convert:
    options = kind.__struct_options__
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = [
        (name, described.name or name, _converter(hints[name]))
        for name, described in kind.__struct_fields__.items()
    ]
    keys = {key for _, key, _ in fields} | {options.tag_field}

    def read(values: Any) -> Any:
        if options.array_like and type(values) in (list, tuple):
            if len(values) > len(fields):
                raise _wrong(f"array of at most length {len(fields)}", values)
            values = {key: value for (_, key, _), value in zip(fields, values, strict=False)}
        elif type(values) is not dict:
            raise _wrong("object", values)
        if (
            options.tag_field is not None
            and values.get(options.tag_field, options.tag) != options.tag
        ):
            raise ValidationError(f"Invalid value of {options.tag_field}")
        if options.forbid_unknown_fields and not keys >= values.keys():
            raise ValidationError("Object contains a field that is not known")
        return _make(kind, {name: each(values[key]) for name, key, each in fields if key in values})

    return read


def _dataclass(kind: Any) -> Convert:
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = [(each.name, _converter(hints[each.name])) for each in dataclasses.fields(kind)]

    def read(values: Any) -> Any:
        if type(values) is not dict:
            raise _wrong("object", values)
        return _make(kind, {name: each(values[name]) for name, each in fields if name in values})

    return read


def _make(kind: Any, found: dict[str, Any]) -> Any:
    try:
        return kind(**found)
    except TypeError as error:
        raise ValidationError(str(error)) from None
