"""Whether ranks have clients to host, according to the resolved configuration."""
from __future__ import annotations

import sys

from .values import settings_of


def clients_of(config: str) -> int | None:
    """Number of clients of a resolved configuration; None if it does not contain one."""
    found = settings_of(config).get("clients", "")
    return int(found) if found.isdecimal() else None


def hosts_of(config: str, ranks: int) -> int:
    """Number of ranks that host clients."""
    return ranks if ranks == 1 or settings_of(config).get("server_hosts") == "true" else ranks - 1


def is_uneven(config: str, ranks: int) -> bool:
    """Whether some ranks host more clients than others."""
    clients = clients_of(config)
    return clients is not None and clients % hosts_of(config, ranks) != 0


def note_of_idle(configs: list[str], ranks: int) -> None:
    """Prints on standard error how many ranks have no client, for the configuration with the most idle ranks."""
    known = [(clients_of(config), hosts_of(config, ranks)) for config in configs if clients_of(config) is not None]
    idle, clients, hosts = max(((hosts - clients, clients, hosts) for clients, hosts in known), default=(0, 0, 0))
    if idle > 0:
        some = "" if len({pair for pair in known}) == 1 else " in some of the cells"
        print(f"submit: note: {hosts} of {ranks} ranks host clients, and there are {clients}{some}: {idle} of the "
              f"ranks stay idle; {ranks - idle} are enough", file=sys.stderr)
