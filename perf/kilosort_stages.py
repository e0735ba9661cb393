#!/usr/bin/env python3
"""A whole Kilosort4 run with the seconds of its stages; compare_kilosort.py starts it as a program of its own.

usage: kilosort_stages.py FOLDER RESULTS cpu|cuda SAMPLING_RATE_HZ

FOLDER holds recording.bin (int16) and probe.json (Kilosort's). Kilosort has its defaults but for drift correction, which
is off: nothing moves, and KokkoSort has none. Prints one line of JSON: seconds of each of
Kilosort's functions (the device waited for on both sides), of the whole run, versions, and the memory at the most.
"""

import json
import pathlib
import sys
import time

if len(sys.argv) != 5:
    sys.exit(__doc__)
import kilosort
import numpy as np
import torch
from kilosort import clustering_qr, spikedetect, template_matching

pipeline = sys.modules["kilosort.run_kilosort"]  # the package has a function of that name


class StageClock:
    """Adds up the seconds that functions take, by a name that may depend on their arguments."""

    def __init__(self, device):
        self.seconds = {}
        self.wait = torch.cuda.synchronize if device == "cuda" else lambda: None

    def watch(self, module, function, name_of=None):
        original = getattr(module, function)

        def timed(*args, **named):
            self.wait()
            start = time.perf_counter()
            result = original(*args, **named)
            self.wait()
            name = name_of(named) if name_of else function
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
            return result

        setattr(module, function, timed)


def process_mb():
    """MB that this process held at the most."""
    with open("/proc/self/status") as status:
        return next(float(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


def main(folder, results, device, sampling_rate_hz):
    probe = json.loads((folder / "probe.json").read_text())
    for name in ("chanMap", "xc", "yc", "kcoords"):
        probe[name] = np.array(probe[name], dtype=np.int64 if name == "chanMap" else np.float32)

    clock = StageClock(device)
    for function in ("compute_preprocessing", "compute_drift_correction", "save_sorting"):
        clock.watch(pipeline, function)
    for function in ("plot_diagnostics", "plot_spike_positions"):
        clock.watch(pipeline.kplots, function)
    clock.watch(spikedetect, "run", lambda named: "spikedetect.run")
    clock.watch(spikedetect, "extract_wPCA_wTEMP")
    clock.watch(clustering_qr, "run", lambda named: f"clustering_qr.run, {named['mode']}")
    for function in ("postprocess_templates", "extract", "prepare_matching", "run_matching"):
        clock.watch(template_matching, function)
    # postprocess_templates calls it, too, and is timed with it.
    clock.watch(template_matching, "merging_function",
                lambda named: "merging_function" if named.get("check_dt", True) else "merging_function, of templates")

    start = time.perf_counter()
    pipeline.run_kilosort({"n_chan_bin": probe["n_chan"], "fs": sampling_rate_hz, "nblocks": 0}, probe=probe,
                          filename=folder / "recording.bin", results_dir=results, device=torch.device(device))
    whole = time.perf_counter() - start
    print(json.dumps({"seconds": clock.seconds, "whole": whole, "process_mb": process_mb(),
                      "versions": {"Kilosort": kilosort.__version__, "PyTorch": torch.__version__}}))


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
