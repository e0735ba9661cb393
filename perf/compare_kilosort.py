#!/usr/bin/env python3
"""Kilosort4 and KokkoSort on the same recording, machine and run: seconds of each stage and scores, side by side.

usage: compare_kilosort.py KOKKOSORT FOLDER PREFIX [--device cpu|cuda] [--repeats N] [--kilosort-repeats N]

FOLDER is one that `kokkosort simulate` made: recording.bin (int16), probe.json (Kilosort's) and, for the scores,
truth.h5, or truth.npz (sample, unit). Both programs have their defaults but for Kilosort's drift correction, which is off:
nothing moves, and KokkoSort has none. KokkoSort also runs with one matching pass (matching.passes=1), which is Kilosort's
number. Every run is a process of its own and their turns alternate, so that a drift of the machine is in all; the
recording is read once before, so that it is in memory for all. Writes PREFIX.md (medians) and PREFIX.csv (every run).
Needs h5py, and Kilosort with PyTorch.
"""

import argparse
import collections
import json
import pathlib
import statistics
import sys
import tempfile

import h5py
import numpy as np

import measuring

DECK = """
input: {{recording: {folder}/recording.bin, probe: {folder}/probe.json, sampling_rate_hz: {rate}}}
output: {{folder: {results}}}
matching: {{passes: {passes}}}
threads: {threads}
"""
PASSES = {"KokkoSort": 3, "KokkoSort, one pass": 1}
SCORES = {"sorted_units": "units", "units_over_0_8": "units above 0.8", "units_over_0_5": "units above 0.5",
          "mean_accuracy": "mean accuracy", "sorted_spikes": "spikes"}

# What the user waits for, in order: name, of Kilosort's functions, of KokkoSort's steps. A step ends with a comma where
# all passes after the first are meant.
STEPS = [
    ("reading, filter, whitening", ["compute_preprocessing", "compute_drift_correction"], ["preprocessing"]),
    ("universal templates, learned", ["extract_wPCA_wTEMP"], ["universal templates"]),
    ("detection", ["spikedetect.run", "-extract_wPCA_wTEMP"], ["detection"]),
    ("clustering of detected spikes, with templates", ["clustering_qr.run, spikes", "postprocess_templates"],
     ["clustering of detected spikes"]),
    ("matching, first pass", ["extract"], ["matching"]),
    ("clustering of matched spikes", ["clustering_qr.run, template"], ["clustering of matched spikes"]),
    ("matching, later passes", [], ["matching,"]),
    ("clustering, later passes", [], ["clustering,"]),
    ("merges, curation", ["merging_function"], ["curation"]),
    ("writing, with figures", ["save_sorting", "plot_diagnostics", "plot_spike_positions"], ["writing"]),
]
# Parts of them that are asked for by name: of Kilosort's functions, of KokkoSort's steps and of its timed stages.
PARTS = [
    ("detection with template learning", ["spikedetect.run"], ["universal templates", "detection"], []),
    ("clusterings, features to labels", ["clustering_qr.run, spikes", "clustering_qr.run, template"], [],
     ["clustering::"]),
    ("matching, all passes", ["extract"], ["matching", "matching,"], []),
    ("matching, traces to spikes", ["prepare_matching", "run_matching"], [],
     ["matching::correlations", "matching::workspace", "matching::scores", "matching::pursuit"]),
]
WHOLE, PROCESS = "whole sort, file to Phy folder", "whole process, its start included"
MEMORY, DEVICE_MEMORY = "memory of the process, MB", "memory on the device, MB"


def total(names, seconds):
    """Seconds of the named functions or steps; -name is taken away, and name, stands for all that start so."""
    result = 0.0
    for name in names:
        sign, name = (-1, name[1:]) if name.startswith("-") else (1, name)
        if name.endswith((",", "::")):
            result += sum(value for other, value in seconds.items() if other.startswith(name))
        else:
            result += sign * seconds.get(name, 0.0)
    return result


def run_kokkosort(args, name, results):
    """One sort. @return value of each row of the tables"""
    deck = results / "deck.yaml"
    deck.write_text(DECK.format(folder=args.folder.resolve(), results=results, passes=PASSES[name], threads=args.threads,
                                rate=args.rate))
    process, told = measuring.run([args.kokkosort, "sort", deck], args.threads)
    steps = measuring.read_steps(results / "kokkosort.log")
    stages, memories = measuring.read_run(results / "sorting.h5")
    values = {row: total(ours, steps) for row, _, ours in STEPS}
    values.update({row: total(ours, steps) + total(parts, stages) for row, _, ours, parts in PARTS})
    values[WHOLE] = float(next(line for line in told.splitlines() if line.split()[:1] == ["total"]).split()[1])
    values[PROCESS], values[MEMORY] = process, memories["process"]
    values[DEVICE_MEMORY] = measuring.on_device(memories)
    values.update(score(args, results / "sorting.h5"))
    return values


