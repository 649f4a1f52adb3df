# SPDX-License-Identifier: Apache-2.0
"""
The native format against scipy and NumPy: they open what we write, we open what they write, and
the numbers are the same. And the time of opening, which does not depend on the size.
"""

import os
import resource
import struct
import sys
import zipfile
import zlib

import numpy as np
import pytest
import scipy.sparse as sp

sys.path.insert(0, os.path.dirname(__file__))
from shared_library import DIRECTED, KEEP, SUM, UNDIRECTED, WEIGHT_TYPES, Error, library  # noqa

RECORD = np.dtype([("version", "<u4"), ("directed", "<u4"), ("weight", "S8"), ("vertices", "<u8"),
                   ("arcs", "<u8"), ("hash", "<u8"), ("loops", "<u8"), ("isolated", "<u8"),
                   ("min_degree", "<u8"), ("max_degree", "<u8"), ("max_degree_vertex", "<u8"),
                   ("min_weight", "<f8"), ("max_weight", "<f8"), ("min_weight_int", "<i8"),
                   ("max_weight_int", "<i8")])


def random_matrix(n, density, dtype, seed, symmetric=False):
    rng = np.random.default_rng(seed)
    matrix = sp.random(n, n, density, "csr", random_state=rng)
    matrix.data = rng.integers(-50, 50, matrix.nnz)
    if symmetric:
        upper = sp.triu(matrix, format="csr")
        matrix = (upper + sp.triu(upper, 1).T).tocsr()
    matrix.sort_indices()
    matrix.data = matrix.data.astype(dtype or np.int8)
    return matrix


def make_graph(library, matrix, dtype, directed, labels=None):
    return library.graph(matrix.indptr, matrix.indices, matrix.data if dtype else None, labels,
                         directed)


@pytest.mark.parametrize("dtype", WEIGHT_TYPES)
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("n", [0, 1, 7, 300])
def test_scipy_opens_ours(library, tmp_path, dtype, directed, n):
    matrix = random_matrix(n, 0.05 if n > 7 else 0.4, dtype, 7 * n + 1, not directed)
    labels = np.arange(n, dtype=np.uint64) * 1000 + 7
    graph = make_graph(library, matrix, dtype, directed, labels)
    path = tmp_path / "ours.npz"
    graph.write(path)

    ours = sp.load_npz(path)
    assert ours.format == "csr" and ours.shape == (n, n)
    assert ours.dtype == (dtype or np.int8)
    assert np.array_equal(ours.indptr, matrix.indptr)
    assert np.array_equal(ours.indices, matrix.indices)
    assert np.array_equal(ours.data, matrix.data if dtype else np.ones(matrix.nnz, np.int8))
    with np.load(path) as arrays:
        record = arrays["hoplite"]
        assert record.dtype == RECORD and record.shape == ()
        assert record["version"] == 1 and record["directed"] == directed
        assert record["weight"] == (np.dtype(dtype).name if dtype else "none").encode()
        assert record["vertices"] == n and record["arcs"] == matrix.nnz
        assert record["hash"] == graph.hash()
        assert record["loops"] == np.count_nonzero(
            matrix.indices == np.repeat(np.arange(n), np.diff(matrix.indptr)))
        degrees = np.diff(matrix.indptr)
        if n > 0:
            assert record["isolated"] == np.count_nonzero(degrees == 0)
            assert record["max_degree"] == degrees.max()
            assert record["max_degree_vertex"] == degrees.argmax()
        if dtype and matrix.nnz:
            assert record["min_weight"] == matrix.data.min()
            assert record["max_weight"] == matrix.data.max()
        if n > 1:
            assert np.array_equal(arrays["labels"], labels)
        elif n == 1:  # ids in a row, which are kept as the first of them
            assert "labels" not in arrays and arrays["first_id"] == 7
            assert arrays["first_id"].dtype == np.uint64 and arrays["first_id"].shape == ()
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for member in archive.infolist():
            assert member.compress_type == (
                zipfile.ZIP_DEFLATED if not dtype and member.filename == "data.npy"
                else zipfile.ZIP_STORED)


