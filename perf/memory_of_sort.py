#!/usr/bin/env python3
"""The host memory that `kokkosort sort` takes at the most, for recordings of several lengths.

usage: memory_of_sort.py KOKKOSORT [--minutes 1 2 4] [--channels N] [--units N] [--threads N]

Simulates each recording, sorts it and reads the log. Prints a Markdown table: what the whole process held at the most
while it sorted, and what the features of the spikes take, which stay on the host. The recording's own size is there to
compare with: it is read window by window and never held. Clustering's scratch on a CPU is host memory, too; it is
bounded by clustering.max_chunk_dots and memory.device_limit_mb, whatever the length, but most recordings here are too
short to reach the bound: so it is set low.
"""

import argparse
import pathlib
import re
import subprocess
import tempfile

MB = 1 << 20


def run(program, *arguments):
    subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def measure(args, minutes, folder):
    """(MB of the recording, spikes, MB of features, MB of the process at the most, seconds)"""
    (folder / "simulate.yaml").write_text(
        f"simulation: {{channels: {args.channels}, units: {args.units}, seconds: {60 * minutes}}}\n"
        "output: {folder: .}\n")
    (folder / "sort.yaml").write_text(
        "input: {recording: recording.bin, probe: probe.json, sampling_rate_hz: 30000}\n"
        "output: {folder: sorted}\nclustering: {max_chunk_dots: 1000000}\n")
    threads = f"threads={args.threads}"
    run(args.kokkosort, "simulate", folder / "simulate.yaml", threads)
    run(args.kokkosort, "sort", folder / "sort.yaml", threads)
    log = (folder / "sorted/kokkosort.log").read_text()

    def number(pattern):
        return float(re.search(pattern, log, re.MULTILINE).group(1))

    deck = {name: number(rf"^ +{name}: (\d+)$") for name in ("feature_channels", "pcs")}
    spikes = max(float(n) for n in re.findall(r"real time  (\d+) spikes", log))
    seconds = sum(float(s) for s in re.findall(r"^ {4}[a-z:_ ]+: (\d+\.\d{3})$", log, re.MULTILINE))
    return ((folder / "recording.bin").stat().st_size / MB, spikes,
            4 * spikes * deck["feature_channels"] * deck["pcs"] / MB, number(r"^ +process +([\d.]+) MB$"), seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kokkosort")
    parser.add_argument("--minutes", type=float, nargs="+", default=[1, 2, 4])
    parser.add_argument("--channels", type=int, default=64)
    parser.add_argument("--units", type=int, default=60)
    parser.add_argument("--threads", type=int, default=0)
    args = parser.parse_args()
    print("| minutes | recording MB | spikes | features MB | process at most MB | sorted in s |")
    print("|---:|---:|---:|---:|---:|---:|")
    for minutes in args.minutes:
        with tempfile.TemporaryDirectory() as folder:
            recording, spikes, features, process, seconds = measure(args, minutes, pathlib.Path(folder))
        print(f"| {minutes:g} | {recording:.0f} | {spikes:.0f} | {features:.1f} | {process:.0f} | {seconds:.1f} |",
              flush=True)


if __name__ == "__main__":
    main()
