"""The desktop that a test of the window needs: a tray, notices, and the close button of a window.

Owns org.kde.StatusNotifierWatcher and org.freedesktop.Notifications on the session bus. Says what happens as one JSON
object a line on standard output, and does what it is told by one JSON object a line on standard input:

  {"do": "menu"}                     -> {"menu": [{"label": ..., "enabled": ...}, ...]}
  {"do": "choose", "label": "Quit"}  -> {"chosen": "Quit"}; a label is met by its beginning
  {"do": "click", "notice": 1}       -> {"clicked": 1}
  {"do": "close"}                    -> {"closed": 1}: windows that were asked to close, as by their close button
  {"do": "windows"}                  -> {"windows": 1}: windows of the program that are on the screen
  {"do": "rect"}                     -> {"rect": [x, y, width, height]}: where its window is
  {"do": "place", "rect": [x, y, width, height]}       -> {"placed": true}: puts it there, as a person does by its frame
  {"do": "focus", "title": "..."}    -> {"focused": true}: gives the keyboard to a window, as a window manager does; false
                                        while there is none of that title
  {"do": "keys", "keys": "ctrl+equal"}                 -> {"pressed": ...}: keys of the keyboard, together
  {"do": "type", "text": "/tmp/a"}   -> {"typed": ...}: one key after the other
  {"do": "drag", "from": [x, y], "to": [x, y]}         -> {"dragged": true}: the mouse, from and to points of the screen
  {"do": "hold", "files": [...]}     -> {"held": [x, y]}: a window with these files at that point, to be dragged from

Runs on the system's Python: python3-dbus, python3-gi, python3-xlib.
"""

import json
import sys
import threading
import time
from pathlib import Path

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib
from Xlib import XK, X, display
from Xlib.error import BadDrawable, BadWindow
from Xlib.ext import xtest
from Xlib.protocol import event

TITLE = "Reprise"
WATCHER = "org.kde.StatusNotifierWatcher"
NOTICES = "org.freedesktop.Notifications"
MENU = "com.canonical.dbusmenu"


def say(what):
    print(json.dumps(what), flush=True)


class Watcher(dbus.service.Object):
    """Knows the newest icon that was registered."""

    item = None

    @dbus.service.method(WATCHER, in_signature="s", sender_keyword="sender")
    def RegisterStatusNotifierItem(self, service, sender=None):
        # An icon names its path and is reached by its sender, or names its service and lies at the usual path.
        self.item = (sender, service) if service.startswith("/") else (service, "/StatusNotifierItem")
        say({"tray": True})

    @dbus.service.method(WATCHER, in_signature="s")
    def RegisterStatusNotifierHost(self, _service):
        pass

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, _interface, name):
        return self.GetAll(WATCHER)[name]

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _interface):
        return {
            "IsStatusNotifierHostRegistered": True,
            "ProtocolVersion": dbus.Int32(0),
            "RegisteredStatusNotifierItems": dbus.Array([], signature="s"),
        }

    def menu(self, bus):
        sender, path = self.item
        properties = dbus.Interface(bus.get_object(sender, path), dbus.PROPERTIES_IFACE)
        at = properties.Get("org.kde.StatusNotifierItem", "Menu")
        return dbus.Interface(bus.get_object(sender, at), MENU)


def entries(menu):
    menu.AboutToShow(0)
    _, (_, _, children) = menu.GetLayout(0, -1, dbus.Array([], signature="s"))
    found = []
    for number, properties, _ in children:
        if properties.get("type") != "separator":
            label = str(properties.get("label", "")).replace("__", "\0").replace("_", "").replace("\0", "_")
            found.append((int(number), label, bool(properties.get("enabled", True))))
    return found


def shown(watcher, bus):
    """What the menu shows; nothing if the program that the icon was of has ended."""
    try:
        return [{"label": label, "enabled": on} for _, label, on in entries(watcher.menu(bus))]
    except dbus.DBusException as problem:
        if problem.get_dbus_name() != "org.freedesktop.DBus.Error.ServiceUnknown":
            raise
        return []


class Notices(dbus.service.Object):
    """Catches every notice, and can be clicked."""

    count = 0

    @dbus.service.method(NOTICES, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, _replaces, _icon, summary, body, actions, _hints, _timeout):
        self.count += 1
        say({"notice": self.count, "app": str(app), "summary": str(summary), "body": str(body), "actions": [str(a) for a in actions]})
        return dbus.UInt32(self.count)

    @dbus.service.method(NOTICES, out_signature="as")
    def GetCapabilities(self):
        return ["body", "actions"]

    @dbus.service.method(NOTICES, out_signature="ssss")
    def GetServerInformation(self):
        return ("test", "Reprise", "1", "1.2")

    @dbus.service.method(NOTICES, in_signature="u")
    def CloseNotification(self, number):
        self.NotificationClosed(number, 3)

    @dbus.service.signal(NOTICES, signature="us")
    def ActionInvoked(self, number, action):
        pass

    @dbus.service.signal(NOTICES, signature="uu")
    def NotificationClosed(self, number, reason):
        pass


def windows(screen):
    """Windows of the program that are on the screen."""
    found = []
    for window in screen.screen().root.query_tree().children:
        try:
            name = window.get_wm_name() or ""
            if (name == TITLE or name.endswith(f"- {TITLE}")) and window.get_attributes().map_state == X.IsViewable:
                found.append(window)
        except (BadWindow, BadDrawable):
            # It went between the two questions.
            continue
    return found


def close(screen):
    """Asks them to close, as the button in their frame does."""
    asked = windows(screen)
    for window in asked:
        data = (32, [screen.intern_atom("WM_DELETE_WINDOW"), X.CurrentTime, 0, 0, 0])
        message = event.ClientMessage(window=window, client_type=screen.intern_atom("WM_PROTOCOLS"), data=data)
        window.send_event(message)
    screen.flush()
    return len(asked)


