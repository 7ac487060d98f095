"""Command line: `python3 -m trilemma_analysis COMMAND`."""

import sys

from .cli.main import main

if __name__ == "__main__":
    sys.exit(main())
