"""Does what packaging/trilemma.def says, without Apptainer: a folder made by debootstrap and chroot for each of its
stages. As root, with debootstrap installed and Debian's archive in reach; takes some ten minutes and 3 GB.

Usage: container_steps.py FOLDER
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEFINITION = ROOT / "packaging/trilemma.def"


def sections(stage: str) -> dict[str, str]:
    """A stage's sections by their headings, `files from build` for instance."""
    parts = re.split(r"^%(.*)\n", stage, flags=re.MULTILINE)
    return dict(zip((heading.strip() for heading in parts[1::2]), parts[2::2]))


def stages() -> dict[str, dict[str, str]]:
    text = re.sub(r"^#.*\n", "", DEFINITION.read_text(encoding="utf-8"), flags=re.MULTILINE)
    heads = re.split(r"^Bootstrap: docker\nFrom: debian:bookworm-slim\nStage: (\w+)\n", text, flags=re.MULTILINE)
    assert not heads[0].strip(), "a stage does not begin as the others do"
    return {name: sections(body) for name, body in zip(heads[1::2], heads[2::2])}


def bring(origin: Path, root: Path, lines: str) -> None:
    for source, goal in (line.split() for line in lines.strip().splitlines()):
        target = root / goal.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        if (origin / source.lstrip("/")).is_dir():
            shutil.copytree(origin / source.lstrip("/"), target, symlinks=True)
        else:
            shutil.copy2(origin / source.lstrip("/"), target)


def make(folder: Path, name: str, stage: dict[str, str]) -> None:
    root = folder / name
    print(f"== {name}", flush=True)
    subprocess.run(["debootstrap", "--variant=minbase", "bookworm", root], check=True, stdout=subprocess.DEVNULL)
    for heading, lines in stage.items():
        if heading.split()[0] == "files":
            bring(folder / heading.split()[-1] if " from " in heading else ROOT, root, lines)
    for heading in ("post", "test"):
        script = stage.get("environment", "") + stage.get(heading, "")
        subprocess.run(["chroot", root, "sh", "-e", "-c", script], check=True, stdin=subprocess.DEVNULL)


def main() -> None:
    folder = Path(sys.argv[1])
    for name, stage in stages().items():
        make(folder, name, stage)
    print("the definition's steps work")


if __name__ == "__main__":
    main()
