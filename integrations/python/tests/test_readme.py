"""What the README says."""

from __future__ import annotations

import contextlib
import io
import re
import socket
import threading
import unittest
from pathlib import Path
from typing import Any

from server import Server, end
from turnkeeper import Turnkeeper

PACKAGE = Path(__file__).resolve().parent.parent


def programs() -> list[tuple[str, str]]:
    """The programs of the page, each with its output."""
    page = (PACKAGE / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$(?:\n\n(?:It prints:\n\n)?```text\n(.*?)^```$)?", page, re.DOTALL | re.MULTILINE)


class Readme(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.stop)

    def test_the_programs_print_what_the_page_says(self) -> None:
        page = (PACKAGE / "README.md").read_text(encoding="utf-8")
        self.assertEqual((len(programs()), len([output for _, output in programs() if output])), (7, 6))
        self.assertEqual((page.count("```python\n"), page.count("```text\n")), (7, 6))
        names: dict[str, object] = {}
        for program, output in programs():
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(program.replace("http://127.0.0.1:8080", self.server.url), names)
            self.assertEqual(printed.getvalue().strip(), output.strip())

    def test_the_proxy_of_the_page(self) -> None:
        proxy = HttpProxy(self.server.port)
        self.addCleanup(proxy.listener.close)
        (program,) = [program for program, _ in programs() if "through_proxy" in program]
        program = program.replace("HTTPSConnection", "HTTPConnection").replace("https://", "http://")
        program = program.replace('"proxy.example", 3128', f'"127.0.0.1", {proxy.listener.getsockname()[1]}')
        names: dict[str, Any] = {"Turnkeeper": Turnkeeper}
        exec(program, names)
        self.assertEqual(names["server"].create({"ruleset": "exp"})["encounter"]["ruleset"], "exp")
        self.assertEqual(proxy.asked, [b"turnkeeper.example:443"])

    def test_the_source_has_at_most_550_lines(self) -> None:
        files = [path for path in (PACKAGE / "src" / "turnkeeper").glob("*.py") if path.name != "api.py"]
        self.assertLessEqual(sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files), 550)


class HttpProxy:
    """Connects to one server, whatever it is asked for."""

    def __init__(self, port: int) -> None:
        self.asked: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, args=(port,), daemon=True).start()

    def _serve(self, port: int) -> None:
        client, _ = self.listener.accept()
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += client.recv(1)
        self.asked.append(head.split()[1])
        client.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            threading.Thread(target=pass_on, args=(client, server), daemon=True).start()
            pass_on(server, client)


def pass_on(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    end(target)


if __name__ == "__main__":
    unittest.main()