def test_ones_cost_nothing(library, tmp_path):
    n, arcs = 10, 5_000_000
    offsets = np.linspace(0, arcs, n + 1).astype(np.uint64)
    targets = np.sort(np.random.default_rng(1).integers(0, n, (n, arcs // n), np.uint32), axis=1)
    library.graph(offsets, targets.reshape(-1)).write(tmp_path / "ones.npz")
    checksums = 8 * (4 * arcs // 16384)
    assert os.path.getsize(tmp_path / "ones.npz") < 4 * arcs + checksums + 20000
    ours = sp.load_npz(tmp_path / "ones.npz")
    assert ours.data.dtype == np.int8 and ours.data.sum(dtype=np.int64) == arcs


def saved(matrix, path, compressed):
    sp.save_npz(path, matrix, compressed)
    return path


def assert_is(graph, matrix):
    """The graph has exactly the entries of the canonical csr matrix."""
    assert graph.vertices == matrix.shape[0]
    assert np.array_equal(graph.offsets(), matrix.indptr)
    assert np.array_equal(graph.targets(), matrix.indices)
    if graph.weights() is not None:
        assert np.array_equal(graph.weights(), matrix.data)


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", ["bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4",
                                   "f8", ">i4", ">f8"])
def test_we_open_scipys(library, tmp_path, kind, compressed, dtype):
    matrix = random_matrix(200, 0.03, np.int64, 3)
    matrix.data = np.abs(matrix.data).astype(np.dtype(dtype).newbyteorder("="))
    expected = matrix.copy()
    other = matrix.asformat(kind)
    other.data = other.data.astype(dtype)
    graph = library.read(saved(other, tmp_path / "scipy.npz", compressed))
    assert graph.directed
    assert_is(graph, expected)
    ones = dtype == "bool" and bool(expected.data.all())
    weights = {"f4": 3, "f8": 4, ">f8": 4, "u4": 2, "i8": 2, "u8": 2}.get(dtype, 1)
    if not ones:
        assert graph.weights().dtype == WEIGHT_TYPES[weights]


def test_arrays_wide_indices_and_disorder(library, tmp_path):
    matrix = random_matrix(100, 0.1, np.float32, 9)
    array = sp.csr_array(matrix)
    assert_is(library.read(saved(array, tmp_path / "array.npz", True)), matrix)
    wide = sp.csr_array(matrix)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for compressed in [True, False]:
        assert_is(library.read(saved(wide, tmp_path / "wide.npz", compressed)), matrix)
    rng = np.random.default_rng(4)
    mixed = matrix.copy()
    for row in range(100):
        at = slice(mixed.indptr[row], mixed.indptr[row + 1])
        order = rng.permutation(at.stop - at.start)
        mixed.indices[at], mixed.data[at] = mixed.indices[at][order], mixed.data[at][order]
    assert_is(library.read(saved(mixed, tmp_path / "mixed.npz", True)), matrix)


@pytest.mark.parametrize("kind", ["csr", "coo"])
def test_duplicates(library, tmp_path, kind):
    row, col = np.array([0, 0, 1, 0, 2, 2]), np.array([1, 1, 2, 1, 2, 2])
    data = np.array([5, 3, 1, 9, 4, 4], np.int32)
    matrix = sp.coo_matrix((data, (row, col)), (3, 3))
    other = matrix
    if kind == "csr":
        order = np.argsort(row, kind="stable")
        other = sp.csr_matrix((data[order], col[order], np.array([0, 3, 4, 6])), (3, 3))
    path = saved(other, tmp_path / "twice.npz", True)
    assert_is(library.read(path, duplicates=SUM), matrix.tocsr())
    assert list(library.read(path).weights()) == [3, 1, 4]
    assert list(library.read(path, duplicates=KEEP).targets()) == [1, 1, 1, 2, 2, 2]


def test_direction(library, tmp_path):
    matrix = random_matrix(50, 0.1, np.int32, 5, symmetric=True)
    graph = library.read(saved(matrix, tmp_path / "a.npz", True), direction=UNDIRECTED)
    assert not graph.directed
    assert_is(graph, matrix)
    graph.write(tmp_path / "b.npz")
    assert not library.read(tmp_path / "b.npz").directed
    assert library.read(tmp_path / "b.npz", direction=DIRECTED).directed
    matrix = random_matrix(50, 0.05, np.int32, 6)
    graph = library.read(saved(matrix, tmp_path / "c.npz", True), direction=UNDIRECTED,
                         drop_weights=True)
    graph.check()
    # A stored zero is an edge too, so the values must not be looked at.
    stored = sp.csr_matrix((np.ones(matrix.nnz), matrix.indices, matrix.indptr), matrix.shape)
    expected = (stored + stored.T).tocsr()
    expected.sort_indices()
    assert_is(graph, expected)


def test_refused(library, tmp_path):
    for name, matrix, part in [("dia", sp.eye(4, format="dia"), "tocsr"),
                               ("bsr", sp.eye(4, format="bsr"), "tocsr"),
                               ("wide", sp.csr_matrix((3, 4)), "square"),
                               ("complex", sp.eye(3, dtype=np.complex64, format="csr"), "c8")]:
        with pytest.raises(Error, match=part):
            library.read(saved(matrix, tmp_path / f"{name}.npz", True))
    np.savez(tmp_path / "other.npz", a=np.arange(3))
    with pytest.raises(Error, match="format.npy"):
        library.read(tmp_path / "other.npz")


@pytest.mark.parametrize("step", [3, 1])
def test_repacked(library, tmp_path, step):
    """A native file that somebody has packed again is read by copying, and is the same graph."""
    matrix = random_matrix(300, 0.05, np.int64, 8, symmetric=True)
    labels = np.arange(300, dtype=np.uint64) * step + 1
    graph = make_graph(library, matrix, np.int64, False, labels)
    graph.write(tmp_path / "ours.npz")
    for method in [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]:
        with zipfile.ZipFile(tmp_path / "ours.npz") as source, \
                zipfile.ZipFile(tmp_path / "packed.npz", "w", method) as target:
            for name in reversed(source.namelist()):
                target.writestr(name, source.read(name))
        again = library.read(tmp_path / "packed.npz", verify=True)
        assert again.hash() == graph.hash() and not again.directed
        assert again.first_id == 1
        assert np.array_equal(again.labels(), labels if step > 1 else None)


def test_files_with_labels_in_a_row(library, tmp_path):
    """Earlier versions wrote an array of them: they are read as they are, and verified."""
    matrix = random_matrix(20, 0.2, np.int64, 8)
    labels = np.arange(20, dtype=np.uint64) + 1
    graph = make_graph(library, matrix, np.int64, True, labels)
    graph.write(tmp_path / "ours.npz")
    with np.load(tmp_path / "ours.npz") as arrays:
        members = {name: arrays[name] for name in arrays if name != "first_id"}
    np.savez(tmp_path / "array.npz", labels=labels, **members)
    again = library.read(tmp_path / "array.npz", verify=True)
    assert again.first_id == 1 and again.hash() == graph.hash()
    again.write(tmp_path / "again.mtx")
    assert library.read(tmp_path / "again.mtx").hash() == graph.hash()
    for wrong in (np.uint64(2**64 - 1), np.float64(1), np.uint32(1), np.ones(2, np.uint64)):
        np.savez(tmp_path / "wrong.npz", first_id=wrong, **members)
        with pytest.raises(Error, match="first_id.npy"):
            library.read(tmp_path / "wrong.npz")
    np.savez(tmp_path / "both.npz", labels=labels, first_id=np.uint64(1), **members)
    with pytest.raises(Error, match="but there are labels too"):
        library.read(tmp_path / "both.npz")


def npy(descr, shape, data_bytes):
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
    length = -(-(10 + len(text) + 1) // 64) * 64 - 10
    header = b"\x93NUMPY\x01\x00" + struct.pack("<H", length)
    return header + text.encode().ljust(length - 1) + b"\n", data_bytes


def write_sparse_native(path, n):
    """A native file of n vertices whose last three have an arc each, with a hole where the zeros
    of its offsets are. Its checksums are not set, which a mapped file does not need."""
    record = np.zeros((), RECORD)
    record["version"], record["directed"], record["weight"] = 1, 1, b"none"
    record["vertices"], record["arcs"] = n, 3
    fields = str(RECORD.descr)
    members = [("format.npy", npy("'|S3'", "()", 3), b"csr", 0),
               ("shape.npy", npy("'<i8'", "(2,)", 16), struct.pack("<qq", n, n), 0),
               ("hoplite.npy", npy(fields, "()", 112), record.tobytes(), 0),
               ("indptr.npy", npy("'<i4'", f"({n + 1},)", 4 * (n + 1)),
                struct.pack("<iii", 1, 2, 3), 4 * (n + 1) - 12),
               ("indices.npy", npy("'<i4'", "(3,)", 12), struct.pack("<iii", 0, 1, n - 1), 0)]
    directory = b""
    with open(path, "wb") as file:
        for name, (header, size), data, hole in members:
            size += len(header)
            crc = zlib.crc32(header + data) if hole == 0 else 0
            at = file.tell()
            local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 45, 0, 0, 0, 33, crc, 2**32 - 1,
                                2**32 - 1, len(name), 0) + name.encode()
            extra = struct.pack("<HHQQ", 1, 16, size, size)
            pad = -(at + len(local) + len(extra) + 4) % 64
            extra += struct.pack("<HH", 0xD935, pad) + bytes(pad)
            local = local[:28] + struct.pack("<H", len(extra)) + local[30:]
            file.write(local + extra + header)
            file.seek(hole, os.SEEK_CUR)
            file.write(data)
            wide = struct.pack("<HHQQQ", 1, 24, size, size, at)
            directory += struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 45, 45, 0, 0, 0, 33, crc,
                                     2**32 - 1, 2**32 - 1, len(name), len(wide), 0, 0, 0, 0,
                                     2**32 - 1) + name.encode() + wide
        at = file.tell()
        end = at + len(directory)
        count = len(members)
        file.write(directory)
        file.write(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count,
                               len(directory), at))
        file.write(struct.pack("<IIQI", 0x07064B50, 0, end, 1))
        file.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 2**16 - 1, 2**16 - 1, 2**32 - 1,
                               2**32 - 1, 0))


