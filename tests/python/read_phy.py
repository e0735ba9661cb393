"""Opens a Phy folder with the readers of SpikeInterface and phylib and compares what they find with sorting.h5.

usage: read_phy.py PHY_FOLDER SORTING_H5     ends with 1 and a line for each difference
"""
import csv
import pathlib
import sys

import h5py
import numpy as np
import spikeinterface.extractors as extractors
from phylib.io.model import load_model

differences = []


def check(holds, what):
    if not holds:
        differences.append(what)


def equal(found, expected, what):
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        check(False, f"{what}: shape {found.shape}, not {expected.shape}")
    elif not np.array_equal(found, expected):
        check(False, f"{what}: {np.count_nonzero(found != expected)} of {found.size} values differ")


class Sorting:
    """What sorting.h5 says."""

    def __init__(self, path):
        with h5py.File(path) as file:
            for name in ("sample", "unit", "template", "amplitude", "x_um", "y_um"):
                setattr(self, name, file["spikes"][name][:])
            self.units = {name: data[:] for name, data in file["units"].items()}
            self.similarity = file["similarity"][:]
            self.probe = {name: data[:] for name, data in file["probe"].items()}
            self.whitening = file["preprocessing/whitening"][:]
            self.dead = file["preprocessing/dead"][:].astype(bool)
            self.recording = dict(file["recording"].attrs)
            self.n_pcs, self.nt = file["pcs/wPCA"].shape
            self.n_matched = len(file["templates/pc"])

    def check(self):
        units = self.units
        check((np.diff(self.sample) >= 0).all(), "sorting.h5: spikes are not in time order")
        first = self.recording["first_sample"]
        inside = (self.sample >= first) & (self.sample < first + self.recording["n_samples"])
        check(inside.all(), f"sorting.h5: {np.count_nonzero(~inside)} spikes are outside the recording")
        equal(units["id"], np.arange(len(units["id"])), "sorting.h5: units/id")
        equal(np.bincount(self.unit, minlength=len(units["id"])), units["spikes"], "sorting.h5: units/spikes")
        check((units["spikes"] > 0).all(), "sorting.h5: a unit without spikes")
        check(((self.template >= 0) & (self.template < self.n_matched)).all(), "sorting.h5: spikes/template")


def check_files(folder, sorting):
    """dtypes, shapes and values, as NumPy reads them"""
    n, (n_units, n_channels) = len(sorting.sample), sorting.units["templates_pc"].shape[:2]

    def array(name, dtype, shape):
        values = np.load(folder / f"{name}.npy")
        check(values.dtype == np.dtype(dtype), f"{name}.npy: {values.dtype}, not {np.dtype(dtype)}")
        check(values.shape == shape, f"{name}.npy: shape {values.shape}, not {shape}")
        return values

    equal(array("spike_times", "i8", (n,)), sorting.sample, "spike_times.npy")
    equal(array("spike_clusters", "i4", (n,)), sorting.unit, "spike_clusters.npy")
    equal(array("spike_templates", "i4", (n,)), sorting.unit, "spike_templates.npy")
    equal(array("spike_detection_templates", "i4", (n,)), sorting.template, "spike_detection_templates.npy")
    equal(array("amplitudes", "f4", (n,)), sorting.amplitude, "amplitudes.npy")
    equal(array("spike_positions", "f4", (n, 2)), np.stack([sorting.x_um, sorting.y_um], 1), "spike_positions.npy")
    check(array("kept_spikes", "?", (n,)).all(), "kept_spikes.npy: not all are kept")
    equal(array("templates", "f4", (n_units, sorting.nt, n_channels)), sorting.units["waveform"], "templates.npy")
    equal(array("templates_ind", "i8", (n_units, n_channels)),
          np.tile(np.arange(n_channels), (n_units, 1)), "templates_ind.npy")
    equal(array("similar_templates", "f4", (n_units, n_units)), sorting.similarity, "similar_templates.npy")
    channels = np.load(folder / "pc_feature_ind.npy")
    check(channels.dtype == np.uint32 and channels.ndim == 2 and len(channels) == n_units,
          f"pc_feature_ind.npy: {channels.dtype} {channels.shape}")
    check((channels < n_channels).all(), "pc_feature_ind.npy: a channel that is not there")
    array("pc_features", "f4", (n, sorting.n_pcs, channels.shape[1]))
    equal(array("channel_map", "i8", (n_channels,)), sorting.probe["column"], "channel_map.npy")
    equal(array("channel_shanks", "f4", (n_channels,)), sorting.probe["shank"], "channel_shanks.npy")
    positions = np.stack([sorting.probe["x_um"], sorting.probe["y_um"]], 1).astype("f4")
    equal(array("channel_positions", "f4", (n_channels, 2)), positions, "channel_positions.npy")
    square = (n_channels, n_channels)
    for name in ("whitening_mat", "whitening_mat_dat"):
        equal(array(name, "f4", square), sorting.whitening.astype("f4"), f"{name}.npy")
    for table in ("Amplitude", "ContamPct", "KSLabel", "group"):
        with open(folder / f"cluster_{table}.tsv", newline="") as file:
            ids = [int(row["cluster_id"]) for row in csv.DictReader(file, delimiter="\t")]
        equal(ids, sorting.units["id"], f"cluster_{table}.tsv: ids")
    product = sorting.whitening @ array("whitening_mat_inv", "f4", square)
    check(np.allclose(product, np.diag(~sorting.dead), atol=1e-3),
          f"whitening_mat_inv.npy: off by {abs(product - np.diag(~sorting.dead)).max():.2g}")


