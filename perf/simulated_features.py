"""Makes a file of spike features for `kokkosort cluster`: neurons along a probe, as many spikes as are asked for."""

import h5py
import numpy as np

RATE_HZ, NT, PCS, PEAK = 30000.0, 61, 6, 20
REFRACTORY_S = 0.003
BLOCK = 50000  # spikes drawn at once


def probe_of(channels):
    """Places of a staggered probe's channels, rows of two 20 um apart: x and y in um."""
    channel = np.arange(channels)
    return np.array([16.0, 48, 0, 32])[channel % 4], 20.0 * (channel // 2)


def draw_units(rng, x, y, units, near):
    """Neurons evenly along the probe. @return (channels [units, near], nearest first; means [units, near, PCS] in sigma)"""
    depth = np.linspace(0, y.max(), units) + rng.normal(0, 3, units)
    distance = np.hypot(x - rng.uniform(0, 48, units)[:, None], y - depth[:, None])
    channels = np.argsort(distance, axis=1, kind="stable")[:, :near]
    shape = rng.normal(0, 1, (units, PCS)) * 0.6 ** np.arange(PCS)
    shape[:, 0] = -1.5 - np.abs(shape[:, 0])
    shape /= np.linalg.norm(shape, axis=1, keepdims=True)
    amplitude = rng.lognormal(np.log(14), 0.4, units)[:, None] * np.exp(-np.take_along_axis(distance, channels, 1) / 35)
    means = amplitude[:, :, None] * (shape[:, None, :] + rng.normal(0, 0.15, (units, near, PCS)))
    return channels.astype(np.int32), means.astype(np.float32)


def draw_trains(rng, spikes, units, rate_hz):
    """Times in samples, sorted, and the neuron of each spike; every neuron has a refractory time."""
    counts = np.full(units, spikes // units)
    counts[: spikes % units] += 1
    trains = [np.cumsum(REFRACTORY_S + rng.exponential(1 / rate_hz - REFRACTORY_S, n)) for n in counts]
    sample = (np.concatenate(trains) * RATE_HZ).astype(np.int64)
    unit = np.repeat(np.arange(units, dtype=np.int32), counts)
    order = np.argsort(sample, kind="stable")
    return sample[order], unit[order]


def write_features(path, spikes, channels=384, units=0, near=24, rate_hz=4.0, seed=1):
    """Features as matching makes them: every neuron is a centre, whose channels are the nearest of its own.

    @param units   0: five for every six channels
    @param near    channels of a spike's features, as far as there are so many
    @param rate_hz of each neuron: more spikes are a longer recording
    """
    rng = np.random.default_rng(seed)
    units = units or channels * 5 // 6
    near = min(near, channels)
    x, y = probe_of(channels)
    centre_channels, means = draw_units(rng, x, y, units, near)
    sample, unit = draw_trains(rng, spikes, units, rate_hz)
    with h5py.File(path, "w") as file:
        file.attrs["sampling_rate_hz"] = RATE_HZ
        file["probe/x_um"], file["probe/y_um"], file["probe/shank"] = x, y, np.zeros(channels, np.int32)
        pcs = np.linalg.qr(rng.standard_normal((NT, PCS)))[0].T.astype(np.float32)
        file["pcs/wPCA"] = file["pcs/wTEMP"] = pcs
        file["pcs"].attrs["peak_sample"] = PEAK
        group = file.create_group("matched")
        group.attrs["dmin_um"], group.attrs["dminx_um"] = 20.0, 32.0
        group["centres/x_um"], group["centres/y_um"] = x[centre_channels[:, 0]], y[centre_channels[:, 0]]
        group["centres/channels"] = centre_channels
        group["spikes/sample"], group["spikes/centre"] = sample, unit
        features = group.create_dataset("spikes/features", (spikes, near, PCS), np.float32)
        for first in range(0, spikes, BLOCK):
            of = unit[first : first + BLOCK]
            values = rng.standard_normal((len(of), near, PCS), dtype=np.float32)
            values += means[of] * (1 + 0.07 * rng.standard_normal((len(of), 1, 1), dtype=np.float32))
            features[first : first + BLOCK] = values
        file["truth/sample"], file["truth/unit"] = sample, unit
