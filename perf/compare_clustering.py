"""KokkoSort's clustering of a features file beside Kilosort4's own, on the CPU, in one run with the same threads.

usage: compare_clustering.py KOKKOSORT KILOSORT_CLUSTERING.py FEATURES.h5 GROUP [VARIANT ...]

KILOSORT_CLUSTERING.py runs Kilosort's clustering of the file and prints a JSON line with its seconds (features in memory
to labels) per variant. Prints machine, versions and a Markdown table; needs h5py and what Kilosort needs. Runs alternate;
medians of three. compare_kilosort.py compares whole sorts.
"""
import json
import os
import statistics
import sys
import tempfile

if len(sys.argv) < 5:
    sys.exit(__doc__)
import measuring  # after the usage, which needs nothing

REPEATS = 3
kokkosort, tool, features, group = sys.argv[1:5]
variants = sys.argv[5:] or ["head", "trials7"]
threads = os.cpu_count()


def run_kokkosort(folder):
    deck = os.path.join(folder, "deck.yaml")
    with open(deck, "w") as file:
        file.write(f"input: {{features: {os.path.abspath(features)}, group: {group}}}\noutput: {{folder: {folder}/out}}\n")
    whole, _ = measuring.run([kokkosort, "cluster", deck, "--overwrite"], threads)
    seconds, _ = measuring.read_run(f"{folder}/out/clusters.h5")
    return sum(value for stage, value in seconds.items() if stage.startswith("clustering")), whole


def run_kilosort(variant):
    whole, told = measuring.run([sys.executable, tool, features, group, variant], threads)
    return json.loads(told.splitlines()[-1])["seconds"], whole


def main():
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(REPEATS):
            times.setdefault("KokkoSort", []).append(run_kokkosort(folder))
            for variant in variants:
                times.setdefault(f"Kilosort, {variant}", []).append(run_kilosort(variant))
    ours = [statistics.median(column) for column in zip(*times["KokkoSort"])]
    rows = []
    for name, runs in times.items():
        memory, whole = (statistics.median(column) for column in zip(*runs))
        rows.append([name, f"{memory:.2f}", f"{memory / ours[0]:.1f}", f"{whole:.2f}", f"{whole / ours[1]:.1f}"])
    for name, value in measuring.about(kokkosort).items():
        print(f"- {name}: {value}")
    title = f"{os.path.basename(features)}, {group}, {threads} threads"
    print("\n" + measuring.markdown([title, "clustering, s", "times ours", "program, s", "times ours"], rows))


if __name__ == "__main__":
    main()
