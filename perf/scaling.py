#!/usr/bin/env python3
"""How seconds and memory of KokkoSort grow with spikes, channels and the length of a recording.

usage: scaling.py KOKKOSORT PREFIX [--parts PART ...] [...]

    spikes    clustering of features: 1, 2, 4 and 8 times as many spikes of the same probe (a longer recording)
    channels  clustering of features: longer probes with as many spikes for each channel
    seconds   the whole sort of one simulated recording's first seconds: 1, 2, 4 and 8 times as many
    probes    the whole sort of simulated recordings of longer probes
    volume    clustering of the spikes of an hour within several memory.device_limit_mb: are the labels the same?
    limits    the whole sort within several memory.device_limit_mb: are the Phy folders the same bytes?

Writes PREFIX.md (medians, and the exponents of their growth) and PREFIX.csv (every run). Needs h5py.
"""

import argparse
import hashlib
import pathlib
import statistics
import tempfile
import time

import h5py

import measuring
import simulated_features

FACTORS = (1, 2, 4, 8)
COLUMNS = ["clusterings, s", "whole, s", "process, MB", "device, MB", "card, MB"]
EXPLANATION = """\
Clusterings: from features in memory to labels, all of a sort. Whole: the program from its start to its end. Process:
host memory of the program at the most. Device: what its arrays take on the card at the most. Card: what the driver says is
in use on it at the most, beyond what was before, looked at every 20 ms: in a run before the timed ones, but in the only one
within each device_limit_mb. Exponent: the slope of a straight line through the logarithms.
"""
FEATURES_DECK = """
input: {{features: {source}, group: matched}}
output: {{folder: {results}}}
memory: {{device_limit_mb: {limit}, host_limit_mb: 65536}}
"""
SORT_DECK = """
input:
  {{recording: {source}/recording.bin, probe: {source}/probe.json, sampling_rate_hz: 30000, time_range_s: [0, {seconds}]}}
output: {{folder: {results}}}
memory: {{device_limit_mb: {limit}}}
"""
SIMULATE_DECK = """
simulation: {{channels: {channels}, units: {units}, seconds: {seconds}}}
output: {{folder: {folder}}}
"""


def measure(args, results, command, deck, result):
    """One run of the program. @return the values of COLUMNS but for the last"""
    path = results / "deck.yaml"
    path.write_text(deck)
    whole, _ = measuring.run([args.kokkosort, command, path, "--quiet"], args.threads)
    seconds, memory = measuring.read_run(results / result)
    clusterings = sum(value for name, value in seconds.items() if name.startswith("clustering::"))
    return [clusterings, whole, memory["process"], measuring.on_device(memory)]


def cluster(args, results, source, limit):
    deck = FEATURES_DECK.format(source=source, results=results, limit=limit)
    return measure(args, results, "cluster", deck, "clusters.h5")


def sort(args, results, source, limit, seconds):
    deck = SORT_DECK.format(source=source, results=results, limit=limit, seconds=seconds)
    return measure(args, results, "sort", deck, "sorting.h5")


def digest_labels(results):
    with h5py.File(results / "clusters.h5") as file:
        return hashlib.sha256(file["labels"][:].tobytes()).hexdigest()[:16]


def digest_phy(results):
    hashed = hashlib.sha256()
    for path in sorted((results / "phy").iterdir()):
        hashed.update(path.name.encode() + path.read_bytes())
    return hashed.hexdigest()[:16]


def watched(run, *parts):
    """One run while the card is looked at. @return the values of COLUMNS"""
    with measuring.DeviceMemory() as card:
        values = run(*parts)
    return values + [card.mb]


def shown(values):
    return [f"{value:.3g}" if value < 10 else f"{value:.0f}" for value in values]


