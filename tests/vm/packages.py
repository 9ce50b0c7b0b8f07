"""Debian's packages for the guest, unpacked into build/vm/ and never installed: those of the group
`guest` in cmake/packages.txt. They are fetched once; a machine that has them needs no network.
"""

import fcntl
import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STORE = ROOT / "build" / "vm"
# Of a package that has everything for every machine. A pattern that matches nothing is an error.
KERNEL_PARTS = [
    "./boot/vmlinuz*",
    *(f"./lib/modules/*/kernel/{part}" for part in (
        "arch", "crypto", "drivers/infiniband", "drivers/net/veth.ko", "lib", "net")),
]
FETCH_S = 150


class Missing(Exception):
    """What this machine lacks for a guest, as a sentence."""


def listed():
    lines = (ROOT / "cmake/packages.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split("#")[0].split() for line in lines]
    return [row[1] for row in rows if len(row) == 2 and row[0] == "guest"]


def _apt(tool, *words):
    """Standard output of an apt tool. Its lists are the machine's, or, where those are not there,
    our own in the store, so that nobody needs to be root."""
    own = STORE / "apt"
    options = []
    if own.exists():
        options = ["-o", f"Dir::State::lists={own}/lists", "-o", f"Dir::Cache={own}/cache"]
    command = " ".join([tool, *words])
    try:
        done = subprocess.run([tool, *options, *words], cwd=STORE, capture_output=True, text=True,
                              check=False, timeout=FETCH_S)
    except subprocess.TimeoutExpired:
        raise Missing(f"{command} did not end within {FETCH_S} s") from None
    if done.returncode != 0:
        raise Missing(f"{command}: {' '.join(done.stderr.strip().splitlines()[-1:])}")
    return done.stdout


def _name_of_now(package):
    """linux-image-amd64 is empty and depends on the kernel of the day."""
    if not package.startswith("linux-image-"):
        return package
    found = re.search(r"Depends: (linux-image-\S+)", _apt("apt-cache", "depends", package))
    if not found:
        raise Missing(f"apt-cache does not know what {package} depends on")
    return found.group(1)


def _unpack(package, into):
    """Fetches a package and unpacks what the guest may need of it."""
    name = _name_of_now(package)
    for old in STORE.glob(f"{name}_*.deb"):
        old.unlink()
    _apt("apt-get", "-q", "download", name)
    fetched, = STORE.glob(f"{name}_*.deb")
    parts = KERNEL_PARTS if package.startswith("linux-image-") else []
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", fetched], stdout=subprocess.PIPE) as tar:
        subprocess.run(["tar", "-x", "-C", into, "--wildcards", *parts], stdin=tar.stdout,
                       check=True)
    fetched.unlink()


def _fetch_all(into):
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    for package in listed():
        _unpack(package, into)


def ensure():
    """The folder into which all of them are unpacked. Raises Missing where they cannot be had."""
    for tool in ("apt-get", "apt-cache", "dpkg-deb"):
        if not shutil.which(tool):
            raise Missing(f"{tool} is not there: this is no Debian system")
    STORE.mkdir(parents=True, exist_ok=True)
    wanted = " ".join(listed())
    mark = STORE / "unpacked"  # names what is there, written when all of it is
    with open(STORE / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several tests may be the first
        if not mark.exists() or mark.read_text(encoding="utf-8") != wanted:
            mark.unlink(missing_ok=True)
            try:
                _fetch_all(STORE / "root")
            except Missing:
                for part in ("lists", "cache"):
                    os.makedirs(STORE / "apt" / part, exist_ok=True)
                _apt("apt-get", "-q", "update")
                _fetch_all(STORE / "root")
            mark.write_text(wanted, encoding="utf-8")
    return STORE / "root"
