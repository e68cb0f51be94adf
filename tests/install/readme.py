#!/usr/bin/env python3
"""The program at the top of the README compiles with the wrapper and does what it looks like.

usage: readme.py BUILD-FOLDER SOURCE-FOLDER
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    build, source = (pathlib.Path(argument) for argument in sys.argv[1:3])
    (program,) = re.findall(r"^```cpp\n(.*?)^```$", (source / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len([line for line in program.splitlines() if line]) <= 12, "the program of the README has grown"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "squares.cpp").write_text(program)
        command = [build / "tools/wrapper/weftcxx", "-std=c++20", "-Wall", "-Wextra", "-Werror", "squares.cpp", "-o", "squares"]
        subprocess.run(command, cwd=folder, check=True, timeout=120)
        done = subprocess.run([build / "launcher/weftrun", "-n", "4", "./squares"], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "rank 1 sent 1\nrank 2 sent 4\nrank 3 sent 9\nsum of the ranks: 6\n", done.stdout
    assert done.stderr == "", done.stderr


if __name__ == "__main__":
    main()
