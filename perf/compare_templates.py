#!/usr/bin/env python3
"""Learned templates beside Kilosort4's, from the same spike features.

usage: compare_templates.py CLUSTERS.h5 FEATURES.h5

CLUSTERS.h5 is what `kokkosort cluster` made of FEATURES.h5, which holds Kilosort's in reference/kilosort4/learned_templates.
Prints Markdown: how many templates of each side have one of the other that correlates at some lag. Needs h5py.
"""

import sys

import h5py
import numpy as np


def largest_correlations(a, b, wpca):
    """Of each template of a and each of b over all lags, [a, b]; 1 for equal waveforms."""
    lagged = np.array([[np.correlate(q, p, "full") for q in wpca] for p in wpca])
    products = np.einsum("icp,jcq->ijpq", a, b)
    norms = np.sqrt(np.einsum("icp,icp->i", a, a))[:, None] * np.sqrt(np.einsum("jcp,jcp->j", b, b))
    return np.einsum("ijpq,pql->ijl", products, lagged).max(axis=2) / norms


def main():
    clusters, features = (h5py.File(path) for path in sys.argv[1:3])
    ours, theirs = clusters["learned_templates"][:], features["reference/kilosort4/learned_templates"][:]
    correlations = largest_correlations(ours, theirs, features["pcs/wPCA"][:])
    print("| | clusters | templates | with one of the other side at 0.9 | at 0.95 | median of the best |")
    print("|---|---|---|---|---|---|")
    rows = (("KokkoSort", clusters["templates"], ours, 1), ("Kilosort", features["reference/kilosort4/detected/templates"], theirs, 0))
    for name, detected, templates, axis in rows:
        best = correlations.max(axis=axis)
        print(f"| {name} | {len(detected)} | {len(templates)} | {(best >= 0.9).sum()} | {(best >= 0.95).sum()} | {np.median(best):.4f} |")


if __name__ == "__main__":
    main()
