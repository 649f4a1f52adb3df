/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of verbs: see verbs.h. */
#include "verbs.h"

#include "hoplite/hoplite.h"
#include "option_table.h"

enum {
    GROUPS_WORK = GROUP_MACHINE | GROUP_THREADS | GROUP_RESULT | GROUP_TALK | GROUP_HELP,
    GROUPS_TABLE = GROUP_RESULT | GROUP_HELP,
    GROUPS_DEVICE = GROUP_DEVICE | GROUP_DEVICE_MEMORY,
    /* Of the verbs of the problems. */
    GROUPS_SOLVE = GROUP_SOLVE | GROUP_PROOF | GROUP_ANSWER | GROUPS_DEVICE | GROUPS_WORK,
    GROUPS_GRAPH = GROUP_INPUT | GROUP_PREPARE | GROUPS_SOLVE
};

/* Each name once: one for the host and one for devices may be the same word. */
static const char *word_of_variant(hop_problem problem, size_t index) {
    const hop_variant *variant;
    size_t words = 0;
    if (index == 0)
        return "auto";
    for (size_t i = 0; (variant = hop_variant_at(problem, i)) != NULL; i++)
        if (hop_variant_find(problem, variant->name) == variant && ++words == index)
            return variant->name;
    return NULL;
}

static const char *word_of_bfs(size_t index) {
    return word_of_variant(HOP_PROBLEM_BFS, index);
}

static const char *word_of_rank(size_t index) {
    return word_of_variant(HOP_PROBLEM_RANK, index);
}

static const char *word_of_sssp(size_t index) {
    return word_of_variant(HOP_PROBLEM_SSSP, index);
}

static const char *word_of_apsp(size_t index) {
    return word_of_variant(HOP_PROBLEM_APSP, index);
}

static const char *word_of_components(size_t index) {
    return word_of_variant(HOP_PROBLEM_COMPONENTS, index);
}

