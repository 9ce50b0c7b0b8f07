#!/usr/bin/python3
"""Writes docs/quickstart.png, the picture of README.md: a figure of a run of experiments/quickstart
as it is, in few colours, so that it is light.

usage: picture.py RESULTS_DIR [OUTPUT]
"""

import sys
from pathlib import Path

from PIL import Image

PICTURE = Path(__file__).resolve().parents[1] / "quickstart.png"
COLOURS = 32


def main(results, output=PICTURE):
    drawn = Image.open(Path(results) / "figures/times.png").convert("RGB")
    drawn.quantize(COLOURS, dither=Image.Dither.NONE).save(output, optimize=True)


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__.split("\n\n")[1])
    main(*sys.argv[1:])
