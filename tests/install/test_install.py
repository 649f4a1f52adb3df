# SPDX-License-Identifier: Apache-2.0
"""What a user of the library gets: installs the build into a folder, moves that folder, and builds
programs against it by find_package and by pkg-config, from C and from C++, shared and static."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["HOPLITE_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["HOPLITE_BUILD_DIR"])
CC = os.environ["HOPLITE_CC"]
CXX = {"gcc": "g++", "cc": "c++", "clang": "clang++"}.get(pathlib.Path(CC).name)

pytestmark = pytest.mark.skipif(
    bool(os.environ.get("HOPLITE_SANITIZE")),
    reason="a library with a sanitizer needs consumers with the same one")

# Those of the library; cluster.h is of libhoplite_mpi, which is there where MPI was found.
HEADERS = sorted(path.name for path in (SOURCE / "include" / "hoplite").glob("*.h")
                 if path.name != "cluster.h")
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror"]


def run(*command, **options):
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """The installed tree, moved after it was installed: no path in it may be absolute."""
    folder = tmp_path_factory.mktemp("install")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    (folder / "first").rename(folder / "moved")
    return folder / "moved"


@pytest.fixture(scope="session")
def libdir(prefix):
    return next(prefix.glob("**/libhoplite.so")).parent


def pkg_config(libdir, *arguments):
    environment = dict(os.environ, PKG_CONFIG_PATH=str(libdir / "pkgconfig"))
    return run("pkg-config", *arguments, "hoplite", env=environment).split()


def build_project(source, prefix, folder, static):
    run("cmake", "-G", "Ninja", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DLINK_STATIC={'ON' if static else 'OFF'}", "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_C_COMPILER={CC}", f"-DCMAKE_CXX_COMPILER={CXX}")
    run("cmake", "--build", folder)


def needed(program):
    """The libraries that a program or library is linked with, as written in it."""
    text = run("objdump", "-p", program)
    return re.findall(r"NEEDED +(\S+)", text)


@pytest.mark.parametrize("static", [False, True], ids=["shared", "static"])
def test_example_by_find_package(prefix, tmp_path, static):
    build_project(SOURCE / "examples", prefix, tmp_path / "build", static)
    program = tmp_path / "build" / "first_graph"
    assert ("libhoplite.so.0.1" in needed(program)) is not static
    output = run(program, tmp_path / "graph.npz")
    assert output.startswith("vertices 4096, edges "), output
    assert "weights int32, from 1 to 9" in output


def test_examples_solve_something(prefix, tmp_path):
    """A small town: two roads to 30, of which the one over 20 is shorter; 7 and 8 are apart."""
    build_project(SOURCE / "examples", prefix, tmp_path / "build", False)
    town = tmp_path / "town.txt"
    town.write_text("10 20 2.5\n20 30 1\n10 30 4\n30 40 1\n7 8 1\n")
    route = run(tmp_path / "build" / "sssp", town, "10", "40")
    assert route == "10\t0\n20\t2.5\n30\t3.5\n40\t4.5\n"
    assert "7 cannot be reached from 10" in run(tmp_path / "build" / "sssp", town, "10", "7")
    levels = run(tmp_path / "build" / "bfs", town, "10")
    assert levels == "0 steps: 1 vertices\n1 steps: 2 vertices\n2 steps: 1 vertices\n" \
                     "not reached: 2\n"
    said = run(tmp_path / "build" / "components", town, tmp_path / "largest.txt")
    assert said == "2 components, 0 of them single vertices, the largest has 4 of 6 vertices\n"
    assert re.findall(r"^(\d+)\s+(\d+)", (tmp_path / "largest.txt").read_text(), re.M) == [
        ("10", "20"), ("10", "30"), ("20", "30"), ("30", "40")]
    (tmp_path / "debts.txt").write_text("# directed\n1 2 3\n2 3 -5\n3 2 1\n")
    for program, arguments, message in (
            ("bfs", (town, "99"), "there is no vertex 99"),
            ("bfs", (town, "x"), "usage"),
            ("sssp", (town, "10", "99"), "there is no vertex 99"),
            ("sssp", (tmp_path / "debts.txt", "1", "3"), "negative sum: 2 3"),
            ("components", (tmp_path / "none.txt", "out.npz"), "none.txt")):
        done = subprocess.run([tmp_path / "build" / program, *arguments], capture_output=True,
                              text=True)
        assert done.returncode in (1, 2) and message in done.stderr, (program, done.stderr)


@pytest.mark.parametrize("static", [False, True], ids=["shared", "static"])
def test_cpp_consumer_by_find_package(prefix, tmp_path, static):
    build_project(SOURCE / "tests" / "install" / "consumer", prefix, tmp_path / "build", static)
    program = tmp_path / "build" / "consumer"
    assert ("libhoplite.so.0.1" in needed(program)) is not static
    assert "3 vertices, 4 arcs" in run(program)


@pytest.mark.parametrize("static", [False, True], ids=["shared", "static"])
def test_example_by_pkg_config(prefix, libdir, tmp_path, static):
    program = tmp_path / "first_graph"
    flags = pkg_config(libdir, "--cflags", "--libs", *(["--static"] if static else []))
    if static:
        flags = [str(libdir / "libhoplite.a") if flag == "-lhoplite" else flag for flag in flags]
    run(CC, "-std=c11", *STRICT, SOURCE / "examples" / "first_graph.c", "-o", program, *flags)
    assert ("libhoplite.so.0.1" in needed(program)) is not static
    environment = dict(os.environ, LD_LIBRARY_PATH=str(libdir))
    output = run(program, tmp_path / "graph.mtx", env=environment)
    assert output.startswith("vertices 4096, edges "), output


def test_cpp_consumer_by_pkg_config(prefix, libdir, tmp_path):
    program = tmp_path / "consumer"
    flags = pkg_config(libdir, "--cflags", "--libs")
    source = SOURCE / "tests" / "install" / "consumer" / "consumer.cpp"
    run(CXX, "-std=c++17", *STRICT, source, "-o", program, *flags)
    environment = dict(os.environ, LD_LIBRARY_PATH=str(libdir))
    assert "3 vertices, 4 arcs" in run(program, env=environment)


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_cpp_wrapper(prefix, libdir, tmp_path, standard):
    """The header for C++ alone: in C++20 with std::span too."""
    program = tmp_path / "wrapper"
    flags = pkg_config(libdir, "--cflags", "--libs")
    source = SOURCE / "tests" / "install" / "consumer" / "wrapper.cpp"
    run(CXX, f"-std={standard}", "-O1", "-Wconversion", "-Wshadow", *STRICT, source, "-o", program,
        *flags)
    output = run(program, tmp_path / "graph.npz", env=dict(os.environ, LD_LIBRARY_PATH=str(libdir)))
    assert output == f"wrapper: {'6' if standard == 'c++20' else '5'} tests\n"


def test_pkg_config_paths_and_version(prefix, libdir):
    flags = pkg_config(libdir, "--cflags", "--libs")
    include = [flag[2:] for flag in flags if flag.startswith("-I")]
    assert [os.path.realpath(path) for path in include] == [str(prefix / "include")]
    assert pkg_config(libdir, "--modversion") == [version()]


def test_destdir(tmp_path):
    """Packagers install below a staging folder."""
    run("cmake", "--install", BUILD, env=dict(os.environ, DESTDIR=str(tmp_path)))
    assert list(tmp_path.glob("**/include/hoplite/hoplite.h"))


def test_installed_files_name_no_build_folder(prefix):
    for path in prefix.rglob("*"):
        if path.suffix in (".cmake", ".pc", ".h"):
            text = path.read_text()
            assert str(SOURCE) not in text and str(BUILD) not in text, path
            assert "/first" not in text, path


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("language", ["c11", "c++17"])
def test_header_alone(header, language, prefix, tmp_path):
    """Each header compiles by itself, twice included, with every warning an error."""
    cpp = language == "c++17"
    source = tmp_path / ("alone.cpp" if cpp else "alone.c")
    source.write_text(f"#include <hoplite/{header}>\n" * 2 + "int alone;\n")
    for compiler in [CXX] if cpp else [CC]:
        run(compiler, f"-std={language}", *STRICT, "-Wconversion", "-Wshadow", "-fsyntax-only",
            "-I", prefix / "include", source)


def test_initialisers_in_cpp(prefix, tmp_path):
    """The initialisers set every field: C++ and -Wmissing-field-initializers accept them."""
    names = []
    for header in HEADERS:
        text = (prefix / "include" / "hoplite" / header).read_text()
        names += re.findall(r"#define (HOP_\w+_INIT)\b", text)
    assert names
    lines = ["#include <hoplite/hoplite.h>"]
    for name in names:
        type_name = name[:-len("_INIT")].lower()
        lines += [f"{type_name} make_{type_name}();", f"{type_name} make_{type_name}() {{",
                  f"    {type_name} value = {name};", "    return value;", "}"]
    source = tmp_path / "initialisers.cpp"
    source.write_text("\n".join(lines) + "\n")
    run(CXX, "-std=c++17", *STRICT, "-fsyntax-only", "-I", prefix / "include", source)


def version():
    text = (SOURCE / "include" / "hoplite" / "hoplite.h").read_text()
    return re.search(r'#define HOP_VERSION +"(.+)"', text).group(1)


def symbols(library, *options):
    lines = run("nm", "-D", *options, library).splitlines()
    return [line.split()[-1].split("@")[0] for line in lines]


def test_exported_symbols(libdir):
    """Exactly what the public headers declare; and, under a node of their own, what two headers of
    the sources declare for the command."""
    exported = symbols(libdir / "libhoplite.so", "--defined-only")
    exported = {name for name in exported if not name.startswith("HOPLITE_")}
    private = {name for header in (SOURCE / "src").rglob("*.h")
               for name in re.findall(r"HOP_API [^;]*?\b(hop__\w+)\(", header.read_text())}
    lines = run("nm", "-D", "--defined-only", libdir / "libhoplite.so").splitlines()
    assert private == {line.split()[-1].split("@")[0] for line in lines
                       if line.endswith("@@HOPLITE_PRIVATE_0.1")}
    exported -= private
    declared = set()
    for header in HEADERS:
        text = (SOURCE / "include" / "hoplite" / header).read_text()
        declared |= set(re.findall(r"HOP_API [^;]*?\b(hop_\w+)\(", text))
    assert all(re.match(r"hop_[a-z]", name) for name in exported), sorted(exported)
    assert exported == declared, (sorted(exported - declared), sorted(declared - exported))


def test_cluster_library(prefix, libdir):
    """libhoplite_mpi has what cluster.h declares and nothing else, if it is there."""
    header = prefix / "include" / "hoplite" / "cluster.h"
    library = libdir / "libhoplite_mpi.so"
    assert header.exists() == library.exists()
    if library.exists():
        declared = re.findall(r"HOP_API [^;]*?\b(hop_\w+)\(", header.read_text())
        assert {name.split("@")[0] for name in symbols(library, "--defined-only")} == set(declared)
        run(CXX, "-std=c++17", *STRICT, "-fsyntax-only", "-I", prefix / "include", "-x", "c++",
            header)


@pytest.mark.parametrize("package, library", [("libhoplite0.1", "libhoplite.so"),
                                              ("libhoplite-mpi0.1", "libhoplite_mpi.so")])
def test_debian_knows_the_symbols(libdir, package, library):
    """dpkg-gensymbols stops at a symbol that went, and takes a new one for one that was always
    there."""
    if not (libdir / library).exists():
        pytest.skip(f"no {library} in this build")
    lines = (SOURCE / f"packaging/debian/{package}.symbols").read_text().splitlines()
    assert lines[0].split()[:2] == [f"{library}.{'.'.join(version().split('.')[:2])}", package]
    listed = {line.split()[0].partition("@")[0] for line in lines if line.startswith(" hop_")}
    exported = {name for name in symbols(libdir / library, "--defined-only")
                if re.match(r"hop_[a-z]", name)}
    assert listed == exported, (sorted(listed - exported), sorted(exported - listed))


def test_cmake_finds_the_library_without_that_of_mpi(prefix, tmp_path):
    """Packages of distributions have them apart."""
    shutil.copytree(prefix, tmp_path / "prefix", symlinks=True)
    for name in ("hopliteMpi*", "*hoplite_mpi*"):
        for path in list((tmp_path / "prefix").rglob(name)):
            path.unlink()
    build_project(SOURCE / "tests/install/consumer", tmp_path / "prefix", tmp_path / "build",
                  static=False)


def test_soname(libdir):
    text = run("objdump", "-p", libdir / "libhoplite.so")
    assert "HOPLITE_0.1" in text and "HOPLITE_PRIVATE_0.1" in text
    assert re.search(r"SONAME +libhoplite\.so\.0\.1\n", text)
    assert os.readlink(libdir / "libhoplite.so.0.1") == f"libhoplite.so.{version()}"


def test_library_does_not_print_or_exit(libdir):
    """The library never prints, exits, aborts or traps signals: it does not even link the calls."""
    forbidden = {"exit", "_exit", "_Exit", "quick_exit", "abort", "raise", "__assert_fail",
                 "printf", "__printf_chk", "puts", "putchar", "perror", "stdout", "stderr",
                 "signal", "sigaction"}
    used = set(symbols(libdir / "libhoplite.so", "--undefined-only"))
    assert not used & forbidden
    assert used, "nm found no undefined symbols at all"


def test_installed_command(prefix, libdir):
    """The command finds its library beside it, without any variable."""
    program = prefix / "bin" / "hoplite"
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    assert version() in run(program, "--version", env=environment)
    assert re.search(rf"libhoplite\.so\.0\.1 => {re.escape(str(prefix))}", run("ldd", program))

@pytest.mark.skipif(shutil.which("scdoc") is None, reason="no scdoc: no man pages")
def test_man_page_installed(prefix):
    assert (prefix / "share" / "man" / "man1" / "hoplite.1").is_file()
    assert (prefix / "share" / "man" / "man3" / "hop_bfs.3").is_file()
