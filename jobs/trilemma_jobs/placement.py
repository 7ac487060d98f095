"""The placement of the ranks of a job: the number of nodes, the ranks on each, and their cores. One object renders the
request for every scheduler, for the launchers (in job.sh) and for the program, which compares it with the placement
obtained."""
from __future__ import annotations

import sys
from dataclasses import dataclass

from .values import UserError, counted

CHECKS = ("refuse", "mark")


@dataclass(frozen=True)
class Placement:
    """Ranks on nodes in blocks: the first ranks on the first node, and so on. `nodes` is None if the batch system
    chooses; then only the number of ranks is compared."""
    ranks: int
    nodes: int | None
    cores_per_rank: int = 1
    threads_per_core: int = 1
    exclusive: bool = False

    @property
    def blocks(self) -> list[int]:
        """Ranks on each node, as equal as possible, the larger blocks first; empty if the batch system chooses."""
        if self.nodes is None:
            return []
        least, more = divmod(self.ranks, self.nodes)
        return [least + (node < more) for node in range(self.nodes)]

    @property
    def ranks_per_node(self) -> int | None:
        """Ranks on the fullest node."""
        return self.blocks[0] if self.nodes else None

    @property
    def is_even(self) -> bool:
        """Whether all nodes have the same number of ranks."""
        return len(set(self.blocks)) <= 1

    @property
    def cpus_per_rank(self) -> int:
        """Processors per rank, as Slurm counts them: with one thread per core these are cores."""
        return self.cores_per_rank * self.threads_per_core

    @property
    def words(self) -> str:
        """The blocks in words, such as 6 + 5."""
        return " + ".join(map(str, self.blocks))

    def slurm(self) -> list[str]:
        """Directives for Slurm. With --ntasks Slurm takes --ntasks-per-node as a maximum, so uneven blocks request the
        slots of the fullest node on every node, and the launcher leaves some of them empty."""
        lines = [f"--nodes={self.nodes}"] if self.nodes else []
        lines += [f"--ntasks={self.ranks}"] if self.is_even else []
        lines += [f"--ntasks-per-node={self.ranks_per_node}"] if self.nodes else []
        lines += [f"--cpus-per-task={self.cpus_per_rank}"]
        lines += ["--hint=nomultithread"] if self.threads_per_core == 1 else []
        return lines + (["--exclusive"] if self.exclusive else [])

    def pbs(self, more: str) -> list[str]:
        """Directives for PBS; `more` is appended to every chunk."""
        sizes = list(dict.fromkeys(self.blocks)) or [self.ranks]
        chunks = [f"{self.blocks.count(size) or 1}:ncpus={size * self.cpus_per_rank}:mpiprocs={size}{more}"
                  for size in sizes]
        place = "scatter:exclhost" if self.exclusive else "scatter"
        return [f"-l select={'+'.join(chunks)}", f"-l place={place}"]

    def flux(self) -> list[str]:
        """Directives for Flux."""
        lines = [f"--nodes={self.nodes}"] if self.nodes else []
        lines += [f"--nslots={self.ranks}", f"--cores-per-slot={self.cores_per_rank}"]
        return lines + (["--exclusive"] if self.exclusive else [])

    def settings(self) -> list[str]:
        """Settings for job.sh."""
        return [f"ranks={self.ranks}", f"nodes={self.nodes or 0}", f"cores_per_rank={self.cores_per_rank}",
                f"threads_per_core={self.threads_per_core}"]

    @property
    def identity(self) -> list[str]:
        """What distinguishes it from another placement of the same number of ranks; empty if nothing special was
        requested, so that the hashes of older studies stay valid."""
        asked = [self.nodes or 0, self.cores_per_rank, self.threads_per_core]
        return [] if asked == [0, 1, 1] else [" ".join(map(str, asked))]

    def manifest(self) -> dict:
        """The placement as study.json describes it."""
        return {"nodes": self.nodes, "ranks_per_node": self.ranks_per_node, "cores_per_rank": self.cores_per_rank,
                "threads_per_core": self.threads_per_core}


def placement_of(options, ranks: int) -> Placement:
    """The placement of a job on `ranks` ranks; refuses an impossible request."""
    per_node, nodes = options.ranks_per_node, getattr(options, "nodes", None)
    if per_node:
        nodes = nodes_for(ranks, per_node, nodes, options.kind == "study")
    elif nodes and nodes > ranks:
        raise UserError(f"--nodes {nodes} is more than --ranks {ranks}; every node needs a rank.")
    if options.backend == "local" and (nodes or 1) > 1:
        asked = f"--ranks-per-node {per_node}" if per_node else f"--nodes {nodes}"
        raise UserError(f"{asked} puts {counted(ranks, 'rank')} on {nodes} nodes, and the local back-end has one; "
                        "leave it out, or submit to a batch system.")
    if options.backend in ("local", "pbs"):  # local runs here, PBS needs a number
        nodes = nodes or 1
    if getattr(options, "platform", None):  # simulated ranks: the file of the platform places them
        nodes = None
    return Placement(ranks, nodes, options.cpus_per_rank, options.threads_per_core, options.exclusive)


def nodes_for(ranks: int, per_node: int, nodes: int | None, may_be_fewer: bool) -> int:
    """Number of nodes with `per_node` ranks each. If `may_be_fewer` (in a study), fewer ranks share one node."""
    if nodes and nodes * per_node != ranks:
        raise UserError(f"--nodes {nodes} with --ranks-per-node {per_node} is {nodes * per_node} ranks, and --ranks is "
                        f"{ranks}; change one of the three.")
    if ranks < per_node and may_be_fewer:
        return 1
    if ranks % per_node:
        below = ranks // per_node * per_node
        near = f"{below} or {below + per_node}" if below else str(per_node)
        raise UserError(f"--ranks {ranks} is no multiple of --ranks-per-node {per_node}; give {near} ranks, or "
                        "another --ranks-per-node.")
    return ranks // per_node


def note_of_uneven(placement: Placement) -> None:
    """Prints on standard error how ranks are placed that cannot be divided evenly among the nodes."""
    if not placement.is_even:
        print(f"submit: note: {placement.ranks} ranks on {placement.nodes} nodes are placed {placement.words}",
              file=sys.stderr)
