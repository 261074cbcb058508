"""The window's side of a launch that hands its file over; see `ui/instance_handover.py`."""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal

from jaxscope.ui import instance_handover
from jaxscope.ui.instance_handover import (
    GO,
    LOOPBACK,
    MAX_BYTES,
    NO,
    YES,
    Offer,
    connect,
    read_offer,
)

_MAX_VISITORS = 8
_VISIT_MS = 2_000
"""A launch that says no more for so long has given up, or is none."""
_PROBE_S = 0.1
_CHUNK = 1 << 16


class InstanceServer(QObject):
    """Listens for launches.

    Signals:
        taken: An `Offer` that was accepted, and that the launch has left to this window.
    """

    taken = Signal(object)

    def __init__(self, place: str, accepts: Callable[[Offer], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._place, self._accepts = place, accepts
        self._visitors: set[_Visitor] = set()
        self._secret = b""
        if instance_handover.SOCKET_FILES is None:
            self._secret = secrets.token_hex().encode()
        self._socket = _listen(place, self._secret)
        self._inode = 0
        if self._socket is not None:
            self._inode = os.stat(place).st_ino
            notifier = QSocketNotifier(self._socket.fileno(), QSocketNotifier.Type.Read, self)
            notifier.activated.connect(self._on_notifier_activated)
            self._notifier = notifier

    @property
    def is_open(self) -> bool:
        """Whether it listens: not where another window of this person does already."""
        return self._socket is not None

    def close(self) -> None:
        """Stop listening."""
        if self._socket is None:
            return
        self._notifier.setEnabled(False)
        for visitor in tuple(self._visitors):
            visitor.end()
        self._socket.close()
        self._socket = None
        with contextlib.suppress(OSError):
            if os.stat(self._place).st_ino == self._inode:  # not that of a later window
                os.unlink(self._place)

    def _on_notifier_activated(self) -> None:
        assert self._socket is not None
        try:
            visitor, _ = self._socket.accept()
        except OSError:
            return
        if len(self._visitors) >= _MAX_VISITORS:
            visitor.close()
            return
        self._visitors.add(_Visitor(visitor, self, self._secret))

    def answer(self, offer: Offer | None) -> bool:
        """Whether an offer is accepted."""
        return offer is not None and self._accepts(offer)

    def forget(self, visitor: _Visitor) -> None:
        """Forget a launch that has disconnected."""
        self._visitors.discard(visitor)


class _Visitor(QObject):
    """A launch, or whatever else has connected; it says the secret first, where there is one."""

    def __init__(self, connection: socket.socket, server: InstanceServer, secret: bytes) -> None:
        super().__init__(server)
        self._connection, self._server, self._secret = connection, server, secret
        self._received = b""
        self._offer: Offer | None = None
        connection.setblocking(False)
        self._notifier = QSocketNotifier(connection.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_notifier_activated)
        QTimer.singleShot(_VISIT_MS, self, self.end)

    def end(self) -> None:
        """Close the connection of a launch."""
        self._notifier.setEnabled(False)
        self._connection.close()
        self._server.forget(self)
        self.deleteLater()

    def _on_notifier_activated(self) -> None:
        try:
            data = self._connection.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._received += data
        if not data or len(self._received) > MAX_BYTES:
            self.end()
            return
        while b"\n" in self._received:
            line, _, self._received = self._received.partition(b"\n")
            if self._secret:
                if not hmac.compare_digest(line, self._secret):
                    self.end()
                    return
                self._secret = b""
            else:
                self._take_line(line)
                return

    def _take_line(self, line: bytes) -> None:
        if self._offer is None:
            self._take_offer(line)
            return
        is_left_to_us = line + b"\n" == GO
        self.end()
        if is_left_to_us:
            self._server.taken.emit(self._offer)

    def _take_offer(self, line: bytes) -> None:
        offer = read_offer(line)
        is_accepted = self._server.answer(offer)
        try:
            self._connection.send(YES if is_accepted else NO)
        except OSError:
            is_accepted = False
        if is_accepted:
            self._offer = offer
        else:
            self.end()


def _listen(place: str, secret: bytes) -> socket.socket | None:
    """A socket that listens at a place; None if one does already, or none can.

    With a secret it listens on the loopback, and the file at the place tells both.
    """
    try:
        nobody = (ConnectionRefusedError, FileNotFoundError, ValueError, OverflowError)
        with contextlib.suppress(*nobody):
            connect(place, _PROBE_S).close()
            return None
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place)  # of a window that was killed
        listening = socket.socket(instance_handover.SOCKET_FILES or socket.AF_INET)
        try:
            listening.bind((LOOPBACK, 0) if secret else place)
            if secret:
                words = (os.getpid(), listening.getsockname()[1], secret.decode())
                with open(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
                    file.write(" ".join(map(str, words)))
            listening.listen(_MAX_VISITORS)
            listening.setblocking(False)
        except OSError:
            listening.close()
            raise
    except OSError:  # the path is too long, the folder is gone
        return None
    return listening
