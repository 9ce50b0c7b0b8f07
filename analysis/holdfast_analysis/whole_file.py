"""Files that are wholly there or not at all, also where the disk is full."""

import contextlib
import os


def write(path, content):
    """Writes bytes under a temporary name and renames it; OSError names `path` if that fails."""
    part = path + ".part"
    try:
        with open(part, "wb") as file:
            file.write(content)
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.remove(part)
        raise OSError(error.errno, error.strerror, path) from None
