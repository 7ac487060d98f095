"""Values that users write: wall times, memory, lists of cells. Wrong ones raise UserError with one sentence."""
from __future__ import annotations

import re


class UserError(Exception):
    """A mistake of the user's; the message is one sentence that says what to do."""


def settings_of(config: str) -> dict[str, str]:
    """Dotted keys and values of a resolved configuration (TOML with one `key = value` a line); texts without quotes."""
    table, found = "", {}
    for line in config.splitlines():
        if line.startswith("["):
            table = line.strip("[]") + "."
        elif " = " in line and not line.startswith("#"):
            key, value = line.split(" = ", 1)
            found[table + key] = value.strip("'\"")
    return found


def seconds(text: str) -> int | None:
    """Seconds of a wall time as Slurm writes it; None where it is unlimited."""
    if text.lower() in ("unlimited", "infinite"):
        return None
    match = re.fullmatch(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?", text)
    if match is None:
        raise UserError(f"--time {text}: expected minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM or D-HH:MM:SS.")
    days, *parts = match.groups()
    numbers = [int(part) for part in parts if part is not None]
    if days is not None:  # D-HH[:MM[:SS]]
        hours, minutes, secs = (numbers + [0, 0])[:3]
    elif len(numbers) == 3:
        hours, minutes, secs = numbers
    else:  # MM[:SS]
        hours, (minutes, secs) = 0, (numbers + [0])[:2]
    # The first number may be as large as it likes: 90 minutes, 36 hours.
    wrong = secs > 59 or (minutes > 59 and len(numbers) + (days is not None) > 2) or (days is not None and hours > 23)
    total = ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + secs
    if wrong:
        raise UserError(f"--time {text}: seconds and minutes end at 59, and hours behind days at 23; did you mean "
                        f"{days_and_clock(total)}?")
    return total


def clock(duration: float) -> str:
    """HH:MM:SS."""
    whole = int(round(duration))
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def days_and_clock(duration: int) -> str:
    """HH:MM:SS, or D-HH:MM:SS from a day on."""
    days, rest = divmod(duration, 86400)
    return f"{days}-{clock(rest)}" if days else clock(rest)


def memory(text: str) -> str:
    if re.fullmatch(r"\d+[KMGT]?", text) is None:
        raise UserError(f"--mem {text}: expected a number with K, M, G or T, such as 8G.")
    return text


def cells(text: str) -> list[int]:
    """Numbers of a Slurm array specification such as 0,3,5-8 (empty: none)."""
    found: list[int] = []
    for part in filter(None, text.strip().split(",")):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part.strip())
        if match is None or int(match.group(2) or match.group(1)) < int(match.group(1)):
            raise UserError(f"'{text}' is not a list of cells: expected something like 0,3,5-8.")
        found += range(int(match.group(1)), int(match.group(2) or match.group(1)) + 1)
    return sorted(set(found))


def specification(numbers: list[int]) -> str:
    """The inverse of cells()."""
    parts: list[list[int]] = []
    for number in sorted(set(numbers)):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


def counted(number: int, thing: str) -> str:
    """1 rank, 2 ranks."""
    return f"{number} {thing}{'s' * (number != 1)}"
