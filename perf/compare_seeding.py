"""KokkoSort's seeding of one section beside Kilosort4's kmeans_plusplus with as many candidates, in one run.

usage: compare_seeding.py KOKKOSORT [cpu|cuda]

1416 points, 102 features, 200 seeds, 7 candidates a seed; the points are blobs that each program makes for itself, which
neither's time depends on. Runs alternate; medians are printed. Needs Kilosort.
"""
import csv
import os
import statistics
import subprocess
import sys
import tempfile
import time

if len(sys.argv) < 2:
    sys.exit(__doc__)
import inspect

import torch
from kilosort import clustering_qr

REPEATS = 5
kokkosort = sys.argv[1]
device = torch.device(sys.argv[2] if len(sys.argv) > 2 else "cpu")
threads = os.cpu_count()
DECK = """
sweep: {kernel: seeding_steps, parameter: trials, values: [7], repeats: 20,
        problem: {points: 1416, features: 102, clusters: 12}}
"""


def kilosort_with_7_candidates():
    source = inspect.getsource(clustering_qr.kmeans_plusplus).replace("ntry = 100", "ntry = 7")
    names = {}
    exec(compile(source, "kmeans_plusplus", "exec"), clustering_qr.__dict__, names)
    return names["kmeans_plusplus"]


def run_kokkosort(folder):
    deck = os.path.join(folder, "deck.yaml")
    with open(deck, "w") as file:
        file.write(DECK + f"output: {{folder: {folder}/out}}\n")
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="false")
    subprocess.run([kokkosort, "sweep", deck, "--overwrite", "--quiet"], check=True, env=environment)
    with open(f"{folder}/out/sweep.csv") as file:
        row = next(csv.DictReader(line for line in file if not line.startswith("#")))
    return float(row["median_s"])


def run_kilosort(seeding, points):
    seconds = []
    for seed in range(3):
        start = time.perf_counter()
        seeding(points, niter=200, seed=seed, device=device)
        if device.type == "cuda":
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def main():
    torch.set_num_threads(threads)
    generator = torch.Generator().manual_seed(1)
    means = 2 * torch.randn(12, 102, generator=generator)
    points = (means[torch.arange(1416) % 12] + torch.randn(1416, 102, generator=generator)).to(device)
    seeding = kilosort_with_7_candidates()
    run_kilosort(seeding, points)  # warm-up
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(REPEATS):
            ours.append(run_kokkosort(folder))
            theirs.append(run_kilosort(seeding, points))
    ours, theirs = statistics.median(ours), statistics.median(theirs)
    print(f"seeding, {device}, {threads} threads: KokkoSort {1e3 * ours:.1f} ms, Kilosort with 7 candidates "
          f"{1e3 * theirs:.1f} ms, {theirs / ours:.1f} times")


main()
