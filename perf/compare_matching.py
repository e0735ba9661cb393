#!/usr/bin/env python3
"""Matching beside Kilosort4's, on the same whitened traces and templates, in one run.

usage: compare_matching.py KOKKOSORT [--seconds N] [--channels N] [--templates N] [--rate N] [--device cpu|cuda] [--runs N]

Makes a recording: unit white noise and spikes of random templates on a staggered probe. Needs h5py, and kilosort with
torch for its side. Prints seconds per window of 2 s, as Markdown: Kilosort's run_matching against our traces (conversion),
scores and pursuit, and the agreement of the spikes.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

import h5py
import numpy as np

NT, PCS, RATE_HZ, WINDOW = 61, 6, 30000, 60000


def components(rng):
    """Orthonormal components of random spike-like shapes, [PCS, NT], peaks at sample 20."""
    t = np.arange(NT) - 20
    shapes = [np.exp(-((t / w) ** 2)) - a * np.exp(-(((t - d) / (2.5 * w)) ** 2))
              for w, a, d in zip(rng.uniform(3, 8, 400), rng.uniform(0.2, 0.9, 400), rng.uniform(6, 18, 400))]
    return np.linalg.svd(np.array(shapes), full_matrices=False)[2][:PCS].astype(np.float32), np.array(shapes)


def make_problem(args, path):
    rng = np.random.default_rng(args.seed)
    wpca, shapes = components(rng)
    channel = np.arange(args.channels)
    x, y = np.array([16.0, 48, 0, 32])[channel % 4], 20.0 * (channel // 2)
    templates = np.zeros((args.templates, args.channels, PCS), np.float32)
    for k, depth in enumerate(np.linspace(0, y.max(), args.templates)):
        distance = np.hypot(x - rng.uniform(0, 48), y - depth)
        near = np.argsort(distance)[: min(16, args.channels)]
        scale = -rng.uniform(6, 20) * np.exp(-distance[near] / 35)
        templates[k, near] = scale[:, None] * (shapes[rng.integers(len(shapes))] @ wpca.T)

    n = args.seconds * RATE_HZ
    traces = rng.standard_normal((n, args.channels), dtype=np.float32)
    count = int(args.rate * args.seconds)
    units = rng.integers(args.templates, size=count)
    for unit, start in zip(units, rng.integers(NT, n - 2 * NT, size=count)):
        near = np.flatnonzero(templates[unit].any(axis=1))
        traces[start : start + NT, near] += (templates[unit, near] @ wpca).T
    with h5py.File(path, "w") as file:
        file.attrs["sampling_rate_hz"] = float(RATE_HZ)
        file["whitened/traces"] = np.clip(np.round(traces / 0.005), -32768, 32767).astype(np.int16)
        file["whitened/traces"].attrs["scale_to_sigma"] = 0.005
        file["templates"] = templates
        file["probe/x_um"], file["probe/y_um"] = x, y
        file["probe/shank"] = np.zeros(args.channels, np.int32)
        file["pcs/wPCA"] = file["pcs/wTEMP"] = wpca
        file["pcs"].attrs["peak_sample"] = 20


def run_ours(binary, path, folder, threads):
    command = [binary, "match", "/dev/stdin", f"input.recording={path}", "input.dataset=whitened/traces",
               f"input.templates={path}", "input.templates_dataset=templates", f"output.folder={folder}",
               f"threads={threads}", "--overwrite", "--quiet"]
    subprocess.run(command, input=b"threads: 1\n", check=True)
    with h5py.File(pathlib.Path(folder) / "matched.h5") as file:
        seconds = {name.split("::")[-1]: value for name, value in file["run/seconds"].attrs.items()}
        spikes = np.stack([file["matched/spikes/sample"][:], file["matched/spikes/template"][:]], axis=1)
    return seconds["traces"] + seconds["scores"] + seconds["pursuit"], seconds, spikes


def run_kilosort(path, device, threads):
    import torch
    from kilosort.template_matching import prepare_matching, run_matching

    torch.set_num_threads(threads)
    with h5py.File(path) as file:
        dataset = file["whitened/traces"]
        scale = np.float32(dataset.attrs["scale_to_sigma"])
        traces = torch.from_numpy(dataset[:].T * scale)
        templates = torch.from_numpy(file["templates"][:]).permute(0, 2, 1).contiguous().to(device)
        wpca = torch.from_numpy(file["pcs/wPCA"][:]).to(device)
    ops = {"Th_learned": 8, "nt": NT, "max_peels": 100, "wPCA": wpca}
    correlations = prepare_matching(ops, templates)
    seconds, spikes = 0.0, []
    padded = torch.nn.functional.pad(traces, (NT, NT + WINDOW))
    for first in range(0, traces.shape[1], WINDOW):
        window = padded[:, first : first + WINDOW + 2 * NT].to(device)
        synchronize = torch.cuda.synchronize if device == "cuda" else lambda: None
        synchronize()
        start = time.perf_counter()
        found = run_matching(ops, window, templates, correlations, device=device)[0]
        synchronize()
        seconds += time.perf_counter() - start
        found = found.cpu().numpy()
        found[:, 0] += first - NT - NT // 2 + 20
        spikes.append(found)
    return seconds, np.concatenate(spikes)


def agreement(ours, theirs):
    """The share of their spikes that are ours within 2 samples, with the same template."""
    keys = {(s + d, k) for s, k in ours for d in range(-2, 3)}
    return np.mean([(s, k) in keys for s, k in theirs])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    for name, default in (("seconds", 8), ("channels", 384), ("templates", 250), ("rate", 2400), ("threads", 2),
                          ("runs", 3), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "problem.h5"
        make_problem(args, path)
        windows = args.seconds * RATE_HZ / WINDOW
        times = {"ours": [], "kilosort": []}
        for _ in range(args.runs):
            ours, stages, our_spikes = run_ours(args.binary, path, folder, args.threads)
            theirs, their_spikes = run_kilosort(path, args.device, args.threads)
            times["ours"].append(ours / windows)
            times["kilosort"].append(theirs / windows)
    ours, theirs = (statistics.median(times[name]) for name in ("ours", "kilosort"))
    print(f"{args.channels} channels, {args.templates} templates, {len(our_spikes)} spikes in {args.seconds} s, "
          f"{args.device}, {args.threads} threads\n")
    print("| a window of 2 s | ms | times ours |\n|---|---|---|")
    print(f"| KokkoSort | {1e3 * ours:.1f} | 1.0 |")
    print(f"| Kilosort's run_matching | {1e3 * theirs:.1f} | {theirs / ours:.1f} |\n")
    print("our stages, ms a window: " + ", ".join(f"{name} {1e3 * s / windows:.1f}" for name, s in stages.items()))
    print(f"Kilosort's spikes that are ours too: {100 * agreement(our_spikes, their_spikes):.2f} %, "
          f"ours that are Kilosort's: {100 * agreement(their_spikes, our_spikes):.2f} %")


if __name__ == "__main__":
    main()
