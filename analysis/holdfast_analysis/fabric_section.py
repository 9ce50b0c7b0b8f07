"""The pictures of the fabric that a report has: what became of its parts, and how the news of one
failure spread over it."""

from . import colouring, fabric_picture
from .fabric import Fabric

MOST_WAVES = 3          # sweep points whose wave is drawn
MANY_HOSTS = 3000       # beyond: only of the first, so that the page stays light


def host_of(results):
    """The function from a process to the index of its host."""
    told = results.resolved.get("processes") or {}
    per_node, first = int(told.get("per_node", 1)), results.points[0]
    nodes = int(float(first.replicates[0].get("nodes") or 0)) or first.processes
    if told.get("placement") == "by_node":
        return lambda process: process % nodes
    return lambda process: process // per_node


def pictures(results, waves):
    """{name of the figure: (Picture, title)} of all pictures of the fabric, in their order."""
    if results.fabric is None:
        return {}
    fabric = Fabric(results.fabric)
    state = fabric_picture.draw(fabric, colouring.of_states(fabric, results))
    if state is None:
        return {}
    state.description = "The fabric: switches by level, hosts under their switches"
    found = {"fabric": (state, "")}
    for number, (point, wave, failure) in enumerate(shown(results, fabric, waves)):
        drawn = fabric_picture.draw(fabric, colouring.of_wave(fabric, wave, host_of(results)))
        title = f"{failure.what} {failure.which} dies at {failure.at_s:g} s"
        title += f": {point.label}" if point.label else ""
        drawn.description = f"When the hosts learned that {title}"
        found[f"wave-{number}"] = (drawn, title)
    return found


def shown(results, fabric, waves):
    """(point, wave, failure) of those waves that are drawn: of the first failure that ended most
    processes, in the first replicate, at the first sweep points."""
    found = []
    hosts = len(fabric.hosts)
    for point in results.points:
        number = int(point.replicates[0]["replicate"])
        failures = [failure for failure in point.failures if failure.replicate == number]
        known = [wave for wave in waves.get((point.index, number), [])
                 if wave.knew_ns and wave.failure < len(failures)]
        if known:
            wave = max(known, key=lambda wave: (len(wave.ended), -wave.failure))
            found.append((point, wave, failures[wave.failure]))
    usable = [item for item in found
              if max(map(host_of(results), item[1].living | item[1].ended)) < hosts]
    return usable[:1 if hosts > MANY_HOSTS else MOST_WAVES]
