"""What a file that declares figures may hold: what is wrong is said with file and pointer."""

from .results import ResultsError


class Reader:
    """Each method gives the value back, or raises ResultsError where it is not what it must be."""

    def __init__(self, path):
        self._path = path

    def wrong(self, pointer, expected):
        return ResultsError(f"{self._path}: {pointer or '/'}: expected {expected}.")

    def keys(self, pointer, value, known):
        if not isinstance(value, dict):
            raise self.wrong(pointer, "an object")
        for key in value:
            if key not in known:
                raise self.wrong(f"{pointer}/{key}", "no such key, but " + ", ".join(sorted(known)))

    def listed(self, pointer, value):
        if not isinstance(value, list):
            raise self.wrong(pointer, "a list")
        return value

    def text(self, pointer, value):
        if not isinstance(value, str) or not value:
            raise self.wrong(pointer, "a text")
        return value

    def name(self, pointer, value):
        """Of a file."""
        if not self.text(pointer, value).replace("-", "").isalnum():
            raise self.wrong(pointer, "letters, digits and '-'")
        return value

    def one_of(self, pointer, value, *texts):
        if value not in texts:
            raise self.wrong(pointer, " or ".join(f'"{text}"' for text in texts))
        return value

    def number(self, pointer, value, positive=False):
        if not isinstance(value, (int, float)) or isinstance(value, bool) \
                or positive and value <= 0:
            raise self.wrong(pointer, "a number above zero" if positive else "a number")
        return float(value)

    def count(self, pointer, value, expected="a whole number from 0 on"):
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.wrong(pointer, expected)
        return value
