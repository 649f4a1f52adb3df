# SPDX-License-Identifier: Apache-2.0
"""hoplite bench when a variant is wrong: it fails loudly. The wrong variant is made by a library
that stands before libhoplite (LD_PRELOAD), calls the right function and changes its result: the
command and the library that are tested are those that are shipped."""

import subprocess

import pytest
from bench_testing import rows_of
from cli_testing import HOPLITE, clean_environment, host_variants, preloaded, run_json

REJECTED = 3

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "hoplite/hoplite.h"

/* Whether this call is the one to spoil: of the variant SPOIL_VARIANT, call number SPOIL_CALL. */
static int spoils(const hop_run *run) {
    static int calls;
    const char *wanted = getenv("SPOIL_VARIANT");
    if (run == NULL || run->plan || run->variant == NULL || strcmp(run->variant, wanted) != 0)
        return 0;
    return calls++ == atoi(getenv("SPOIL_CALL"));
}

hop_status hop_components(hop_context *context, const hop_graph *graph,
                          const hop_components_options *options, hop_vertex *labels,
                          hop_vertex *count) {
    hop_status (*real)(hop_context *, const hop_graph *, const hop_components_options *,
                       hop_vertex *, hop_vertex *) = dlsym(RTLD_NEXT, "hop_components");
    hop_status status = real(context, graph, options, labels, count);
    if (status == HOP_OK && spoils(options->run)) {
        if (getenv("SPOIL_COUNT"))
            ++*count;
        else
            labels[atoi(getenv("SPOIL_INDEX"))] ^= 1;
    }
    return status;
}

hop_status hop_bfs(hop_context *context, const hop_graph *graph, const hop_vertex *sources,
                   hop_vertex source_count, const hop_bfs_options *options, hop_vertex *levels,
                   hop_vertex *parents) {
    hop_status (*real)(hop_context *, const hop_graph *, const hop_vertex *, hop_vertex,
                       const hop_bfs_options *, hop_vertex *, hop_vertex *) =
        dlsym(RTLD_NEXT, "hop_bfs");
    hop_status status =
        real(context, graph, sources, source_count, options, levels, parents);
    if (status == HOP_OK && spoils(options->run))
        parents[atoi(getenv("SPOIL_INDEX"))] ^= 1;
    return status;
}

hop_status hop_rank(hop_context *context, const hop_vertex *successors, hop_vertex count,
                    const hop_rank_options *options, hop_vertex *ranks) {
    hop_status (*real)(hop_context *, const hop_vertex *, hop_vertex, const hop_rank_options *,
                       hop_vertex *) = dlsym(RTLD_NEXT, "hop_rank");
    hop_status status = real(context, successors, count, options, ranks);
    if (status == HOP_OK && spoils(options->run))
        ranks[atoi(getenv("SPOIL_INDEX"))] ^= 1;
    return status;
}

