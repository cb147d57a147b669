#!/usr/bin/env python3
"""Times the same script under tsr and under CPython with PyTorch, in turn, and prints the ratio row by row.

    side_by_side.py --tsr target/release/tsr --python VENV/bin/python [--rounds 3] [--only TEXT] [SUITE.tsr]

Each program prints lines `name seconds`. Rounds alternate (tsr, torch, tsr, torch, ...); the best time of each side
counts, so that a slow moment of the machine hurts neither. A ratio below 1 means tsr is faster. A row that one side
does not print is shown as missing and counts as a failure.
"""
import argparse
import math
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
args = argparse.ArgumentParser()
args.add_argument("suite", nargs="?", default=os.path.join(here, "../../benches/suite.tsr"))
args.add_argument("--tsr", required=True)
args.add_argument("--python", required=True)
args.add_argument("--rounds", type=int, default=3)
args.add_argument("--only", default="")
args.add_argument("--goal", type=float, default=1.0, help="a row above this ratio is marked")
args = args.parse_args()


def once(command):
    run = subprocess.run(command, capture_output=True, text=True, timeout=900)
    rows = {}
    for line in run.stdout.splitlines():
        words = line.split()
        if len(words) == 2:
            try:
                rows[words[0]] = float(words[1])
            except ValueError:
                pass
    if run.returncode:
        print(f"{command[0]} ended with {run.returncode}: {run.stderr.strip()[-300:]}", file=sys.stderr)
    return rows


best = {"tsr": {}, "torch": {}}
names = []
for _ in range(args.rounds):
    for side, program in (("tsr", args.tsr), ("torch", args.python)):
        for name, seconds in once([program, args.suite]).items():
            if args.only in name:
                if name not in names:
                    names.append(name)
                best[side][name] = min(best[side].get(name, math.inf), seconds)

behind, ratios = 0, []
print(f"{'row':28s} {'tsr us':>12s} {'torch us':>12s} {'tsr/torch':>10s}")
for name in names:
    ours, theirs = best["tsr"].get(name), best["torch"].get(name)
    if ours is None or theirs is None:
        behind += 1
        print(f"{name:28s} {'missing' if ours is None else 'missing under torch':>12s}")
        continue
    ratio = ours / theirs
    ratios.append(ratio)
    mark = ""
    if ratio > args.goal:
        behind += 1
        mark = "  <-- behind"
    print(f"{name:28s} {ours * 1e6:12.2f} {theirs * 1e6:12.2f} {ratio:10.3f}{mark}")
if ratios:
    mean = math.exp(sum(math.log(r) for r in ratios) / len(ratios))
    print(f"{len(names)} rows, {behind} behind, geometric mean of tsr/torch {mean:.3f}")
sys.exit(1 if behind else 0)
