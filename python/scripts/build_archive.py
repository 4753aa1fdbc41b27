"""Build the release archive of the schemas, the specification and the corpus, with checksums.

    python python/scripts/build_archive.py [FOLDER]

Writes convspec-corpus-<version>.tar.gz and its .sha256 into FOLDER (default: dist). The archive needs no
Python; SHA256SUMS inside it lists every file. The same sources give the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from convspec import __version__

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("schema", "conformance", "docs/spec")
FILES = ("LICENSE", "README.md", "DECISIONS.md")
LEFT_OUT = {"node_modules", "__pycache__"}
SUMS = "SHA256SUMS"


def build(root: Path, folder: Path) -> Path:
    """Write the archive of the checkout at `root`, and its checksum, into `folder`; return its path."""
    top = f"convspec-corpus-{__version__}"
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in _sources(root)}
    files[SUMS] = "".join(f"{_digest(data)}  {name}\n" for name, data in sorted(files.items())).encode()
    folder.mkdir(parents=True, exist_ok=True)
    archive = folder / f"{top}.tar.gz"
    data = _packed(top, files)
    archive.write_bytes(data)
    Path(f"{archive}.sha256").write_text(f"{_digest(data)}  {archive.name}\n", encoding="ascii")
    return archive


def _sources(root: Path) -> Iterator[Path]:
    for name in FILES:
        yield root / name
    for folder in FOLDERS:
        for place, folders, names in os.walk(root / folder):
            folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
            yield from (Path(place, name) for name in sorted(names))


def _packed(top: str, files: dict[str, bytes]) -> bytes:
    """Pack without times, owners and modes of this machine."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mode = len(data), 0o644
            tar.addfile(entry, io.BytesIO(data))
    return gzip.compress(plain.getvalue(), mtime=0)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    path = build(ROOT, Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist")
    print(f"{path}\n{path}.sha256")
