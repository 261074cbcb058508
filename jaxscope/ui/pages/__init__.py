"""Pages of the window: each is a module here with `make_page`, and one entry in `PAGES`."""

from __future__ import annotations

from jaxscope.ui.window.places import Page, Place

PAGES = {
    "passes": Page(
        "Passes",
        Place.PROGRAM,
        "What did XLA's optimizer do, pass by pass?",
        is_always_named=True,
        works_unseen=True,
    ),
    "fusions": Page(
        "Fusions",
        Place.PROGRAM,
        "What did the compiler fuse, and what did that save?",
        is_always_named=True,
        works_unseen=True,
    ),
    "memory": Page(
        "Memory",
        Place.PROGRAM,
        "How much memory does it need, when, and for what?",
        is_always_named=True,
    ),
    "sharding": Page(
        "Devices",
        Place.PROGRAM,
        "On which devices does it run, who holds what, and what do they tell each other?",
        works_unseen=True,
    ),
    "arguments": Page("Arguments", Place.PROGRAM, "What goes into the call, and what comes out?"),
    "stepping": Page("Step", Place.PROGRAM, "What numbers flow through it, equation by equation?"),
    "notes": Page("Notes", Place.PROGRAM, "What was noticed about the call, and what was assumed?"),
    "output": Page("Output", Place.PROGRAM, "What did the code print?"),
    "bookmarks": Page(
        "Bookmarks",
        Place.PROGRAM,
        "What was marked, and what was written about it?",
        works_unseen=True,
    ),
    "timing": Page("Timing", Place.MEASURE, "How long does the call take, eager and compiled?"),
    "profile": Page(
        "Where the time goes", Place.MEASURE, "Which lines and operations make it slow?"
    ),
    "scaling": Page("Size", Place.MEASURE, "How does it grow with size?"),
    "recompilation": Page("Recompilation", Place.MEASURE, "What does JAX recompile, and why?"),
    "compile_time": Page("Compile time", Place.MEASURE, "Where did compile time go?"),
    "agreement": Page("Agreement", Place.MEASURE, "Do eager, jit and double precision agree?"),
    "roofline": Page("Roofline", Place.MEASURE, "What bounds each kernel: arithmetic, or memory?"),
    "targets": Page("Chips", Place.MEASURE, "How would this call do on other chips?"),
    "compare": Page(
        "Compare", Place.COMPARE, "What differs between this call and another?", works_unseen=True
    ),
    "versus": Page("Two calls", Place.COMPARE, "Which of two is faster, and do they agree?"),
}
"""By the names of their modules, in the order in which they stand and are turned."""