class Scaling:
    """The parts that are measured, and what is to be said of them."""

    def __init__(self, args, base):
        self.args, self.base = args, pathlib.Path(base)
        self.rows, self.text = [], []
        self.most_channels = max(args.channels)

    def run(self, part):
        start = time.perf_counter()
        getattr(self, part)()
        print(f"{part}: {time.perf_counter() - start:.0f} s", flush=True)

    def spikes(self):
        options = [{"spikes": self.args.spikes * factor, "channels": self.most_channels} for factor in FACTORS]
        self.clusterings("spikes", f"Clustering, {self.most_channels} channels", options, [o["spikes"] for o in options])

    def channels(self):
        options = [{"spikes": 2 * self.args.spikes * n // self.most_channels, "channels": n} for n in self.args.channels]
        self.clusterings("channels", f"Clustering, {2 * self.args.spikes / self.most_channels:.0f} spikes for each channel",
                         options, self.args.channels)

    def seconds(self):
        lengths = [self.args.seconds * factor for factor in FACTORS]
        source = self.simulate(self.most_channels, lengths[-1])
        self.series("seconds", f"The whole sort, {self.most_channels} channels", lengths,
                    lambda i, results: sort(self.args, results, source, self.args.limits[0], lengths[i]))

    def probes(self):
        seconds = 2 * self.args.seconds
        sources = [self.simulate(n, seconds) for n in self.args.channels]
        self.series("channels", f"The whole sort, {seconds:g} s", self.args.channels,
                    lambda i, results: sort(self.args, results, sources[i], self.args.limits[0], seconds))

    def volume(self):
        source = self.features("volume", {"spikes": self.args.volume, "channels": self.most_channels})
        title = (f"Clustering, {self.most_channels} channels, {self.args.volume} spikes, "
                 f"{source.stat().st_size / 1e9:.1f} GB of features")
        self.within_limits(title, digest_labels, lambda results, limit: cluster(self.args, results, source, limit))
        source.unlink()

    def limits(self):
        seconds, source = 4 * self.args.seconds, self.args.recording
        title = f"The whole sort, {self.most_channels} channels, {seconds:g} s"
        if source:
            seconds, source, title = 0, source.resolve(), f"The whole sort of {source.name}"
        else:
            source = self.simulate(self.most_channels, seconds)
        self.within_limits(title, digest_phy, lambda results, limit: sort(self.args, results, source, limit, seconds))

    def clusterings(self, name, title, options, sizes):
        sources = [self.features(f"{name}{i}", option) for i, option in enumerate(options)]
        self.series(name, title, sizes, lambda i, results: cluster(self.args, results, sources[i], self.args.limits[0]))
        for source in sources:
            source.unlink()

    def features(self, name, options):
        path = self.base / f"{name}.h5"
        simulated_features.write_features(path, near=self.args.near, **options)
        return path

    def simulate(self, channels, seconds):
        """A recording at least so long. A longer one that is there already will do."""
        for folder in self.base.glob(f"{channels}_channels_*_s"):
            if float(folder.name.split("_")[2]) >= seconds:
                return folder
        folder = self.base / f"{channels}_channels_{seconds:g}_s"
        deck = self.base / "simulate.yaml"
        deck.write_text(SIMULATE_DECK.format(channels=channels, units=channels * 5 // 6, seconds=seconds, folder=folder))
        measuring.run([self.args.kokkosort, "simulate", deck, "--quiet"], self.args.threads)
        return folder

    def series(self, name, title, sizes, run):
        """Measures every size by turns, and says how fast all grows.

        @param run  of the number of a size and a folder for the results: the values of COLUMNS but for the last
        """
        runs = [[] for _ in sizes]
        cards = []
        for turn in range(-1, self.args.repeats):
            for i, of in enumerate(runs):
                with tempfile.TemporaryDirectory(dir=self.base) as results:
                    if turn < 0:  # the first is not timed: it looks at the card, and files are in memory after it
                        cards.append(watched(run, i, pathlib.Path(results))[-1])
                    else:
                        of.append(run(i, pathlib.Path(results)) + [cards[i]])
        medians = [[statistics.median(column) for column in zip(*of)] for of in runs]
        exponents = [f"{measuring.exponent(sizes, column):.2f}" if min(column) > 0 else "" for column in zip(*medians)]
        lines = [[f"{size:g}"] + shown(median) for size, median in zip(sizes, medians)] + [["exponent"] + exponents]
        self.add(title, measuring.markdown([name] + COLUMNS, lines), "")
        self.note(title, sizes, runs)

    def within_limits(self, title, digest, run):
        """Measures once within each limit, and says whether the results are the same.

        @param run  of a folder for the results and a limit: the values of COLUMNS but for the last
        """
        runs, digests = [], set()
        for limit in self.args.limits:
            with tempfile.TemporaryDirectory(dir=self.base) as results:
                runs.append([watched(run, pathlib.Path(results), limit)])
                digests.add(digest(pathlib.Path(results)))
        lines = [[limit] + shown(of[0]) for limit, of in zip(self.args.limits, runs)]
        verdict = "The results are the same bytes." if len(digests) == 1 else "The results DIFFER."
        self.add(title, measuring.markdown(["device_limit_mb"] + COLUMNS, lines), "", verdict, "")
        self.note(title, self.args.limits, runs)

    def add(self, title, *text):
        self.text += [f"## {title}", "", *text]

    def note(self, title, sizes, runs):
        for size, of in zip(sizes, runs):
            for number, run in enumerate(of, 1):
                self.rows += [[title, size, number, column, f"{value:.6g}"] for column, value in zip(COLUMNS, run)]

    def write(self, about):
        heading = ["# Scaling", ""] + [f"- {name}: {value}" for name, value in about.items()]
        text = "\n".join(heading + ["", f"Medians of {self.args.repeats}. {EXPLANATION}"] + self.text)
        pathlib.Path(f"{self.args.prefix}.md").write_text(text.rstrip() + "\n")
        measuring.write_csv(f"{self.args.prefix}.csv", about, ["part", "size", "run", "what", "value"], self.rows)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kokkosort")
    parser.add_argument("prefix")
    all_parts = ["spikes", "channels", "volume", "seconds", "probes", "limits"]
    parser.add_argument("--parts", nargs="+", default=all_parts, choices=all_parts)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--spikes", type=int, default=100000, help="of the smallest part")
    parser.add_argument("--channels", type=int, nargs="+", default=[64, 128, 256, 384])
    parser.add_argument("--near", type=int, default=24, help="channels of a spike's features")
    parser.add_argument("--seconds", type=float, default=30, help="of the shortest sort")
    parser.add_argument("--volume", type=int, default=4000000, help="spikes of an hour")
    parser.add_argument("--limits", type=int, nargs="+", default=[0, 6000, 4096],
                        help="MB; 0: half of what the card has; the first for all else")
    parser.add_argument("--recording", type=pathlib.Path,
                        help="folder with recording.bin and probe.json: sorted whole within limits, in place of a simulated one")
    parser.add_argument("--threads", type=int, default=0, help="of the host; 0: all")
    parser.add_argument("--folder", help="for what is made and removed again: 8 GB and more")
    return parser.parse_args()


def main():
    args = parse()
    with tempfile.TemporaryDirectory(dir=args.folder) as base:
        scaling = Scaling(args, base)
        about = measuring.about(args.kokkosort)
        for part in args.parts:
            scaling.run(part)
            scaling.write(about)  # what is there is not lost if a later part is cut off
    print(pathlib.Path(f"{args.prefix}.md").read_text())


if __name__ == "__main__":
    main()
