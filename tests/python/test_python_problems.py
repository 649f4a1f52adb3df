# SPDX-License-Identifier: Apache-2.0
"""The problems from Python: answers against plain Python, certified, and what goes wrong."""

import collections
import heapq

import numpy as np
import pytest

import hoplite


def random_graph(seed, n=60, m=120, directed=True, low=1, high=20):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (m, 2))
    weights = rng.integers(low, high, m)
    graph = hoplite.Graph.from_edges(ends, weights=weights, vertices=n, directed=directed)
    lightest = {}
    for (u, v), w in zip(ends.tolist(), weights.tolist()):
        for a, b in [(u, v)] if directed else [(u, v), (v, u)]:
            lightest[a, b] = min(w, lightest.get((a, b), w))
    rows = collections.defaultdict(list)
    for (u, v), w in sorted(lightest.items()):
        rows[u].append((v, w))
    return graph, rows


def plain_levels(rows, sources):
    levels, queue = {s: 0 for s in sources}, collections.deque(sources)
    while queue:
        u = queue.popleft()
        for v, _ in rows[u]:
            if v not in levels:
                levels[v] = levels[u] + 1
                queue.append(v)
    return levels


def plain_distances(rows, source):
    done, heap = {}, [(0, source)]
    while heap:
        d, u = heapq.heappop(heap)
        if u not in done:
            done[u] = d
            for v, w in rows[u]:
                heapq.heappush(heap, (d + w, v))
    return done


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_bfs(seed, directed):
    graph, rows = random_graph(seed, directed=directed)
    sources = [seed, seed + 7]
    result = hoplite.bfs(graph, sources, certify=True)
    expected = plain_levels(rows, sources)
    for v in range(graph.vertices):
        assert result.levels[v] == expected.get(v, hoplite.NO_LEVEL)
        if v in expected:
            way = result.path(v).tolist()
            assert way[0] in sources and way[-1] == v and len(way) == expected[v] + 1
            assert all(b in dict(rows[a]) for a, b in zip(way, way[1:]))
        else:
            assert result.path(v).size == 0 and result.parents[v] == hoplite.NO_VERTEX
    assert result.reached.sum() == len(expected)
    assert result.depth == max(expected.values())
    assert result.level_sizes().tolist() == [
        list(expected.values()).count(k) for k in range(result.depth + 1)]
    result.certify()


def test_bfs_limits():
    line = hoplite.Graph.from_edges([(i, i + 1) for i in range(9)])
    assert hoplite.bfs(line, 0, max_level=3).reached.sum() == 4
    assert hoplite.bfs(line, 0, targets=[5]).depth == 5
    only = hoplite.bfs(line, 0, parents=False)
    assert only.parents is None and only.depth == 9
    with pytest.raises(ValueError, match="parents=False"):
        only.path(3)


