"""`dataclass`, as that of `dataclasses`, but a method is made when it is first used, and `__init__`
when it has been used some times.

The standard library writes and compiles six methods of each class where it is defined, half a
millisecond. A window loads 300 classes before it is seen, uses few of their methods, and makes one
or two objects of most.
"""

from __future__ import annotations

import dataclasses
import inspect
import operator
import reprlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        repr: bool = True,
        eq: bool = True,
        frozen: bool = False,
        slots: bool = False,
    ) -> Any:
        """Make a class a dataclass, with these arguments of `dataclasses.dataclass`."""

        def decorate(cls: type) -> type:
            return _decorate(cls, has_repr=repr, has_eq=eq, is_frozen=frozen, has_slots=slots)

        return decorate if cls is None else decorate(cls)


_Fields = dict[str, "dataclasses.Field[Any]"]
_MISSING = dataclasses.MISSING
_OWN = "_own_fields"


def _decorate(cls: Any, *, has_repr: bool, has_eq: bool, is_frozen: bool, has_slots: bool) -> Any:
    annotations = inspect.get_annotations(cls)
    own: dict[str, Any] = {}  # a field, a default, or that there is none
    for name, kind in annotations.items():
        if "ClassVar[" not in str(kind):
            value = own[name] = vars(cls).get(name, _MISSING)
            if isinstance(value, dataclasses.Field):
                if value.default is _MISSING:
                    delattr(cls, name)
                else:
                    setattr(cls, name, value.default)
    if has_slots:
        cls = _with_slots(cls, list(own))
    written = set(vars(cls))
    has_hash = "__hash__" in written and not (cls.__hash__ is None and "__eq__" in written)
    setattr(cls, _OWN, own)
    attributes: dict[str, Callable[[type], Any]] = {
        "__match_args__": _make_match_args,
        "__dataclass_fields__": lambda cls: _make_fields(cls, annotations, own),
    }
    for name, make in attributes.items():
        setattr(cls, name, _LateAttribute(cls, name, make))
    if "__init__" not in written:
        cls.__init__ = _late_init(cls, is_frozen)
    late: dict[str, Callable[[type], Any]] = {}
    if has_repr:
        late["__repr__"] = _make_repr
    if has_eq:
        late["__eq__"] = _make_eq
    for name, make in late.items():
        if name not in written:
            setattr(cls, name, _late_method(cls, name, make))
    if has_eq and not has_hash:
        cls.__hash__ = _late_method(cls, "__hash__", _make_hash) if is_frozen else None
    if is_frozen:
        for method in (__setattr__, __delattr__, *(__getstate__, __setstate__) * has_slots):
            if method.__name__ not in written:
                setattr(cls, method.__name__, method)
    return cls


def _with_slots(cls: type, names: list[str]) -> Any:
    """The same class with slots, which can be given only to a class that is being made."""
    taken = {slot for base in cls.__mro__[1:] for slot in vars(base).get("__slots__", ())}
    space = {k: v for k, v in vars(cls).items() if k not in {*names, "__dict__", "__weakref__"}}
    space["__slots__"] = tuple(name for name in names if name not in taken)
    made = type(cls)(cls.__name__, cls.__bases__, space)
    made.__qualname__ = cls.__qualname__
    return made


class _LateAttribute:
    """An attribute of a class that is made when it is first read."""

    def __init__(self, cls: type, name: str, make: Callable[[type], Any]) -> None:
        self._cls, self._name, self._make = cls, name, make

    def __get__(self, _instance: object, _owner: type) -> Any:
        made = self._make(self._cls)
        setattr(self._cls, self._name, made)
        return made


def _late_method(cls: type, name: str, make: Callable[[type], Any]) -> Any:
    def method(self: object, *arguments: Any, **named: Any) -> Any:
        made = make(cls)
        made.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, made)
        return made(self, *arguments, **named)

    return method


_FEW = 8
"""Calls of `__init__` that cost less than to write and compile it."""


