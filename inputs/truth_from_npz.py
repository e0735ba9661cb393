"""Writes a truth of NumPy arrays (sample, unit) as the HDF5 file that kokkosort score reads.

usage: truth_from_npz.py TRUTH.npz TRUTH.h5 [SAMPLING_RATE_HZ]       (needs h5py)
"""

import sys

import h5py
import numpy

truth = numpy.load(sys.argv[1])
with h5py.File(sys.argv[2], "w") as file:
    file.attrs["sampling_rate_hz"] = float(sys.argv[3]) if len(sys.argv) > 3 else 30000.0
    file["truth/sample"] = truth["sample"].astype("i8")
    file["truth/unit"] = truth["unit"].astype("i4")
