"""The guest's root: busybox, modules with those that they depend on, programs with the libraries
they need, each at the path it has outside. Written as a cpio archive (newc), which is what the
kernel unpacks.
"""

import os
import re
import subprocess
from pathlib import Path

FOLDERS = ("proc", "sys", "dev", "run", "tmp", "var/tmp", "etc", "bin", "sbin")


def _name(path):
    """A module's name; files and dependencies spell '-' and '_' as they like."""
    return os.path.basename(path).removesuffix(".ko").replace("-", "_")


def modules_in_order(unpacked, wanted):
    """Files of the modules, each behind those that it needs. What the kernel has built in has no
    file."""
    files = {_name(path): path for path in (unpacked / "lib/modules").rglob("*.ko")}
    order = []

    def add(name):
        path = files.get(name)
        if path is None or path in order:
            return
        needs = re.search(rb"\0depends=([^\0]*)\0", path.read_bytes())
        for other in needs.group(1).decode().split(",") if needs else []:
            add(_name(other))
        order.append(path)

    for name in wanted:
        if name not in files:
            raise FileNotFoundError(f"the kernel has no module {name}")
        add(name)
    return order


def libraries(program):
    """Shared libraries of a program, as this machine finds them."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    absent = re.findall(r"(\S+) => not found", done.stdout)
    if absent:
        raise FileNotFoundError(f"{program} needs {', '.join(absent)}")
    return re.findall(r"(/\S+) \(0x", done.stdout)


class Initramfs:
    """An archive that is filled piece by piece; parent folders come by themselves."""

    def __init__(self):
        self.pieces = []
        self.names = set()
        for folder in FOLDERS:
            self._folder(folder)

    def _entry(self, name, mode, content=b""):
        self.names.add(name)
        fields = [len(self.names), mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        header = b"070701" + b"".join(b"%08x" % field for field in fields)
        for part in (header + name.encode() + b"\0", content):
            self.pieces.append(part + b"\0" * (-len(part) % 4))

    def _folder(self, name):
        if name in ("", ".") or name in self.names:
            return
        self._folder(os.path.dirname(name))
        self._entry(name, 0o40755)

    def file(self, path, content, mode=0o644):
        name = str(path).lstrip("/")
        if name in self.names:
            return
        self._folder(os.path.dirname(name))
        self._entry(name, 0o100000 | mode, content)

    def copy(self, source, path=None):
        """A file, as an executable if it is one."""
        source = Path(source)
        self.file(path or os.path.abspath(source), source.read_bytes(),
                  0o755 if os.access(source, os.X_OK) else 0o644)

    def program(self, source, path=None):
        self.copy(source, path)
        with open(source, "rb") as file:
            if file.read(4) != b"\x7fELF":
                return
        for library in libraries(source):
            self.copy(library)

    def write(self, to):
        self._entry("TRAILER!!!", 0)
        Path(to).write_bytes(b"".join(self.pieces))
