"""What the README says."""

from __future__ import annotations

import contextlib
import io
import re
import unittest
from pathlib import Path

from server import Server

PACKAGE = Path(__file__).resolve().parent.parent


class Readme(unittest.TestCase):
    def test_the_examples_run_as_they_are_printed(self) -> None:
        server = Server()
        self.addCleanup(server.stop)
        page = (PACKAGE / "README.md").read_text(encoding="utf-8")
        programs = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        outputs = re.findall(r"^```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
        self.assertEqual((len(programs), len(outputs)), (3, 3))
        names: dict[str, object] = {}
        for program, output in zip(programs, outputs):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(program.replace("http://127.0.0.1:8080", server.url), names)
            self.assertEqual(printed.getvalue().strip(), output.strip())

    def test_the_source_has_at_most_400_lines(self) -> None:
        files = [path for path in (PACKAGE / "src" / "turnkeeper").glob("*.py") if path.name != "api.py"]
        self.assertLessEqual(sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files), 400)


if __name__ == "__main__":
    unittest.main()
