"""What the comparisons share: runs of programs with their time and memory, the machine, tables, exponents."""

import csv
import datetime
import math
import os
import pathlib
import platform
import re
import statistics
import subprocess
import threading
import time

import h5py

MB = 1 << 20
DEVICE_SPACES = ("Cuda", "HIP")  # Kokkos' names of memory that is on a card


class Failure(Exception):
    """A program that did not end well, with the end of what it said."""


def run(command, threads=0):
    """Runs a program to its end.

    @param threads  of the host that it may use; 0: all
    @return (wall seconds from its start to its end, what it printed)
    """
    threads = threads or os.cpu_count()
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="false")
    command = [str(part) for part in command]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: {done.returncode}\n{done.stderr[-2000:]}")
    return seconds, done.stdout


class DeviceMemory:
    """MB that the first card has in use at the most while this runs, beyond what it had before; 0 without a card.

    What the driver itself takes for a program is in it. Looks every 20 ms, which a timed run had better not have.
    """

    def __enter__(self):
        self.before = self.most = 0.0
        try:
            self.process = subprocess.Popen(
                ["nvidia-smi", "--id=0", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "-lms", "20"],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        except OSError:
            self.process = None
            return self
        self._look(self.process.stdout.readline())
        self.before = self.most
        self.reader = threading.Thread(target=lambda: [self._look(line) for line in self.process.stdout])
        self.reader.start()
        return self

    def _look(self, line):
        try:
            self.most = max(self.most, float(line))
        except ValueError:
            pass  # the driver does not tell

    def __exit__(self, *_):
        if self.process is not None:
            self.process.terminate()
            self.reader.join()
            self.process.wait()

    @property
    def mb(self):
        return self.most - self.before


def read_steps(log):
    """Seconds of each step in the log of `kokkosort sort`, as the user waits for them."""
    lines = pathlib.Path(log).read_text().splitlines()
    found = (re.match(r"\d{4}-\d\d-\d\dT\S+  (\S.{29}) +([\d.]+) s\b", line) for line in lines)
    return {step.group(1).strip(): float(step.group(2)) for step in found if step}


def read_run(result):
    """What a result file of KokkoSort says of its run.

    @return (seconds of each stage, MB of each memory space at the most)
    """
    with h5py.File(result) as file:
        memory = {space: int(held) / MB for space, held in file["run/memory"].attrs.items()}
        return {stage: float(seconds) for stage, seconds in file["run/seconds"].attrs.items()}, memory


def on_device(memory):
    return sum(memory.get(space, 0.0) for space in DEVICE_SPACES)


def first_line(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().split("\n")[0]
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine():
    """The machine in words."""
    model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    words = [f"{os.cpu_count()} cores of {model.group(1) if model else platform.machine()}", f"{memory:.0f} GiB"]
    card = first_line(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    if card:
        words.append(card.replace(", ", ", driver "))
    return ", ".join(words)


def about(kokkosort, **more):
    """Lines that belong to every table: machine, versions, date."""
    lines = {"machine": machine(), "KokkoSort": f"{first_line([kokkosort, '--version'])}, {backend(kokkosort)}",
             "Python": platform.python_version()}
    lines.update(more)
    lines["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    return lines


def backend(kokkosort):
    """The backend that the program uses, and the device if there is one."""
    told = subprocess.run([kokkosort, "info"], capture_output=True, text=True, check=True).stdout
    return re.search(r"^ +used +(\S+)", told, re.MULTILINE).group(1)


def exponent(x, y):
    """The slope of log y against log x, by least squares: y grows as x to this power."""
    x, y = [math.log(v) for v in x], [math.log(v) for v in y]
    x_mean, y_mean = statistics.mean(x), statistics.mean(y)
    return sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y)) / sum((a - x_mean) ** 2 for a in x)


def markdown(header, rows):
    """A table whose first column is text and whose others are numbers or short."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def write_csv(path, about_lines, header, rows):
    """A CSV with the machine and versions in comment lines, as `kokkosort sweep` writes it."""
    with open(path, "w", newline="") as file:
        for name, value in about_lines.items():
            file.write(f"# {name}: {value}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
