"""The menu and the dialogs of the window, read and used as a screen reader does (AT-SPI). One act a start, so that whoever
calls it can end it if the program does not answer:

  menu.py items                -> {"File": ["Import a log …", ...], ...}
  menu.py choose MENU ITEM     -> "ITEM"
  menu.py dialog TITLE         -> {"texts": [...], "buttons": [...], "fields": [...]}, or null while no such dialog is open
  menu.py press TITLE BUTTON   -> "BUTTON"

Runs on the system's Python: python3-gi, gir1.2-atspi-2.0, at-spi2-core.
"""

import json
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib

PROGRAM = "reprise-desktop"
# The page has a tree of its own, which is long and is not asked for here.
LEAVES = {Atspi.Role.DOCUMENT_WEB, Atspi.Role.DOCUMENT_FRAME, Atspi.Role.INTERNAL_FRAME}


def inside(node):
    """The children that are there; one that goes away meanwhile is none."""
    for at in range(node.get_child_count()):
        child = node.get_child_at_index(at)
        if child is not None:
            yield child


def below(node, role, depth=9):
    """Everything of a role under a node."""
    for child in inside(node):
        if child.get_role() == role:
            yield child
        elif depth > 0 and child.get_role() not in LEAVES:
            yield from below(child, role, depth - 1)


def program():
    found = [app for app in inside(Atspi.get_desktop(0)) if app.get_name() == PROGRAM]
    if not found:
        raise LookupError(f"{PROGRAM} is not on the accessibility bus")
    return found[-1]


def bar():
    return next(below(program(), Atspi.Role.MENU_BAR))


def items(menu):
    return [item for item in inside(menu) if item.get_role() == Atspi.Role.MENU_ITEM]


def by_name(nodes, name):
    nodes = list(nodes)
    found = [node for node in nodes if node.get_name() == name]
    if not found:
        raise LookupError(f"no '{name}' among {[node.get_name() for node in nodes]}")
    return found[0]


def dialog(title):
    """The dialog with this title. One that only says something bears its kind for a name: of those one is open at a time."""
    tops = list(inside(program()))
    named = [top for top in tops if top.get_name() == title and top.get_role() in (Atspi.Role.DIALOG, Atspi.Role.FILE_CHOOSER)]
    return next(iter(named + [top for top in tops if top.get_role() == Atspi.Role.ALERT]), None)


def act(node):
    # A button may be gone with its dialog once it is pressed.
    name = node.get_name()
    if not node.get_action_iface().do_action(0):
        raise RuntimeError(f"'{name}' was not done")
    return name


def shown(node):
    return node.get_state_set().contains(Atspi.StateType.SHOWING)


def text_of(label):
    return Atspi.Text.get_text(label, 0, Atspi.Text.get_character_count(label)) or label.get_name()


def told(what, *names):
    if what == "items":
        return {menu.get_name(): [item.get_name() for item in items(menu)] for menu in inside(bar())}
    if what == "choose":
        return act(by_name(items(by_name(inside(bar()), names[0])), names[1]))
    found = dialog(names[0])
    if what == "dialog":
        if found is None:
            return None
        return {
            "texts": [text_of(label) for label in below(found, Atspi.Role.LABEL)],
            "buttons": [button.get_name() for button in below(found, Atspi.Role.PUSH_BUTTON)],
            "fields": [text_of(field) for field in below(found, Atspi.Role.TEXT, 14) if shown(field)],
        }
    if what == "press":
        if found is None:
            raise LookupError(f"no dialog '{names[0]}'")
        return act(by_name(below(found, Atspi.Role.PUSH_BUTTON), names[1]))
    raise ValueError(f"nobody knows how to {what}")


def read(*what):
    """What changes while it is read is read anew; an act is done once."""
    for _ in range(20):
        try:
            return told(*what)
        except GLib.Error:
            if what[0] not in ("items", "dialog"):
                raise
    return told(*what)


Atspi.set_timeout(3000, 3000)
try:
    print(json.dumps(read(*sys.argv[1:])))
except (LookupError, RuntimeError, StopIteration, GLib.Error) as problem:
    print(json.dumps({"problem": f"{type(problem).__name__}: {problem}"}))
