/* SPDX-License-Identifier: Apache-2.0
 *
 * The one table of options: see option_table.h. Its order is the order of the help texts. */
#include "option_table.h"

#include "hoplite/hoplite.h"

const option_group option_groups[GROUP_COUNT] = {
    {GROUP_INPUT, "Reading"},
    {GROUP_FILE, "Reading"},
    {GROUP_DISK, "Reading"},
    {GROUP_GUARD, "Reading"},
    {GROUP_ENDS, "From where to where"},
    {GROUP_TABLE, "From where to where"},
    {GROUP_WITHIN, "From where to where"},
    {GROUP_PAIRS, "From where to where"},
    {GROUP_INDEX, "What to make"},
    {GROUP_SPREAD_SEARCH, "Searching"},
    {GROUP_DEPTH, "Limits"},
    {GROUP_CUTOFF, "Limits"},
    {GROUP_MEASURE, "What to measure"},
    {GROUP_ROWS, "Which rows"},
    {GROUP_CLOSURE, "Which rows"},
    {GROUP_HEADS, "Which lists"},
    {GROUP_SOLVE, "Solving"},
    {GROUP_PREPARE, "Solving"},
    {GROUP_PROOF, "Solving"},
    {GROUP_TOLERANCE, "Solving"},
    {GROUP_MATRIX, "Solving"},
    {GROUP_SHAPE, "Solving"},
    {GROUP_DESCRIBE, "Describing"},
    {GROUP_RECIPE, "What to make"},
    {GROUP_PLAN, "What to plan for"},
    {GROUP_CHANGE, "Changing"},
    {GROUP_SPREAD_ANSWER, "Results of all ranks"},
    {GROUP_OUTPUT, "Writing"},
    {GROUP_ANSWER, "Writing"},
    {GROUP_PARTS, "Writing"},
    {GROUP_FARTHEST, "Writing"},
    {GROUP_IDS, "Writing"},
    {GROUP_PLOT, "Writing"},
    {GROUP_TREE, "Parents"},
    {GROUP_BENCH, "Measuring"},
    {GROUP_TUNE, "Measuring"},
    {GROUP_DEVICE, "Device"},
    {GROUP_DEVICE_MEMORY, "Device"},
    {GROUP_CHECK, "Device"},
    {GROUP_ACCEPT, "Accepting a device"},
    {GROUP_THREADS, "Using the machine"},
    {GROUP_MACHINE, "Using the machine"},
    {GROUP_SCRATCH, "Using the machine"},
    {GROUP_SPREAD, "Using the machine"},
    {GROUP_RESULT, "Results"},
    {GROUP_TALK, "Messages"},
    {GROUP_HELP, "Help"},
};

