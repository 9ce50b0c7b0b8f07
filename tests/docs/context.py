"""Where the documents and their generators are."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("HOLDFAST_PROGRAM", str(ROOT / "build/release/holdfast"))

sys.path.insert(0, str(ROOT / "docs/generate"))
