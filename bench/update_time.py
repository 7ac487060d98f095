"""Time of the rounds in `trilemma show --json`, for the scripts that compare programs."""

NOT_UPDATE = {"evaluate", "record", "checkpoint"}


def update_seconds(shown, ranks=1):
    """Seconds of all rounds: the phases of one rank, or of several by the clock, since they wait for each other."""
    phases = {name: times["mean"] for name, times in shown["seconds_per_phase"].items()}
    if ranks == 1:
        return sum(seconds for name, seconds in phases.items() if name not in NOT_UPDATE)
    return shown["seconds_total"] - sum(phases[name] for name in NOT_UPDATE)