def check_spikeinterface(folder, sorting):
    for name in ("read_kilosort", "read_phy"):
        read = getattr(extractors, name)(folder)
        equal(sorted(read.unit_ids), sorting.units["id"], f"{name}: unit ids")
        check(read.sampling_frequency == sorting.recording["sampling_rate_hz"],
              f"{name}: sampling frequency {read.sampling_frequency}")
        for unit in read.unit_ids:
            equal(read.get_unit_spike_train(unit, segment_index=0), sorting.sample[sorting.unit == unit],
                  f"{name}: spikes of unit {unit}")
        if len(read.unit_ids) == 0:
            continue
        refractory = sorting.units["refractory"][read.unit_ids]
        equal(read.get_property("KSLabel"), np.where(refractory == 1, "good", "mua"), f"{name}: KSLabel")
        contamination = 100 * sorting.units["contamination"][read.unit_ids]
        check(np.allclose(read.get_property("ContamPct"), contamination, atol=0.051), f"{name}: ContamPct")


def check_phylib(folder, sorting):
    n, (n_units, n_channels) = len(sorting.sample), sorting.units["templates_pc"].shape[:2]
    if min(n, n_units, n_channels) < 2:
        print(f"NOT TESTED: phylib opens no folder of {n} spikes, {n_units} units, {n_channels} channels")
        return
    model = load_model(folder / "params.py")
    equal(model.spike_samples, sorting.sample, "phylib: spike samples")
    equal(model.spike_clusters, sorting.unit, "phylib: spike clusters")
    equal(model.spike_templates, sorting.unit, "phylib: spike templates")
    equal(model.cluster_ids, sorting.units["id"], "phylib: cluster ids")
    equal(model.amplitudes, sorting.amplitude, "phylib: amplitudes")
    equal(model.sparse_templates.data, sorting.units["waveform"], "phylib: templates")
    equal(model.similar_templates, sorting.similarity, "phylib: similar templates")
    equal(model.channel_mapping, sorting.probe["column"], "phylib: channel mapping")
    equal(model.channel_shanks, sorting.probe["shank"], "phylib: channel shanks")
    equal(model.channel_positions[:, 1], sorting.probe["y_um"].astype("f4"), "phylib: channel positions")
    rows = model.sparse_features.cols.shape[1]
    check(model.sparse_features.data.shape == (n, rows, sorting.n_pcs),
          f"phylib: features {model.sparse_features.data.shape}")
    check(model.sparse_features.cols.shape == (n_units, rows), f"phylib: channels {model.sparse_features.cols.shape}")
    for unit in range(n_units):
        spikes = model.get_cluster_spikes(unit)
        equal(spikes, np.flatnonzero(sorting.unit == unit), f"phylib: spikes of cluster {unit}")
        check(model.get_template(unit).template.shape[0] == sorting.nt, f"phylib: template {unit}")
        features = model.get_features(spikes[:10], model.sparse_features.cols[unit])
        equal(features, model.sparse_features.data[spikes[:10]], f"phylib: features of cluster {unit}")
    label = model.metadata.get("KSLabel", {})
    equal([label.get(unit) for unit in range(n_units)],
          np.where(sorting.units["refractory"] == 1, "good", "mua"), "phylib: KSLabel")
    if sorting.recording["dtype"]:
        check(model.traces is not None, "phylib: the recording is not found")
    if model.traces is not None:
        check(model.traces[:10].shape[1] == n_channels, f"phylib: traces {model.traces[:10].shape}")
        check(sorting.sample[-1] < model.traces.n_samples, "phylib: spikes after the end of the traces")


def main(folder, sorting_file):
    folder, sorting = pathlib.Path(folder), Sorting(sorting_file)
    sorting.check()
    for check_reader in (check_files, check_spikeinterface, check_phylib):
        try:
            check_reader(folder, sorting)
        except Exception as error:  # a reader that gives up is a difference, too
            check(False, f"{check_reader.__name__}: {type(error).__name__}: {error}")
    for difference in differences:
        print(difference)
    print(f"{len(sorting.sample)} spikes, {len(sorting.units['id'])} units: {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
