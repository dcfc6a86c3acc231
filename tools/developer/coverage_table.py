#!/usr/bin/env python3
"""coverage_table.py BUILD-FOLDER folder|file: how many lines of src/backend were run, from gcov's counts. A file that was never run counts with all its lines."""
import json, os, subprocess, sys

build, by = os.path.abspath(sys.argv[1]), sys.argv[2]
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
lines = {}   # file -> line -> was it run?
objects = [os.path.join(folder, name) for folder, _, names in os.walk(build) if ".a.p" in folder for name in names if name.endswith(".gcno")]
for start in range(0, len(objects), 40):
    output = subprocess.run(["gcov", "--json-format", "--stdout", *objects[start:start + 40]], cwd=build, capture_output=True, text=True).stdout
    for document in output.splitlines():
        for entry in json.loads(document)["files"] if document.startswith("{") else []:
            path = os.path.relpath(os.path.normpath(os.path.join(build, entry["file"])), root)
            if not path.startswith("src/backend/"):
                continue
            seen = lines.setdefault(path, {})
            for line in entry["lines"]:
                seen[line["line_number"]] = seen.get(line["line_number"], False) or line["count"] > 0
totals = {}
for path, seen in lines.items():
    key = path if by == "file" else os.path.dirname(path)
    run, all_lines = totals.get(key, (0, 0))
    totals[key] = run + sum(seen.values()), all_lines + len(seen)
for key, (run, count) in sorted(totals.items(), key=lambda e: e[1][0] / max(1, e[1][1]) if by == "file" else e[0]):
    print(f"{key:45} {run:6} of {count:6} lines  {100 * run / max(1, count):5.1f} %")
run, count = sum(t[0] for t in totals.values()), sum(t[1] for t in totals.values())
print(f"{'src/backend':45} {run:6} of {count:6} lines  {100 * run / max(1, count):5.1f} %")