const verb verb_rows[] = {
    {
        .name = "generate",
        .operands = "FAMILY",
        .summary = "make a graph or a list by recipe",
        .description = "Makes a graph of a family, such as rmat or grid, from its parameters and a "
                       "seed. The same parameters and seed give the same bits on every machine "
                       "and with every number of threads. Without -o nothing is written: the "
                       "graph is described.",
        .examples = "hoplite generate rmat --scale 20 --edge-factor 16 -o g.npz\n"
                    "hoplite generate rmat --help\n"
                    "hoplite generate --list\n",
        .groups = GROUP_RECIPE | GROUP_OUTPUT | GROUP_SCRATCH | GROUPS_WORK,
        .most_operands = 1,
        .operand_words = word_of_family,
        .parameter = family_parameter,
        .more_help = help_family,
        .run = run_generate,
    },
    {
        .name = "convert",
        .operands = "INPUT OUTPUT",
        .summary = "read a graph, change it, write it in another format",
        .description = "Reads a graph in any format and writes it in another. What the new format "
                       "cannot hold (weights, direction, labels) is an error that says what to "
                       "drop. Changes are made in the order in which they are listed here.",
        .examples = "hoplite convert road.gr road.npz\n"
                    "hoplite convert links.txt.gz --directed links.mtx\n"
                    "zcat edges.gz | hoplite convert - --from edge-list edges.npz\n",
        .groups =
            GROUP_GUARD | GROUP_INPUT | GROUP_CHANGE | GROUP_OUTPUT | GROUP_SCRATCH | GROUPS_WORK,
        .most_operands = 2,
        .operand_files = true,
        .run = run_convert,
    },
    {
        .name = "info",
        .operands = "GRAPH",
        .summary = "describe a graph or a list",
        .description = "Describes a graph: size, direction, weights, degrees, ids, memory, and "
                       "how long it took to open and to check. Lists (.npy) are described as "
                       "lists.",
        .examples = "hoplite info road.npz\n"
                    "hoplite info --json --diameter links.txt.gz\n",
        .groups = GROUP_GUARD | GROUP_INPUT | GROUP_DESCRIBE | GROUP_PLOT | GROUPS_WORK,
        .most_operands = 1,
        .operand_files = true,
        .run = run_info,
    },
    {
        .name = "rank",
        .operands = "LIST",
        .summary = "rank the elements of linked lists",
        .description = "Finds how many links each element of a list is away from its tail. The "
                       "list is a file of successors, .npy or text with one number per line; the "
                       "tail is its own successor.",
        .examples = "hoplite generate list --n 1e6 -o list.npy\n"
                    "hoplite rank list.npy --certify -o ranks.npy\n"
                    "hoplite rank lists.txt --head 0 --head 17 -o -\n",
        .groups = GROUP_GUARD | GROUP_FILE | GROUPS_SOLVE | GROUP_HEADS,
        .most_operands = 1,
        .operand_files = true,
        .variants = word_of_rank,
        .run = run_rank,
    },
    {
        .name = "components",
        .operands = "GRAPH",
        .summary = "find the connected components",
        .description = "Finds which vertices are connected, whatever the direction of the edges. "
                       "Each component is named by its smallest vertex. Prints how many there are "
                       "and the largest; -o writes the component of every vertex.",
        .examples = "hoplite components road.npz\n"
                    "hoplite components links.txt.gz -o parts.txt --sizes sizes.txt\n"
                    "hoplite components web.npz --largest core.npz --certify\n"
                    "hoplite components web.npz --top 20 --plot sizes.svg\n",
        .groups = GROUP_GUARD | GROUPS_GRAPH | GROUP_DISK | GROUP_PARTS | GROUP_IDS | GROUP_PLOT,
        .disk = DISK_ONCE,
        .most_operands = 1,
        .operand_files = true,
        .variants = word_of_components,
        .run = run_components,
    },
    {
        .name = "bfs",
        .operands = "GRAPH",
        .summary = "search a graph breadth first",
        .description = "Finds how many edges each vertex is away from the sources, and the "
                       "neighbour before it on a shortest path. Without -o a summary is printed; "
                       "-o writes the "
                       "level and the parent of every vertex.",
        .examples = "hoplite bfs social.npz --source 0\n"
                    "hoplite bfs links.txt --source 101 --source 205 -o levels.txt\n"
                    "hoplite bfs web.npz --certify -o levels.npy --parents parents.npy\n"
                    "hoplite bfs web.npz --explain --repeat 5\n"
                    "hoplite bfs web.npz --source random --seed 7 --within-largest\n",
        .groups = GROUP_GUARD | GROUPS_GRAPH | GROUP_DISK | GROUP_ENDS | GROUP_WITHIN |
                  GROUP_DEPTH | GROUP_TREE | GROUP_IDS | GROUP_PLOT,
        .disk = DISK_OFTEN,
        .most_operands = 1,
        .operand_files = true,
        .variants = word_of_bfs,
        .run = run_bfs,
    },
    {
        .name = "sssp",
        .operands = "GRAPH",
        .summary = "find shortest paths from sources",
        .description =
            "Finds the distance of each vertex from the sources, and the "
            "neighbour before it on a shortest path. Weights may be negative; if they make a "
            "cycle of negative sum, that is printed. Without weights each edge counts "
            "1.",
        .examples = "hoplite sssp road.npz --source 0\n"
                    "hoplite sssp road.gr --source 17 --cutoff 5000 -o near.txt\n"
                    "hoplite sssp road.npz --certify -o distances.npy --parents parents.npy\n",
        .groups = GROUP_GUARD | GROUPS_GRAPH | GROUP_DISK | GROUP_ENDS | GROUP_WITHIN |
                  GROUP_CUTOFF | GROUP_TREE | GROUP_IDS | GROUP_PLOT,
        .disk = DISK_OFTEN,
        .most_operands = 1,
        .operand_files = true,
        .variants = word_of_sssp,
        .run = run_sssp,
    },
    {
        .name = "apsp",
        .operands = "GRAPH",
        .summary = "find shortest paths between all pairs",
        .description = "Finds the distance between every two vertices. Without -o the matrix is "
                       "not kept: diameter, radius and mean distance are printed. -o writes it "
                       "row by row, in less memory than the whole matrix takes. --rows limits it "
                       "to the distances from some vertices.",
        .examples = "hoplite apsp town.npz\n"
                    "hoplite apsp town.npz --memory 1G --distance-type int32 -o matrix.npy\n"
                    "hoplite apsp town.npz --certify --certify-rows 100\n"
                    "hoplite apsp town.npz --eccentricities farthest.txt\n"
                    "hoplite apsp town.npz --rows 5,7,9 -o three.npy\n",
        .groups = GROUP_GUARD | GROUPS_GRAPH | GROUP_ROWS | GROUP_MATRIX | GROUP_SHAPE |
                  GROUP_SCRATCH | GROUP_FARTHEST | GROUP_IDS,
        .most_operands = 1,
        .operand_files = true,
        .variants = word_of_apsp,
        .run = run_apsp,
    },
    {
        .name = "path",
        .operands = "GRAPH [FROM TO]",
        .summary = "print a shortest path between two vertices, or the distances of many pairs",
        .description = "Prints the vertices of a shortest path and the distance at each. By "
                       "weights if the graph has any, else by the number of edges, as with "
                       "--drop-weights. If there is no path the exit code is 1. With --pairs, in "
                       "place of FROM and TO, the distance of each pair in a file: pairs of the "
                       "same source share one search, which stops as soon as all are found; a "
                       "pair without a path has inf. --index answers by an index instead of "
                       "searching. --all-paths prints every shortest path, one vertex per line "
                       "behind the number of its path.",
        .examples = "hoplite path road.npz 17 4711\n"
                    "hoplite path road.npz 17 4711 --drop-weights\n"
                    "hoplite path links.txt 101 999 --json\n"
                    "hoplite path road.npz --pairs trips.csv -o lengths.csv\n"
                    "hoplite path road.npz 17 4711 --index road.index.npz\n"
                    "hoplite path links.txt 101 999 --all-paths --limit 20\n",
        .groups = GROUP_GUARD | GROUPS_GRAPH | GROUP_PAIRS,
        .most_operands = 3,
        .operand_files = true,
        .variants = word_of_sssp,
        .run = run_path,
    },
    {
        .name = "table",
        .operands = "GRAPH",
        .summary = "find the distances from some vertices to some vertices",
        .description = "Finds a table of distances: a row for each source, a column for each "
                       "target, in the order in which they are named. By weights if the graph has "
                       "any, else by the number of edges, as with --drop-weights. Where only one "
                       "side is named, the other is all vertices. There are as many searches as "
                       "sources, or as targets if these are fewer. -o writes the table row by row, "
                       "as text or .npy; what is not reached is inf. A small one is printed.",
        .examples = "hoplite table road.npz --source 3,17,40 --target 5,9\n"
                    "hoplite table town.csv --sources homes.txt --targets shops.txt -o "
                    "table.csv\n"
                    "hoplite table road.npz --targets hospitals.txt -o far.npy\n",
        .groups = GROUP_GUARD | GROUPS_GRAPH | GROUP_TABLE,
        .most_operands = 1,
        .operand_files = true,
        .variants = word_of_apsp,
        .run = run_table,
    },
    {
        .name = "index",
        .operands = "GRAPH",
        .summary = "make an index for many shortest paths in one graph",
        .description = "Makes an index of a graph, with which hoplite path --index finds shortest "
                       "paths and distances by looking at a small part of the graph: the same "
                       "answers as without. It pays where the graph is like a road network and is "
                       "asked about again and again. No weight may be negative.",
        .examples = "hoplite index road.npz -o road.index.npz\n"
                    "hoplite path road.npz --index road.index.npz --pairs trips.csv\n",
        .groups = GROUP_GUARD | GROUP_INPUT | GROUP_INDEX | GROUP_ANSWER | GROUPS_WORK,
        .most_operands = 1,
        .operand_files = true,
        .run = run_index,
    },
    {
        .name = "measure",
        .operands = "NAME GRAPH",
        .summary = "measure the graph: closeness, betweenness, diameter and others",
        .description =
            "Computes a measure from the distances between all vertices, without keeping them: "
            "values of vertices (closeness, harmonic, eccentricity, reach, local-efficiency, "
            "betweenness) or of edges (edge-betweenness), numbers (diameter, radius, wiener, "
            "mean-distance, efficiency), vertices (center, periphery, barycenter) or how many "
            "pairs are how far apart (histogram). Distances are by weights if the graph has any, "
            "else by the number of edges, as with --drop-weights. Also finds the strong components "
            "and a topological order of a directed graph, the minimum spanning forest of any "
            "graph, and which of some centers is nearest to each vertex (voronoi). -o writes all "
            "values.",
        .examples = "hoplite measure closeness social.npz -o closeness.txt\n"
                    "hoplite measure diameter road.npz\n"
                    "hoplite measure reach web.npz --within 3 --direction out -o near.npy\n"
                    "hoplite measure histogram social.npz --certify\n"
                    "hoplite measure voronoi road.npz --centers 3,17,40 -o cells.csv\n",
        .groups = GROUP_GUARD | GROUP_INPUT | GROUP_MEASURE | GROUP_PREPARE | GROUP_PROOF |
                  GROUP_ANSWER | GROUP_IDS | GROUPS_WORK,
        .most_operands = 2,
        .operand_words = word_of_measure,
        .operand_files = true,
        .more_help = help_measures,
        .run = run_measure,
    },
    {
        .name = "closure",
        .operands = "GRAPH",
        .summary = "find what each vertex reaches, or what reaches it",
        .description =
            "Finds the transitive closure of a graph: for each vertex, its row, all vertices to "
            "which a path of one or more edges leads. Without -o, and without --rows, the rows are "
            "counted only. -o writes them as edges, FROM and TO on each line, row after row, in "
            "memory for a few rows at a time; with --rows they are printed. --backward finds "
            "what reaches each vertex.",
        .examples = "hoplite closure calls.txt --directed -o reaches.txt.gz\n"
                    "hoplite closure calls.txt --directed --rows main\n"
                    "hoplite closure tasks.csv --directed --backward --rows 17,23 --together\n"
                    "hoplite closure web.npz --certify\n",
        .groups = GROUP_GUARD | GROUP_INPUT | GROUP_ROWS | GROUP_CLOSURE | GROUP_PREPARE |
                  GROUP_PROOF | GROUP_ANSWER | GROUPS_WORK,
        .most_operands = 1,
        .operand_files = true,
        .run = run_closure,
    },
    {
        .name = "certify",
        .operands = "PROBLEM INPUT RESULT",
        .summary = "certify a result that is in a file",
        .description =
            "Checks the result of a problem (rank, components, bfs, sssp, apsp) against "
            "its graph or list, without solving it again: results of hoplite, or of any "
            "other program, as text or .npy. Sources and limits must be those of the "
            "result. If the result is wrong, the message says where, and the exit code is 3.",
        .examples = "hoplite certify bfs web.npz levels.npy --parents parents.npy\n"
                    "hoplite certify sssp road.npz near.txt --source 17 --cutoff 5000\n"
                    "hoplite certify components web.npz theirs.txt --certify=valid\n"
                    "hoplite certify sssp web.e theirs.txt --source 6 --tolerance 1e-4\n",
        .groups = GROUP_GUARD | GROUP_INPUT | GROUP_DISK | GROUP_ENDS | GROUP_DEPTH | GROUP_CUTOFF |
                  GROUP_HEADS | GROUP_PROOF | GROUP_TOLERANCE | GROUP_MATRIX | GROUP_TREE |
                  GROUPS_WORK,
        .most_operands = 3,
        .operand_words = word_of_problem,
        .operand_files = true,
        .run = run_certify,
    },
    {
        .name = "variants",
        .operands = "[PROBLEM]",
        .summary = "list the variants that solve a problem",
        .description =
            "Lists the variants of the problems (rank, components, bfs, sssp, apsp) with "
            "their parameters. All variants of a problem give the same answer; "
            "--variant NAME takes one, --set NAME=VALUE sets its parameters.",
        .examples = "hoplite variants bfs\n"
                    "hoplite variants --json\n",
        .groups = GROUPS_TABLE,
        .most_operands = 1,
        .operand_words = word_of_problem,
        .run = run_variants,
    },
    {
        .name = "bench",
        .operands = "PROBLEM GRAPH...",
        .summary = "measure variants side by side, and check their results",
        .description =
            "Runs the chosen variants of a problem on graphs, in rounds, and prints a table, "
            "fastest first. Every result is compared with that of the sequential reference, and "
            "certified once. GRAPH is a file or a recipe FAMILY:KEY=VALUE,... with the parameters "
            "of "
            "generate. --machine measures the memory instead. --compare OLD with one operand, a "
            "file of rows, compares the two files.",
        .examples = "hoplite bench bfs kron.npz --threads 1,2 --jsonl rows.jsonl\n"
                    "hoplite bench components rmat:scale=16 grid:rows=512,cols=512 --regret\n"
                    "hoplite bench rank list:n=2^22 --variant sequential --repeat 30\n"
                    "hoplite bench --compare old.jsonl new.jsonl\n"
                    "hoplite bench --machine\n",
        .groups = GROUP_INPUT | GROUP_BENCH | GROUP_DEVICE_MEMORY | GROUP_MACHINE | GROUP_RESULT |
                  GROUP_TALK | GROUP_HELP,
        .most_operands = 10000,
        .operand_words = word_of_problem,
        .operand_files = true,
        .run = run_bench,
    },
    {
        .name = "formats",
        .operands = "",
        .summary = "list the file formats",
        .description = "Lists the file formats and what each of them can hold.",
        .groups = GROUPS_TABLE,
        .run = run_formats,
    },
    {
        .name = "devices",
        .operands = "",
        .summary = "list the devices of this machine",
        .description =
            "Lists the processor (cores, caches, memory, instruction sets) and the "
            "devices that drivers offer: memory, limits, capabilities, whether they can "
            "be used and why not. The one that --device or HOPLITE_DEVICE names is "
            "marked; if it does not exist the exit code is 4. --accept tries everything on "
            "one device: tests with known answers, and every variant of every problem, "
            "against the host bit by bit and certified, on graphs that grow.",
        .examples = "hoplite devices --check\n"
                    "hoplite devices --accept cuda:0 -o report.json\n",
        .groups = GROUP_DEVICE | GROUP_CHECK | GROUP_ACCEPT | GROUPS_TABLE,
        .run = run_devices,
    },
    {
        .name = "tune",
        .operands = "",
        .summary = "measure the constants by which variants are chosen",
        .description =
            "Measures, in about five seconds, from which sizes on one variant is faster "
            "than another on this machine, and what the steps of the all-pairs variants "
            "cost; writes them to a file that later commands read: that of "
            "HOPLITE_TUNING, else hoplite/tuning in the folder for settings. With --device, what "
            "that device takes for a byte, a word from anywhere, a launch and a copy to it, which "
            "is kept for the device and its driver's version. On a machine "
            "that is busy with other work nothing is written. --no-write measures "
            "and prints only. Constants change which variant runs, never an answer.",
        .examples = "hoplite tune\n"
                    "hoplite tune --device opencl:0.0\n"
                    "hoplite tune --no-write --json\n"
                    "HOPLITE_TUNING=none hoplite bfs web.npz --explain\n",
        .groups = GROUP_TUNE | GROUPS_DEVICE | GROUPS_WORK,
        .run = run_tune,
    },
    {
        .name = "plan",
        .operands = "",
        .summary = "say what a graph would need on a cluster",
        .description =
            "Computes, from the size of a graph and of a cluster, what hoplite-mpi would need "
            "there: memory of each node, bytes and messages that it sends for each problem, and "
            "the time that its bandwidth takes for them at least; whether it fits, and what to "
            "change if not. Arcs are taken to be random, which is the worst case for what is "
            "sent. Nothing is measured, and no MPI is needed.",
        .examples = "hoplite plan --edges 128e9 --vertices 3.5e9 --nodes 64 --memory 512G\n"
                    "hoplite plan --edges 1e12 --vertices 3e10 --nodes 4096 --json\n",
        .groups = GROUP_PLAN | GROUPS_TABLE,
        .run = run_plan,
    },
    {
        .name = "completion",
        .operands = "SHELL",
        .summary = "print the completions for a shell: bash, zsh or fish",
        .description = "Prints a script that teaches the shell the verbs, options, families and "
                       "formats.",
        .examples = "source <(hoplite completion bash)\n"
                    "hoplite completion zsh > ~/.zfunc/_hoplite\n"
                    "hoplite completion fish > ~/.config/fish/completions/hoplite.fish\n",
        .groups = GROUP_HELP,
        .most_operands = 1,
        .operand_words = word_of_shell,
        .run = run_completion,
    },
    {
        .name = "help",
        .operands = "[VERB]",
        .summary = "explain a verb",
        .description = "Explains a verb; without one, lists them. As JSON: all verbs with their "
                       "options, for programs.",
        .groups = GROUPS_TABLE,
        .most_operands = 1,
        .operand_words = word_of_verb,
        .run = run_help,
    },
};

const size_t verb_count = sizeof verb_rows / sizeof verb_rows[0];
