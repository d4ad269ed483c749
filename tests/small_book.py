"""A book of four short pages, for tests that go through a whole ingest."""

from pathlib import Path

PAGES = {
    "intro.md": """\
---
title: About this book
---

This book explains the joints of walking machines in four short pages.
""",
    "01-joints/gears.mdx": """\
---
title: Gears
module: 1
difficulty: beginner
tags: [gears, joints]
---

import Note from './Note'

## Harmonic drives

A **harmonic drive** is a gear that bends a thin steel cup. It has almost no backlash.

<Note>Grease the cup once a year.</Note>

## Belts

A toothed belt is cheap & quiet, but it stretches under load.
""",
    "01-joints/motors.mdx": """\
---
title: Motors
module: 1
difficulty: advanced
---

## Stepper motors

A stepper motor turns in fixed steps of 1.8 degrees and needs no encoder.
""",
    "02-walking/balance.md": """\
---
title: Balance
module: 2
---

## The zero moment point

A walking machine falls when its *zero moment point* leaves the foot.
""",
}


def write_book(folder: Path, **changed: str | None) -> Path:
    """The book in a folder; a page is given another text, or left out, by its name without folder and ending."""
    for path, text in PAGES.items():
        page = folder / path
        page.parent.mkdir(parents=True, exist_ok=True)
        wanted = changed.get(page.stem, text)
        if wanted is not None:
            page.write_text(wanted, encoding="utf-8")
    return folder
