# SPDX-License-Identifier: Apache-2.0
import unittest

from solidtlm.explore import units
from solidtlm.explore.formula import Constraint, Formula, FormulaError, Objective


class Formulas(unittest.TestCase):
    def value(self, text, **values):
        return Formula(text).value(values)

    def test_arithmetic_and_names(self):
        self.assertEqual(self.value("2 * dies + 1", dies=4), 9)
        self.assertEqual(self.value("max(a, 3) ** 2", a=2), 9)
        self.assertEqual(self.value("1 if policy == 'dftl' else 0", policy="dftl"), 1)

    def test_dotted_names_are_one_name(self):
        formula = Formula("nand.geometry.channels * host.latency_us.p99")
        self.assertEqual(formula.names, {"nand.geometry.channels", "host.latency_us.p99"})
        self.assertEqual(formula.value({"nand.geometry.channels": 2, "host.latency_us.p99": 3}), 6)

    def test_units(self):
        self.assertEqual(self.value("dram / 1MiB", dram=2**21), 2)
        self.assertEqual(self.value("1.5 ms"), 1500)
        self.assertEqual(self.value("50 % * a", a=4), 2)
        self.assertEqual(self.value("p99.9", p999=7), 7)
        self.assertEqual(self.value("7 % 4"), 3)

    def test_what_is_no_formula(self):
        for text in ("", "2 *", "__import__('os')", "dies.__class__()", "[1]", "lambda: 1", "f'{a}'", "a and b",
                     "x := 1",
                     "open(1)", "min()", "min(a, key=b)", "(1).real", "1; 2", "True"):
            with self.subTest(text), self.assertRaises(FormulaError):
                Formula(text).value({"a": 1, "b": 1})

    def test_what_has_no_value(self):
        for text in ("1 / a", "sqrt(a - 1)", "b", "9 ** 9 ** 9", "'x' * 2 + 1", "log(a)"):
            with self.subTest(text), self.assertRaises(FormulaError):
                Formula(text).value({"a": 0})

    def test_objectives(self):
        self.assertEqual(Objective("speed", "maximise throughput").loss(3), -3)
        self.assertEqual(Objective("late", "minimize p99").loss(3), 3)
        with self.assertRaises(FormulaError):
            Objective("x", "p99")

    def test_constraints(self):
        self.assertAlmostEqual(Constraint("p99 < 500us").excess({"p99": 600}), 0.2)
        self.assertLess(Constraint("p99 < 500us").excess({"p99": 400}), 0)
        self.assertGreater(Constraint("p99 < 500us").excess({"p99": 500}), 0)
        self.assertEqual(Constraint("dram <= 64MiB").excess({"dram": 2**26}), 0)
        self.assertAlmostEqual(Constraint("throughput >= 100").excess({"throughput": 75}), 0.25)
        for text in ("p99", "1 < p99 < 2", "p99 == 3", 5):
            with self.subTest(text), self.assertRaises(FormulaError):
                Constraint(text)


class Units(unittest.TestCase):
    def test_quantities(self):
        for text, value in (("16MiB", 2**24), ("50us", 50), ("3.5ms", 3500), ("2%", 0.02), ("8GB", 8e9),
                            ("10min", 6e8)):
            self.assertAlmostEqual(units.quantity(text), value)
        for text in ("dftl", "5 apples", "", "us", "1.2.3"):
            self.assertIsNone(units.quantity(text))


if __name__ == "__main__":
    unittest.main()
