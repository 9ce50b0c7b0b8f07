"""The figures that every run has, by the name that figures.json calls them."""

# What each shows, for who cannot see it.
DESCRIPTIONS = {
    "times": "Detection and propagation time of each failure, by sweep point",
    "cumulative": "Cumulative share of failures over detection and propagation time",
    "timeline": "Detection and propagation time of each failure over the time of the run",
    "phases": "The time line of each failure: crash, suspicion, verdict, last informed, repair, "
              "rejoined",
    "waves": "The share of live processes that know of a failure, over time",
    "messages": "Messages per failure and process, and heartbeats per process and second",
}
# Pictures of the fabric, one or several; they describe themselves.
FABRIC = "fabric"
NAMES = [*DESCRIPTIONS, FABRIC]
