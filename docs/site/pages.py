#!/usr/bin/env python3
"""Collects the pages of the site: docs/site/pages.py DIRECTORY. Writes there, for mdBook, the pages at their places in the repository with
SUMMARY.md, its table of contents, and copies of the files that they link; and llms.txt and llms-full.txt, by llmstxt.org.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

NAVIGATION = Path("docs/site/navigation")
# These sections explain the code: a reader in a hurry may leave them out.
OPTIONAL = ("Contribute",)
PICTURE = ".png"
LINK = re.compile(r"""(?:(?<=\]\()|(?<=src=")|(?<=srcset="))(?![a-z]+:|#)([^)"\s#]+)""")


class Mistake(Exception):
    """Something in the navigation or in a page, with the remedy."""


@dataclass
class Page:
    path: str
    section: str
    depth: int
    title: str
    text: str
    below: list["Page"] = field(default_factory=list)

    def first_sentence(self) -> str:
        """The first sentence of the first paragraph, without markup."""
        for block in prose(self.text).split("\n\n"):
            if re.match(r"[A-Z`*\[\"]", block) and not re.match(r"\*\*[^*]*\*\*$", block):
                words = re.sub(r"^\*\*\w+\.\*\* ", "", " ".join(block.split()))
                words = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", words)
                words = re.sub(r"\*+([^*]+)\*+|<(https?:[^>]*)>", lambda found: found[1] or found[2], words)
                return re.match(r".*?[.!?](?= [A-Z`\"]|$)|.*", words)[0].rstrip(":")
        return ""


def prose(text: str) -> str:
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def files(*patterns: str) -> list[str]:
    """The files of the repository, also those that no commit has yet."""
    listed = subprocess.check_output(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns], text=True)
    return sorted({path for path in listed.splitlines() if Path(path).exists()})


def own_title(path: str, text: str) -> str:
    found = re.search(r"^# (.+)$", text, flags=re.M)
    if found is None:
        raise Mistake(f"{path} has no title. Begin it with a line \"# Title\".")
    return found[1].replace("`", "")


def navigation() -> list[Page]:
    pages: list[Page] = []
    section = ""
    for line in NAVIGATION.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            section = line.strip("[]")
            continue
        path, _, title = line.strip().partition(" ")
        depth = 1 if line.startswith(" ") else 0
        if path.endswith("/"):
            page = Page(path + "README.md", section, depth, title, "")
        elif Path(path).is_file():
            text = Path(path).read_text()
            page = Page(path, section, depth, title or own_title(path, text), text)
        else:
            raise Mistake(f"{NAVIGATION} names {path}, which is not there. Remove the line.")
        if depth > 0:
            next(page for page in reversed(pages) if page.depth == 0).below.append(page)
        pages.append(page)

    named = [page.path for page in pages]
    for path in named:
        if named.count(path) > 1:
            raise Mistake(f"{NAVIGATION} names {path} twice. Remove one of the lines.")
    for path in files("*.md", ":!tests"):
        if path not in named:
            raise Mistake(f"{NAVIGATION} does not name {path}. Add a line where a reader looks for the page.")
    for page in pages:
        if page.text == "":
            page.text = list_of(page)
    return pages


def list_of(folder: Page) -> str:
    """A page for a folder that has no README of its own."""
    lines = [f"- [{page.title}]({relative(page.path, folder.path)}): {page.first_sentence()}" for page in folder.below]
    return f"# {folder.title}\n\n" + "\n".join(lines) + "\n"


def relative(path: str, page: str) -> str:
    return os.path.relpath(path, os.path.dirname(page) or ".")


def with_links_of_the_site(page: Page, linked: set[str]) -> str:
    """A page's text with its links to folders, which lead to their pages, and to files, which a browser shows as text unless they are pictures."""

    def link(found: re.Match) -> str:
        target = os.path.normpath(os.path.join(os.path.dirname(page.path), found[1]))
        if os.path.isdir(target):
            return relative(f"{target}/README.md", page.path)
        if os.path.isfile(target) and not target.endswith(".md"):
            linked.add(target)
            return found[1] if target.endswith(PICTURE) else found[1] + ".txt"
        return found[1]

    parts = re.split(r"(^```.*?^```$)", page.text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def sections(pages: list[Page]) -> dict[str, list[Page]]:
    found: dict[str, list[Page]] = {}
    for page in pages:
        found.setdefault(page.section, []).append(page)
    return found


def summary(pages: list[Page]) -> str:
    lines = ["# Summary"]
    for section, listed in sections(pages).items():
        lines.append(f"\n# {section}\n")
        lines += [f"{'    ' * page.depth}- [{page.title}]({page.path})" for page in listed]
    return "\n".join(lines) + "\n"


def head_of_llms(pages: list[Page]) -> str:
    intro = prose(pages[0].text).split("\n\n")[1].replace("**", "")
    return f"# {pages[0].title}\n\n> {' '.join(intro.split())}\n"


def llms(pages: list[Page]) -> str:
    lines = [head_of_llms(pages), "All pages but the optional ones in one file: [llms-full.txt](llms-full.txt)\n"]
    for section, listed in sections(pages).items():
        lines.append(f"## {'Optional' if section in OPTIONAL else section}\n")
        lines += [f"- [{page.title}]({page.path}): {page.first_sentence()}".removesuffix(": ") for page in listed]
        lines.append("")
    return "\n".join(lines)


def llms_full(pages: list[Page]) -> str:
    chosen = [page for page in pages if page.section not in OPTIONAL]
    return head_of_llms(pages) + "".join(f"\n---\n\nThe page {page.path}:\n\n{page.text.strip()}\n" for page in chosen)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main() -> None:
    into = Path(sys.argv[1])
    pages = navigation()
    linked: set[str] = set()
    for page in pages:
        page.text = with_links_of_the_site(page, linked)
        write(into / page.path, page.text)
    for path in sorted(linked):
        if path.endswith(PICTURE):
            (into / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, into / path)
        else:
            write(into / f"{path}.txt", Path(path).read_text())
    write(into / "SUMMARY.md", summary(pages))
    write(into / "llms.txt", llms(pages))
    write(into / "llms-full.txt", llms_full(pages))


try:
    main()
except Mistake as mistake:
    sys.exit(f"docs/site: {mistake}")
