"""KokkoSort's clustering of a features file beside Kilosort4's own, on the CPU, in one run with the same threads.

usage: compare_clustering.py KOKKOSORT KILOSORT_CLUSTERING.py FEATURES.h5 GROUP [VARIANT ...]

KILOSORT_CLUSTERING.py runs Kilosort's clustering of the file and prints a JSON line with its seconds (features in memory
to labels) per variant. Prints a Markdown table; needs h5py and what Kilosort needs. Runs alternate; medians of three.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

if len(sys.argv) < 5:
    sys.exit(__doc__)
import h5py  # after the usage, which needs nothing

REPEATS = 3
kokkosort, tool, features, group = sys.argv[1:5]
variants = sys.argv[5:] or ["head", "trials7"]
threads = os.cpu_count()
environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="false")


def run_kokkosort(folder):
    deck = os.path.join(folder, "deck.yaml")
    with open(deck, "w") as file:
        file.write(f"input: {{features: {os.path.abspath(features)}, group: {group}}}\noutput: {{folder: {folder}/out}}\n")
    start = time.perf_counter()
    subprocess.run([kokkosort, "cluster", deck, "--overwrite"], check=True, env=environment, stdout=subprocess.DEVNULL)
    whole = time.perf_counter() - start
    with h5py.File(f"{folder}/out/clusters.h5") as result:
        seconds = result["run/seconds"].attrs
        return sum(seconds[name] for name in seconds if name.startswith("clustering")), whole


def run_kilosort(variant):
    start = time.perf_counter()
    done = subprocess.run([sys.executable, tool, features, group, variant], check=True, env=environment,
                          capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])["seconds"], time.perf_counter() - start


def main():
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(REPEATS):
            times.setdefault("KokkoSort", []).append(run_kokkosort(folder))
            for variant in variants:
                times.setdefault(f"Kilosort, {variant}", []).append(run_kilosort(variant))
    ours = [statistics.median(column) for column in zip(*times["KokkoSort"])]
    print(f"| {os.path.basename(features)}, {group}, {threads} threads | clustering, s | times ours | program, s | times ours |")
    print("|---|---|---|---|---|")
    for name, runs in times.items():
        memory, whole = (statistics.median(column) for column in zip(*runs))
        print(f"| {name} | {memory:.2f} | {memory / ours[0]:.1f} | {whole:.2f} | {whole / ours[1]:.1f} |")


if __name__ == "__main__":
    main()
