"""A real server that can be killed and started again, and a proxy before it that can cut connections."""

from __future__ import annotations

import os
import random
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path


class Server:
    """The program that $TURNKEEPER names, with a store of its own."""

    def __init__(self, **settings: str) -> None:
        self._settings = settings
        self._directory = Path(tempfile.mkdtemp(prefix="turnkeeper-"))
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0
        self.run()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def run(self) -> None:
        arguments = [os.environ["TURNKEEPER"], "--listen", f"127.0.0.1:{self.port}", "--data", str(self._directory / "store")]
        path = self._directory / "log"
        with path.open("w") as log:
            self._process = subprocess.Popen(arguments, env={**os.environ, **self._settings}, stdout=log, stderr=log)
        while self._process.poll() is None:
            if found := re.search(r" serves on .*:(\d+)\n", path.read_text()):
                self.port = int(found[1])
                return
            time.sleep(0.02)
        raise RuntimeError("the server does not start: " + path.read_text())

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()

    def restart(self) -> None:
        self.kill()
        self.run()

    def save(self) -> None:
        """Keeps a copy of the store as it is now."""
        self.kill()
        # The socket for backups is no file, and the next start makes it again.
        shutil.copytree(self._directory / "store", self._directory / "saved", ignore=shutil.ignore_patterns("*.sock"))
        self.run()

    def restore(self) -> None:
        """Goes back to the copy."""
        self.kill()
        shutil.rmtree(self._directory / "store")
        shutil.copytree(self._directory / "saved", self._directory / "store")
        self.run()

    def stop(self) -> None:
        self.kill()
        shutil.rmtree(self._directory, ignore_errors=True)


class Proxy:
    """Passes connections on to a server."""

    def __init__(self, port: Callable[[], int]) -> None:
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.lost: Callable[[bytes], bool] = lambda data: False
        """Says of each part of an answer whether it is cut off instead."""
        self.changed: Callable[[bytes], bytes] = lambda data: data
        """What arrives of each part of an answer."""
        self.sent: list[bytes] = []
        """What clients sent."""
        self.cuts = 0
        self.replayed = 0
        """How many answers the server had given before."""
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def cut(self, chance: float = 1) -> None:
        """Resets connections: all, or each with a chance."""
        with self._lock:
            chosen = [client for client in self._open if random.random() < chance]
        for client in chosen:
            self.cuts += 1
            end(client)

    def stop(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            upstream = socket.create_connection(("127.0.0.1", self._port()))
        except OSError:
            client.close()
            return
        with self._lock:
            self._open.add(client)
        threading.Thread(target=self._ask, args=(client, upstream), daemon=True).start()
        try:
            while data := upstream.recv(65536):
                self.replayed += data.count(b"\r\nidempotency-replayed:")
                if self.lost(data):
                    self.cuts += 1
                    client.sendall(data[: int(random.random() * len(data))])
                    break
                client.sendall(self.changed(data))
        except OSError:
            pass
        with self._lock:
            self._open.discard(client)
        end(client)
        end(upstream)
        client.close()
        upstream.close()

    def _ask(self, client: socket.socket, upstream: socket.socket) -> None:
        try:
            while data := client.recv(65536):
                self.sent.append(data)
                upstream.sendall(data)
        except OSError:
            pass
        end(upstream)


def end(connection: socket.socket) -> None:
    """Ends a connection in both directions, also for a thread that waits in it."""
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def keys(sent: list[bytes]) -> list[str]:
    """The idempotency keys in what clients sent."""
    return [key.decode() for data in sent for key in re.findall(rb"(?i)idempotency-key: (\S+)", data)]