const option_row option_rows[OPTION_COUNT] = {
    [OPT_FROM] = {"from", 0, KIND_WORD, GROUP_INPUT, "FORMAT", NULL, 0, 0, word_of_readable_format,
                  "read as FORMAT instead of recognising it by its contents"},
    [OPT_COLUMNS] =
        {"columns", 0, KIND_TEXT, GROUP_INPUT, "FROM,TO[,WEIGHT]", NULL, 0, 0, NULL,
         "read these columns of a table, by name or by number from 1, and ignore the others"},
    [OPT_DELIMITER] = {"delimiter", 0, KIND_TEXT, GROUP_INPUT, "C", NULL, 0, 0, NULL,
                       "the character between the columns of a table, or the word tab or blank; "
                       "default: found in its first line"},
    [OPT_HEADER] = {"header", 0, KIND_WORD, GROUP_INPUT, "yes|no", NULL, 0, 0, word_of_yes_no,
                    "whether the first line of a table has the names of its columns; default: "
                    "guessed from its first two lines"},
    [OPT_NAMES] = {"names", 0, KIND_FLAG, GROUP_INPUT, NULL, NULL, 0, 0, NULL,
                   "treat ids as text, even if they look like numbers"},
    [OPT_DIRECTED] = {"directed", 0, KIND_FLAG, GROUP_INPUT, NULL, NULL, 0, 0, NULL,
                      "edges are directed, whatever the file says"},
    [OPT_UNDIRECTED] = {"undirected", 0, KIND_FLAG, GROUP_INPUT, NULL, NULL, 0, 0, NULL,
                        "edges are undirected, whatever the file says"},
    [OPT_DUPLICATES] =
        {"duplicates", 0, KIND_WORD, GROUP_INPUT, "RULE", NULL, 0, 0, word_of_duplicates,
         "of several edges between the same two vertices keep the smallest weight (min, the "
         "default), the largest (max), their sum, the first, the last, or all edges (keep)"},
    [OPT_DROP_LOOPS] = {"drop-loops", 0, KIND_FLAG, GROUP_INPUT, NULL, NULL, 0, 0, NULL,
                        "leave out edges from a vertex to itself"},
    [OPT_DROP_WEIGHTS] = {"drop-weights", 0, KIND_FLAG, GROUP_INPUT, NULL, NULL, 0, 0, NULL,
                          "leave out the weights"},
    [OPT_TRUSTED] = {"trusted", 0, KIND_FLAG, GROUP_INPUT, NULL, NULL, 0, 0, NULL,
                     "do not check a mapped file; a corrupt one may then crash the command or give "
                     "wrong results"},
    [OPT_IN_MEMORY] = {"in-memory", 0, KIND_FLAG, GROUP_INPUT | GROUP_FILE, NULL, NULL, 0, 0, NULL,
                       "read .npz and .npy files into memory instead of mapping them, so that they "
                       "may change meanwhile"},
    [OPT_EXTERNAL] = {"external", 0, KIND_FLAG, GROUP_DISK, NULL, NULL, 0, 0, NULL,
                      "leave the arcs of a native file on disk and read them as they are needed; "
                      "without it this is done by components where the file is larger than the "
                      "memory budget, by bfs and sssp where it is three times as large"},
    [OPT_VERIFY] = {"verify", 0, KIND_FLAG, GROUP_INPUT, NULL, NULL, 0, 0, NULL,
                    "compare a native file with the hash stored in it"},
    [OPT_MAX_VERTICES] = {"max-vertices", 0, KIND_WHOLE, GROUP_INPUT, "N", NULL, 1, UINT64_MAX,
                          NULL, "refuse files with more than N vertices"},
    [OPT_MAX_EDGES] = {"max-edges", 0, KIND_WHOLE, GROUP_INPUT, "N", NULL, 1, UINT64_MAX, NULL,
                       "refuse files with more than N edges"},
    [OPT_MAX_BYTES] = {"max-bytes", 0, KIND_BYTES, GROUP_INPUT | GROUP_FILE, "SIZE", NULL, 1,
                       UINT64_MAX, NULL, "refuse text that is larger once decompressed"},
    [OPT_MAX_LINE] = {"max-line", 0, KIND_BYTES, GROUP_INPUT | GROUP_FILE, "SIZE", NULL, 1,
                      UINT64_MAX, NULL,
                      "refuse text with a longer line (comments may have any length); default 16M, "
                      "metis 4G"},
    [OPT_SANDBOX] = {"sandbox", 0, KIND_FLAG, GROUP_GUARD, NULL, NULL, 0, 0, NULL,
                     "let the system refuse all files but those named here, and the network: for "
                     "files from strangers (Linux 5.13 or later, not with devices)"},
    [OPT_SOURCE] = {"source", 0, KIND_TEXT, GROUP_ENDS, "V", NULL, 0, 0, NULL,
                    "begin at vertex V, by its id in the file, or at a random vertex (random, see "
                    "--seed); may be repeated; default the vertex with the most arcs",
                    .many = true},
    [OPT_SOURCES] = {"sources", 0, KIND_FILE, GROUP_ENDS, "FILE", NULL, 0, 0, NULL,
                     "begin at the vertices listed in FILE, one per line"},
    [OPT_TARGET] = {"target", 0, KIND_TEXT, GROUP_ENDS, "V", NULL, 0, 0, NULL,
                    "stop when vertex V is reached, and print its level or distance; may be "
                    "repeated: then when all are reached",
                    .many = true},
    [OPT_TARGETS] = {"targets", 0, KIND_FILE, GROUP_ENDS, "FILE", NULL, 0, 0, NULL,
                     "stop when all vertices listed in FILE, one per line, are reached, and print "
                     "their levels or distances"},
    [OPT_NEAREST] = {"nearest", 0, KIND_WHOLE, GROUP_ENDS, "K", NULL, 1, UINT32_MAX - 1, NULL,
                     "stop when the K vertices nearest to the sources are found, and print them; "
                     "what is farther counts as not reached"},
    [OPT_TABLE_SOURCE] = {"source", 0, KIND_TEXT, GROUP_TABLE, "V,...", NULL, 0, 0, NULL,
                          "rows for these vertices, by their ids in the file; may be repeated; "
                          "default all",
                          .many = true},
    [OPT_TABLE_SOURCES] = {"sources", 0, KIND_FILE, GROUP_TABLE, "FILE", NULL, 0, 0, NULL,
                           "rows for the vertices listed in FILE, one per line"},
    [OPT_TABLE_TARGET] = {"target", 0, KIND_TEXT, GROUP_TABLE, "V,...", NULL, 0, 0, NULL,
                          "columns for these vertices, by their ids in the file; may be repeated; "
                          "default all",
                          .many = true},
    [OPT_TABLE_TARGETS] = {"targets", 0, KIND_FILE, GROUP_TABLE, "FILE", NULL, 0, 0, NULL,
                           "columns for the vertices listed in FILE, one per line"},
    [OPT_WITHIN_LARGEST] = {"within-largest", 0, KIND_FLAG, GROUP_WITHIN, NULL, NULL, 0, 0, NULL,
                            "start in the largest component: random and default sources are taken "
                            "from it, and a source outside it is refused"},
    [OPT_PAIRS] = {"pairs", 0, KIND_FILE, GROUP_PAIRS, "FILE", NULL, 0, 0, NULL,
                   "print the distances of the pairs in FILE, FROM and TO on each line, instead of "
                   "one path; - is standard input"},
    [OPT_ALL_PATHS] = {"all-paths", 0, KIND_FLAG, GROUP_PAIRS, NULL, NULL, 0, 0, NULL,
                       "print every shortest path, those through smaller vertices first, and how "
                       "many there are"},
    [OPT_LIMIT] = {"limit", 0, KIND_WHOLE, GROUP_PAIRS, "K", NULL, 1, UINT32_MAX - 1, NULL,
                   "with --all-paths: print the first K; default 1000"},
    [OPT_INDEX] = {"index", 0, KIND_FILE, GROUP_PAIRS, "FILE", NULL, 0, 0, NULL,
                   "answer by the index in FILE, which hoplite index has made of this graph"},
    [OPT_INDEX_KIND] = {"kind", 0, KIND_WORD, GROUP_INDEX, "KIND", NULL, 0, 0, word_of_index_kind,
                        "contraction, for graphs like road networks; landmarks, for any; or auto, "
                        "the default: contraction unless that gives up"},
    [OPT_LANDMARKS] = {"landmarks", 0, KIND_WHOLE, GROUP_INDEX, "N", NULL, 1, 64, NULL,
                       "how many landmarks, where it has them; default 16"},
    [OPT_DEPTH] = {"depth", 0, KIND_WHOLE, GROUP_DEPTH | GROUP_SPREAD_SEARCH, "N", NULL, 0,
                   UINT32_MAX - 1, NULL,
                   "go at most N levels deep; what is beyond counts as not reached"},
    [OPT_CUTOFF] = {"cutoff", 0, KIND_REAL, GROUP_CUTOFF, "X", NULL, 0, 0, NULL,
                    "go no farther than distance X; what is beyond counts as not reached"},
    [OPT_DIRECTION] = {"direction", 0, KIND_WORD, GROUP_MEASURE, "in|out", NULL, 0, 0,
                       word_of_direction,
                       "in a directed graph, by distances to the vertex or from it; default: in "
                       "for closeness, harmonic and voronoi, out for all others"},
    [OPT_REACH_WITHIN] = {"within", 0, KIND_WHOLE, GROUP_MEASURE, "N", NULL, 0, UINT32_MAX - 1,
                          NULL, "reach: count the vertices within N arcs; default any number"},
    [OPT_UNSCALED] =
        {"unscaled", 0, KIND_FLAG, GROUP_MEASURE, NULL, NULL, 0, 0, NULL,
         "closeness: by the vertices that are reached alone, not times their share "
         "of all; betweenness, edge-betweenness: the sum over pairs, not by their number"},
    [OPT_SAMPLES] = {"samples", 0, KIND_WHOLE, GROUP_MEASURE, "K", NULL, 1, UINT32_MAX - 1, NULL,
                     "closeness, harmonic, betweenness, edge-betweenness: from K vertices, drawn "
                     "by --seed, instead of all"},
    [OPT_BACKWARD] = {"backward", 0, KIND_FLAG, GROUP_CLOSURE, NULL, NULL, 0, 0, NULL,
                      "what reaches a vertex, in place of what it reaches"},
    [OPT_ITSELF] = {"itself", 0, KIND_WORD, GROUP_CLOSURE, "WHEN", NULL, 0, 0, word_of_itself,
                    "whether a vertex is in its own row: where a path leads back to it (cycles, "
                    "the default), never or always"},
    [OPT_TOGETHER] = {"together", 0, KIND_FLAG, GROUP_CLOSURE, NULL, NULL, 0, 0, NULL,
                      "one row: what at least one of the vertices of --rows reaches"},
    [OPT_CENTERS] = {"centers", 0, KIND_TEXT, GROUP_MEASURE, "V,...", NULL, 0, 0, NULL,
                     "voronoi: make cells around these vertices, by their ids in the file; may be "
                     "repeated",
                     .many = true},
    [OPT_CENTERS_FROM] = {"centers-from", 0, KIND_FILE, GROUP_MEASURE, "FILE", NULL, 0, 0, NULL,
                          "voronoi: make cells around the vertices listed in FILE, one per line"},
    [OPT_HEAD] = {"head", 0, KIND_TEXT, GROUP_HEADS, "I", NULL, 0, 0, NULL,
                  "rank the list that begins at element I; may be repeated; default 0, which must "
                  "lead to all elements",
                  .many = true},
    [OPT_HEADS] = {"heads", 0, KIND_FILE, GROUP_HEADS, "FILE", NULL, 0, 0, NULL,
                   "rank the lists that begin at the elements listed in FILE, one per line"},
    [OPT_ALL] = {"all", 0, KIND_FLAG, GROUP_HEADS, NULL, NULL, 0, 0, NULL,
                 "rank every list: begin at all elements that no other leads to"},
    [OPT_VARIANT] = {"variant", 0, KIND_TEXT, GROUP_SOLVE, "NAME", NULL, 0, 0, NULL,
                     "use this variant; default auto, which chooses one (see hoplite variants)"},
    [OPT_PREPARE] =
        {"prepare", 0, KIND_WORD, GROUP_PREPARE, "WHAT", NULL, 0, 0, word_of_prepare,
         "first build reverse arcs (reverse) or a bound on the diameter (diameter), which some "
         "variants use, or copy the graph to the device (device); may be repeated",
         .many = true},
    [OPT_CERTIFY] = {"certify", 0, KIND_WORD, GROUP_PROOF, "MODE", NULL, 0, 0, word_of_certify,
                     "check the result with independent code: bit by bit against the documented "
                     "answer (canonical, the default), or accept any correct answer (valid)",
                     .otherwise = "canonical"},
    [OPT_TOLERANCE] =
        {"tolerance", 0, KIND_REAL, GROUP_TOLERANCE, "X", NULL, 0, 0, NULL,
         "sssp: accept distances that differ from the right ones, which are computed first, by at "
         "most this fraction; LDBC uses 1e-4; such a result is valid, but not certified"},
    [OPT_CERTIFY_ROWS] = {"certify-rows", 0, KIND_WHOLE, GROUP_MATRIX, "N", NULL, 1, UINT32_MAX,
                          NULL, "certify N rows, drawn by the seed, instead of all"},
    [OPT_SCRATCH] = {"scratch", 0, KIND_FILE, GROUP_SCRATCH, "PATH", NULL, 0, 0, NULL,
                     "where to keep what does not fit into memory: for apsp a file with the "
                     "matrix, from which a command that was killed continues when it is run "
                     "again; for convert and generate a folder, in which nothing is left",
                     .written = true},
    [OPT_ROWS] = {"rows", 0, KIND_TEXT, GROUP_ROWS, "V,...", NULL, 0, 0, NULL,
                  "only the rows of these vertices (apsp: distances, closure: what they reach), by "
                  "their ids in the file; may be repeated; default all",
                  .many = true},
    [OPT_ROWS_FROM] = {"rows-from", 0, KIND_FILE, GROUP_ROWS, "FILE", NULL, 0, 0, NULL,
                       "only the rows of the vertices listed in FILE, one per line"},
    [OPT_DISTANCE_TYPE] =
        {"distance-type", 0, KIND_WORD, GROUP_SHAPE | GROUP_BENCH, "TYPE", NULL, 0, 0,
         word_of_distance_type,
         "type of integer distances: int64 (the default) or int32, half as large"},
    [OPT_EXPLAIN] = {"explain", 0, KIND_FLAG, GROUP_SOLVE, NULL, NULL, 0, 0, NULL,
                     "say which variant runs and why, what the others would need or why they "
                     "cannot, and what preparing would gain"},
    [OPT_DRY_RUN] = {"dry-run", 0, KIND_FLAG, GROUP_SOLVE | GROUP_SCRATCH, NULL, NULL, 0, 0, NULL,
                     "only explain, or say what building the file would take; nothing is solved or "
                     "written"},
    [OPT_REPEAT] = {"repeat", 0, KIND_WHOLE, GROUP_SOLVE, "N", NULL, 1, 1000000, NULL,
                    "solve it N times and print the times"},
    [OPT_DIAMETER] = {"diameter", 0, KIND_FLAG, GROUP_DESCRIBE, NULL, NULL, 0, 0, NULL,
                      "find a lower bound of the diameter by four searches"},
    [OPT_HASH] = {"hash", 0, KIND_FLAG, GROUP_DESCRIBE, NULL, NULL, 0, 0, NULL,
                  "print a hash of the contents: equal for equal graphs, whatever their file"},
    [OPT_LIST] = {"list", 0, KIND_FLAG, GROUP_RECIPE, NULL, NULL, 0, 0, NULL,
                  "list the families and their parameters"},
    [OPT_SET] = {"set", 0, KIND_TEXT, GROUP_RECIPE | GROUP_SOLVE, "NAME=VALUE", NULL, 0, 0, NULL,
                 "set a parameter of the family or variant; may be repeated", .many = true},
    [OPT_SEED] = {"seed", 0, KIND_WHOLE,
                  GROUP_RECIPE | GROUP_SOLVE | GROUP_MATRIX | GROUP_BENCH | GROUP_MEASURE, "N",
                  NULL, 0, UINT64_MAX, NULL, "the seed of the random numbers; default 1"},
    [OPT_WEIGHTS] = {"weights", 0, KIND_WORD, GROUP_RECIPE, "TYPE", NULL, 0, 0, word_of_weight_type,
                     "weights of the edges: none, int32, int64, float32 or float64; default: those "
                     "of the family, which for most is none"},
    [OPT_MIN_WEIGHT] = {"min-weight", 0, KIND_REAL, GROUP_RECIPE, "W", NULL, 0, 0, NULL,
                        "smallest weight; gives the edges weights even without --weights"},
    [OPT_MAX_WEIGHT] = {"max-weight", 0, KIND_REAL, GROUP_RECIPE, "W", NULL, 0, 0, NULL,
                        "largest weight; gives the edges weights even without --weights"},
    [OPT_VERTICES] = {"vertices", 0, KIND_FILE, GROUP_CHANGE, "FILE", NULL, 0, 0, NULL,
                      "keep only the vertices listed in FILE, one per line, and the edges between "
                      "them"},
    [OPT_REVERSE] = {"reverse", 0, KIND_FLAG, GROUP_CHANGE, NULL, NULL, 0, 0, NULL,
                     "reverse the direction of every edge"},
    [OPT_SYMMETRIZE] = {"symmetrize", 0, KIND_FLAG, GROUP_CHANGE, NULL, NULL, 0, 0, NULL,
                        "make the graph undirected; --duplicates says which weight is kept if the "
                        "two directions differ"},
    [OPT_DROP_LABELS] = {"drop-labels", 0, KIND_FLAG, GROUP_CHANGE, NULL, NULL, 0, 0, NULL,
                         "number the vertices from 0 instead of keeping the ids of the file"},
    [OPT_OUTPUT] = {"output", 'o', KIND_FILE, GROUP_OUTPUT | GROUP_ANSWER | GROUP_ACCEPT, "FILE",
                    NULL, 0, 0, NULL,
                    "write to FILE, which appears only when it is complete; - is standard output",
                    .written = true},
    [OPT_PARENTS] = {"parents", 0, KIND_FILE, GROUP_TREE, "FILE", NULL, 0, 0, NULL,
                     "the file of the parents alone: .npy or text", .written = true},
    [OPT_SIZES] = {"sizes", 0, KIND_FILE, GROUP_PARTS, "FILE", NULL, 0, 0, NULL,
                   "write the sizes of the components to FILE, largest first", .written = true},
    [OPT_LARGEST] = {"largest", 0, KIND_FILE, GROUP_PARTS, "FILE", NULL, 0, 0, NULL,
                     "write the largest component, as a graph, to FILE", .written = true},
    [OPT_TOP] = {"top", 0, KIND_WHOLE, GROUP_PARTS | GROUP_MEASURE, "K", NULL, 1, UINT32_MAX, NULL,
                 "list the K largest components, or the K greatest values; default 5"},
    [OPT_RELABEL] = {"relabel", 0, KIND_FLAG, GROUP_PARTS, NULL, NULL, 0, 0, NULL,
                     "number the components 0, 1, 2 ... instead of naming each by its smallest "
                     "vertex"},
    [OPT_ECCENTRICITIES] = {"eccentricities", 0, KIND_FILE, GROUP_FARTHEST, "FILE", NULL, 0, 0,
                            NULL,
                            "write the distance from each vertex to the farthest that it reaches "
                            "to FILE: .npy or text",
                            .written = true},
    [OPT_IDS] =
        {"ids", 0, KIND_FILE, GROUP_IDS, "FILE", NULL, 0, 0, NULL,
         "write the ids that the vertices have in the graph's file to FILE, in the order of "
         "the arrays (.npy)",
         .written = true},
    [OPT_PLOT] = {"plot", 0, KIND_FILE, GROUP_PLOT, "FILE.svg", NULL, 0, 0, NULL,
                  "draw the histogram of degrees, component sizes, levels or distances as SVG; "
                  "`rsvg-convert -o FILE.png FILE.svg` makes a PNG of it",
                  .written = true},
    [OPT_TO] = {"to", 0, KIND_WORD, GROUP_OUTPUT, "FORMAT", NULL, 0, 0, word_of_writable_format,
                "write as FORMAT instead of going by the suffix"},
    [OPT_GZIP] = {"gzip", 0, KIND_FLAG, GROUP_OUTPUT, NULL, NULL, 0, 0, NULL,
                  "compress (text formats); a suffix .gz does the same"},
    [OPT_DEVICE] = {"device", 0, KIND_TEXT, GROUP_DEVICE, "DEVICE", "HOPLITE_DEVICE", 0, 0, NULL,
                    "the device to use, such as cpu or opencl:0.0; hoplite devices lists them"},
    [OPT_DEVICE_MEMORY] = {"device-memory", 0, KIND_BYTES, GROUP_DEVICE_MEMORY | GROUP_ACCEPT,
                           "SIZE", "HOPLITE_DEVICE_MEMORY", 1, UINT64_MAX, NULL,
                           "use at most SIZE of the device's memory; default all that it has"},
    [OPT_CHECK] = {"check", 0, KIND_FLAG, GROUP_CHECK, NULL, NULL, 0, 0, NULL,
                   "run tests with known answers on each device"},
    [OPT_ACCEPT] = {"accept", 0, KIND_TEXT, GROUP_ACCEPT, "DEVICE", NULL, 0, 0, NULL,
                    "try all that runs on DEVICE, on graphs that grow until its memory is full; "
                    "-o has the report as JSON"},
    [OPT_SECONDS] = {"seconds", 0, KIND_REAL, GROUP_ACCEPT, "S", NULL, 0, 0, NULL,
                     "with --accept: let graphs grow for S seconds at most; default 600"},
    [OPT_THREADS] = {"threads", 0, KIND_WHOLE, GROUP_THREADS, "N", "HOPLITE_THREADS", 1, 65536,
                     NULL, "use N threads; default up to one per core"},
    [OPT_MEMORY] = {"memory", 0, KIND_BYTES, GROUP_MACHINE | GROUP_ACCEPT, "SIZE", "HOPLITE_MEMORY",
                    1, UINT64_MAX, NULL,
                    "use at most SIZE of memory, such as 512M or 4G; default 7/8 of what there is"},
    [OPT_CONTENDER] = {"variant", 0, KIND_TEXT, GROUP_BENCH, "NAME", NULL, 0, 0, NULL,
                       "measure this variant, or NAME:KEY=VALUE,... with settings; may be "
                       "repeated; default all of the problem",
                       .many = true},
    [OPT_REPETITIONS] = {"repeat", 0, KIND_WHOLE, GROUP_BENCH, "N", NULL, 1, 1000000, NULL,
                         "rounds in which each variant runs once; default 10"},
    [OPT_THREAD_LIST] = {"threads", 0, KIND_TEXT, GROUP_BENCH, "LIST", "HOPLITE_THREADS", 0, 0,
                         NULL,
                         "run with each of these numbers of threads, such as 1,2,4; default "
                         "one per core"},
    [OPT_DEVICE_LIST] = {"device", 0, KIND_TEXT, GROUP_BENCH, "LIST", NULL, 0, 0, NULL,
                         "run on each of these devices, such as cpu,opencl:0.0, or on all; default "
                         "cpu, which is the host"},
    [OPT_WARMUP] = {"warmup", 0, KIND_WHOLE, GROUP_BENCH, "N", NULL, 0, 1000000, NULL,
                    "runs of each variant before the measured ones; default 1"},
    [OPT_START] =
        {"source", 0, KIND_TEXT, GROUP_BENCH, "V", NULL, 0, 0, NULL,
         "bfs and sssp: search from vertex V, by its id in the file; may be repeated, and "
         "each is a search of its own",
         .many = true},
    [OPT_RANDOM_SOURCES] = {"random-sources", 0, KIND_WHOLE, GROUP_BENCH, "N", NULL, 1, 65536, NULL,
                            "bfs and sssp: draw N sources by the seed among the vertices with an "
                            "arc; default 1"},
    [OPT_TIME_LIMIT] = {"time-limit", 0, KIND_REAL, GROUP_BENCH, "SECONDS", NULL, 0, 0, NULL,
                        "stop a variant after so many seconds on one graph; default 60"},
    [OPT_CERTIFY_EACH] = {"certify-each", 0, KIND_FLAG, GROUP_BENCH, NULL, NULL, 0, 0, NULL,
                          "certify the result of every run, not only of the first of each variant"},
    [OPT_UNPREPARED] = {"unprepared", 0, KIND_FLAG, GROUP_BENCH, NULL, NULL, 0, 0, NULL,
                        "do not build reverse arcs beforehand; variants that need them build their "
                        "own, and that is measured"},
    [OPT_JSONL] = {"jsonl", 0, KIND_FILE, GROUP_BENCH, "FILE", NULL, 0, 0, NULL,
                   "append a row of JSON for every run to FILE as it ends; - is standard output",
                   .written = true},
    [OPT_RESUME] = {"resume", 0, KIND_FLAG, GROUP_BENCH, NULL, NULL, 0, 0, NULL,
                    "leave out the runs that are in the file of --jsonl already"},
    [OPT_TAG] = {"tag", 0, KIND_TEXT, GROUP_BENCH, "TEXT", NULL, 0, 0, NULL,
                 "put TEXT into every row"},
    [OPT_STEPS] = {"steps", 0, KIND_FLAG, GROUP_BENCH, NULL, NULL, 0, 0, NULL,
                   "put the times of every round into the rows, not only their sums"},
    [OPT_OUTSIDE] = {"outside", 0, KIND_WHOLE, GROUP_BENCH, "N", NULL, 1, 64, NULL,
                     "N other programs take turns with the variants: a line on standard output "
                     "asks for each of their runs, a line on standard input says that it is done"},
    [OPT_COMPARE] = {"compare", 0, KIND_FILE, GROUP_BENCH, "OLD", NULL, 0, 0, NULL,
                     "compare with the rows of OLD; fails when something has become slower"},
    [OPT_REGRET] = {"regret", 0, KIND_FLAG, GROUP_BENCH, NULL, NULL, 0, 0, NULL,
                    "time what auto picks against the fastest, turn by turn"},
    [OPT_MACHINE] = {"machine", 0, KIND_FLAG, GROUP_BENCH, NULL, NULL, 0, 0, NULL,
                     "measure what the memory can do: read, copy, triad, gather, chase"},
    [OPT_NO_WRITE] = {"no-write", 0, KIND_FLAG, GROUP_TUNE, NULL, NULL, 0, 0, NULL,
                      "measure and print, and write no file"},
    [OPT_FORCE] = {"force", 0, KIND_FLAG, GROUP_TUNE, NULL, NULL, 0, 0, NULL,
                   "write the file even if the machine was busy with other work"},
    [OPT_JSON] = {"json", 0, KIND_FLAG, GROUP_RESULT, NULL, NULL, 0, 0, NULL,
                  "print the result as JSON"},
    [OPT_QUIET] = {"quiet", 'q', KIND_FLAG, GROUP_TALK, NULL, NULL, 0, 0, NULL,
                   "print no summary, progress or warnings: only errors, and what -o -, --json or "
                   "another option asks for"},
    [OPT_VERBOSE] = {"verbose", 'v', KIND_FLAG, GROUP_TALK, NULL, NULL, 0, 0, NULL,
                     "say more about what is done; twice: much more"},
    [OPT_LOG] = {"log", 0, KIND_WORD, GROUP_TALK, "LEVEL", "HOPLITE_LOG", 0, 0, word_of_log_level,
                 "messages up to LEVEL: error, warning (the default), info or debug"},
    [OPT_PROGRESS] = {"progress", 0, KIND_FLAG, GROUP_TALK, NULL, NULL, 0, 0, NULL,
                      "report progress in lines even if standard error is not a terminal"},
    [OPT_FROM_VERTEX] = {"from-vertex", 0, KIND_TEXT, GROUP_SPREAD_SEARCH, "V", NULL, 0, 0, NULL,
                         "begin at vertex number V, from 0; may be repeated", .many = true},
    [OPT_SPREAD_SOURCE] = {"source", 0, KIND_TEXT, GROUP_SPREAD_SEARCH, "V", NULL, 0, 0, NULL,
                           "begin at vertex V, by its id or name in the file; may be repeated",
                           .many = true},
    [OPT_SPREAD_CERTIFY] = {"certify", 0, KIND_FLAG, GROUP_SPREAD_ANSWER, NULL, NULL, 0, 0, NULL,
                            "check the result with independent code"},
    [OPT_SPREAD_OUTPUT] = {"output", 'o', KIND_FILE, GROUP_SPREAD_ANSWER, "FILE", NULL, 0, 0, NULL,
                           "write the label, level, distance or rank of each vertex or element to "
                           "FILE, an .npy file, to which each rank writes its part",
                           .written = true},
    [OPT_SPREAD_PARENTS] = {"parents", 0, KIND_FILE, GROUP_SPREAD_SEARCH, "FILE", NULL, 0, 0, NULL,
                            "write the parents to FILE, an .npy file", .written = true},
    [OPT_SPREAD_THREADS] = {"threads", 0, KIND_WHOLE, GROUP_SPREAD, "N", "HOPLITE_THREADS", 1,
                            65536, NULL, "use N threads for each rank; default 1"},
    [OPT_MESSAGE] = {"message", 0, KIND_BYTES, GROUP_SPREAD, "SIZE", NULL, 1, INT32_MAX, NULL,
                     "cut what is sent into messages of at most SIZE; default 1G"},
    [OPT_SPREAD_PLOT] = {"plot", 0, KIND_FILE, GROUP_SPREAD, "FILE.svg", NULL, 0, 0, NULL,
                         "draw what the ranks worked, waited and sent in each phase as SVG",
                         .written = true},
    [OPT_CHECKPOINT] = {"checkpoint", 0, KIND_FILE, GROUP_SPREAD_SEARCH, "FOLDER", NULL, 0, 0, NULL,
                        "write what the vertices have to FOLDER from time to time, so that a job "
                        "that was ended can continue; all ranks must see it"},
    [OPT_CHECKPOINT_EVERY] = {"checkpoint-every", 0, KIND_REAL, GROUP_SPREAD_SEARCH, "SECONDS",
                              NULL, 0, 0, NULL,
                              "seconds between checkpoints; default 600, 0 is after every round"},
    [OPT_CONTINUE] = {"resume", 0, KIND_FLAG, GROUP_SPREAD_SEARCH, NULL, NULL, 0, 0, NULL,
                      "begin with what FOLDER has, if it has something; the number of ranks may "
                      "be another"},
    [OPT_PLAN_EDGES] = {"edges", 0, KIND_REAL, GROUP_PLAN, "M", NULL, 0, 0, NULL,
                        "edges of the graph, such as 128e9; needed"},
    [OPT_PLAN_VERTICES] = {"vertices", 0, KIND_REAL, GROUP_PLAN, "N", NULL, 0, 0, NULL,
                           "vertices of the graph, such as 3.5e9; needed"},
    [OPT_PLAN_DIRECTED] = {"directed", 0, KIND_FLAG, GROUP_PLAN, NULL, NULL, 0, 0, NULL,
                           "edges are directed: one arc each, not two"},
    [OPT_PLAN_WEIGHTS] = {"weights", 0, KIND_WORD, GROUP_PLAN, "TYPE", NULL, 0, 0,
                          word_of_weight_type,
                          "weights of the edges: none (the default), int32, int64, float32 or "
                          "float64"},
    [OPT_PLAN_LEVELS] = {"levels", 0, KIND_WHOLE, GROUP_PLAN, "N", NULL, 1, UINT32_MAX, NULL,
                         "levels of a breadth-first search; default those of a random graph"},
    [OPT_PLAN_NODES] = {"nodes", 0, KIND_WHOLE, GROUP_PLAN, "N", NULL, 1, 65536, NULL,
                        "machines of the cluster; needed"},
    [OPT_PLAN_RANKS] = {"ranks-per-node", 0, KIND_WHOLE, GROUP_PLAN, "N", NULL, 1, 65536, NULL,
                        "ranks on each of them; default 1"},
    [OPT_PLAN_MEMORY] = {"memory", 0, KIND_BYTES, GROUP_PLAN, "SIZE", NULL, 1, UINT64_MAX, NULL,
                         "memory of a node, such as 512G; without it what is needed is said"},
    [OPT_PLAN_BANDWIDTH] = {"bandwidth", 0, KIND_BYTES, GROUP_PLAN, "SIZE", NULL, 1, UINT64_MAX,
                            NULL,
                            "what a node can send in a second; default 12.5GB, which is 100 "
                            "Gbit/s"},
    [OPT_HELP] = {"help", 'h', KIND_FLAG, GROUP_HELP, NULL, NULL, 0, 0, NULL, "print this"},
};

