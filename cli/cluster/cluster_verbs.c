/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of verbs of hoplite-mpi: see verbs.h. */
#include "cluster/cluster_job.h"
#include "option_table.h"

enum { GROUPS_ALL = GROUP_MACHINE | GROUP_RESULT | GROUP_TALK | GROUP_HELP };

const verb verb_rows[] = {
    {
        .name = "components",
        .operands = "GRAPH",
        .summary = "find the connected components",
        .description = "Finds which vertices are connected, whatever the direction of the edges. "
                       "Each component is named by its smallest vertex. GRAPH is a file "
                       "that every rank can open, or a recipe such as rmat:scale=20. -o "
                       "writes the component of every vertex to an .npy file.",
        .examples = "mpirun -n 4 hoplite-mpi components web.npz -o parts.npy\n"
                    "mpirun -n 4 hoplite-mpi components rmat:scale=22 --certify --json\n",
        .groups = GROUP_SPREAD | GROUP_SPREAD_ANSWER | GROUPS_ALL,
        .most_operands = 1,
        .operand_files = true,
        .run = run_cluster_components,
    },
    {
        .name = "bfs",
        .operands = "GRAPH",
        .summary = "search a graph breadth first",
        .description = "Finds how many edges each vertex is away from the sources, and "
                       "the smallest neighbour before it on a shortest path. "
                       "GRAPH is a file that every rank can open, or a recipe. -o "
                       "writes the level of every vertex to an .npy file, --parents the parents.",
        .examples = "mpirun -n 4 hoplite-mpi bfs web.npz --from-vertex 0 -o levels.npy\n"
                    "mpirun -n 4 hoplite-mpi bfs rmat:scale=22 --from-vertex 1 --certify\n",
        .groups = GROUP_SPREAD | GROUP_SPREAD_ANSWER | GROUP_SPREAD_SEARCH | GROUPS_ALL,
        .most_operands = 1,
        .operand_files = true,
        .run = run_cluster_bfs,
    },
    {
        .name = "sssp",
        .operands = "GRAPH",
        .summary = "find shortest paths from given vertices",
        .description = "Finds the distance of each vertex from the sources, and the "
                       "neighbour before it on a shortest path. Weights must not be negative; "
                       "without weights each edge counts 1. GRAPH is a file that "
                       "every rank can open, or a recipe. -o writes the distance "
                       "of every vertex to an .npy file, --parents the parents.",
        .examples = "mpirun -n 4 hoplite-mpi sssp roads.npz --from-vertex 0 -o distances.npy\n"
                    "mpirun -n 4 hoplite-mpi sssp roads.npz --from-vertex 1 --certify --json\n",
        .groups = GROUP_SPREAD | GROUP_SPREAD_ANSWER | GROUP_SPREAD_SEARCH | GROUPS_ALL,
        .most_operands = 1,
        .operand_files = true,
        .run = run_cluster_sssp,
    },
    {
        .name = "apsp",
        .operands = "GRAPH",
        .summary = "find distances between all pairs",
        .description = "Finds the distances between all pairs of vertices, in a matrix that is "
                       "spread over the ranks. Without weights each edge counts 1. GRAPH is a "
                       "file that every rank "
                       "can open, or a recipe. -o writes the matrix to an .npy "
                       "file.",
        .examples = "mpirun -n 4 hoplite-mpi apsp roads.npz --certify -o matrix.npy\n"
                    "mpirun -n 4 hoplite-mpi apsp rmat:scale=12 --json\n",
        .groups = GROUP_SPREAD | GROUP_SPREAD_ANSWER | GROUPS_ALL,
        .most_operands = 1,
        .operand_files = true,
        .run = run_cluster_apsp,
    },
    {
        .name = "rank",
        .operands = "LIST",
        .summary = "rank the elements of linked lists",
        .description = "Finds how many links each element is away from the tail of its list. LIST "
                       "is an .npy file of successors that every rank can open; a tail is its own "
                       "successor. -o writes the rank of every element to an .npy file.",
        .examples = "mpirun -n 4 hoplite-mpi rank list.npy --certify -o ranks.npy\n"
                    "mpirun -n 4 hoplite-mpi rank lists.npy --all --json\n",
        .groups = GROUP_SPREAD | GROUP_SPREAD_ANSWER | GROUP_HEADS | GROUPS_ALL,
        .most_operands = 1,
        .operand_files = true,
        .run = run_cluster_rank,
    },
    {
        .name = "info",
        .operands = "GRAPH",
        .summary = "describe a graph and how it is spread",
        .description = "Reads a file, or makes a graph by a recipe, and describes "
                       "it: size, direction, arcs per rank, bytes sent to spread it.",
        .examples = "mpirun -n 4 hoplite-mpi info web.npz\n"
                    "mpirun -n 4 hoplite-mpi info rmat:scale=22,edge-factor=16 --json\n",
        .groups = GROUP_SPREAD | GROUPS_ALL,
        .most_operands = 1,
        .operand_files = true,
        .run = run_cluster_info,
    },
};
const size_t verb_count = sizeof verb_rows / sizeof verb_rows[0];