def run_kilosort(args, results):
    """One run of Kilosort. @return (value of each row of the tables, versions)"""
    runner = pathlib.Path(__file__).with_name("kilosort_stages.py")
    process, told = measuring.run(
        [sys.executable, runner, args.folder, results / "ks4", args.device, args.rate], args.threads)
    record = json.loads(told.strip().splitlines()[-1])
    values = {row: total(theirs, record["seconds"]) for row, theirs, _ in STEPS}
    values.update({row: total(theirs, record["seconds"]) for row, theirs, *_ in PARTS})
    values[WHOLE], values[PROCESS] = record["whole"], process
    values[MEMORY] = record["process_mb"]  # of the card's it keeps no count: it starts PyTorch's anew as it goes
    with h5py.File(results / "kilosort.h5", "w") as file:
        file["spikes/sample"] = np.load(results / "ks4/spike_times.npy").ravel().astype("i8")
        file["spikes/unit"] = np.load(results / "ks4/spike_clusters.npy").ravel().astype("i4")
    values.update(score(args, results / "kilosort.h5"))
    return values, record["versions"]


def score(args, sorting):
    """What `kokkosort score` says of a sorting, of both by the same program; nothing without a truth."""
    if not args.truth:
        return {}
    _, told = measuring.run([args.kokkosort, "score", args.truth, sorting, "--json"])
    numbers = json.loads(told)
    return {name: numbers[key] for key, name in SCORES.items()}


def find_truth(args, path):
    """The truth's file, which becomes `path` if it is one of NumPy; None without a truth."""
    if (args.folder / "truth.h5").exists():
        return args.folder / "truth.h5"
    if not (args.folder / "truth.npz").exists():
        return None
    truth = np.load(args.folder / "truth.npz")
    with h5py.File(path, "w") as file:
        file.attrs["sampling_rate_hz"] = args.rate
        file["truth/sample"], file["truth/unit"] = truth["sample"].astype("i8"), truth["unit"].astype("i4")
    return path


def read_through(path):
    """Reads a file once: whoever reads it next finds it in memory."""
    with open(path, "rb", buffering=0) as file:
        while file.read(16 * measuring.MB):
            pass


def shown(row, value):
    if value is None:
        return "-"
    if row == "mean accuracy":
        return f"{value:.3f}"
    if row in SCORES.values() or row in (MEMORY, DEVICE_MEMORY):
        return f"{value:.0f}"
    return f"{value:.3f}" if value < 10 else f"{value:.1f}"


def write_markdown(args, about, runs):
    medians = {name: {row: statistics.median(run[row] for run in of) for row in of[0]} for name, of in runs.items()}
    theirs = medians.get("Kilosort")
    columns = list(runs)

    def times(name, row):
        """How often KokkoSort's time goes into Kilosort's, where both do it."""
        ours = medians[name][row]
        if theirs is None or name == "Kilosort" or not theirs[row] or not ours:
            return ""
        return f" ({theirs[row] / ours:.1f}×)"

    def table(title, rows, with_times):
        lines = [[row] + [shown(row, medians[name].get(row)) + (times(name, row) if with_times else "") for name in columns]
                 for row in rows]
        return measuring.markdown([title] + columns, lines)

    parts = [f"# {args.folder.name}, {args.device}", ""]
    parts += [f"- {name}: {value}" for name, value in about.items()]
    parts += ["", "Medians; in brackets, how many times KokkoSort is as fast. A step without a second program has 0.", "",
              table("seconds", [row for row, *_ in STEPS] + [WHOLE, PROCESS], True), "",
              table("of these", [row for row, *_ in PARTS], True), "",
              table("memory at the most", [MEMORY, DEVICE_MEMORY], False)]
    if args.truth:
        parts += ["", table("score (± 0.4 ms)", SCORES.values(), False)]
    pathlib.Path(f"{args.prefix}.md").write_text("\n".join(parts) + "\n")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kokkosort")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("prefix")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"], help="Kilosort's; KokkoSort's is its backend's")
    parser.add_argument("--repeats", type=int, default=3, help="of KokkoSort")
    parser.add_argument("--kilosort-repeats", type=int, default=3, help="0: without Kilosort")
    parser.add_argument("--threads", type=int, default=0, help="of the host, for both; 0: all")
    parser.add_argument("--rate", type=float, default=30000.0, help="samples a second")
    return parser.parse_args()


def write(args, about, runs):
    write_markdown(args, about, runs)
    rows = [[name, number, row, f"{value:.6g}"]
            for name, of in runs.items() for number, run in enumerate(of, 1) for row, value in run.items()]
    measuring.write_csv(f"{args.prefix}.csv", about, ["program", "run", "what", "value"], rows)


def main():
    args = parse()
    versions, runs = {}, collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as base:
        args.truth = find_truth(args, pathlib.Path(base) / "truth.h5")
        read_through(args.folder / "recording.bin")
        for turn in range(max(args.repeats, args.kilosort_repeats)):
            if turn < args.kilosort_repeats:
                with tempfile.TemporaryDirectory(dir=base) as results:
                    values, versions = run_kilosort(args, pathlib.Path(results))
                runs["Kilosort"].append(values)
            for name in PASSES if turn < args.repeats else ():
                with tempfile.TemporaryDirectory(dir=base) as results:
                    runs[name].append(run_kokkosort(args, name, pathlib.Path(results)))
            # What is there already is not lost if a later turn is cut off.
            counts = ", ".join(f"{len(of)} of {name}" for name, of in runs.items())
            write(args, measuring.about(args.kokkosort, **versions, runs=counts), runs)
    print(pathlib.Path(f"{args.prefix}.md").read_text())


if __name__ == "__main__":
    main()
