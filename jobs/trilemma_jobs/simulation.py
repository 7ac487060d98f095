"""What jobs/simulate does: a host for every rank, the words for smpirun, and what the run file shall say about it."""
from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree as xml
from pathlib import Path

from .options import SIMULATED_PROGRAM, Parser, add_simulation, at_least
from .values import UserError, counted

DESCRIPTION = """\
Runs an experiment on SimGrid's simulated MPI: any number of ranks in one process, on a network that a file describes.
Results are those of a real run to the bit; times are simulated, and the run file says so. See docs/how-to/simulate-ranks.md."""

EXAMPLES = """\
examples:
  jobs/simulate jobs/experiments/demo.toml --platform jobs/platforms/two-sites.xml --ranks 11
  jobs/simulate FILE.toml --platform jobs/platforms/edge-100.xml --ranks 101 --compute-factor 20 --set clients=100"""

# Latency and bandwidth as the file has them; SimGrid would multiply them by factors of another cluster.
# Collective calls as Open MPI chooses them, but sums by a binomial tree: where Open MPI would send them in thousands of
# segments, SimGrid looks through all of them at the end of each, and 1,024 ranks were not done in half an hour.
# Messages of up to 64 KiB leave before they are waited for.
NETWORK = ["--cfg=smpi/lat-factor:0:1", "--cfg=smpi/bw-factor:0:1", "--cfg=smpi/coll-selector:ompi",
           "--cfg=smpi/async-small-thresh:65536", "--cfg=smpi/reduce:binomial"]


def parse(arguments: list[str]):
    parser = Parser(prog="jobs/simulate", description=DESCRIPTION, epilog=EXAMPLES, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE.toml", help="the experiment")
    add_simulation(parser, required=True)
    parser.add_argument("--ranks", type=at_least(1), required=True, metavar="N", help="rank 0 is the server")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="override a setting "
                        "(repeatable)")
    parser.add_argument("--data-dir", metavar="DIR", help="data directory (default: the program's)")
    parser.add_argument("--output", metavar="RUN.h5", help="run file (default: runs/NAME-RANKS-TIME-PID.h5)")
    parser.add_argument("--overwrite", action="store_true", help="replace that file, if it is there")
    parser.add_argument("--program", metavar="PATH", default=SIMULATED_PROGRAM,
                        help="default: build/simgrid/trilemma (scripts/build simgrid trilemma)")
    return parser.parse_args(arguments)


def read_platform(path: str) -> tuple[list[str], set[str]]:
    """The hosts of a platform in the order of its file, and their speeds."""
    try:
        root = xml.parse(path).getroot()
    except (OSError, xml.ParseError) as error:
        raise UserError(f"{path}: no platform of SimGrid: {error}.") from None
    hosts: list[str] = []
    speeds: set[str] = set()
    for element in root.iter():
        if element.tag == "host":
            hosts.append(element.get("id", ""))
        elif element.tag == "cluster":
            numbers = (n for part in element.get("radical", "").split(",") for n in members(part, path))
            hosts += [f"{element.get('prefix', '')}{n}{element.get('suffix', '')}" for n in numbers]
        else:
            continue
        speeds.add(element.get("speed", ""))
    if not hosts:
        raise UserError(f"{path}: there is neither a host nor a cluster in it.")
    return hosts, speeds


def members(part: str, path: str) -> range:
    match = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part)
    if match is None:
        raise UserError(f"{path}: radical \"{part}\": expected something like 0-1023.")
    return range(int(match.group(1)), int(match.group(2) or match.group(1)) + 1)


def host_speed(speeds: set[str], factor: float, path: str) -> str:
    """The speed of this machine in the simulation's terms, such that computing takes `factor` times as long."""
    match = re.fullmatch(r"([\d.]+)([kMGTP]?f)", next(iter(speeds))) if len(speeds) == 1 else None
    if match is None:
        raise UserError(f"{path}: --compute-factor needs hosts of one speed, such as 1Gf.")
    return f"{float(match.group(1)) * factor:g}{match.group(2)}"


