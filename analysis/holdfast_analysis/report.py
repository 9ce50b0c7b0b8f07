"""Reads a results folder, draws its figures, writes its report."""

import os

from . import (curves, declared, fabric_section, figures, page, phases, results, shapes, standard,
               style, wave_curves, waves, whole_file)


def write(folder, readme=None, declaration=None):
    """Writes figures and report.html into `folder`; returns the report's path. declaration: the
    experiment's figures.json; default: the one in `folder`, if any."""
    found = results.read(folder, readme)
    own = declared.read(folder, declaration)
    declared.take_settings(own.figures, found)
    news, cut_short = waves.read(found)
    files = os.path.join(folder, "figures")
    os.makedirs(files, exist_ok=True)
    drawings = {}

    def keep(name, drawn, inline):
        style.save(drawn, files, name)
        drawings[name] = inline()
        style.close(drawn)

    for figure in own.figures:
        drawn = curves.draw(figure, found)
        if drawn is not None:
            keep(figure.name, drawn,
                 lambda figure=figure, drawn=drawn: style.inline(drawn, figure.name, figure.title))
    for name, description in standard.DESCRIPTIONS.items():
        drawn = _draw(name, found, news) if own.standard is None or name in own.standard else None
        if drawn is not None:
            keep(name, drawn, lambda name=name, drawn=drawn, description=description:
                 style.inline(drawn, name, description))
    pictures = {}
    if own.standard is None or standard.FABRIC in own.standard:
        pictures = fabric_section.pictures(found, news)
    for name, (picture, _) in pictures.items():
        keep(name, shapes.figure(picture), lambda picture=picture: shapes.svg(picture))
    titles = {name: title for name, (_, title) in pictures.items()}
    path = os.path.join(folder, "report.html")
    whole_file.write(path, page.render(found, drawings, own, titles, cut_short).encode("utf-8"))
    return path


def _draw(name, found, news):
    """The figure of that name, or None."""
    if name == "phases":
        return phases.draw(found)
    if name == "waves":
        return wave_curves.draw(found, news)
    return getattr(figures, name)(found)
