"""What pip asks for (PEP 517): builds the package with CMake and packs it as a wheel.

The build folder is that of `make python`, so that what is built already isn't built again.
`--config-settings build=FOLDER` names another; with `--config-settings built=FOLDER` what is in it
is packed as it is.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = _build(config_settings) / "python" / "bough"
    # Models and the tagger are links there.
    files = {f"bough/{path.relative_to(package)}": path.read_bytes()
             for path in _files_below(package) if "__pycache__" not in path.parts}
    return _pack(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _pack(wheel_directory, {"bough.pth": f"{_build(config_settings) / 'python'}\n".encode()})


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory) / _info_folder()
    folder.mkdir()
    for name, text in _info().items():
        (folder / name).write_bytes(text)
    return folder.name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_sdist(sdist_directory, config_settings=None):
    name = f"bough-{_version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    path = Path(sdist_directory) / f"{name}.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for file in filter(None, listed.stdout.decode().split("\0")):
            archive.add(ROOT / file, f"{name}/{file}")
        info = tarfile.TarInfo(f"{name}/PKG-INFO")
        text = _info()["METADATA"]
        info.size = len(text)
        archive.addfile(info, io.BytesIO(text))
    return path.name


def _build(settings: dict[str, str] | None) -> Path:
    """Builds for the Python that runs this (an environment may go away again); gives the folder."""
    settings = settings or {}
    if "built" in settings:
        return Path(settings["built"]).resolve()
    folder = Path(settings.get("build", ROOT / "build")).resolve()
    for command in (
        ["--preset", "release", "-B", folder, "-DBOUGH_PYTHON_PACKAGE=ON",
         f"-DBOUGH_PYTHON={os.path.realpath(sys.executable)}"],
        ["--build", folder, "--target", "bough_python", "-j", str(os.cpu_count())],
    ):
        subprocess.run(["cmake", *command], cwd=ROOT, check=True)
    return folder


def _files_below(folder: Path) -> list[Path]:
    return sorted(Path(place) / name
                  for place, _, names in os.walk(folder, followlinks=True) for name in names)


def _version() -> str:
    return re.search(r"^project\(bough VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(),
                     re.MULTILINE)[1]


def _info_folder() -> str:
    return f"bough-{_version()}.dist-info"


def _tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _info() -> dict[str, bytes]:
    """The files of .dist-info, but for the list of all files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {_version()}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {name}" for name in project["dependencies"]]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / project["readme"]).read_text()]
    wheel = ["Wheel-Version: 1.0", "Generator: bough", "Root-Is-Purelib: false",
             f"Tag: {_tag()}", ""]
    return {"METADATA": "\n".join(lines).encode(), "WHEEL": "\n".join(wheel).encode()}


def _pack(folder, files: dict[str, bytes]) -> str:
    """Writes a wheel: a zip archive, with a list of its files and their checksums."""
    files |= {f"{_info_folder()}/{name}": text for name, text in _info().items()}
    record = f"{_info_folder()}/RECORD"
    rows = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}\n")
    files[record] = ("".join(rows) + f"{record},,\n").encode()
    path = Path(folder) / f"bough-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path.name
