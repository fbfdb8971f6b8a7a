#!/usr/bin/env python3
"""run_and_compare.py EXPECTED PROGRAM [ARGS...]: run PROGRAM; its output must equal the file EXPECTED, if there is one."""
import difflib
import pathlib
import subprocess
import sys

expected, *command = sys.argv[1:]
done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
print(done.stdout, end="")
if done.returncode != 0:
    sys.exit(f"{command[0]} exited with status {done.returncode}")
wanted = pathlib.Path(expected)
if wanted.exists() and wanted.read_text() != done.stdout:
    diff = difflib.unified_diff(wanted.read_text().splitlines(), done.stdout.splitlines(), wanted.name, "output", lineterm="")
    sys.exit("the output differs from the expected output:\n" + "\n".join(diff))