@pytest.mark.parametrize("seed", range(5))
def test_sssp(seed):
    graph, rows = random_graph(seed)
    result = hoplite.sssp(graph, seed, certify=True)
    expected = plain_distances(rows, seed)
    assert result.distances.dtype == np.int64
    for v in range(graph.vertices):
        assert result.distances[v] == expected.get(v, hoplite.NO_DISTANCE)
    assert result.reached.sum() == len(expected)
    result.certify()
    far = sorted(expected.values())[len(expected) // 2]
    assert hoplite.sssp(graph, seed, cutoff=far).reached.sum() == sum(
        d <= far for d in expected.values())


def test_distance_types():
    for dtype in (np.float32, np.float64):
        graph = hoplite.Graph.from_edges([0, 1], [1, 2], np.array([0.5, 0.25], dtype))
        result = hoplite.sssp(graph, 0)
        assert result.distances.dtype == dtype and result.distances.tolist() == [0, 0.5, 0.75]
        assert hoplite.apsp(graph).distances.dtype == dtype


def test_components():
    graph = hoplite.Graph.from_edges([(0, 3), (1, 4), (4, 6)], vertices=8)
    result = hoplite.components(graph, certify="valid")
    assert result.labels.tolist() == [0, 1, 2, 0, 1, 5, 1, 7]
    assert result.count == 5
    assert result.sizes().tolist() == [2, 3, 1, 1, 1]
    assert result.numbers().tolist() == [0, 1, 2, 0, 1, 3, 1, 4]
    largest = result.largest()
    assert largest.labels.tolist() == [1, 4, 6] and largest.edges == 2
    result.certify()


@pytest.mark.parametrize("seed", range(3))
def test_apsp(seed):
    graph, rows = random_graph(seed)
    result = hoplite.apsp(graph, certify=True)
    for u in range(graph.vertices):
        expected = plain_distances(rows, u)
        assert result.distances[u].tolist() == [
            expected.get(v, hoplite.NO_DISTANCE) for v in range(graph.vertices)]
    small = hoplite.apsp(graph, dtype="int32").distances
    assert small.dtype == np.int32
    assert (small[result.reached] == result.distances[result.reached]).all()
    blocks = []
    hoplite.apsp_rows(graph, lambda first, rows: blocks.append((first, rows.copy())))
    assert [first for first, _ in blocks] == np.cumsum(
        [0] + [len(rows) for _, rows in blocks])[:-1].tolist()
    assert (np.concatenate([rows for _, rows in blocks]) == result.distances).all()
    way = result.path(0, int(np.flatnonzero(result.reached[0])[-1]))
    assert way[0] == 0
    result.certify()


def test_apsp_out():
    graph, _ = random_graph(1)
    n = graph.vertices
    out = np.zeros((n, n), np.int64)
    assert hoplite.apsp(graph, out=out).distances is out
    assert (out == hoplite.apsp(graph).distances).all()
    for wrong in (np.zeros((n, n), np.int32), np.zeros((n, n + 1), np.int64), out.T, out.tolist()):
        with pytest.raises(ValueError, match="out must be"):
            hoplite.apsp(graph, out=wrong)


def test_apsp_into_a_mapped_file(tmp_path):
    graph, _ = random_graph(2)
    n = graph.vertices
    mapped = np.lib.format.open_memmap(tmp_path / "m.npy", "w+", np.int64, (n, n))
    hoplite.apsp(graph, out=mapped)
    mapped.flush()
    assert (np.load(tmp_path / "m.npy") == hoplite.apsp(graph).distances).all()


@pytest.mark.parametrize("variant", [None, "dijkstra", "blocked", "blocked-disk"])
def test_apsp_of_some_rows(variant):
    graph, _ = random_graph(3)
    whole = hoplite.apsp(graph).distances
    wanted = [5, 0, graph.vertices - 1, 5]
    some = hoplite.apsp(graph, sources=wanted, variant=variant, certify=True)
    assert some.sources.tolist() == wanted and (some.distances == whole[wanted]).all()
    some.certify()
    target = int(np.flatnonzero(some.reached[0])[-1])
    assert some.path(5, target).tolist() == hoplite.apsp(graph).path(5, target).tolist()
    with pytest.raises(ValueError, match="was not asked for"):
        some.path(1, 2)
    some.distances[0] = some.distances[1]
    with pytest.raises(hoplite.CertificateError):
        some.certify()
    rows = []
    hoplite.apsp_rows(graph, lambda first, block: rows.extend(zip(range(first, 9), block.copy())),
                      sources=wanted, variant=variant)
    assert [i for i, _ in rows] == list(range(4))
    assert (np.array([row for _, row in rows]) == whole[wanted]).all()
    assert hoplite.apsp(graph, sources=[]).distances.shape == (0, graph.vertices)
    with pytest.raises(ValueError):
        hoplite.apsp(graph, sources=[graph.vertices])


@pytest.mark.parametrize("sources", [None, [7, 2, 2, 4]])
@pytest.mark.parametrize("dtype", [None, "int32"])
def test_apsp_summary(sources, dtype):
    graph, _ = random_graph(4)
    result = hoplite.apsp(graph, dtype=dtype, sources=sources)
    d, reached = result.distances, result.reached
    seen = hoplite.apsp_summary(graph, dtype=dtype, sources=sources, certify=True)
    farthest = np.where(reached, d, -1).max(axis=1)
    vertices = np.arange(graph.vertices) if sources is None else np.array(sources)
    assert seen.eccentricities.dtype == d.dtype
    assert seen.eccentricities.tolist() == farthest.tolist()
    assert (seen.diameter, seen.radius) == (farthest.max(), farthest.min())
    assert seen.farthest[0] == vertices[farthest.argmax()]
    assert d[farthest.argmax(), seen.farthest[1]] == seen.diameter
    assert seen.center == vertices[farthest.argmin()]
    assert seen.rows == len(vertices) and seen.connected == reached.sum() - len(vertices)
    assert seen.mean == pytest.approx(d[reached].sum() / seen.connected)
    assert isinstance(seen.diameter, int) and seen.report.variant
    lonely = hoplite.apsp_summary(hoplite.Graph.from_edges([], vertices=3))
    assert lonely.mean is None and lonely.diameter == 0 and lonely.connected == 0


def test_apsp_is_refused_before_it_is_allocated():
    graph = hoplite.Graph.from_edges([(0, 999_999)])
    with pytest.raises(hoplite.BudgetError, match="apsp"):
        hoplite.apsp(graph, memory="1 GiB")
    with pytest.raises(MemoryError):
        hoplite.apsp(graph, memory=2**30)


def test_rank():
    successors = np.array([2, 1, 4, 1, 3], np.int64)
    assert hoplite.rank(successors, certify=True).ranks.tolist() == [4, 0, 3, 1, 2]
    two = hoplite.rank([1, 1, 3, 3, 2], heads=[0, 2])
    assert two.ranks.tolist() == [1, 0, 1, 0, hoplite.NO_RANK]
    two.certify()
    with pytest.raises(hoplite.InputError, match="rank"):
        hoplite.rank([1, 0])


def test_negative_cycle_is_handed_over():
    graph = hoplite.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 1], [5, 1, -4, 2], directed=True)
    for solve in (lambda: hoplite.sssp(graph, 0), lambda: hoplite.apsp(graph)):
        with pytest.raises(hoplite.NegativeCycleError) as caught:
            solve()
        assert caught.value.cycle.tolist() == [1, 2, 3]


