# SPDX-License-Identifier: Apache-2.0
"""The documents on Python say what is true: docs/python.md is followed word for word, the programs
of the README and the tutorial print what is written there, the reference is what the package has,
and the package is typed."""

import ast
import ctypes
import doctest
import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest

import hoplite

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "tools"))

import follow_page  # noqa: E402

PACKAGE = SOURCE / "python" / "hoplite"
MODULES = sorted(PACKAGE.glob("*.py"))


def follow(page, least_blocks, least_lines):
    text = (SOURCE / "docs" / page).read_text()
    blocks = re.findall(r"^```pycon\n(.*?)^```$", text, re.S | re.M)
    assert len(blocks) >= least_blocks
    case = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said = []
    runner.run(case, out=said.append)
    assert runner.failures == 0 and runner.tries >= least_lines, "".join(said)


def test_introduction():
    pytest.importorskip("pyarrow")
    follow("python.md", 9, 40)


@pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs")
def test_coming_from():
    for library in ("networkx", "igraph", "scipy", "pyarrow"):
        pytest.importorskip(library)
    follow("coming-from.md", 5, 25)


def test_drop_in():
    pytest.importorskip("scipy")
    from hoplite import csgraph
    csgraph.calls.clear()
    follow("csgraph.md", 2, 4)


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md"])
def test_program(page, tmp_path):
    more = ""
    if page == "README.md":
        pytest.importorskip("networkx")
        more = "assert hasattr(graph, '__networkx_cache__') and graph.__networkx_cache__\n"
    follow_page.follow_python((SOURCE / page).read_text(), tmp_path, more)


def test_reference_is_of_this_package():
    script = SOURCE / "tools" / "python_reference"
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert made.stdout == (SOURCE / "docs" / "python-api.md").read_text(), \
        "run: PYTHONPATH=<build>/python tools/python_reference > docs/python-api.md"
    for name in set(hoplite.__all__) - {"errors", "generate"}:  # modules: their contents are there
        assert f"`{name}" in made.stdout or f"hoplite.{name}" in made.stdout, name


def test_everything_public_is_explained():
    for name in hoplite.__all__:
        thing = getattr(hoplite, name)
        if not inspect.isfunction(thing) and not inspect.isclass(thing):
            continue
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert inspect.getdoc(value), f"{name}.{member}"


def test_types(tmp_path):
    """mypy --strict, of the package and of a user of it."""
    pytest.importorskip("mypy")
    folder = pathlib.Path(hoplite.__file__).parent
    user = tmp_path / "user.py"
    user.write_text("import hoplite\n"
                    "reveal_type(hoplite.bfs(hoplite.generate.grid(2, 2), 0).levels)\n"
                    "hoplite.bfs(3, 0)\nhoplite.generate.grid(2, 2, nonsense=1)\n")
    names = ["hoplite"] + [f"hoplite.{path.stem}" for path in folder.glob("[_a-z]*.py")
                           if path.stem != "__init__"] + ["user"]
    assert "hoplite._binding" in names and "hoplite._graph" in names
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null",
                           *(word for name in names for word in ("-m", name))],
                          capture_output=True, text=True,
                          env=dict(os.environ, MYPYPATH=f"{folder.parent}:{tmp_path}"))
    said = done.stdout
    assert "ndarray" in said and ("uint32" in said or "_32Bit" in said), said
    assert '"bfs" has incompatible type "int"' in said and "nonsense" in said, said
    assert "Found 2 errors in 1 file" in said, said  # those two, and none of the package


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_older_pythons_can_read_it(module):
    ast.parse(module.read_text(), feature_version=(3, 9))


def test_every_function_of_the_library_is_bound():
    from hoplite import _binding, _loading

    headers = "".join(path.read_text() for path in sorted((SOURCE / "include/hoplite").glob("*.h"))
                      if path.name != "cluster.h")  # another library, for programs of MPI
    headers = re.sub(r"/\*.*?\*/", "", headers, flags=re.S)
    declared = set(re.findall(r"\bHOP_API\b[^;(]*?\b(hop_\w+)\(", headers))
    assert declared == set(_binding.FUNCTIONS)
    structs = set(re.findall(r"typedef struct (hop_\w+) \{", headers))
    assert structs == {struct.__name__ for struct in _binding.STRUCTS} and len(structs) > 30
    for struct in _binding.STRUCTS:  # ctypes lays them out as the compiler did
        assert ctypes.sizeof(struct) == _loading.lib.hop_struct_size(struct.__name__.encode())
    begun = re.findall(r"#define HOP_\w+_INIT [^#]*?sizeof\((\w+)\)", headers)
    assert {f"{struct}_init" for struct in begun} <= declared and len(begun) > 15
    assert _loading.lib.hop_struct_size(b"hop_nonsense") == 0
    assert _loading.lib.hop_struct_size(None) == 0


def test_the_library_may_be_named():
    named = os.environ["HOPLITE_SHARED"]
    program = "import hoplite\nprint(hoplite._loading.lib._name)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env=dict(os.environ, HOPLITE_LIBRARY=named))
    assert done.stdout.strip() == named, done.stderr


def test_another_library_is_refused(tmp_path, monkeypatch):
    from hoplite import _binding, _loading

    with pytest.raises(ImportError, match="HOPLITE_LIBRARY"):
        _loading.load(str(tmp_path / "none.so"))
    with pytest.raises(ImportError, match="has no hop_"):
        _loading.load("libm.so.6")
    monkeypatch.setattr(_binding, "HOP_VERSION", "0.999.0")
    with pytest.raises(ImportError, match="was made for 0.999.0"):
        _loading.load(_loading.library_path())
    assert _loading.interface_of("0.7.3") == "0.7" and _loading.interface_of("12.7.3") == "12"


def test_a_struct_may_be_longer_than_the_library_has_it(monkeypatch):
    """As in a package of a later patch version, where an option has been added at the end. (Of an
    earlier one they are shorter: core/test_options.)"""
    from hoplite import _binding

    longer = type("hop_bfs_options", (_binding.hop_bfs_options,),
                  {"_fields_": [("more", ctypes.c_uint64)]})
    monkeypatch.setattr(_binding, "hop_bfs_options", longer)
    line = hoplite.Graph.from_edges([(0, 1), (1, 2)])
    found = hoplite.bfs(line, 0)
    assert found.levels.tolist() == [0, 1, 2]
    assert found._given.size == ctypes.sizeof(longer) and found._given.max_level == 2**32 - 1


def test_families_are_those_of_the_library():
    families = {family.name.replace("-", "_"): family for family in hoplite.families()}
    assert families.pop("list").is_list
    for name, family in families.items():
        own = inspect.signature(getattr(hoplite.generate, name)).parameters
        own = {key: value for key, value in own.items() if value.kind is not value.KEYWORD_ONLY}
        assert list(own) == [one.name.replace("-", "_") for one in family.parameters]
        for parameter in family.parameters:
            default = own[parameter.name.replace("-", "_")].default
            assert (default is inspect.Parameter.empty) == parameter.required
            if not parameter.required:
                assert default == parameter.default and type(default) is type(parameter.default)
