# SPDX-License-Identifier: Apache-2.0
"""Any arrays, of any type, shape, stride and byte order: the answer is right, or there is a clear
exception of an expected kind; never a crash. HOPLITE_TEST_EXAMPLES sets how many are tried (of each
kind). In a build with gcc's address sanitizer this is run with it."""

import os

import numpy as np
import pytest

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import strategies as st  # noqa: E402
from hypothesis.extra import numpy as hnp  # noqa: E402

import hoplite  # noqa: E402

EXAMPLES = int(os.environ.get("HOPLITE_TEST_EXAMPLES", "60"))
hypothesis.settings.register_profile(
    "tree", max_examples=EXAMPLES, deadline=None, database=None, derandomize=EXAMPLES <= 60,
    suppress_health_check=list(hypothesis.HealthCheck))
hypothesis.settings.load_profile("tree")
EXPECTED = (ValueError, TypeError, OverflowError, hoplite.Error)
MEMORY = 2**28  # so that an id such as 4,000,000,000 is refused instead of allocated

ORDERS = st.sampled_from("<>=")
INTEGERS = st.one_of(hnp.integer_dtypes(endianness="<"), hnp.integer_dtypes(endianness=">"),
                     hnp.unsigned_integer_dtypes(endianness="<"),
                     hnp.unsigned_integer_dtypes(endianness=">"))
ANYTHING = st.one_of(
    INTEGERS, hnp.floating_dtypes(endianness=">"), hnp.floating_dtypes(endianness="<"),
    hnp.boolean_dtypes(), hnp.complex_number_dtypes(), hnp.datetime64_dtypes(),
    hnp.byte_string_dtypes(max_len=3), hnp.unicode_string_dtypes(max_len=3),
    st.just(np.dtype(object)))
SMALL = st.integers(0, 9)


@st.composite
def strided(draw, dtypes, shapes, elements=None):
    """An array of the shape in memory of another: reversed, sliced, transposed, misaligned,
    read-only."""
    dtype, shape = draw(dtypes), draw(shapes)
    if dtype == object:
        array = np.full(shape, draw(st.sampled_from([None, 1, "a", 2.5, [1]])), dtype=object)
    else:
        array = draw(hnp.arrays(dtype, shape, elements=elements))
    way = draw(st.sampled_from("plain reversed sliced transposed misaligned readonly list".split()))
    if way == "reversed" and array.ndim:
        array = array[..., ::-1]
    elif way == "sliced":
        array = np.repeat(array, 2, axis=-1)[..., ::2] if array.ndim else array
    elif way == "transposed":
        array = np.asfortranarray(array)
    elif way == "misaligned" and array.ndim == 1 and dtype.kind in "iuf":
        raw = np.zeros(array.nbytes + 1, np.uint8)
        raw[1:] = np.frombuffer(array.tobytes(), np.uint8)
        array = raw[1:].view(dtype)
    elif way == "readonly":
        array = array.copy()
        array.flags.writeable = False
    elif way == "list" and dtype.kind in "iufb":
        return array.tolist()
    return array


LINES = hnp.array_shapes(min_dims=1, max_dims=1, min_side=0, max_side=12)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5)


def check(graph):
    """All problems on a graph that was accepted, certified."""
    if graph.vertices > 1000:
        return
    with hoplite.options(threads=1 + graph.vertices % 2, memory=MEMORY):
        hoplite.components(graph, certify=True)
        if graph.vertices:
            hoplite.bfs(graph, 0, certify=True)
            try:
                hoplite.sssp(graph, graph.vertices - 1, certify=True)
                hoplite.apsp(graph, certify=True)
            except (hoplite.NegativeCycleError, hoplite.InputError, hoplite.UnsupportedError):
                pass


@hypothesis.given(strided(ANYTHING, SHAPES), st.one_of(st.none(), strided(ANYTHING, SHAPES)),
                  st.one_of(st.none(), strided(ANYTHING, SHAPES)), st.booleans(),
                  st.sampled_from(["dense", "sparse"]))
def test_any_edges(source, target, weights, directed, ids):
    try:
        graph = hoplite.Graph.from_edges(source, target, weights, directed=directed, ids=ids,
                                         memory=MEMORY)
    except EXPECTED as error:
        assert str(error)
        return
    check(graph)


