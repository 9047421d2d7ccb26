"""The checks of a caller: one line for each."""

import sys


def check(name, call):
    try:
        result = call()
        print(f"ok {name}")
        return result
    except Exception as error:
        print(f"failed {name}: {type(error).__name__} {error}".replace("\n", " "))
        return None


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


address = sys.argv[1]