def test_a_wrong_result_is_not_certified():
    graph, _ = random_graph(2)
    result = hoplite.bfs(graph, 0)
    reached = np.flatnonzero(result.reached)
    result.levels[reached[-1]] += 1
    with pytest.raises(hoplite.CertificateError):
        result.certify()
    found = hoplite.components(graph)
    found.labels[0] = 1
    with pytest.raises(hoplite.CertificateError):
        found.certify()
    ranked = hoplite.rank([1, 2, 2])
    ranked.ranks[0] = 7
    with pytest.raises(hoplite.CertificateError):
        ranked.certify()
    matrix = hoplite.apsp(graph)
    matrix.distances[0, 0] = 1
    with pytest.raises(hoplite.CertificateError):
        matrix.certify()
    shortest = hoplite.sssp(graph, 0)
    shortest.distances[0] = 1
    with pytest.raises(hoplite.CertificateError):
        shortest.certify()


def test_distances_from_elsewhere_within_a_tolerance():
    graph = hoplite.Graph.from_edges([(0, 1), (1, 2), (0, 2)], weights=[0.1, 0.2, 0.9])
    result = hoplite.sssp(graph, 0)
    result.distances *= 1 + 1e-6
    with pytest.raises(hoplite.CertificateError):
        result.certify("valid")
    result.certify(tolerance=1e-4)
    hoplite.certify(result, tolerance=1e-4)
    with pytest.raises(hoplite.CertificateError, match="should be"):
        result.certify("valid", tolerance=1e-7)
    with pytest.raises(hoplite.ArgumentError):
        result.certify("canonical", tolerance=1e-4)
    with pytest.raises(hoplite.ArgumentError):
        result.certify(tolerance=1.0)
    with pytest.raises(TypeError):
        hoplite.certify(hoplite.bfs(graph, 0), tolerance=1e-4)


def test_errors_say_what_is_wrong():
    graph, _ = random_graph(3)
    with pytest.raises(ValueError, match="60 is not a vertex"):
        hoplite.bfs(graph, 60)
    with pytest.raises(ValueError, match="negative"):
        hoplite.bfs(graph, -1)
    with pytest.raises(TypeError, match="integers"):
        hoplite.bfs(graph, 1.5)
    with pytest.raises(TypeError, match="hoplite.Graph"):
        hoplite.bfs([[1]], 0)
    with pytest.raises(hoplite.ArgumentError, match="nonsense"):
        hoplite.bfs(graph, 0, variant="nonsense")
    with pytest.raises(hoplite.ArgumentError, match="no-such"):
        hoplite.bfs(graph, 0, variant="direction-optimizing", params={"no_such": 1})
    with pytest.raises(TypeError, match="thread"):
        hoplite.bfs(graph, 0, thread=1)
    with pytest.raises(ValueError, match="certify"):
        hoplite.bfs(graph, 0, certify="maybe")
    with pytest.raises(hoplite.UnsupportedError, match="int64 or int32"):
        hoplite.apsp(graph, dtype="float64")


def test_reports():
    graph, _ = random_graph(4)
    report = hoplite.bfs(graph, 0, variant="sequential", certify=True).report
    assert report.variant == "sequential" and report.place == "host" and report.device == ""
    assert report.reason and report.seconds >= 0 and report.certify_seconds > 0
    assert "sequential" in repr(report)
    for phase in report.phases:
        assert phase.kind in ("compute", "copy") and phase.calls > 0


