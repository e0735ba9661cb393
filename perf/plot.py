#!/usr/bin/env python3
"""Draws the time of a sweep against its parameter, with the ideal slope, from sweep.csv files.

    perf/plot.py FIGURE.png SWEEP.csv [SWEEP.csv ...]

Axes are logarithmic. A line is drawn for each file, and within a file for each combination of the other tunables that
vary. The dashed line is time proportional to the parameter. Needs matplotlib.
"""
import csv
import itertools
import sys
from pathlib import Path


def read_sweep(path):
    """Comment lines as a dictionary, and the rows with their numbers."""
    about, table = {}, []
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{path}: is not a sweep.csv ({error})")
    for line in lines:
        if line.startswith("# ") and ": " in line and not line.startswith("#  "):
            key, value = line[2:].rstrip("\n").split(": ", 1)
            about[key] = value
        elif not line.startswith("#"):
            table.append(line)
    try:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(table)]
    except (TypeError, ValueError):
        rows = []
    if not rows or "median_s" not in rows[0] or "kernel" not in about:
        sys.exit(f"{path}: is not a whole sweep.csv")
    return about, rows


def varied(rows):
    """Tunables that take more than one value, the one with the most values last."""
    names = list(rows[0])
    tunables = names[: names.index("median_s")]
    several = [name for name in tunables if len({row[name] for row in rows}) > 1] or tunables[:1]
    return sorted(several, key=lambda name: len({row[name] for row in rows}))


def draw(axes, path):
    about, rows = read_sweep(path)
    *others, parameter = varied(rows)
    label_of = lambda row: ", ".join([f"{name} {row[name]:g}" for name in others])
    for label, group in itertools.groupby(sorted(rows, key=label_of), key=label_of):
        group = sorted(group, key=lambda row: row[parameter])
        x = [row[parameter] for row in group]
        y = [1e3 * row["median_s"] for row in group]
        low = [1e3 * (row["median_s"] - row["lower_quartile_s"]) for row in group]
        high = [1e3 * (row["upper_quartile_s"] - row["median_s"]) for row in group]
        name = ", ".join(filter(None, [about["kernel"], label, about["device"]]))
        axes.errorbar(x, y, yerr=[low, high], marker="o", capsize=3, label=name)
    largest = max(rows, key=lambda row: row[parameter])
    x = sorted({row[parameter] for row in rows})
    axes.plot(x, [1e3 * largest["median_s"] * value / largest[parameter] for value in x], "k--", linewidth=0.8)
    axes.set_xlabel(parameter)


def main(figure, paths):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    canvas, axes = plt.subplots(figsize=(7, 5))
    for path in paths:
        draw(axes, path)
    values = [x for line in axes.get_lines() for x in line.get_xdata()]
    axes.set_xscale("symlog" if min(values) <= 0 else "log", base=2)
    axes.set_yscale("log")
    axes.set_ylabel("median time (ms); dashed: proportional")
    axes.grid(True, which="both", linewidth=0.3)
    axes.legend(fontsize="small")
    canvas.tight_layout()
    canvas.savefig(figure, dpi=150)


if __name__ == "__main__":
    if len(sys.argv) < 3 or Path(sys.argv[1]).suffix not in {".png", ".pdf", ".svg"}:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
