"""Medians with exact confidence intervals.

The interval of a median is that of order statistics: of n independent samples in order, the true
median lies between the k-th smallest and the k-th largest with probability at least
1 - 2 P(B <= k - 1), B binomial(n, 1/2), whatever the distribution. k is the largest for which this
is >= the confidence. Nothing is drawn at random, so the interval is the same on every run. Under
six samples no interval reaches 95 %, and none is given. Beyond 10,000 samples k comes from the
normal approximation of the binomial, rounded down (towards the wider interval).

A failure that was never detected is a sample above all others (infinity), not a missing one: left
out, the slowest detections would flatter the median.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Optional, Tuple


@dataclass(frozen=True)
class Summary:
    """One sample described: count, median with its interval, extremes. inf: never."""
    count: int
    median: Optional[float]
    interval: Optional[Tuple[float, float]]
    least: Optional[float]
    greatest: Optional[float]
    never: int  # samples that are infinite


def rank_of_interval(count, confidence=Fraction(95, 100)):
    """The k of the module's text, 1-based; 0 when no interval of `count` samples suffices."""
    if count > 10_000:
        quantile = NormalDist().inv_cdf(float(1 + confidence) / 2)
        return math.floor(count / 2 - quantile * math.sqrt(count) / 2)
    budget = (1 - confidence) / 2 * 2 ** count  # exact: 2^count leaves a float's range at 1024
    at_most, rank, term = 0, 0, 1
    for successes in range(count // 2):
        at_most += term
        if at_most > budget:
            break
        rank = successes + 1
        term = term * (count - successes) // (successes + 1)
    return rank


def median_of(ordered):
    """The median of sorted values; with an even count the mean of the middle two."""
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def summarise(values):
    """The Summary of `values`; None in them means never."""
    ordered = sorted(math.inf if value is None else value for value in values)
    if not ordered:
        return Summary(0, None, None, None, None, 0)
    rank = rank_of_interval(len(ordered))
    interval = (ordered[rank - 1], ordered[-rank]) if rank else None
    never = sum(1 for value in ordered if math.isinf(value))
    finite = ordered[: len(ordered) - never]
    return Summary(len(ordered), median_of(ordered), interval, finite[0] if finite else None,
                   finite[-1] if finite else None, never)
