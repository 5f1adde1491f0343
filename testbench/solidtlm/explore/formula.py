# SPDX-License-Identifier: Apache-2.0
"""Formulas over configuration keys and metrics: `0.5 * drive_dies + dram / 1MiB`, `p99 < 500us`.

Python's own parser reads them, and a list of what is allowed decides: numbers, names, arithmetic, comparisons,
`a if b else c` and a few functions. Dotted names are one name. Nothing of it is ever executed as Python.
"""
import ast
import math
import operator
import re

from . import metrics, units

_BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
           ast.Pow: operator.pow, ast.Mod: operator.mod, ast.FloorDiv: operator.floordiv}
_COMPARE = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
            ast.Eq: operator.eq, ast.NotEq: operator.ne}
_FUNCTIONS = {"min": min, "max": max, "abs": abs, "sqrt": math.sqrt, "log": math.log, "log2": math.log2,
              "exp": math.exp, "ceil": math.ceil, "floor": math.floor, "round": round}
kMostPower = 64  # a larger exponent is a mistake; 9**9**9 would never end


class FormulaError(Exception):
    """A formula that cannot be read, or that has no value."""


def _readable(text):
    """Replaces units by factors, and p99.9, which is not a valid name, by p999."""
    return units.IN_FORMULA.sub(lambda match: f"({match[1]}*{units.factor(match[2])!r})", metrics.spelt(text))


def _dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise FormulaError("a dot stands behind something that is no name")
    return ".".join([node.id, *reversed(parts)])


def _power(left, right):
    if abs(right) > kMostPower:
        raise FormulaError(f"an exponent of {right}; at most {kMostPower}")
    return left**right


class Formula:
    """A parsed formula. `names` are the names that it needs."""

    def __init__(self, text):
        self.text = text
        self.names = set()
        if not isinstance(text, str) or not text.strip():
            raise FormulaError("found nothing; allowed: a formula over keys and metrics")
        try:
            tree = ast.parse(_readable(text).strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError) as error:
            raise FormulaError(f"cannot be read: {getattr(error, 'msg', error)}") from error
        self._root = tree
        self._check(tree)

    def _check(self, node):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool) or not isinstance(node.value, (int, float, str)):
                raise FormulaError(f"found {node.value!r}; allowed: numbers and texts")
        elif isinstance(node, (ast.Name, ast.Attribute)):
            self.names.add(_dotted(node))
        elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            self._check(node.left)
            self._check(node.right)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            self._check(node.operand)
        elif isinstance(node, ast.Compare) and all(type(each) in _COMPARE for each in node.ops):
            for each in [node.left, *node.comparators]:
                self._check(each)
        elif isinstance(node, ast.IfExp):
            for each in (node.test, node.body, node.orelse):
                self._check(each)
        elif isinstance(node, ast.Call):
            self._check_call(node)
        else:
            raise FormulaError("has something other than numbers, names, + - * / ** %, comparisons, "
                               "`a if b else c` and functions")

    def _check_call(self, node):
        name = node.func.id if isinstance(node.func, ast.Name) else "?"
        if name not in _FUNCTIONS or node.keywords or not node.args:
            raise FormulaError(f"unknown function {name}; allowed: {', '.join(_FUNCTIONS)}")
        for each in node.args:
            self._check(each)

    def value(self, values):
        """The value for these values of its names. Raises FormulaError if there is none."""
        try:
            result = self._value(self._root, values)
        except ZeroDivisionError as error:
            raise FormulaError(f"{self.text}: division by zero") from error
        except (OverflowError, TypeError, ValueError) as error:
            raise FormulaError(f"{self.text}: {error}") from error
        if isinstance(result, (bool, str)):
            return result
        if not isinstance(result, (int, float)) or not math.isfinite(result):
            raise FormulaError(f"{self.text} is {result}, no number")
        return result

    def _value(self, node, values):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = _dotted(node)
            if values.get(name) is None:
                raise FormulaError(f"{name} has no value here")
            return values[name]
        if isinstance(node, ast.BinOp):
            apply = _power if isinstance(node.op, ast.Pow) else _BINARY[type(node.op)]
            return apply(self._value(node.left, values), self._value(node.right, values))
        if isinstance(node, ast.UnaryOp):
            value = self._value(node.operand, values)
            return -value if isinstance(node.op, ast.USub) else value
        if isinstance(node, ast.Compare):
            left = self._value(node.left, values)
            for op, comparator in zip(node.ops, node.comparators):
                right = self._value(comparator, values)
                if not _COMPARE[type(op)](left, right):
                    return False
                left = right
            return True
        if isinstance(node, ast.IfExp):
            return self._value(node.body if self._value(node.test, values) else node.orelse, values)
        return _FUNCTIONS[node.func.id](*(self._value(each, values) for each in node.args))


class Objective:
    """`minimise FORMULA` or `maximise FORMULA`."""

    def __init__(self, name, text):
        self.name = name
        match = re.match(r"\s*(minimi[sz]e|maximi[sz]e)\s+(.*)$", text, re.DOTALL) if isinstance(text, str) else None
        if not match:
            raise FormulaError(f"found {text!r}; allowed: \"minimise FORMULA\" or \"maximise FORMULA\"")
        self.maximise = match[1].startswith("max")
        self.formula = Formula(match[2])
        self.text = text

    def loss(self, value):
        """Smaller is better, for both directions."""
        return -value if self.maximise else value


class Constraint:
    """`FORMULA < FORMULA`, with <, <=, > or >=."""

    def __init__(self, text):
        self.text = text
        match = re.match(r"^(.*?)(<=|>=|<|>)(.*)$", text, re.DOTALL) if isinstance(text, str) else None
        if not match or any(each in match[3] for each in "<>"):
            raise FormulaError(f"found {text!r}; allowed: one comparison, such as \"p99 < 500us\"")
        self._op = match[2]
        self.left, self.right = Formula(match[1]), Formula(match[3])
        self.names = self.left.names | self.right.names

    def excess(self, values):
        """How far the constraint is from holding, as a share of the limit; at most 0 if it holds."""
        left, right = self.left.value(values), self.right.value(values)
        if isinstance(left, str) or isinstance(right, str):
            raise FormulaError(f"{self.text}: compares a text")
        distance = left - right if self._op[0] == "<" else right - left
        if distance == 0:
            return 0.0 if "=" in self._op else 1e-9
        return distance / max(abs(right), 1e-12)
