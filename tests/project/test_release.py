# SPDX-License-Identifier: Apache-2.0
"""What goes with a release: licenses, the bill of materials, one version everywhere, and hosted
runners that do nothing but call .ci/run."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])


def version():
    text = (SOURCE / "include/hoplite/hoplite.h").read_text(encoding="utf-8")
    return re.search(r'#define HOP_VERSION +"([0-9.]+)"', text).group(1)


def sbom():
    done = subprocess.run([sys.executable, SOURCE / "tools/sbom"], capture_output=True, text=True,
                          check=True, env=dict(os.environ, SOURCE_DATE_EPOCH="1700000000"))
    return done.stdout


def test_every_file_has_a_license():
    pytest.importorskip("reuse")
    done = subprocess.run([sys.executable, "-m", "reuse", "--root", SOURCE, "lint", "--quiet"],
                          check=False)
    assert done.returncode == 0, "python -m reuse lint says why"


def test_bill_of_materials_is_valid(tmp_path):
    pytest.importorskip("spdx_tools")
    from spdx_tools.spdx.parser.parse_anything import parse_file
    from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
    path = tmp_path / "hoplite.spdx.json"
    path.write_text(sbom())
    assert validate_full_spdx_document(parse_file(str(path))) == []


def test_bill_of_materials_is_the_same_each_time_and_names_what_is_linked():
    text = sbom()
    assert text == sbom()
    document = json.loads(text)
    own, *parts = document["packages"]
    assert (own["name"], own["versionInfo"]) == ("hoplite", version())
    linked = {link["relatedSpdxElement"] for link in document["relationships"]
              if link["relationshipType"] == "DYNAMIC_LINK"}
    library = subprocess.run(["objdump", "-p", os.environ["HOPLITE_SHARED"]], capture_output=True,
                             text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED +lib(\w+)\.so", library)) - {"c", "m", "dl", "pthread"}
    if not os.environ.get("HOPLITE_SANITIZE"):
        assert needed == {"z"} and linked == {"SPDXRef-zlib"}
    assert "xxHash" in {part["name"] for part in parts}


def test_one_version():
    citation = (SOURCE / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (\S+)$", citation, re.M).group(1) == version()
    changelog = (SOURCE / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## .*" + re.escape(version()), changelog, re.M)


@pytest.mark.parametrize("path, pattern", [
    ("spack/package.py", r'version\("([0-9.]+)"'), ("conda-forge/recipe.yaml", r'version: "(.+)"'),
    ("nix/package.nix", r'version = "(.+)"'), ("vcpkg/vcpkg.json", r'"version": "(.+)"'),
    ("conan/conanfile.py", r'version = "(.+)"'), ("guix/hoplite.scm", r'\(version "(.+)"\)'),
    ("debian/changelog", r"^hoplite \(([0-9.]+)-")])
def test_recipes_have_the_version(path, pattern):
    text = (SOURCE / "packaging" / path).read_text(encoding="utf-8")
    assert re.search(pattern, text, re.M).group(1) == version()


@pytest.mark.parametrize("path", [
    "spack/package.py", "conda-forge/recipe.yaml", "nix/package.nix", "vcpkg/portfile.cmake",
    "conan/conanfile.py", "guix/hoplite.scm", "homebrew/hoplite.rb", "container/Containerfile",
    "container/hoplite.def", "debian/rules"])
def test_recipes_do_not_leave_it_to_the_machine_whether_there_is_mpi(path):
    """Left alone, CMake builds the library for clusters where the machine has MPI."""
    text = (SOURCE / "packaging" / path).read_text(encoding="utf-8")
    assert "HOPLITE_MPI" in text


@pytest.mark.parametrize("path", [".github/workflows/ci.yml", ".gitlab-ci.yml"])
def test_hosted_runners_call_our_script_alone(path):
    text = (SOURCE / path).read_text(encoding="utf-8")
    assert len(re.findall(r"^ *- (?:run: )?\.ci/run$", text, re.M)) == 1
    assert not re.search(r"\b(cmake|ctest|ninja|pytest|pip)\b", text)