def _late_init(cls: type, is_frozen: bool) -> Any:
    """Writes `__init__` when it is called often, or in another way than most calls are."""
    fields: list[tuple[str, dataclasses.Field[Any]]] = []
    put = object.__setattr__ if is_frozen else setattr
    written = _late_method(cls, "__init__", lambda cls: _make_init(cls, is_frozen))
    left, end = _FEW, "__post_init__"
    has_end = False

    def method(self: object, *arguments: Any, **named: Any) -> Any:
        nonlocal left, has_end
        if left == _FEW:
            fields[:] = _find_fields(cls).items()
            has_end = hasattr(cls, end)
            if any(not field.init or field.kw_only is True for _, field in fields):
                left = 0
        if left and len(arguments) + len(named) <= len(fields):
            left -= 1
            values = dict(zip((name for name, _ in fields), arguments, strict=False))
            num_given = len(values) + len(named)
            values |= named
            for name, field in fields:
                if name not in values:
                    if field.default is not _MISSING:
                        values[name] = field.default
                    elif field.default_factory is not _MISSING:
                        values[name] = field.default_factory()
                    else:
                        break
                    num_given += 1
            if num_given == len(values) == len(fields):  # no other names, none twice
                for name, _ in fields:
                    put(self, name, values[name])
                return getattr(self, end)() if has_end else None
        return written(self, *arguments, **named)

    return method


def _find_fields(cls: type) -> _Fields:
    """The fields of a class and its bases; those of the class lack what only the key says."""
    found: _Fields = {}
    for base in cls.__mro__[::-1]:
        own: dict[str, Any] | None = vars(base).get(_OWN)
        if own is None:
            found |= vars(base).get("__dataclass_fields__", {})
        else:
            found |= {name: _as_field(value) for name, value in own.items()}
    return found


def _as_field(value: Any) -> Any:
    return value if isinstance(value, dataclasses.Field) else dataclasses.field(default=value)


def _make_fields(cls: type, annotations: dict[str, Any], own: dict[str, Any]) -> _Fields:
    """The fields as `dataclasses.fields` and others read them."""
    space = {"__annotations__": annotations, "__module__": cls.__module__, "__doc__": "-"}
    space |= {name: _as_field(value) for name, value in own.items()}
    decorate: Any = dataclasses.dataclass(init=False, repr=False, eq=False)
    like = decorate(type(cls.__name__, (), space))
    found: _Fields = {}
    for base in (*cls.__mro__[:0:-1], like):
        found |= getattr(base, "__dataclass_fields__", {})
    return found


def _make_match_args(cls: type) -> tuple[str, ...]:
    found = _find_fields(cls).items()
    return tuple(name for name, field in found if field.init and field.kw_only is not True)


def _make_init(cls: type, is_frozen: bool) -> Any:
    known: dict[str, Any] = {"_MISSING": _MISSING, "_set": object.__setattr__}
    plain: list[str] = []
    named: list[str] = []
    body: list[str] = []
    for name, field in _find_fields(cls).items():
        parameter = value = name
        if field.default is not _MISSING:
            known[f"_default_{name}"] = field.default
            parameter = f"{name}=_default_{name}"
            value = name if field.init else f"_default_{name}"
        elif field.default_factory is not _MISSING:
            known[f"_make_{name}"] = field.default_factory
            parameter = f"{name}=_MISSING"
            value = f"_make_{name}()" + f" if {name} is _MISSING else {name}" * field.init
        elif not field.init:
            continue
        if field.init:
            (named if field.kw_only is True else plain).append(parameter)
        body.append(f"_set(self, {name!r}, {value})" if is_frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join(["self", *plain, *["*"] * bool(named), *named])
    exec(f"def __init__({parameters}):\n " + "\n ".join(body or ["pass"]), known)
    return known["__init__"]


def _getter(names: list[str]) -> Callable[[object], tuple[Any, ...]]:
    """What reads attributes of an object as a tuple."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    return lambda instance: tuple(getattr(instance, name) for name in names)


def _make_eq(cls: type) -> Any:
    values = _getter([name for name, field in _find_fields(cls).items() if field.compare])

    def __eq__(self: object, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return __eq__


def _make_hash(cls: type) -> Any:
    found = _find_fields(cls).items()
    values = _getter([n for n, f in found if (f.compare if f.hash is None else f.hash)])

    def __hash__(self: object) -> int:
        return hash(values(self))

    return __hash__


def _make_repr(cls: type) -> Any:
    names = [name for name, field in _find_fields(cls).items() if field.repr]

    @reprlib.recursive_repr()
    def __repr__(self: object) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({inside})"

    return __repr__


def __setattr__(_self: object, name: str, _value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def __delattr__(_self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def __getstate__(self: Any) -> list[Any]:
    return [getattr(self, name) for name in _find_fields(type(self))]


def __setstate__(self: Any, state: list[Any]) -> None:
    for name, value in zip(_find_fields(type(self)), state, strict=True):
        object.__setattr__(self, name, value)
