# SPDX-License-Identifier: Apache-2.0
"""Confidence intervals over seeds, with Student's t. Those within a run are the executable's."""
import math

# 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom, from the usual tables.
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
      2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)


def t_quantile(freedom):
    """95 %, two-sided. Beyond the table, uses the expansion about the normal quantile, which is accurate to
    0.001."""
    if freedom <= len(_T):
        return _T[freedom - 1]
    z = 1.959964
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def mean_of(samples):
    if samples.count(samples[0]) == len(samples):
        return samples[0]  # exact: a value that no seed changes must not depend on the number of seeds
    return math.fsum(samples) / len(samples)


def half_width(samples):
    """Half the width of the 95 % interval about the mean; None for a single sample."""
    count = len(samples)
    if count < 2:
        return None
    mean = mean_of(samples)
    variance = math.fsum((each - mean)**2 for each in samples) / (count - 1)
    return t_quantile(count - 1) * math.sqrt(variance / count)


def half_width_of_difference(a, b):
    """As half_width(), about the difference of two means: Welch's interval, whose degrees of freedom are rounded
    down. None if there is a single sample on a side."""
    if min(len(a), len(b)) < 2:
        return None
    squares = [(half_width(each) / t_quantile(len(each) - 1))**2 for each in (a, b)]  # of the standard errors
    total = math.fsum(squares)
    if total == 0:
        return 0.0
    freedom = total**2 / math.fsum(square**2 / (len(each) - 1) for square, each in zip(squares, (a, b)))
    return t_quantile(max(1, int(freedom + 1e-9))) * math.sqrt(total)
