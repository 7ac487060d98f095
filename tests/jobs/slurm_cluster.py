#!/usr/bin/env python3
"""A real Slurm of several nodes on one machine, for tests: munged, slurmctld and a slurmd for each node.

    with Cluster(folder) as cluster:
        cluster.call("sbatch", "--wrap", "hostname")

or by hand: `slurm_cluster.py FOLDER` starts one, prints what to export and stops it at Ctrl-C. Needs the packages
slurm-wlm and munge; neither systemd nor cgroups nor accounting. Ends only processes that it started itself.
"""
import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

TOOLS = ("munged", "mungekey", "munge", "slurmctld", "slurmd", "slurmstepd", "sbatch", "srun", "squeue", "scontrol",
         "scancel", "sinfo")

# Intervals are short so that tests of limits, kills and lost nodes end soon. A credential that lives for 120 s (the
# default) would keep requeued jobs waiting for as long. Two partitions: urgent takes nodes away from batch.
CONFIGURATION = """\
ClusterName=trilemma
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
TmpFS={folder}/tmp-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=0
ReturnToService=2
MpiDefault=none
KillWait=5
SlurmdTimeout=10
SlurmctldTimeout=10
MinJobAge=3600
JobRequeue=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
{nodes}
PartitionName=batch Nodes=ALL Default=YES DefaultTime=10:00 PriorityTier=1 PreemptMode=REQUEUE GraceTime=5 State=UP
PartitionName=urgent Nodes=ALL DefaultTime=10:00 PriorityTier=10 PreemptMode=OFF State=UP
"""


def missing_tools():
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    return [tool for tool in TOOLS if shutil.which(tool, path=path) is None]


def free_ports(count):
    """Consecutive TCP ports that are not in use."""
    for first in range(21000, 29000, 50):
        sockets = []
        try:
            for port in range(first, first + count):
                sockets.append(socket.socket())
                sockets[-1].bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    raise RuntimeError("no free ports")


def children_of(pid):
    """All descendants of a process."""
    parents = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            parents[int(entry)] = int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            pass
    found, wave = [], [pid]
    while wave:
        wave = [child for child, parent in parents.items() if parent in wave]
        found += wave
    return found


