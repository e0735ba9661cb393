"""Cuts the spike features of a recording out of a larger HDF5 file: probe, pcs, both groups, truth, file attributes.

usage: cut_features.py SOURCE.h5 RESULT.h5       (needs h5py)
"""

import sys

import h5py

GROUPS = ("probe", "pcs", "detected", "matched", "truth")


def copy(source, target):
    """Copies a group; large datasets compressed, without times, so that equal inputs make equal files."""
    target.attrs.update(source.attrs)
    for name, item in source.items():
        if isinstance(item, h5py.Group):
            copy(item, target.create_group(name))
            continue
        large = item.size > 1000
        dataset = target.create_dataset(
            name, data=item[()], compression=9 if large else None, shuffle=large, track_times=False
        )
        dataset.attrs.update(item.attrs)


def main(source_path, result_path):
    # Format 1.8: the oldest reader in use, HDF5 1.10, understands it.
    with h5py.File(source_path) as source, h5py.File(result_path, "w", libver=("earliest", "v108")) as result:
        result.attrs.update(source.attrs)
        for group in GROUPS:
            copy(source[group], result.create_group(group))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
