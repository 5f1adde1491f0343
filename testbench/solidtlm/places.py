# SPDX-License-Identifier: Apache-2.0
"""Where the package finds its non-Python files: inside itself if it was installed, otherwise in the source tree."""
import os
import shutil
from pathlib import Path

from .errors import SolidtlmError

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]  # root of the source tree


def program(name: str) -> Path:
    """An executable: of the folder that SOLIDTLM_BIN names, else the package's own, the source tree's, the PATH's.

    >>> program("tb_replay").name
    'tb_replay'
    """
    if "SOLIDTLM_BIN" in os.environ:
        folders = [Path(os.environ["SOLIDTLM_BIN"])]
    else:
        folders = [_HERE / "bin", _ROOT / "build" / "release" / "bin"]
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    found = shutil.which(name) if "SOLIDTLM_BIN" not in os.environ else None
    if found is None:
        raise SolidtlmError(f"found no executable {name} in {', '.join(map(str, folders))}; SOLIDTLM_BIN names the "
                            "folder where it is")
    return Path(found).resolve()


def studies() -> list[str]:
    """Names of the studies: tb_NAME is an executable.

    >>> "striping" in studies()
    True
    """
    others = {"ahci", "disk", "guest", "nvme", "replay", "torture"}
    names = {each.name.removeprefix("tb_") for each in program("tb_replay").parent.glob("tb_*") if "." not in each.name}
    return sorted(names - others)


def traces() -> dict[str, Path]:
    """The sample traces that come with the project, by name.

    >>> traces()["sample"].name
    'sample.nbd.xz'
    """
    inside = _HERE / "share" / "solidtlm" / "traces"
    folder = inside if inside.is_dir() else _ROOT / "traces"
    return {each.name.split(".")[0]: each for each in sorted(folder.glob("*.xz"))}


def page_style() -> str:
    """The style sheet of report.html, for other pages."""
    inside = _HERE / "report"
    folder = inside if inside.is_dir() else _ROOT / "testbench" / "show" / "report"
    return (folder / "page.css").read_text()