@hypothesis.given(st.data(), st.booleans())
def test_right_edges_give_the_right_graph(data, directed):
    count = data.draw(st.integers(0, 12))
    ends = [data.draw(strided(INTEGERS, st.just((count,)), SMALL)) for _ in range(2)]
    numbers = st.one_of(INTEGERS, hnp.floating_dtypes(sizes=(16, 32, 64), endianness=">"),
                        hnp.boolean_dtypes())
    weights = data.draw(st.one_of(st.none(), numbers.flatmap(lambda dtype: strided(
        st.just(dtype), st.just((count,)), st.booleans() if dtype.kind == "b" else SMALL))))
    graph = hoplite.Graph.from_edges(*ends, weights, directed=directed, vertices=10)
    lightest = {}
    values = [1] * count if weights is None else np.asarray(weights).tolist()
    for u, v, w in zip(np.asarray(ends[0]).tolist(), np.asarray(ends[1]).tolist(), values):
        key = (u, v) if directed else (min(u, v), max(u, v))
        lightest[key] = min(w, lightest.get(key, w))
    edges, found = graph.edge_list()
    found = [1] * len(edges) if found is None else found.tolist()
    assert {tuple(edge): w for edge, w in zip(edges.tolist(), found)} == lightest
    check(graph)


@hypothesis.given(strided(ANYTHING, LINES), strided(ANYTHING, LINES),
                  st.one_of(st.none(), strided(ANYTHING, SHAPES)), st.booleans(), st.booleans())
def test_any_rows(offsets, targets, weights, directed, copy):
    try:
        graph = hoplite.Graph.from_csr(offsets, targets, weights, directed=directed, copy=copy,
                                       memory=MEMORY)
    except EXPECTED as error:
        assert str(error)
        return
    check(graph)


@hypothesis.given(st.data())
def test_rows_that_are_nearly_right(data):
    """Offsets that end where the targets do, so that what is inside is what is wrong."""
    count = data.draw(st.integers(0, 8))
    middle = data.draw(st.lists(st.integers(-1, count + 1), max_size=6))
    if data.draw(st.booleans()):
        middle.sort()
    offsets = np.array([0] + middle + [count]).astype(
        data.draw(st.sampled_from(["i4", "i8", ">i8", "i2"])))
    targets = data.draw(strided(st.sampled_from([np.dtype("i4"), np.dtype("u8"), np.dtype(">i4"),
                                                 np.dtype("i8")]),
                                st.just((count,)), st.integers(0, len(middle) + 1)))
    weights = data.draw(st.one_of(st.none(), hnp.arrays(np.float32, count)))
    try:
        graph = hoplite.Graph.from_csr(offsets, targets, weights,
                                       directed=data.draw(st.booleans()))
    except EXPECTED as error:
        assert str(error)
        return
    rows = [sorted(np.asarray(targets).tolist()[a:b])
            for a, b in zip(offsets.tolist(), offsets.tolist()[1:])]
    assert [graph.neighbors(v).tolist() for v in range(graph.vertices)] == rows
    check(graph)


@hypothesis.given(strided(ANYTHING, SHAPES), st.booleans())
def test_any_dense_matrix(matrix, directed):
    try:
        graph = hoplite.Graph.from_numpy(matrix, directed=directed, memory=MEMORY)
    except EXPECTED as error:
        assert str(error)
        return
    assert graph.vertices == len(matrix)
    check(graph)


@hypothesis.given(strided(ANYTHING, SHAPES), st.one_of(st.none(), strided(ANYTHING, SHAPES)))
def test_any_sources_and_targets(sources, targets):
    graph = hoplite.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)])
    for solve in (hoplite.bfs, hoplite.sssp):
        try:
            result = solve(graph, sources, targets=targets, certify=True)
        except EXPECTED as error:
            assert str(error)
            continue
        assert set(result.sources.tolist()) == set(np.ravel(sources).tolist())


@hypothesis.given(strided(ANYTHING, SHAPES), st.one_of(st.none(), strided(INTEGERS, SHAPES, SMALL)))
def test_any_list(successors, heads):
    try:
        result = hoplite.rank(successors, heads=heads, certify=True)
    except EXPECTED as error:
        assert str(error)
        return
    for i, following in enumerate(np.asarray(successors).tolist()):
        if result.ranks[i] != hoplite.NO_RANK:
            step = 0 if following == i else 1
            assert result.ranks[i] == result.ranks[following] + step


@hypothesis.given(st.one_of(st.none(), st.integers(), st.floats(), st.text(max_size=3)),
                  st.one_of(st.none(), st.integers(-2, 9), st.floats(), st.text(max_size=3)),
                  st.one_of(st.none(), st.integers(), st.text(max_size=3)))
def test_any_options(limit, threads, memory):
    graph = hoplite.Graph.from_edges([(0, 1), (1, 2)])
    for call in (lambda: hoplite.bfs(graph, 0, max_level=limit),
                 lambda: hoplite.sssp(graph, 0, cutoff=limit),
                 lambda: hoplite.bfs(graph, 0, memory=memory),
                 lambda: hoplite.bfs(graph, 0, variant=memory),
                 lambda: hoplite.bfs(graph, 0, params={"alpha": limit}, variant="sequential"),
                 lambda: hoplite.generate.grid(limit, 3, memory=MEMORY),
                 lambda: hoplite.bfs(graph, 0, threads=threads)):
        try:
            call()
        except EXPECTED as error:
            assert str(error)
