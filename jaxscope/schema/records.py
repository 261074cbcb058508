"""Codecs made from the dataclasses of the model: a record is declared there, once.

A codec says how dataclasses look in one place: on the wire, in a saved file, in the contract's
JSON. From that and from the annotations of a dataclass it makes a msgspec type that checks what is
read, and the two conversions. JSON has no NaN: where a field is a `float`, NaN is null; where it is
`float | None`, null is None. What is read may be hostile: it has the types and the limits that are
told, or is refused as a whole with a `ValueError`.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import math
import types
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.unavailable import Unavailable

T = TypeVar("T")
Convert = Callable[[Any], Any]
_Infinite = Literal["inf", "-inf"]
_tuple: Any = tuple
_dict: Any = dict
_union: Any = typing.Union


@dataclass(frozen=True)
class Rules:
    """How one dataclass looks where that is not how it is declared.

    Attributes:
        names: The key of a field, where it is not the field's name.
        kinds: Annotation of a field that is narrower than the model's.
        nulls: Fields that are null where they are empty or zero, and take their default where they
            are null.
        left_out: Fields that are not written and not read.
        as_list: Whether the values stand in a list, all of them and without names.
        defaults: Of required fields that may be left out all the same.
    """

    names: Mapping[str, str] = dataclasses.field(default_factory=dict)
    kinds: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    nulls: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    as_list: bool = False
    defaults: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class _Form:
    """A type that msgspec reads, and what turns it into the model's value and back.

    No conversion means that the value is the same on both sides.
    """

    type: Any
    read: Convert | None = None
    write: Convert | None = None


@dataclass(frozen=True, eq=False)
class Codec:
    """Reads and writes dataclasses in one form.

    Attributes:
        rules: For dataclasses that look other than they are declared.
        text: What a `str` may be.
        whole: What an `int` may be.
        many: The limits of tuples of any length, beside which a rule may set others; None for none.
        is_plain: Whether all is written as lists, dictionaries and numbers for `json`; else
            dataclasses that need no conversion stay as they are, which msgspec writes much faster.
        is_strict: Whether fields that are not known are refused, in records that are converted.
        takes_impossible: Whether a number that is negative or infinite is read as unknown.
        missing: Key of the reason in what is a record or `Unavailable`.
        missing_kind: What stands under that key: a text, or the record of `Unavailable`.
        tag: Key of the dataclass's name, where each record says it; then infinities are kept.
    """

    rules: Mapping[type, Rules] = dataclasses.field(default_factory=dict)
    text: Any = str
    whole: Any = int
    many: msgspec.Meta | None = None
    is_plain: bool = True
    is_strict: bool = False
    takes_impossible: bool = False
    missing: str = ""
    missing_kind: Any = str
    tag: str | None = None
    _forms: dict[Any, _Form] = dataclasses.field(default_factory=dict, init=False, repr=False)

    def read(self, kind: type[T], value: Any) -> T:
        """The value that plain values stand for.

        Raises:
            ValueError: They stand for none; msgspec's errors are of this type.
        """
        found: T = self.read_as(kind, value)
        return found

    def read_as(self, kind: Any, value: Any) -> Any:
        """The same for kinds that are no classes, such as `MemoryPlan | Unavailable`."""
        form = self._form(kind)
        record = msgspec.convert(value, form.type)
        return record if form.read is None else form.read(record)

    def decode(self, kind: type[T], data: bytes) -> T:
        """The value that JSON stands for.

        Raises:
            ValueError: It stands for none.
        """
        form = self._form(kind)
        record = msgspec.json.decode(data, type=form.type)
        found: T = record if form.read is None else form.read(record)
        return found

    def write(self, value: Any, kind: Any = None) -> Any:
        """A value as plain values, for `json` or msgspec.

        Args:
            kind: Its annotation; None for its class.
        """
        form = self._form(type(value) if kind is None else kind)
        return value if form.write is None else form.write(value)

    def _form(self, kind: Any) -> _Form:
        if kind not in self._forms:
            self._forms[kind] = self._make_form(kind)
        return self._forms[kind]

    def _make_form(self, kind: Any) -> _Form:
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if kind is float:
            return self._number_form()
        if kind in (str, int):
            return _Form(self.text if kind is str else self.whole)
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            return self._record_form(kind)
        if origin is Annotated:
            return self._limited_form(arguments[0], arguments[1:])
        if hasattr(origin, "__value__"):  # an alias, as `NDArray` is one
            return self._form(origin.__value__[arguments])
        if origin in (typing.Union, types.UnionType):
            return self._union_form(arguments)
        if origin is tuple:
            return self._tuple_form(arguments)
        if origin is np.ndarray:
            return _array_form(typing.get_args(arguments[1])[0])
        if origin in (dict, collections.abc.Mapping):
            return self._mapping_form(arguments)
        if isinstance(kind, type) and issubclass(kind, enum.Enum) and self.is_plain:
            return _Form(kind, None, lambda value: value.value)
        return _Form(kind)

    def _number_form(self) -> _Form:
        if self.tag is not None:
            return _Form(float | _Infinite | None, _read_number, _write_number)
        return _Form(float | None, _read_possible if self.takes_impossible else _read_known, _known)

    def _limited_form(self, kind: Any, limits: tuple[Any, ...]) -> _Form:
        if kind is float:
            limited: Any = Annotated[float, *limits]
            return dataclasses.replace(self._number_form(), type=limited | None)
        form = _Form(kind) if kind in (str, int) else self._form(kind)
        return dataclasses.replace(form, type=Annotated[form.type, *limits])

    def _union_form(self, arguments: tuple[Any, ...]) -> _Form:
        kinds = [kind for kind in arguments if kind is not type(None)]
        if self.missing and Unavailable in kinds and len(kinds) == 2:
            (kind,) = (kind for kind in kinds if kind is not Unavailable)
            if isinstance(kind, type) and dataclasses.is_dataclass(kind):
                return self._optional(self._missing_form(kind), len(kinds) < len(arguments))
        if kinds == [float] and self.tag is None:
            return _Form(float | None, None, lambda value: value and _known(value))
        forms = {kind: self._form(kind) for kind in kinds}
        if len(forms) == 1:
            return self._optional(next(iter(forms.values())), True)
        readers = {form.type: form.read for form in forms.values()}
        writers = {kind: form.write for kind, form in forms.items()}
        told = _union[tuple(form.type for form in forms.values())]
        form = _Form(told, _by_type(readers), _by_type(writers))
        return self._optional(form, len(kinds) < len(arguments))

    @staticmethod
    def _optional(form: _Form, is_optional: bool) -> _Form:
        if not is_optional:
            return form
        return _Form(form.type | None, _unless_none(form.read), _unless_none(form.write))

    def _tuple_form(self, arguments: tuple[Any, ...]) -> _Form:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            form = self._form(arguments[0])
            read, write = form.read, form.write
            reader = None if read is None else lambda values: tuple(map(read, values))
            writer: Convert | None = list if self.is_plain else None
            if write is not None:
                writer = lambda values: list(map(write, values))  # noqa: E731 - chosen once, not per value
            told = _tuple[form.type, ...]
            return _Form(Annotated[told, self.many] if self.many else told, reader, writer)
        forms = [self._form(kind) for kind in arguments]
        told = _tuple[tuple(form.type for form in forms)]
        readers, writers = ([form.read for form in forms], [form.write for form in forms])
        return _Form(
            told,
            _each(readers, tuple) if any(readers) else None,
            _each(writers, list) if self.is_plain or any(writers) else None,
        )

    def _mapping_form(self, arguments: tuple[Any, ...]) -> _Form:
        form = self._form(arguments[1])
        read, write = form.read, form.write
        reader = read and (lambda found: {key: read(value) for key, value in found.items()})
        writer: Convert | None = dict if self.is_plain else None
        if write is not None:
            writer = lambda found: {key: write(each) for key, each in found.items()}  # noqa: E731 - chosen once, not per value
        return _Form(_dict[self._form(arguments[0]).type, form.type], reader, writer)

    def _missing_form(self, kind: type) -> _Form:
        """A record, or why it is not there, under a key of its own."""
        fields, reason = self._form(kind), self._form(self.missing_kind)
        told = msgspec.defstruct(
            f"{kind.__name__}OrReason",
            [(self.missing, reason.type | None, None)],
            bases=(fields.type,),
            frozen=True,
            kw_only=True,
        )
        is_text = self.missing_kind is not Unavailable

        def read(record: Any) -> Any:
            found = getattr(record, self.missing)
            if found is None:
                return fields.read(record) if fields.read is not None else record
            return Unavailable(found, "optimized") if is_text else found

        def write(value: Any) -> Any:
            if isinstance(value, Unavailable):
                return {self.missing: value.reason if is_text else value}
            found = fields.write(value) if fields.write is not None else {}
            return {self.missing: None, **found}

        return _Form(told, read, write)

    def _record_form(self, kind: Any) -> _Form:
        rules = self.rules.get(kind, Rules())
        hints = typing.get_type_hints(kind, include_extras=True)
        fields = [f for f in dataclasses.fields(kind) if f.name not in rules.left_out]
        forms = {f.name: self._form(rules.kinds.get(f.name, hints[f.name])) for f in fields}
        is_converted = self.is_plain or kind in self.rules
        if not is_converted and not any(form.read for form in forms.values()):
            return _Form(kind)
        described: list[tuple[str, Any, Any]] = []
        default: Any
        for field in fields:
            told, name = forms[field.name].type, rules.names.get(field.name, field.name)
            if field.name in rules.nulls:
                told = told | None
            if _has_default(field) and not rules.as_list:
                told, default = told | msgspec.UnsetType, msgspec.UNSET
            else:
                default = rules.defaults.get(field.name, msgspec.NODEFAULT)
            described.append((field.name, told, msgspec.field(default=default, name=name)))
        struct = msgspec.defstruct(
            kind.__name__,
            described,
            frozen=True,
            kw_only=not rules.as_list,
            array_like=rules.as_list,
            forbid_unknown_fields=self.is_strict or rules.as_list,
            tag_field=self.tag,
            tag=None if self.tag is None else kind.__name__,
        )
        return _Form(struct, _reader(kind, forms, rules), _writer(kind, forms, rules, self.tag))


def _has_default(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.default is not missing or field.default_factory is not missing


def _reader(kind: Any, forms: Mapping[str, _Form], rules: Rules) -> Convert:
    fields = [(name, form.read, name in rules.nulls) for name, form in forms.items()]
    unset = msgspec.UNSET

    def read(record: Any) -> Any:
        found = {}
        for name, convert, is_null in fields:
            value = getattr(record, name)
            if value is unset or (is_null and value is None):
                continue
            found[name] = value if convert is None else convert(value)
        return kind(**found)

    return read


def _writer(kind: Any, forms: Mapping[str, _Form], rules: Rules, tag: str | None) -> Convert:
    head = {} if tag is None else {tag: kind.__name__}
    fields = [
        (name, rules.names.get(name, name), form.write, name in rules.nulls)
        for name, form in forms.items()
    ]

    def write(value: Any) -> Any:
        found: dict[str, Any] = dict(head)
        for name, key, convert, is_null in fields:
            item = getattr(value, name)
            plain = item if convert is None else convert(item)
            found[key] = (plain or None) if is_null else plain
        return list(found.values()) if rules.as_list else found

    return write


def _by_type(converts: Mapping[Any, Convert | None]) -> Convert:
    def convert(value: Any) -> Any:
        found = converts.get(type(value))
        return value if found is None else found(value)

    return convert


def _unless_none(convert: Convert | None) -> Convert | None:
    return None if convert is None else lambda value: None if value is None else convert(value)


def _each(converts: list[Convert | None], kind: Convert) -> Convert:
    def convert(values: Any) -> Any:
        pairs = zip(converts, values, strict=True)
        return kind([value if each is None else each(value) for each, value in pairs])

    return convert


def _array_form(dtype: Any) -> _Form:
    """Vectors; a whole number has to fit the type of the array."""
    if np.issubdtype(dtype, np.floating):
        kind: Any = float | None
        read: Convert = _read_known
    else:
        limits = np.iinfo(dtype)
        kind, read = Annotated[int, msgspec.Meta(ge=int(limits.min), le=int(limits.max))], int
    return _Form(
        list[kind],
        lambda values: np.array([read(value) for value in values], dtype),
        lambda array: array.tolist(),
    )


def _read_known(value: float | None) -> float:
    return math.nan if value is None else value


def _read_possible(value: float | None) -> float:
    is_possible = value is not None and math.isfinite(value) and value >= 0.0
    return float(value) if value is not None and is_possible else math.nan


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _read_number(value: float | str | None) -> float:
    return math.nan if value is None else float(value)


def _write_number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)