def placed(hosts: list[str], ranks: int) -> list[str]:
    """The host of every rank: evenly over all of them in their order, rank 0 on the first."""
    return [hosts[rank * len(hosts) // ranks] for rank in range(ranks)]


def command(options, hostfile: str, output: str, speeds: set[str]) -> list[str]:
    computing = ["--cfg=smpi/simulate-computation:no"]
    if options.compute_factor is not None:
        computing = [f"--cfg=smpi/host-speed:{host_speed(speeds, options.compute_factor, options.platform)}"]
    words = [word for setting in ["checkpoint.seconds=0", *options.set] for word in ("--set", setting)]
    words += ["--data-dir", options.data_dir] if options.data_dir else []
    words += ["--overwrite"] if options.overwrite else []
    return ["smpirun", "-np", str(options.ranks), "-platform", options.platform, "-hostfile", hostfile,
            *NETWORK, "--log=root.thres:error", *computing, options.program, "run", options.file, *words,
            "--output", output]


def refuse_blanks(words: list[str]) -> None:
    """Refuses what smpirun, a shell script that does not quote, would tear apart."""
    blank = next((word for word in words if re.search(r"\s", word)), None)
    if blank is not None:
        raise UserError(f"'{blank}': smpirun takes a word with a blank for two; name it otherwise.")


def written(output: str) -> tuple[int, int] | None:
    """Tells a file from an older one of its name."""
    path = Path(output)
    return (path.stat().st_ino, path.stat().st_mtime_ns) if path.is_file() else None


def end_all_of(pid: int) -> None:
    """Kills a process and what it has started: ranks that are asked to stop end their round first, which can take
    minutes. They stay in our own process group, so that whoever kills that ends them too."""
    try:
        os.kill(pid, signal.SIGSTOP)  # lest it starts more meanwhile
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        children = []
    for child in map(int, children):
        end_all_of(child)
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def attend(words: list[str], told: dict[str, str]) -> int:
    """Runs smpirun with these variables to its end; its code. A signal to us ends all of it, unless whoever started us ignores it, as nohup
    does."""
    heard = [name for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1)
             if signal.getsignal(name) != signal.SIG_IGN]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, heard)  # until there is somebody to end
    child = subprocess.Popen(words, env={"OPENBLAS_NUM_THREADS": "1", **os.environ, **told},
                             stdin=subprocess.DEVNULL,
                             preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, before))

    def end(number, _frame):
        end_all_of(child.pid)
        raise SystemExit(128 + number)

    handlers = {name: signal.signal(name, end) for name in heard}
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        return child.wait()
    finally:
        for name, handler in handlers.items():
            signal.signal(name, handler)


def check(platform: str, program: str, factor: float | None) -> tuple[list[str], set[str]]:
    """Refuses what cannot be simulated; the hosts of the platform and their speeds."""
    if shutil.which("smpirun") is None:
        raise UserError("there is no smpirun in PATH; install SimGrid (Debian: libsimgrid-dev).")
    if not Path(program).is_file():
        raise UserError(f"{program}: no such program; build it with scripts/build simgrid trilemma in the sources.")
    hosts, speeds = read_platform(platform)
    if factor is not None:
        host_speed(speeds, factor, platform)
    return hosts, speeds


def run(options) -> int:
    if not Path(options.file).is_file():
        raise UserError(f"{options.file}: no such file.")
    hosts, speeds = check(options.platform, options.program, options.compute_factor)
    here = placed(hosts, options.ranks)
    output = options.output or f"runs/{Path(options.file).stem}-{options.ranks}-{time.strftime('%Y%m%d-%H%M%S')}" \
                               f"-{os.getpid()}.h5"
    computing = ("communication only" if options.compute_factor is None
                 else f"computing takes {options.compute_factor:g} times as long as on {os.uname().nodename}")
    told = (f"{Path(options.platform).name}, {counted(options.ranks, 'rank')} on {counted(len(set(here)), 'host')}, "
            f"{computing}")
    with tempfile.NamedTemporaryFile("w", prefix="hosts-", suffix=".txt") as hostfile:
        hostfile.write("\n".join(here) + "\n")
        hostfile.flush()
        words = command(options, hostfile.name, output, speeds)
        refuse_blanks(words)
        print(f"simulated: {told}", flush=True)
        start, before = time.monotonic(), written(output)
        code = attend(words, {
            "TRILEMMA_SIMULATION": told, "TRILEMMA_SIMULATED_PLATFORM": Path(options.platform).name,
            "TRILEMMA_SIMULATED_COMPUTING": computing, "TRILEMMA_SIMULATED_HOSTS": str(len(set(here))),
            "TRILEMMA_SIMULATED_COMPUTE_FACTOR": f"{options.compute_factor or 0:g}"})
    if code == 0 and written(output) in (None, before):  # smpirun answers so where all ranks wait
        raise UserError(f"the simulated ranks ended without {output}: see what SimGrid says above.")
    print(f"result: {output}, in {time.monotonic() - start:.1f} s of real time" if code == 0
          else f"failed with code {code}", flush=True)
    return code