def test_options_hold_inside_the_block():
    graph, _ = random_graph(5)
    with hoplite.options(memory=1):
        with pytest.raises(hoplite.BudgetError):
            hoplite.Graph.from_edges([(0, 1)])
        hoplite.Graph.from_edges([(0, 1)], memory=None)
    hoplite.Graph.from_edges([(0, 1)])
    with pytest.raises(ValueError, match="4 GiB"):
        hoplite.bfs(graph, 0, memory="lots")


def test_nearest_in_order():
    graph = hoplite.Graph.from_edges(["a", "b", "a", "d", "e"], ["b", "c", "d", "e", "f"],
                                     weights=[2.5, 1.0, 0.5, 2.0, 7.0])
    vertices, distances = hoplite.sssp(graph, "a", nearest=3).nearest()
    assert list(vertices) == ["d", "b", "e"] and distances.tolist() == [0.5, 2.5, 2.5]
    found = hoplite.sssp(graph, "a")
    assert list(found.nearest()[0]) == ["d", "b", "e", "c", "f"]
    assert list(found.nearest(2)[0]) == ["d", "b"] and len(found.nearest(0)[0]) == 0
    assert found.nearest(2, index=True)[0].tolist() == [graph.find("d"), graph.find("b")]
    vertices, levels = hoplite.bfs(graph, ["a", "f"]).nearest()
    assert list(vertices) == ["b", "d", "e", "c"] and levels.tolist() == [1, 1, 1, 2]
    with pytest.raises(ValueError, match="count must be from 0"):
        found.nearest(-1)


def test_nearest():
    graph = hoplite.Graph.from_edges([0, 0, 1, 2, 3], [1, 2, 3, 4, 5], [1, 1, 2, 2, 1])
    found = hoplite.sssp(graph, 0, nearest=3, certify=True)
    assert found.distances.tolist() == [0, 1, 1, 3, 3, hoplite.NO_DISTANCE]
    assert (hoplite.bfs(graph, 0, nearest=2, certify=True).levels < 9).sum() == 3
    with pytest.raises(ValueError, match="nearest"):
        hoplite.sssp(graph, 0, nearest=0)


# ---- pairs -----------------------------------------------------------------------------------

@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("how", [{}, {"certify": True}, {"variant": "one-sided"},
                                 {"variant": "delta-stepping"}])
def test_distances_of_pairs(directed, how):
    graph, rows = random_graph(5, directed=directed)
    pairs = np.random.default_rng(6).integers(0, 60, (200, 2))
    expected = [plain_distances(rows, u).get(v, hoplite.NO_DISTANCE) for u, v in pairs.tolist()]
    assert hoplite.NO_DISTANCE in expected
    found = hoplite.distances(graph, pairs, **how)
    assert found.dtype == np.int64 and found.tolist() == expected
    assert hoplite.distances(graph, pairs.astype(np.uint32)[:, ::1], **how).tolist() == expected
    assert hoplite.distances(graph, pairs.tolist(), index=True, **how).tolist() == expected
    assert hoplite.distances(graph, [], **how).shape == (0,)


def test_distances_of_names():
    graph = hoplite.Graph.from_edges([("ann", "bob"), ("bob", "cid")], weights=[0.5, 1.25])
    assert hoplite.distances(graph, [("ann", "cid"), ("bob", "bob")]).tolist() == [1.75, 0]
    assert hoplite.distances(graph, [(0, 2)], index=True).tolist() == [1.75]
    with pytest.raises(ValueError, match="'dan' is not a vertex"):
        hoplite.distances(graph, [("ann", "dan")])


def test_bad_pairs():
    graph, _ = random_graph(5)
    for pairs in ([(1, 2, 3)], np.zeros(4, int), np.zeros((2, 3), int), [(1,)]):
        with pytest.raises(ValueError, match="two"):
            hoplite.distances(graph, pairs)
    with pytest.raises(ValueError, match="not a vertex"):
        hoplite.distances(graph, [(0, 60)])
    negative = hoplite.Graph.from_edges([(0, 1), (1, 0)], weights=[1, -2], directed=True)
    with pytest.raises(hoplite.NegativeCycleError) as caught:
        hoplite.distances(negative, [(0, 1)])
    assert caught.value.cycle.tolist() == [0, 1]
    with pytest.raises(hoplite.UnsupportedError):
        hoplite.distances(negative, [(0, 1)], variant="bidirectional")
