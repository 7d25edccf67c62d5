"""Comparison: what changed between two contracts of a feature, and whom that breaks.

A worker refuses a front where a change breaks an older front. For a front it is a test: its own
contract against ``Front.schema``, what the running worker has.

Spec    Protocol/SPEC.md, section 14 (Evolution)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Flag, auto

from .contracts import (
    Array,
    ByteString,
    CaseSchema,
    Delivery,
    FeatureSchema,
    FieldSchema,
    Maybe,
    MethodSchema,
    Named,
    Reference,
    Table,
    TypeSchema,
    reference,
)


class Breaks(Flag):
    """Who is broken by a change: a front of that age, at a worker of the other."""

    NOBODY = 0
    OLDER = auto()
    NEWER = auto()
    BOTH = OLDER | NEWER

    @property
    def swapped(self) -> Breaks:
        """Where the reader is the worker, not the front."""
        older = Breaks.NEWER if Breaks.OLDER in self else Breaks.NOBODY
        return older | (Breaks.OLDER if Breaks.NEWER in self else Breaks.NOBODY)


@dataclass(frozen=True)
class ContractChange:
    """One difference, such as ``PitItem.stage``: ``field removed``."""

    place: str
    what: str
    breaks: Breaks

    def __str__(self) -> str:
        return f"{self.place}: {self.what}"


def contract_changes(older: FeatureSchema, newer: FeatureSchema) -> list[ContractChange]:
    """What makes the contracts of a feature differ. What does not travel is no difference."""
    comparison = _Comparison(older.types or [], newer.types or [])
    comparison.compare(older, newer)
    return comparison.changes


_ADDED = {
    Delivery.STATE: Breaks.NEWER,  # it is never presented
    Delivery.EFFECT: Breaks.NEWER,
    Delivery.LOG: Breaks.NEWER,
    Delivery.EVENT: Breaks.NEWER,  # it is not known
    Delivery.ASK: Breaks.OLDER,  # it cannot be answered
}
_NOTHING = "NoArguments"
"""The structure without fields that absent arguments are compared as; no Swift type has it."""


class _Comparison:
    def __init__(self, older: list[TypeSchema], newer: list[TypeSchema]) -> None:
        self.changes: list[ContractChange] = []
        nothing = TypeSchema(_NOTHING, "struct", fields=[])
        # Of two types of one name the first counts.
        self._older = {kind.name: kind for kind in [*reversed(older), nothing]}
        self._newer = {kind.name: kind for kind in [*reversed(newer), nothing]}
        # Pairs of types, and whether a worker reads them: each is compared once. A list and no
        # recursion, which a schema could make deep.
        self._seen: set[tuple[str, str, bool]] = set()
        self._waiting: list[tuple[str, str, bool]] = []

    def _add(self, place: str, what: str, breaks: Breaks, by_worker: bool = False) -> None:
        """Notes a change; ``breaks`` is who is broken where fronts read."""
        change = ContractChange(place, what, breaks.swapped if by_worker else breaks)
        if change not in self.changes:
            self.changes.append(change)

    # Features and methods

    def compare(self, older: FeatureSchema, newer: FeatureSchema) -> None:
        place = newer.feature
        arguments = older.arguments or _NOTHING, newer.arguments or _NOTHING
        self._compare_types(f"{place} arguments", *arguments, by_worker=False)
        for before, after in ((older.presents, newer.presents), (older.listens, newer.listens)):
            gone = {method.key: method for method in reversed(before)}
            for method in after:
                if (same := gone.pop(method.key, None)) is not None:
                    self._compare_methods(f"{place} {method.key}", same, method)
                else:
                    what = f"{method.delivery} added"
                    self._add(f"{place} {method.key}", what, _ADDED[method.delivery])
            for method in gone.values():
                what = f"{method.delivery} removed"
                self._add(f"{place} {method.key}", what, _ADDED[method.delivery].swapped)

    def _compare_methods(self, place: str, older: MethodSchema, newer: MethodSchema) -> None:
        if older.delivery != newer.delivery:
            what = f"delivery changed from {older.delivery} to {newer.delivery}"
            self._add(place, what, Breaks.BOTH)
        is_event = older.delivery == Delivery.EVENT
        # Of one key, so as many as the key has colons, in one order.
        for before, after in zip(older.parameters, newer.parameters, strict=False):
            self._compare_types(f"{place} {after.name}", before.type, after.type, is_event)
        match older.result, newer.result:
            case str(before_type), str(after_type):
                self._compare_types(f"{place} result", before_type, after_type, not is_event)
            case None, str(after_type):
                self._add(place, f"result {after_type} added", Breaks.NEWER)
            case str(before_type), None:
                self._add(place, f"result {before_type} removed", Breaks.OLDER)
        if newer.is_throwing and not older.is_throwing:
            self._add(place, "may throw now", Breaks.OLDER)
        elif older.is_throwing and not newer.is_throwing:
            self._add(place, "does not throw any more", Breaks.NEWER)
        elif older.error != newer.error:  # who cannot read the error has its message
            what = f"error changed from {older.error or 'text'} to {newer.error or 'text'}"
            self._add(place, what, Breaks.NOBODY)

    # References

    def _compare_types(self, place: str, older: str, newer: str, by_worker: bool) -> None:
        self._compare_references(place, older, newer, by_worker)
        while self._waiting:
            self._compare_parts(*self._waiting.pop())

    def _compare_references(self, place: str, older: str, newer: str, by_worker: bool) -> None:
        breaks = self._breaks(reference(older), reference(newer), by_worker)
        if breaks:
            self._add(place, f"type changed from {older} to {newer}", breaks, by_worker)

    def _breaks(self, older: Reference, newer: Reference, by_worker: bool) -> Breaks:
        """Whose reading fails; what is inside of named types is compared later."""
        match older, newer:
            case (Maybe(old), Maybe(new)) | (Array(old), Array(new)):
                return self._breaks(old, new, by_worker)
            case Maybe(old), new:
                return self._breaks(old, new, by_worker) | Breaks.NEWER
            case old, Maybe(new):
                return self._breaks(old, new, by_worker) | Breaks.OLDER
            case Table(old_key, old), Table(new_key, new):
                keys = self._breaks(old_key, new_key, by_worker)
                return keys | self._breaks(old, new, by_worker)
            case Named(old_name), Named(new_name):
                return self._breaks_named(old_name, new_name, by_worker)
            case ByteString(), ByteString():
                return Breaks.NOBODY
        return Breaks.BOTH

    def _breaks_named(self, older: str, newer: str, by_worker: bool) -> Breaks:
        old, new = _type(older, self._older), _type(newer, self._newer)
        if "opaque" in (old.kind, new.kind):
            # Nobody can see inside of one of them: the name has to do.
            return Breaks.NOBODY if older == newer else Breaks.BOTH
        if old.kind != new.kind:
            return Breaks.BOTH
        if older not in self._older and newer not in self._newer:
            return _breaks_scalars(older, newer)
        if (pair := (older, newer, by_worker)) not in self._seen:
            self._seen.add(pair)
            self._waiting.append(pair)
        return Breaks.NOBODY

    # What is inside of types

    def _compare_parts(self, older: str, newer: str, by_worker: bool) -> None:
        old, new = _type(older, self._older), _type(newer, self._newer)
        match old.kind:
            case "struct":
                self._compare_fields(older, old.fields, new.fields, by_worker)
            case "enum":
                self._compare_cases(older, old.cases or [], new.cases or [], by_worker)
            case _:
                self._compare_references(older, old.raw or older, new.raw or newer, by_worker)
                self._compare_values(older, old.cases, new.cases, by_worker)

    def _compare_fields(
        self,
        place: str,
        older: list[FieldSchema] | None,
        newer: list[FieldSchema] | None,
        by_worker: bool,
    ) -> None:
        gone = {field.key: field for field in reversed(older or [])}
        for field in newer or []:
            where = f"{place}.{field.key}"
            if (same := gone.pop(field.key, None)) is not None:
                self._compare_references(where, same.type, field.type, by_worker)
                self._compare_defaults(where, same, field, by_worker)
            else:
                breaks = Breaks.NOBODY if field.may_be_missing else Breaks.NEWER
                self._add(where, f"field added, {field.type}", breaks, by_worker)
        for field in gone.values():
            breaks = Breaks.NOBODY if field.may_be_missing else Breaks.OLDER
            self._add(f"{place}.{field.key}", "field removed", breaks, by_worker)

    def _compare_defaults(
        self, place: str, older: FieldSchema, newer: FieldSchema, by_worker: bool
    ) -> None:
        """Fronts may leave a field out; workers do not."""
        is_optional = any(isinstance(reference(one.type), Maybe) for one in (older, newer))
        if is_optional or older.may_be_missing == newer.may_be_missing:
            return
        breaks = Breaks.OLDER if newer.may_be_missing else Breaks.NEWER
        what = f"default {'added' if newer.may_be_missing else 'removed'}"
        self._add(place, what, breaks if by_worker else Breaks.NOBODY, by_worker)

    def _compare_cases(
        self, place: str, older: list[CaseSchema], newer: list[CaseSchema], by_worker: bool
    ) -> None:
        gone = {case.key: case for case in reversed(older)}
        for case in newer:
            where = f"{place}.{case.key}"
            if (same := gone.pop(case.key, None)) is not None:
                self._compare_fields(where, same.fields, case.fields, by_worker)
            else:
                self._add(where, "case added", Breaks.OLDER, by_worker)
        for key in gone:
            self._add(f"{place}.{key}", "case removed", Breaks.NEWER, by_worker)

    def _compare_values(
        self,
        place: str,
        older: list[CaseSchema] | None,
        newer: list[CaseSchema] | None,
        by_worker: bool,
    ) -> None:
        """Raw values are compared, not their keys; without a list any may come."""
        if older is None or newer is None:
            if older is not None:
                self._add(place, "any raw value may come now", Breaks.OLDER, by_worker)
            if newer is not None:
                self._add(place, "only some raw values are read now", Breaks.NEWER, by_worker)
            return
        for case in _values_without(newer, older):
            self._add(f"{place}.{case.key}", "case added", Breaks.OLDER, by_worker)
        for case in _values_without(older, newer):
            self._add(f"{place}.{case.key}", "case removed", Breaks.NEWER, by_worker)


def _values_without(cases: list[CaseSchema], others: list[CaseSchema]) -> Iterator[CaseSchema]:
    values = {case.value for case in others}
    return (case for case in cases if case.value not in values)


_SCALAR = re.compile(r"Bool|String|Float|Double|(U?)Int(8|16|32|64)?")


def _type(name: str, types: dict[str, TypeSchema]) -> TypeSchema:
    """The type of a name; a scalar is as a raw type of itself."""
    if (found := types.get(name)) is None:
        return TypeSchema(name, "raw" if _SCALAR.fullmatch(name) else "opaque")
    is_known = found.kind in ("struct", "enum", "raw")
    return found if is_known else TypeSchema(name, "opaque")


def _breaks_scalars(older: str, newer: str) -> Breaks:
    breaks = Breaks.NOBODY
    if not _holds(older, newer):
        breaks |= Breaks.OLDER
    if not _holds(newer, older):
        breaks |= Breaks.NEWER
    return breaks


def _holds(name: str, other: str) -> bool:
    """Whether every value of the other scalar is one of this."""
    if name == other or (name, other) == ("Double", "Float"):
        return True
    if "Int" not in name or "Int" not in other:
        return False
    (least, most), (other_least, other_most) = _range(name), _range(other)
    return least <= other_least and other_most <= most


def _range(name: str) -> tuple[int, int]:
    scalar = _SCALAR.fullmatch(name)
    assert scalar is not None
    bits = int(scalar[2] or 64)
    return (0, 2**bits - 1) if scalar[1] else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
