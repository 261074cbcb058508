"""Turn a graph into a view by a list of passes that the reader can switch off one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection

from jaxscope.heap import paused_gc, return_memory
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Graph
from jaxscope.picture.view.arguments import gather_arguments
from jaxscope.picture.view.folded_nodes import (
    fold_constants,
    fold_reducers,
    join_boundaries,
    show_literals,
    skip_plumbing,
)
from jaxscope.picture.view.forward_backward import box_forward_backward, count_merged_as_forward
from jaxscope.picture.view.group_tree import (
    box_repeats,
    dissolve_wrappers,
    gather_constants,
    gather_helpers,
    gather_ports,
    gather_small,
    group_by_function,
    group_by_scope,
    join_beside_parts,
    make_sections,
)
from jaxscope.picture.view.open_groups import choose_opened
from jaxscope.picture.view.results import add_results, name_gathered
from jaxscope.picture.view.tree import Branch, Draft, grow_tree, start_draft
from jaxscope.picture.view.view import View, flatten

NodeChange = Callable[[Draft], Draft]
TreeChange = Callable[[Draft, Branch], tuple[Draft, Branch]]


@dataclass(frozen=True, slots=True)
class Pass:
    """One simplification.

    Attributes:
        name: Stable, for settings and the command line.
        title: Fit to show in a menu.
        reason: One sentence: what it does for the reader.
        change_nodes: What it does before the boxes are grouped, or None.
        change_tree: What it does to the groups, or None.
    """

    name: str
    title: str
    reason: str
    change_nodes: NodeChange | None = None
    change_tree: TreeChange | None = None


def _on_tree(change: Callable[[Draft, Branch], Branch]) -> TreeChange:
    def apply(draft: Draft, root: Branch) -> tuple[Draft, Branch]:
        return draft, change(draft, root)

    return apply


def _pair_halves(draft: Draft, root: Branch) -> Branch:
    return join_beside_parts(draft, box_forward_backward(draft, root))


PASSES: tuple[Pass, ...] = (
    Pass(
        "join-boundaries",
        "Join nested programs to their surroundings",
        "A line leads from the real producer to the real user, into nested programs and out.",
        change_nodes=join_boundaries,
    ),
    Pass(
        "skip-plumbing",
        "Hide tuples and bitcasts",
        "What only passes values on is no box; its line goes through.",
        change_nodes=skip_plumbing,
    ),
    Pass(
        "fold-reducers",
        "Fold one-operation bodies",
        "The `add` of a reduction is a word in its label.",
        change_nodes=fold_reducers,
    ),
    Pass(
        "show-literals",
        "Literals in labels",
        "`mul 2.0` says which number is meant.",
        change_nodes=show_literals,
    ),
    Pass(
        "fold-constants",
        "Fold scalar constants",
        "A constant and its broadcasts are a number in the label of what uses them.",
        change_nodes=fold_constants,
    ),
    Pass(
        "gather-arguments",
        "Gather arguments",
        "The arrays of one parameter are one box.",
        change_tree=_on_tree(gather_arguments),
    ),
    Pass(
        "gather-ports",
        "Gather what loops carry",
        "More than three values that a loop carries, slices or stacks are one box.",
        change_tree=_on_tree(gather_ports),
    ),
    Pass(
        "gather-constants",
        "Gather captured arrays",
        "Arrays that the program brings along are one box.",
        change_tree=_on_tree(gather_constants),
    ),
    Pass(
        "group-by-scope",
        "Group by scope",
        "Named scopes and module paths are boxes.",
        change_tree=_on_tree(group_by_scope),
    ),
    Pass(
        "group-by-function",
        "Group by Python function",
        "In programs without scopes, the functions of the source are boxes.",
        change_tree=group_by_function,
    ),
    Pass(
        "dissolve-wrappers",
        "Dissolve wrappers",
        "A box around a single box is only a name.",
        change_tree=dissolve_wrappers,
    ),
    Pass(
        "pair-halves",
        "Forward and backward side by side",
        "A gradient is two columns, layer beside layer, with what is kept for it in between.",
        change_tree=_on_tree(_pair_halves),
    ),
    Pass(
        "gather-helpers",
        "Gather preparations",
        "Copies and broadcasts before the work are one box, and those after it another.",
        change_tree=_on_tree(gather_helpers),
    ),
    Pass(
        "box-repeats",
        "Box repeats",
        "Alike layers are one box with ×N.",
        change_tree=_on_tree(box_repeats),
    ),
    Pass(
        "gather-small",
        "Gather small steps",
        "In a program of many parts, neighbours that are small beside the rest are one box.",
        change_tree=_on_tree(gather_small),
    ),
    Pass(
        "make-sections",
        "Split long groups",
        "Groups of more than 150 boxes become parts that fit on a page.",
        change_tree=_on_tree(make_sections),
    ),
)
"""All simplifications, in the order in which they run."""


def build_view(graph: Graph, without: Collection[str] = ()) -> View:
    """The view of a graph of any stage.

    Args:
        without: Names of passes to leave out.

    Raises:
        ValueError: A name in `without` is no pass.
    """
    unknown = set(without) - {each.name for each in PASSES}
    if unknown:
        raise ValueError(f"there is no simplification named {', '.join(sorted(unknown))}")
    active = [each for each in PASSES if each.name not in without]
    with paused_gc():
        dissolves = any(each.change_tree is dissolve_wrappers for each in active)
        draft = start_draft(count_merged_as_forward(add_results(graph)), dissolves=dissolves)
        for each in active:
            if each.change_nodes is not None:
                draft = each.change_nodes(draft)
        root = grow_tree(draft)
        for each in active:
            if each.change_tree is not None:
                draft, root = each.change_tree(draft, root)
        root = name_gathered(draft, root, graph)
        view = flatten(graph, draft, root, choose_opened(root))
    del draft, root
    return_memory(len(graph.nodes))
    return view
