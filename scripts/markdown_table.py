"""A table in Markdown."""


def table(head, rows):
    """Prints a table of texts."""
    for row in (head, ["---"] * len(head), *rows):
        print(f"| {' | '.join(row)} |")
