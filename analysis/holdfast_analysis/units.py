"""How quantities are written for people: times with a fitting unit, counts, rates."""

import math
import re

_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0,
            "hour": 3600.0, "hours": 3600.0, "d": 86400.0, "day": 86400.0, "days": 86400.0,
            "year": 365.25 * 86400.0, "years": 365.25 * 86400.0}


def seconds_of(text):
    """The seconds that a quantity such as "60 s" or "100 ms" means; None when it is no duration."""
    match = re.fullmatch(r"\s*([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([a-zµ]+)\s*", str(text))
    if not match or match.group(2) not in _SECONDS:
        return None
    return float(match.group(1)) * _SECONDS[match.group(2)]


def significant(value, digits=3):
    """`value` rounded to significant digits, without an exponent for everyday sizes."""
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    rounded = round(value, digits - 1 - magnitude)
    magnitude = math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{max(0, digits - 1 - magnitude)}f}"


def time_unit(seconds):
    """(divisor in seconds, unit) in which `seconds` reads best."""
    for divisor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if abs(seconds) >= divisor:
            return divisor, unit
    return (1.0, "s") if seconds == 0 else (1e-9, "ns")


def long_time_unit(seconds):
    """(divisor in seconds, unit) for an axis that ends at `seconds`, which may be years."""
    for divisor, unit in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds > 3 * divisor:
            return divisor, unit
    return 1.0, "s"


def time_text(seconds):
    """A time for a table: three significant digits and a unit; "–" for what there is not."""
    if seconds is None or math.isnan(seconds):
        return "–"
    if math.isinf(seconds):
        return "never"
    divisor, unit = time_unit(float(f"{seconds:.3g}"))  # 0.9999 s is 1.00 s, not 1,000 ms
    return f"{significant(seconds / divisor)} {unit}"


def interval_text(low, high):
    """Two times in one unit: "0.97 to 1.02 s"."""
    if math.isinf(low) or math.isinf(high):
        return f"{time_text(low)} to {time_text(high)}"
    divisor, unit = time_unit(high)
    return f"{significant(low / divisor)} to {significant(high / divisor)} {unit}"


def moment_text(seconds):
    """A moment of the run: seconds while they read well, then days, hours, minutes, seconds."""
    if seconds is None:
        return "–"
    if seconds < 3600:
        return f"{seconds:,.3f} s"
    whole = int(seconds)
    days, rest = divmod(whole, 86400)
    clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"day {days}, {clock}" if days else clock


def span_text(seconds):
    """A long duration in its two leading units: "365 d", "2 h 5 min", "60 s"."""
    if seconds is None:
        return "–"
    if seconds < 120:
        return f"{seconds:g} s"
    parts, rest = [], int(round(seconds))
    for divisor, unit in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        if rest >= divisor:
            parts.append(f"{rest // divisor:,} {unit}")
            rest %= divisor
    return " ".join(parts[:2])


def rate_text(bits_per_second):
    """A link's rate: "40 Gb/s"."""
    for divisor, unit in ((1e9, "Gb/s"), (1e6, "Mb/s"), (1e3, "kb/s")):
        if bits_per_second >= divisor:
            return f"{bits_per_second / divisor:g} {unit}"
    return f"{bits_per_second:g} b/s"


def count_text(value):
    """A count with thousands separated; a mean of counts with three significant digits."""
    if value is None:
        return "–"
    if float(value).is_integer():
        return f"{int(value):,}"
    return significant(value)


def small_text(value):
    """A mean of counts for a figure: what is under a thousandth is only said to be so."""
    return "< 0.001" if 0 < value < 0.001 else significant(value)
