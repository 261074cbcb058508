"""`late_dataclass` makes the classes that the standard library makes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from jaxscope.late_dataclass import dataclass

Make = Callable[..., Any]


def make_classes(decorate: Make, **options: bool) -> dict[str, Any]:
    """Classes of every kind of field that the package has."""

    @decorate(**options)
    class Base:
        kind: ClassVar[str] = "kind"
        number: int
        late: list[int] = dataclasses.field(default_factory=list, kw_only=True)

    @decorate(**options)
    class Derived(Base):
        label: str = dataclasses.field(default="label", compare=False)
        hidden: int = dataclasses.field(default=3, repr=False)
        counted: int = dataclasses.field(init=False, default=5)

        def __post_init__(self) -> None:
            object.__setattr__(self, "counted", self.number + 1)

    @decorate(**options)
    class Empty:
        pass

    @decorate(**options)
    class Own:
        value: int = 1

        def __eq__(self, other: object) -> bool:
            return isinstance(other, type(self))

        def __repr__(self) -> str:
            return "own"

    @decorate(**options)
    class Plain:
        number: int
        label: str = "label"
        late: list[int] = dataclasses.field(default_factory=list)

        def __post_init__(self) -> None:
            self.late.append(self.number)

    return {each.__name__: each for each in (Base, Derived, Empty, Own, Plain)}


ALL = [
    {"frozen": frozen, "slots": slots, "eq": eq}
    for frozen in (False, True)
    for slots in (False, True)
    for eq in (False, True)
]
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Base", (1,), {}),
    ("Base", (1,), {"late": [2]}),
    ("Base", (), {}),
    ("Base", (1, [2]), {}),
    ("Derived", (1,), {}),
    ("Derived", (1, "other", 7), {"late": [3]}),
    ("Derived", (1,), {"counted": 2}),
    ("Empty", (), {}),
    ("Empty", (1,), {}),
    ("Own", (), {}),
    ("Own", (2,), {}),
    ("Plain", (1,), {}),
    ("Plain", (1, "other"), {"late": [2]}),
    ("Plain", (), {"late": [2], "number": 3}),
    ("Plain", (), {"label": "other"}),
    ("Plain", (1, "other", [2], 3), {}),
    ("Plain", (1,), {"number": 2}),
    ("Plain", (1,), {"number": 2, "late": []}),
    ("Plain", (1,), {"other": 2}),
    ("Plain", (1,), {"other": 2, "late": []}),
]


def ask(what: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """An answer, or the kind of error that came instead."""
    try:
        return what(*arguments, **named)
    except (TypeError, AttributeError) as error:
        return type(error)


def hashes_alike(one: object) -> bool:
    return hash(one) == hash(copy.copy(one))


def describe(classes: dict[str, Any], times: int = 1) -> list[Any]:
    """All that can be seen of classes and of instances that are made so often."""
    for _ in range(times):
        made = [(n, ask(classes[n], *a, **copy.deepcopy(k))) for n, a, k in copy.deepcopy(CALLS)]
    told: list[Any] = []
    for name, each in made:
        if isinstance(each, type):
            told.append(each)
            continue
        told += [
            repr(each).rpartition(".")[2],
            [one == each for _, one in made if not isinstance(one, type)],
            ask(hashes_alike, each),
            dataclasses.is_dataclass(each),
            [(f.name, f.type, f.default, f.kw_only, f.compare) for f in dataclasses.fields(each)],
            dataclasses.astuple(each),
            dataclasses.astuple(copy.copy(each)),
            hasattr(each, "__dict__"),
            type(each).__match_args__,
        ]
        if name in ("Base", "Derived"):
            other = copy.copy(each)
            told += [
                dataclasses.astuple(dataclasses.replace(each, number=9)),
                ask(setattr, other, "number", 2),
                ask(delattr, other, "number"),
            ]
    return told


@pytest.mark.parametrize("times", [1, 20])
@pytest.mark.parametrize("options", ALL, ids=str)
def test_classes_are_those_of_the_standard_library(options: dict[str, bool], times: int) -> None:
    assert describe(make_classes(dataclass, **options), times) == describe(
        make_classes(dataclasses.dataclass, **options)
    )


@pytest.mark.parametrize("order", [CALLS, CALLS[::-1]])
def test_a_call_is_refused_as_by_the_standard_library_whichever_is_first(order: Any) -> None:
    said = []
    for decorate in (dataclass, dataclasses.dataclass):
        for name, arguments, named in copy.deepcopy(order):
            classes = make_classes(decorate, frozen=True)
            try:
                said.append(str(vars(classes[name](*arguments, **named))))
            except TypeError as error:
                said.append(str(error))
    assert said[: len(CALLS)] == said[len(CALLS) :]


@dataclass(frozen=True, slots=True)
class Kept:
    """Pickled, so it is where its name says."""

    numbers: tuple[int, ...]
    inner: Kept | None = None


def test_a_frozen_class_with_slots_can_be_pickled() -> None:
    kept = Kept((1, 2), Kept(()))
    assert pickle.loads(pickle.dumps(kept)) == kept
    assert copy.deepcopy(kept) == kept


def test_a_method_is_made_once() -> None:
    for _ in range(20):  # a few are not worth it
        Kept((1,))
    made = Kept.__init__
    assert list(inspect.signature(made).parameters) == ["self", "numbers", "inner"]
    Kept((2,))
    assert Kept.__init__ is made
    once = repr(Kept((1,))), hash(Kept((1,)))
    made_too = Kept.__repr__, Kept.__hash__
    assert (repr(Kept((1,))), hash(Kept((1,)))) == once
    assert (Kept.__repr__, Kept.__hash__) == made_too


def test_a_class_of_the_standard_library_can_be_a_base() -> None:
    @dataclasses.dataclass(frozen=True)
    class Base:
        number: int

    @dataclass(frozen=True)
    class Derived(Base):
        label: str

    assert repr(Derived(1, "a")).endswith("Derived(number=1, label='a')")
    assert [field.name for field in dataclasses.fields(Derived)] == ["number", "label"]