def fake(screen, kind, detail):
    xtest.fake_input(screen, kind, detail)
    screen.sync()


def rect(screen):
    """Where the window of the program is, by the outside of what the program drew."""
    window = windows(screen)[0]
    size = window.get_geometry()
    corner = window.translate_coords(screen.screen().root, 0, 0)
    return [-corner.x, -corner.y, size.width, size.height]


def place(screen, to):
    x, y, width, height = to
    windows(screen)[0].configure(x=x, y=y, width=width, height=height)
    screen.sync()


def focus(screen, title):
    """Gives the keyboard to the window with this title."""
    for window in screen.screen().root.query_tree().children:
        if window.get_wm_name() == title and window.get_attributes().map_state == X.IsViewable:
            window.set_input_focus(X.RevertToPointerRoot, X.CurrentTime)
            screen.sync()
            return True
    return False


NAMES = {"ctrl": "Control_L", "alt": "Alt_L", "shift": "Shift_L"}


def press(screen, *codes):
    """Presses keys together and lets them go."""
    for code in codes:
        fake(screen, X.KeyPress, code)
    for code in reversed(codes):
        fake(screen, X.KeyRelease, code)


def key(screen, name):
    """The key that bears a name, such as `ctrl`, `F10` or `equal`."""
    return screen.keysym_to_keycode(XK.string_to_keysym(NAMES.get(name, name)))


def type_text(screen, text):
    """Types plain text at a hand's pace. What a key does not bear by itself, it bears with Shift."""
    for character in text:
        code = screen.keysym_to_keycode(ord(character))
        plain = screen.keycode_to_keysym(code, 0) == ord(character)
        press(screen, *([] if plain else [key(screen, "shift")]), code)
        time.sleep(0.03)


def drag(screen, start, end):
    """Moves in steps, at a hand's pace: a drag begins only after a few pixels, and its target answers on the way."""

    def to(x, y):
        xtest.fake_input(screen, X.MotionNotify, x=int(x), y=int(y))
        screen.sync()
        time.sleep(0.03)

    to(*start)
    fake(screen, X.ButtonPress, 1)
    steps = 24
    for step in range(1, steps + 1):
        to(start[0] + (end[0] - start[0]) * step / steps, start[1] + (end[1] - start[1]) * step / steps)
    for _ in range(5):
        to(*end)
    time.sleep(0.3)
    fake(screen, X.ButtonRelease, 1)


def hold(paths):
    """A window that files can be dragged out of, as a file manager is. Gives the point to begin at."""
    import gi

    gi.require_version("Gdk", "3.0")
    gi.require_version("Gtk", "3.0")
    from gi.repository import Gdk, Gtk

    window = Gtk.Window(type=Gtk.WindowType.POPUP)
    window.set_default_size(60, 40)
    window.move(1200, 840)
    grip = Gtk.EventBox()
    window.add(grip)
    grip.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
    grip.drag_source_add_uri_targets()
    grip.connect("drag-data-get", lambda _w, _c, data, _i, _t: data.set_uris([Path(p).as_uri() for p in paths]))
    window.show_all()
    return window


def main():
    DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    # Names are kept as long as these are referred to.
    names = [dbus.service.BusName(name, bus) for name in (WATCHER, NOTICES)]
    watcher = Watcher(names[0], "/StatusNotifierWatcher")
    notices = Notices(names[1], "/org/freedesktop/Notifications")
    screen = display.Display()
    loop = GLib.MainLoop()

    held = []

    def dragged(what):
        try:
            drag(display.Display(), what["from"], what["to"])
            say({"dragged": True})
        except Exception as problem:  # As below.
            say({"problem": f"{type(problem).__name__}: {problem}"})

    def told(line):
        try:
            what = json.loads(line)
            if what["do"] == "menu":
                say({"menu": shown(watcher, bus)})
            elif what["do"] == "choose":
                menu = watcher.menu(bus)
                number, label, _ = next(e for e in entries(menu) if e[1].startswith(what["label"]))
                menu.Event(dbus.Int32(number), "clicked", dbus.String(""), dbus.UInt32(0))
                say({"chosen": label})
            elif what["do"] == "click":
                notices.ActionInvoked(what["notice"], "default")
                notices.NotificationClosed(what["notice"], 2)
                say({"clicked": what["notice"]})
            elif what["do"] == "close":
                say({"closed": close(screen)})
            elif what["do"] == "windows":
                say({"windows": len(windows(screen))})
            elif what["do"] == "rect":
                say({"rect": rect(screen)})
            elif what["do"] == "place":
                place(screen, what["rect"])
                say({"placed": True})
            elif what["do"] == "focus":
                say({"focused": focus(screen, what["title"])})
            elif what["do"] == "keys":
                press(screen, *(key(screen, name) for name in what["keys"].split("+")))
                say({"pressed": what["keys"]})
            elif what["do"] == "type":
                type_text(screen, what["text"])
                say({"typed": what["text"]})
            elif what["do"] == "drag":
                # The drag's own program, if it is this one, has to go on meanwhile.
                threading.Thread(target=dragged, args=(what,), daemon=True).start()
            elif what["do"] == "hold":
                held.append(hold(what["files"]))
                say({"held": [1220, 855]})
        except Exception as problem:  # What goes wrong is for the test to read.
            say({"problem": f"{type(problem).__name__}: {problem}"})
        return False

    def listen():
        for line in sys.stdin:
            GLib.idle_add(told, line)
        GLib.idle_add(loop.quit)

    threading.Thread(target=listen, daemon=True).start()
    say({"ready": True})
    loop.run()


main()
