"""Makes the modules of analysis/ importable in the tests, and says where the program is."""

import os
import sys

ANALYSIS = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", "..", "analysis"))
REPORT = os.path.join(ANALYSIS, "report")
sys.path.insert(0, ANALYSIS)