def bytes_to_open(library, path):
    """What opening reads, or touches by a mapping, at the least of a few tries: the rest of the
    process has faults of its own. The kernel maps up to 64 KiB at a fault."""
    best = 2**62
    for _ in range(20):
        before = resource.getrusage(resource.RUSAGE_THREAD), bytes_read()
        graph = library.read(path)
        after = resource.getrusage(resource.RUSAGE_THREAD), bytes_read()
        faults = sum(getattr(after[0], kind) - getattr(before[0], kind)
                     for kind in ("ru_minflt", "ru_majflt"))
        best = min(best, faults * 4096 + after[1] - before[1])
        del graph
    return best


def bytes_read():
    """By calls of this process so far."""
    with open("/proc/self/io") as file:
        return int(next(line for line in file if line.startswith("rchar")).split()[1])


def test_opening_reads_as_little_of_every_file(library, tmp_path):
    n = 2**30 + 1000
    sparse = tmp_path / "sparse.npz"
    write_sparse_native(sparse, n)
    try:
        assert os.path.getsize(sparse) > 2**32
        assert os.stat(sparse).st_blocks * 512 < 2**20
        matrix = random_matrix(20000, 0.0065, np.int32, 2)
        make_graph(library, matrix, np.int32, True).write(tmp_path / "small.npz")
        assert os.path.getsize(tmp_path / "small.npz") > 10**7
        small, large = (bytes_to_open(library, path) for path in (tmp_path / "small.npz", sparse))
        print(f"opened 20 MB by {small} bytes, 4 GiB by {large}")
        assert small < 400_000 and large < 400_000  # all of the small one at once: 10 million
        graph = library.read(sparse)
        assert graph.vertices == n and graph.arcs == 3
        assert list(graph.targets()) == [0, 1, n - 1]
    finally:
        os.remove(sparse)


def test_large_and_damaged(library, tmp_path):
    """Damage above 4 GiB is found by the check, not by a crash."""
    n = 2**30 + 1000
    sparse = tmp_path / "sparse.npz"
    write_sparse_native(sparse, n)
    try:
        with open(sparse, "r+b") as file:
            file.seek(0, os.SEEK_END)
            end = file.tell()
            file.seek(end - 4096)
            tail = file.read()
            at = tail.index(struct.pack("<iii", 0, 1, n - 1))
            file.seek(end - 4096 + at)
            file.write(struct.pack("<i", n))
        graph = library.read(sparse)
        with pytest.raises(Error, match=f"target {n}"):
            graph.check()
    finally:
        os.remove(sparse)
