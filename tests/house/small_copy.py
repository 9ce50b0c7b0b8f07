"""A small copy of the repository, with stand-ins for what a script calls: to test scripts."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DPKG_QUERY = "#!/bin/bash\n# All packages are there.\nprintf installed\n"
APT_GET = "#!/bin/bash\n# Not to be called.\nexit 99\n"


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


class SmallCopy(unittest.TestCase):
    """self.top is the copy, self.user a folder elsewhere in which the scripts are started."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.top = self.folder / "a copy"  # a space, as some have in their paths
        self.user = self.folder / "elsewhere"
        self.user.mkdir()
        self.stand_in("dpkg-query", DPKG_QUERY)
        self.stand_in("apt-get", APT_GET)

    def copy(self, *paths):
        for path in paths:
            (self.top / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, self.top / path)

    def stand_in(self, name, text):
        write_program(self.folder / "bin" / name, text)

    def run_script(self, path, *arguments, **variables):
        search = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        return subprocess.run(
            [str(self.top / path), *arguments],
            cwd=self.user,
            env={**os.environ, "PATH": search, "TOP": str(self.top), **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
        )
