"""How many of the living knew of a failure, over the time since the first of them did: a line for
each failure whose raw events were written, deaths of processes and of nodes apart."""

from . import style, time_axes, units

MOST_CURVES = 60   # of one sweep point and kind
MOST_STEPS = 400   # of a curve; a finer one is thinned


def of_kinds(results, waves):
    """{kind of failed part: [(index of the sweep point, wave)]}, of waves that anybody noticed."""
    found = {}
    for position, point in enumerate(results.points):
        for (index, replicate), members in waves.items():
            if index != point.index:
                continue
            failures = [failure for failure in point.failures if failure.replicate == replicate]
            for wave in members:
                if wave.knew_ns and wave.living and wave.failure < len(failures):
                    kind = failures[wave.failure].what
                    found.setdefault(kind, []).append((position, wave))
    return dict(sorted(found.items()))


def draw(results, waves):
    """The figure, or None without events or with more sweep points than can be told apart."""
    kinds = of_kinds(results, waves)
    if not kinds or len(results.points) > 8:
        return None
    drawn, grid = style.figure(2.9, columns=len(kinds), sharey=True, width_inches=7.2)
    for axis, (kind, members) in zip(grid[0], kinds.items()):
        last = max(max(wave.knew_ns.values()) - wave.first_ns() for _, wave in members) / 1e9
        divisor, unit = units.time_unit(last or 1.0)
        labelled, count = set(), {}
        for position, wave in members:
            count[position] = count.get(position, 0) + 1
            if count[position] > MOST_CURVES:
                continue
            steps = thinned(wave.curve())
            colour, _ = style.series(position)
            axis.step([0.0] + [at / 1e9 / divisor for at, _ in steps],
                      [0.0] + [100 * share for _, share in steps], where="post", color=colour,
                      linestyle=style.DASHES[position % len(style.DASHES)], linewidth=1.1,
                      alpha=0.8, clip_on=False,
                      label="_" if position in labelled else results.points[position].label)
            labelled.add(position)
        axis.grid()
        axis.set_title(f"{kind} deaths")
        axis.set_ylim(0, 100)
        axis.set_xlim(0, 1.04 * last / divisor or 1.0)
        axis.xaxis.set_major_locator(time_axes.UnitLocator(1.0))
        axis.set_xlabel(f"since the first process knew ({unit})")
    grid[0][0].set_ylabel("live processes that know (%)")
    style.legend_below(drawn, list(grid[0]), 4)
    return drawn


def thinned(steps):
    """At most about MOST_STEPS of them, the first and the last included."""
    if len(steps) <= MOST_STEPS:
        return steps
    every = -(-len(steps) // MOST_STEPS)
    return steps[:1] + steps[1:-1:every] + steps[-1:]