class Cluster:
    def __init__(self, folder, nodes=2, cpus=4):
        self.folder, self.cpus = Path(folder), cpus
        self.names = [f"node{i + 1}" for i in range(nodes)]
        self.daemons = {}
        self.env = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"),
                        PATH=os.environ["PATH"] + ":/usr/sbin:/sbin", OMPI_MCA_btl_tcp_if_include="lo",
                        OMPI_MCA_oob_tcp_if_include="lo", OMPI_MCA_mpi_yield_when_idle="1",
                        OMPI_MCA_btl_vader_single_copy_mechanism="none")
        # Slurm's own variables would lead jobs to another cluster or allocation.
        for name in [name for name in self.env if re.match(r"(SLURM|SBATCH|SQUEUE)_", name) and name != "SLURM_CONF"]:
            del self.env[name]
        self.own_hosts = os.geteuid() == 0 and subprocess.run(["unshare", "--uts", "true"],
                                                              stderr=subprocess.DEVNULL).returncode == 0
        if os.geteuid() == 0:
            self.env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        if not self.own_hosts:  # nodes of one host name would share, and spoil, Open MPI's shared memory files
            self.env["OMPI_MCA_btl"] = "tcp,self"

    # --- daemons
    def launch(self, name, command):
        with open(self.folder / f"{name}.out", "ab") as out:
            self.daemons[name] = subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=out,
                                                  stderr=subprocess.STDOUT, start_new_session=True)

    def configure(self):
        for part in ("munge", "state"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        (self.folder / "munge").chmod(0o700)
        host, port = socket.gethostname().split(".")[0], free_ports(len(self.names) + 1)
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2 ** 20 // 2 // len(self.names)
        nodes = "\n".join(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port + 1 + i} "
                          f"CPUs={self.cpus} RealMemory={memory} State=UNKNOWN" for i, name in enumerate(self.names))
        user = subprocess.run(["id", "-un"], stdout=subprocess.PIPE, universal_newlines=True).stdout.strip()
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=host, port=port, user=user, folder=self.folder, nodes=nodes))
        # Named, though unused: without it slurmd insists on a mounted /sys/fs/cgroup.
        (self.folder / "cgroup.conf").write_text("CgroupAutomount=no\nCgroupPlugin=cgroup/v1\n")
        (self.folder / "plugstack.conf").write_text("")

    def start(self):
        if self.folder.exists() and any(self.folder.iterdir()):
            raise RuntimeError(f"{self.folder} is not empty; a cluster starts in a new folder")
        self.configure()
        munge = self.folder / "munge"
        subprocess.run(["mungekey", "-c", "-k", str(munge / "key")], env=self.env, check=True)
        self.launch("munged", ["munged", "--foreground", "--force", f"--key-file={munge}/key",
                               f"--socket={munge}/socket", f"--pid-file={munge}/pid", f"--seed-file={munge}/seed",
                               f"--log-file={munge}/log", "--num-threads=2"])
        self.wait(lambda: self.call("munge", "-n", "-S", str(munge / "socket"), check=False).returncode == 0, 10,
                  "munged does not answer")
        self.launch("slurmctld", ["slurmctld", "-D"])
        for name in self.names:
            self.start_node(name)
        self.wait(lambda: self.idle() == len(self.names), 30, "the nodes are not ready")

    def start_node(self, name):
        # PMIx names its files by job step: nodes must not share them, and a node that was lost comes back clean.
        for part in (f"tmp-{name}", f"spool-{name}"):
            shutil.rmtree(self.folder / part, ignore_errors=True)
            (self.folder / part).mkdir()
        (self.folder / f"tmp-{name}").chmod(0o1777)
        command = ["slurmd", "-D", "-N", name]
        if self.own_hosts:
            command = ["unshare", "--uts", "sh", "-c", 'hostname "$1" && shift && exec "$@"', "sh", name, *command]
        self.launch(name, command)

    def kill_node(self, name):
        """As if the machine had lost its power: slurmd and all that runs under its job steps end at once."""
        steps = [int(entry) for entry in filter(str.isdigit, os.listdir("/proc")) if self.is_step(entry, name)]
        for pid in [self.daemons[name].pid, *steps, *(child for step in steps for child in children_of(step))]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.daemons.pop(name).wait()

    def is_step(self, pid, name=None):
        """Whether a process is a job step's daemon of this cluster (and node): it inherits from its slurmd."""
        try:
            if Path(f"/proc/{pid}/comm").read_text().strip() != "slurmstepd":
                return False
            env = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            if f"SLURM_CONF={self.env['SLURM_CONF']}".encode() not in env:
                return False
            return name is None or name == self.step_node(pid)
        except OSError:
            return False

    @staticmethod
    def step_node(pid):
        """slurmstepd keeps its slurmd's UTS namespace; one without its own is found by its open log file."""
        for link in Path(f"/proc/{pid}/fd").iterdir():
            match = re.search(r"/slurmd-(\w+)\.log$", os.readlink(link))
            if match:
                return match.group(1)
        return None

    def stop(self):
        if self.daemons.get("slurmctld") is not None and self.daemons["slurmctld"].poll() is None:
            user = str(os.geteuid())
            self.call("scancel", "--state=PENDING", f"--user={user}", check=False)
            self.call("scancel", f"--user={user}", check=False)
            self.wait(lambda: not self.call("squeue", "-h", check=False).stdout.strip(), 20, None)
        for name in reversed(list(self.daemons)):
            daemon = self.daemons.pop(name)
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for pid in [int(entry) for entry in filter(str.isdigit, os.listdir("/proc")) if self.is_step(entry)]:
            for one in [*children_of(pid), pid]:
                try:
                    os.kill(one, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    # --- use
    def call(self, *command, check=True, **options):
        done = subprocess.run([str(word) for word in command], env=dict(self.env, **options.pop("env", {})),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              universal_newlines=True, timeout=60, **options)
        if check and done.returncode != 0:
            raise RuntimeError(f"{command}: code {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def idle(self):
        states = self.call("sinfo", "-h", "-N", "-p", "batch", "-o", "%T", check=False).stdout.split()
        return states.count("idle")

    def show(self, job):
        """Fields of `scontrol show job`, one dictionary for each task."""
        text = self.call("scontrol", "show", "job", "--oneliner", job, check=False).stdout
        return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in text.splitlines()]

    def state(self, job):
        states = {one["JobState"] for one in self.show(job)}
        return states.pop() if len(states) == 1 else " ".join(sorted(states))

    def wait(self, condition, limit, message):
        """Waits until a condition holds; the seconds that took."""
        begun = time.monotonic()
        while not condition():
            if time.monotonic() - begun > limit:
                if message is None:
                    return None
                logs = "".join(f"\n== {path.name}\n" + "\n".join(path.read_text(errors="replace").splitlines()[-12:])
                               for path in sorted(self.folder.glob("*.log")))
                raise RuntimeError(f"{message} after {limit} s{logs}")
            time.sleep(0.2)
        return time.monotonic() - begun


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Starts a Slurm of two nodes on this machine, prints the exports that "
                                     "clients need, and ends it when it is interrupted.")
    parser.add_argument("folder", help="for its state and logs")
    with Cluster(os.path.abspath(parser.parse_args().folder)) as running:
        for key in ("SLURM_CONF", *(key for key in running.env if key.startswith("OMPI_"))):
            print(f"export {key}={running.env[key]}")
        sys.stdout.flush()
        signal.signal(signal.SIGTERM, lambda *_: sys.exit())
        try:
            signal.pause()
        except KeyboardInterrupt:
            pass