static const char *word_of_format(size_t index, bool written) {
    for (size_t i = 0; i < hop_format_count(); i++) {
        const hop_format *format = hop_format_at(i);
        if ((written ? format->can_write : format->can_read) && index-- == 0)
            return format->name;
    }
    return NULL;
}

const char *word_of_readable_format(size_t index) {
    return index == 0 ? "list" : word_of_format(index - 1, false);
}

const char *word_of_writable_format(size_t index) {
    return word_of_format(index, true);
}

const char *word_of_weight_type(size_t index) {
    return index <= HOP_TYPE_FLOAT64 ? hop_type_name((hop_weight_type)index) : NULL;
}

const char *word_of_yes_no(size_t index) {
    static const char *const words[] = {"yes", "no", NULL};
    return words[index];
}

const char *word_of_duplicates(size_t index) {
    static const char *const words[] = {"min", "max", "sum", "first", "last", "keep", NULL};
    return words[index];
}

const char *word_of_log_level(size_t index) {
    static const char *const words[] = {"error", "warning", "info", "debug", NULL};
    return words[index];
}

const char *word_of_certify(size_t index) {
    static const char *const words[] = {"canonical", "valid", NULL};
    return words[index];
}

const char *word_of_prepare(size_t index) {
    static const char *const words[] = {"reverse", "diameter", "device", NULL};
    return words[index];
}

const char *word_of_distance_type(size_t index) {
    static const char *const words[] = {"int32", "int64", NULL};
    return words[index];
}

const char *word_of_index_kind(size_t index) {
    static const char *const words[] = {"auto", "contraction", "landmarks", NULL};
    return words[index];
}

const char *word_of_itself(size_t index) {
    static const char *const words[] = {"cycles", "never", "always", NULL};
    return words[index];
}

const char *word_of_direction(size_t index) {
    static const char *const words[] = {"in", "out", NULL};
    return words[index];
}

const char *word_of_problem(size_t index) {
    return index < HOP_PROBLEM_COUNT ? hop_problem_name((hop_problem)index) : NULL;
}

const char *word_of_family(size_t index) {
    const hop_family *family = hop_family_at(index);
    return family == NULL ? NULL : family->name;
}