hop_status hop_apsp(hop_context *context, const hop_graph *graph, const hop_apsp_options *options,
                    const hop_span *distances, hop_apsp_summary *summary) {
    hop_status (*real)(hop_context *, const hop_graph *, const hop_apsp_options *,
                       const hop_span *, hop_apsp_summary *) = dlsym(RTLD_NEXT, "hop_apsp");
    hop_status status = real(context, graph, options, distances, summary);
    if (status == HOP_OK && spoils(options->run))
        ((char *)distances->items)[8 * atoi(getenv("SPOIL_INDEX"))] ^= 1;
    return status;
}
"""


@pytest.fixture(scope="module")
def spoiler(tmp_path_factory):
    return preloaded(tmp_path_factory.mktemp("spoiler"), SOURCE)


def spoiled(spoiler, path, *words, variant, call, index=0, **more):
    env = clean_environment(LD_PRELOAD=str(spoiler), SPOIL_VARIANT=variant, SPOIL_CALL=str(call),
                            SPOIL_INDEX=str(index), **more)
    return subprocess.run([HOPLITE, "bench", *map(str, words), "--jsonl", path],
                          capture_output=True, text=True, env=env, timeout=400)


def check_loud(done, path, *says):
    """Exit code, message and row."""
    assert done.returncode == REJECTED, (done.stdout, done.stderr)
    assert "WRONG RESULT" in done.stderr
    for text in says:
        assert text in done.stderr, (text, done.stderr)
    wrong = rows_of(path, "run")[-1]
    assert wrong["outcome"] == "wrong" and wrong["message"] and not wrong["certified"]
    return wrong


@pytest.mark.parametrize("call", [0, 1, 3])
def test_wrong_label(call, spoiler, tmp_path):
    """In the warm-up, in the first round and later; the first index that differs is named."""
    graph = "rmat:scale=10,edge-factor=4,seed=9"
    done = spoiled(spoiler, tmp_path / "r", "components", graph, "--threads", 1, "--seed", 5,
                   "--repeat", 4, variant="union-find", call=call, index=513)
    wrong = check_loud(done, tmp_path / "r", "union-find", graph, "seed 5", "labels[513]",
                       "the result is not that of dfs", "threads 1", "to see it again",
                       f"hoplite bench components '{graph}' --variant 'union-find' --threads 1 "
                       "--seed 5 --repeat 4")
    assert wrong["variant"] == "union-find" and wrong["seed"] == 5
    assert wrong["warmup"] == (call == 0) and (call == 0 or wrong["repetition"] == call - 1)


def test_command_to_see_it_again_does(spoiler, tmp_path):
    done = spoiled(spoiler, tmp_path / "r", "components", "rmat:scale=8", "--threads", 1,
                   "--repeat", 3, variant="rem", call=2, index=7)
    again = done.stderr.strip().splitlines()[-1].replace("'", "").split()
    assert again[:2] == ["hoplite", "bench"]
    once_more = spoiled(spoiler, tmp_path / "s", *again[2:], variant="rem", call=2, index=7)
    check_loud(once_more, tmp_path / "s", "labels[7]")


def test_wrong_count(spoiler, tmp_path):
    done = spoiled(spoiler, tmp_path / "r", "components", "rmat:scale=8", "--threads", 1,
                   variant="rem", call=1, SPOIL_COUNT="1")
    check_loud(done, tmp_path / "r", "components, not", "by dfs")


def test_wrong_reference_is_seen_by_the_certificate(spoiler, tmp_path):
    """Nothing to compare with: the proof alone."""
    done = spoiled(spoiler, tmp_path / "r", "bfs", "rmat:scale=8", "--variant", "sequential",
                   "--random-sources", 3, variant="sequential", call=1, index=200)
    check_loud(done, tmp_path / "r", "certificate", "--random-sources 3", "source ")


def test_second_array_is_compared_too(spoiler, tmp_path):
    """A parent, in a run that is not proved any more."""
    done = spoiled(spoiler, tmp_path / "r", "bfs", "rmat:scale=8", "--variant", "sequential",
                   "--repeat", 5, variant="sequential", call=4, index=200)
    check_loud(done, tmp_path / "r", "parents[200]")


def test_reference_that_is_no_contender(spoiler, tmp_path):
    done = spoiled(spoiler, tmp_path / "r", "components", "rmat:scale=8", "--variant", "rem",
                   variant="dfs", call=0, index=3)
    check_loud(done, tmp_path / "r", "dfs", "certificate")


@pytest.mark.parametrize("vertices,reference", [(100, "floyd-warshall"), (2049, "dijkstra")])
def test_reference_of_large_matrices_is_no_triple_loop(vertices, reference, spoiler, tmp_path):
    """Which would take hours, and stand in the way of what is measured."""
    for spoils in ("floyd-warshall", "dijkstra"):
        done = spoiled(spoiler, tmp_path / spoils, "apsp", f"degree:n={vertices}", "--variant",
                       "blocked", "--repeat", 1, variant=spoils, call=0, index=3)
        if spoils == reference:
            check_loud(done, tmp_path / spoils, reference, "certificate")
        else:
            assert done.returncode == 0, done.stderr


def test_every_run_is_checked(spoiler, tmp_path):
    """The last repetition of the last variant, at the last number of threads."""
    last = [row["name"] for row in host_variants("rank")][-1]
    done = spoiled(spoiler, tmp_path / "r", "rank", "list:n=3000", "--threads", "1,2", "--repeat",
                   3, variant=last, call=7, index=2999)
    wrong = check_loud(done, tmp_path / "r", "ranks[2999]" if last != "sequential" else "rank")
    assert (wrong["threads"], wrong["repetition"]) == (2, 2)


def test_right_results_stay_right(spoiler, tmp_path):
    done = spoiled(spoiler, tmp_path / "r", "components", "rmat:scale=8", variant="nobody", call=0)
    assert done.returncode == 0, done.stderr
