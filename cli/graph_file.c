/* SPDX-License-Identifier: Apache-2.0
 *
 * Files named on the command line: see graph_file.h. */
#include "graph_file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build_forecast.h"
#include "complaint.h"
#include "exit_codes.h"
#include "failure_text.h"
#include "file_fault.h"
#include "interrupt.h"
#include "io/bytes/path_suffix.h"
#include "io/results/result_table.h"
#include "number_text.h"
#include "recipe.h"

/* A file that is so many memory budgets large is searched on disk. */
enum { SEARCH_BUDGETS = 3 };

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

const char *file_name(const char *path, bool written) {
    return !is_standard(path) ? path : written ? "standard output" : "standard input";
}

bool file_is_made(const char *word) {
    return recipe_is(word) && access(word, F_OK) != 0;
}

bool file_is_list(const arguments *given, const char *path) {
    const option_value *from = &given->values[OPT_FROM];
    if (from->times > 0)
        return strcmp(from->text, "list") == 0;
    struct stat status;
    if (file_is_made(path))
        return recipe_is_list(path);
    /* Pipes are left alone: what is read from them here would be missing later. */
    if (is_standard(path) || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    return hop__array_dimensions(path) == 1 || hop__path_ends(path, ".npy.gz");
}

/* The options of GROUP_FILE. */
static void take_file_options(const arguments *given, hop_read_options *options) {
    options->in_memory = is_given(given, OPT_IN_MEMORY);
    options->max_bytes = given->values[OPT_MAX_BYTES].number;
    options->max_line = given->values[OPT_MAX_LINE].number;
}

/* What is about tables. */
static int table_options(const arguments *given, hop_read_options *options) {
    static const char *const words[] = {"tab", "\\t", "blank", "space"};
    const char *delimiter = given->values[OPT_DELIMITER].text;
    options->columns = given->values[OPT_COLUMNS].text;
    options->names = is_given(given, OPT_NAMES);
    if (is_given(given, OPT_HEADER))
        options->header = given->values[OPT_HEADER].number == 0 ? HOP_HEADER_YES : HOP_HEADER_NO;
    if (!is_given(given, OPT_DELIMITER))
        return CODE_OK;
    options->delimiter = delimiter[0];
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(delimiter, words[i]) == 0) {
            options->delimiter = i < 2 ? '\t' : ' ';
            return CODE_OK;
        }
    if (delimiter[0] == '\0' || delimiter[1] != '\0')
        return complain(CODE_USAGE,
                        "--delimiter: \"%.20s\" found, one character, tab or blank expected",
                        delimiter);
    return CODE_OK;
}

static int read_options(const arguments *given, hop_read_options *options) {
    const option_value *values = given->values;
    if (is_given(given, OPT_DIRECTED) && is_given(given, OPT_UNDIRECTED))
        return complain(CODE_USAGE, "--directed and --undirected contradict each other");
    options->format = values[OPT_FROM].text;
    if (is_given(given, OPT_DIRECTED))
        options->direction = HOP_DIRECTION_DIRECTED;
    if (is_given(given, OPT_UNDIRECTED))
        options->direction = HOP_DIRECTION_UNDIRECTED;
    if (is_given(given, OPT_DUPLICATES))
        options->duplicates = (hop_duplicates)values[OPT_DUPLICATES].number;
    if (is_given(given, OPT_DROP_LOOPS))
        options->loops = HOP_LOOPS_DROP;
    options->drop_weights = is_given(given, OPT_DROP_WEIGHTS);
    options->trusted = is_given(given, OPT_TRUSTED);
    options->verify = is_given(given, OPT_VERIFY);
    options->max_vertices = values[OPT_MAX_VERTICES].number;
    options->max_edges = values[OPT_MAX_EDGES].number;
    take_file_options(given, options);
    return table_options(given, options);
}

/* Whether a word is a number with a comma in the place of the point, such as 3,5. */
static bool is_comma_number(const char *word) {
    size_t whole = strspn(word, "0123456789-");
    return whole > 0 && word[whole] == ',' && word[whole + 1] != '\0' &&
           strspn(word + whole + 1, "0123456789") == strlen(word + whole + 1);
}

/* Whether a word is a number whose digits are in groups, such as 1,234 or 1.000,50 or 1'234. */
static bool is_grouped_number(const char *word) {
    size_t first = strspn(word, "0123456789-");
    return first > 0 && first < 5 && strchr(",.'", word[first]) != NULL &&
           strspn(word, "0123456789-,.'") == strlen(word) &&
           strspn(word + first + 1, "0123456789") == 3;
}

/* Whether a word begins as a number with a point does, such as 1.0. */
static bool is_point_number(const char *word) {
    size_t whole = strspn(word, "0123456789");
    return whole > 0 && word[whole] == '.' && isdigit((unsigned char)word[whole + 1]);
}

static bool is_missing(const char *word) {
    static const char *const words[] = {"na", "n/a", "#n/a", "null", "none", "missing", "-", "?"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(word, words[i]) == 0)
            return true;
    return false;
}

/* Whether a word has what text never has. */
static bool is_binary(const char *word) {
    for (; *word != '\0'; word++)
        if ((unsigned char)*word < ' ')
            return true;
    return false;
}

#define COLUMNS_HINT "--columns FROM,TO[,WEIGHT] says which columns to read, by name or number"

/* What may be meant by an edge list that could not be read; false: nothing is known. */
static bool advise_table(const hop_error_detail *detail, const hop_read_options *options) {
    bool id = detail->kind == HOP_KIND_ID, word = id || detail->kind == HOP_KIND_WORD,
         fields = detail->kind == HOP_KIND_FIELDS;
    if (word && options->delimiter == 0 && detail->found[0] == '"')
        advise("--delimiter C reads fields in quotes");
    else if (word && is_binary(detail->found))
        advise("this is not text; --from FORMAT says what it is");
    else if (word && !id && is_grouped_number(detail->found))
        advise("numbers are written without separators of thousands, and with a decimal point");
    else if (word && !id && is_comma_number(detail->found))
        advise("numbers have a decimal point here: tr , . < FILE > NEWFILE makes them so");
    else if (word && !id && is_missing(detail->found))
        advise("a value is missing: delete such rows, or read without weights (--columns FROM,TO)");
    else if (id && !options->names && is_point_number(detail->found))
        advise(
            "ids have no decimal point: write 1 for 1.0; --names takes ids as text, " COLUMNS_HINT);
    else if (id && !options->names)
        advise("--names takes ids as text, " COLUMNS_HINT);
    else if (fields && detail->available == 1 && options->delimiter != 0)
        advise("--delimiter C says what is between columns");
    else if (fields && detail->available == 1 && detail->line == 1)
        advise("a list of successors is read by --from list");
    else if (word && options->columns == NULL && detail->line == 1 &&
             !isdigit((unsigned char)detail->found[0]) && options->header == HOP_HEADER_AUTO)
        advise("--header yes says that line 1 has the names of the columns, " COLUMNS_HINT);
    else if ((word || fields) && options->columns == NULL)
        advise(COLUMNS_HINT);
    else
        return fields; /* of columns that were named the message has all */
    return true;
}

/* What may be meant by a file that could not be read. An edge list whose first line was read is
 * one. */
static void advise_reading(const hop_context *context, const hop_read_options *options,
                           const hop_format *taken_for) {
    hop_error_detail detail = failure_detail(context);
    bool is_edge_list = taken_for != NULL && strcmp(taken_for->name, "edge-list") == 0;
    if (is_edge_list && advise_table(&detail, options))
        return;
    if (detail.remedy == HOP_REMEDY_NAME_FORMAT)
        advise("--from FORMAT names it");
    else if (detail.remedy == HOP_REMEDY_READ_DIRECTED)
        advise("--directed reads it so");
    else if (detail.kind != HOP_KIND_LIMIT && detail.remedy != HOP_REMEDY_OTHER_FILE &&
             options->format == NULL && taken_for != NULL &&
             (detail.line <= 1 || detail.line == HOP_UNKNOWN || !is_edge_list))
        advise("it was taken for %s; --from FORMAT says otherwise", taken_for->name);
}

/* Options of reading that change the graph, or look at all of it: it must be in memory for them. */
static const option_id in_memory_only[] = {
    OPT_IN_MEMORY, OPT_DIRECTED, OPT_UNDIRECTED, OPT_DUPLICATES, OPT_DROP_LOOPS,   OPT_DROP_WEIGHTS,
    OPT_VERIFY,    OPT_TRUSTED,  OPT_LARGEST,    OPT_PREPARE,    OPT_MAX_VERTICES, OPT_MAX_EDGES};

/* The first of them that is given; OPTION_COUNT: none. */
static option_id first_in_memory(const arguments *given) {
    for (size_t i = 0; i < sizeof in_memory_only / sizeof in_memory_only[0]; i++)
        if (is_given(given, in_memory_only[i]))
            return in_memory_only[i];
    return OPTION_COUNT;
}

/* Whether the arcs of the file are better left on disk: mapped pages of a file that does not fit
 * would be read again and again, in the order in which they are touched. A search of many levels
 * may read a block in each of them, unless the cache has room: so it must be some budgets larger,
 * as graphs of low degree, which have many levels, cannot be. */
static bool outgrows_memory(const session *work, const char *path) {
    struct stat about;
    const arguments *given = work->given;
    uint64_t budgets = given->verb->disk == DISK_ONCE ? 1 : SEARCH_BUDGETS;
    return given->verb->disk != DISK_ASKED && first_in_memory(given) == OPTION_COUNT &&
           !is_given(given, OPT_FROM) && hop__path_ends(path, ".npz") && stat(path, &about) == 0 &&
           S_ISREG(about.st_mode) &&
           (uint64_t)about.st_size / budgets > hop_context_memory_budget(work->context);
}

/* Shortest paths with weights below 0 are found in memory only. */
static bool needs_mapping(const session *work, const hop_graph *graph) {
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    return strcmp(work->given->verb->name, "sssp") == 0 &&
           hop_graph_describe(work->context, graph, &info) == HOP_OK && info.min_weight < 0;
}

/* Reads the graph, or opens it on disk: if that was asked for, or is better and can be done. */
static hop_status read_or_open(session *work, const char *path, const hop_read_options *options,
                               opened_graph *opened) {
    bool asked = is_given(work->given, OPT_EXTERNAL);
    if (asked || outgrows_memory(work, path)) {
        hop_status status = hop_graph_open_external(work->context, path, NULL, &opened->graph);
        opened->format = hop_format_find("npz");
        if (status == HOP_OK && !asked && needs_mapping(work, opened->graph)) {
            hop_graph_release(opened->graph);
            opened->graph = NULL;
            status = HOP_ERR_UNSUPPORTED;
        }
        if (asked || (status != HOP_ERR_UNSUPPORTED && status != HOP_ERR_BUDGET))
            return status;
    }
    if (!options->in_memory)
        fault_watch(path);
    bool join = work->given->verb->disk == DISK_ONCE && !is_given(work->given, OPT_LARGEST) &&
                !is_given(work->given, OPT_CERTIFY) && !is_given(work->given, OPT_PREPARE) &&
                !is_given(work->given, OPT_IN_MEMORY);
    hop_status status = join ? hop_graph_join_file(work->context, path, options, &opened->graph)
                             : hop_graph_read(work->context, path, options, &opened->graph);
    opened->format = hop_context_format(work->context);
    return status;
}

/* Whether a file begins as the results do that this command writes as text. Pipes are not looked
 * into: what is read of them is gone. */
static bool is_result(const char *path) {
    static const char *const begins[] = {"# vertex\t",       "# size\t",        "size,component\n",
                                         "vertex,component", "vertex,distance", "vertex,level"};
    char found[20] = "";
    struct stat facts;
    if (is_standard(path) || stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    bool same = false, read = fread(found, 1, sizeof found - 1, file) > 0;
    for (size_t i = 0; read && i < sizeof begins / sizeof begins[0]; i++)
        same |= strncmp(found, begins[i], strlen(begins[i])) == 0;
    (void)fclose(file);
    return same;
}

/* An answer about nothing, or about an earlier answer, is no surprise then. */
static void warn_of_contents(const session *work, const char *path, const opened_graph *opened) {
    hop_graph_info info = HOP_GRAPH_INFO_INIT;
    if (work->quiet || hop_graph_describe(work->context, opened->graph, &info) != HOP_OK)
        return;
    if (info.vertices == 0)
        complain(CODE_OK, "warning: %s: there is no edge in it, and no vertex", path);
    else if (is_result(path))
        complain(CODE_OK, "warning: %s: looks like a result of hoplite, but is read as edges",
                 path);
}

/* How a file is to be read means nothing for a recipe, and next to nothing for a list. */
static int refuse_reading(const session *work, const char *word, const char *what, option_id but) {
    for (size_t id = 0; id < OPTION_COUNT; id++)
        if ((option_rows[id].group == GROUP_INPUT || id == OPT_EXTERNAL) && id != (size_t)but &&
            is_given(work->given, (option_id)id))
            return complain(CODE_USAGE, "%s: %s, for which --%s means nothing", word, what,
                            option_rows[id].name);
    return CODE_OK;
}

static int take_recipe(session *work, const char *word, recipe *made) {
    int code = refuse_reading(work, word, "a recipe", OPTION_COUNT);
    return code == CODE_OK ? recipe_parse(word, made) : code;
}

/* The graph of a recipe. */
static int make_graph(session *work, const char *word, opened_graph *opened) {
    recipe made = {0};
    int code = take_recipe(work, word, &made);
    if (code == CODE_OK && made.family->is_list)
        code = complain(CODE_USAGE, "%s: a list; a graph expected", word);
    if (code == CODE_OK)
        code = recipe_make_graph(work, &made, &opened->graph, &opened->open_seconds);
    recipe_free(&made);
    return code;
}

int file_read(session *work, const char *path, opened_graph *opened) {
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    if (file_is_made(path))
        return make_graph(work, path, opened);
    int code = read_options(work->given, &options);
    if (code != CODE_OK)
        return code;
    option_id other = first_in_memory(work->given);
    if (is_given(work->given, OPT_EXTERNAL) && other != OPTION_COUNT)
        return complain(CODE_USAGE, "--external leaves arcs on disk; --%s needs them in memory",
                        option_rows[other].name);
    double began = clock_seconds();
    hop_status status = read_or_open(work, path, &options, opened);
    opened->open_seconds = clock_seconds() - began;
    /* ^C goes to both ends of a pipe: what came from the other one may not be all. */
    if (interrupted()) {
        hop_graph_release(opened->graph);
        opened->graph = NULL;
        return session_fail(work, HOP_ERR_CANCELLED);
    }
    if (status == HOP_OK) {
        warn_of_contents(work, path, opened);
        return CODE_OK;
    }
    code = session_fail(work, status);
    if (access(path, F_OK) != 0 && recipe_meant(path) != NULL)
        advise("as a recipe: is %s meant? hoplite help generate lists the families",
               recipe_meant(path));
    else if (status == HOP_ERR_INPUT && is_result(path))
        advise("this looks like a result of hoplite, not like a graph");
    else if (status == HOP_ERR_INPUT && is_given(work->given, OPT_EXTERNAL))
        advise("--external reads native files only; hoplite convert makes one of any graph");
    else if (status == HOP_ERR_INPUT)
        advise_reading(work->context, &options, opened->format);
    return code;
}

const char *opened_format(const opened_graph *opened) {
    if (opened->format != NULL)
        return opened->format->name;
    return opened->graph != NULL ? "recipe" : NULL;
}

/* The list of a recipe. */
static int make_list(session *work, const char *word, opened_list *opened) {
    recipe made = {0};
    int code = take_recipe(work, word, &made);
    if (code == CODE_OK && !made.family->is_list)
        code =
            complain(CODE_USAGE, "%s: a list expected; %s makes graphs", word, made.family->name);
    if (code == CODE_OK)
        code = recipe_make_list(work, &made, &opened->made, &opened->count, &opened->open_seconds);
    opened->successors = opened->made;
    recipe_free(&made);
    return code;
}

int file_read_list(session *work, const char *path, opened_list *opened) {
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    *opened = (opened_list){0};
    if (file_is_made(path))
        return make_list(work, path, opened);
    int code = refuse_reading(work, path, "a list", OPT_FROM);
    if (code != CODE_OK)
        return code;
    take_file_options(work->given, &options);
    if (!options.in_memory)
        fault_watch(path);
    double began = clock_seconds();
    hop_status status = hop_list_read(work->context, path, &options, &opened->file);
    opened->open_seconds = clock_seconds() - began;
    if (interrupted()) {
        list_close(opened);
        status = HOP_ERR_CANCELLED;
    }
    if (status == HOP_OK) {
        opened->successors = hop_list_successors(opened->file, &opened->count);
        return CODE_OK;
    }
    code = session_fail(work, status);
    if (status == HOP_ERR_INPUT && !hop__path_ends_unpacked(path, ".npy"))
        advise("a list has one number per line, the successor of each element; a graph is no list");
    else if (status == HOP_ERR_INPUT)
        advise("a .npy file of one column is a list of successors; results are not read as graphs");
    return code;
}

void list_close(opened_list *opened) {
    hop_list_free(opened->file);
    free(opened->made);
    *opened = (opened_list){0};
}

hop_status file_read_array(session *work, const char *path, hop_array_file **file) {
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    take_file_options(work->given, &options);
    if (!options.in_memory)
        fault_watch(path);
    return hop_array_read(work->context, path, &options, file);
}

/* The format in which the library will write: --to, or the first one with the path's suffix. */
static const hop_format *format_of_output(const arguments *given, const char *path) {
    if (is_given(given, OPT_TO))
        return hop_format_find(given->values[OPT_TO].text);
    return hop_format_of_path(path);
}

/* The folder must exist and let us make a file: better known now than after an hour. */
int folder_check(const char *path) {
    struct stat status;
    bool there = stat(path, &status) == 0;
    if (there && S_ISDIR(status.st_mode))
        return complain(CODE_FAILURE, "%s: a folder; a file expected", path);
    if (there && !S_ISREG(status.st_mode)) /* a pipe or a device is written to where it is */
        return access(path, W_OK) == 0
                   ? CODE_OK
                   : complain(CODE_FAILURE, "%s: cannot write: %s", path, strerror(errno));
    char *resolved = there ? realpath(path, NULL) : NULL; /* the file behind a link is replaced */
    const char *target = resolved != NULL ? resolved : path, *slash = strrchr(target, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - target) + 1;
    char *folder = need_memory(NULL, length + 2, 1);
    memcpy(folder, target, length);
    strcpy(folder + length, ".");
    int failed = access(folder, W_OK | X_OK) == 0 ? 0 : errno;
    free(folder);
    free(resolved);
    return failed == 0 ? CODE_OK
                       : complain(CODE_FAILURE, "%s: cannot write: %s", path, strerror(failed));
}

int output_check(const arguments *given, const char *path, bool is_list, unsigned weight_types) {
    if (is_standard(path) && is_given(given, OPT_JSON))
        return complain(CODE_USAGE, "--json and -o - both want standard output");
    if (is_list) {
        if (is_given(given, OPT_TO) || is_given(given, OPT_GZIP))
            return complain(CODE_USAGE, "a list is written as .npy; --to and --gzip do not apply");
        struct stat status; /* a device may have any name */
        bool file = stat(path, &status) != 0 || S_ISREG(status.st_mode);
        if (!is_standard(path) && file && !hop__path_ends(path, ".npy"))
            return complain(CODE_USAGE, "%s: a list is written as .npy", path);
        return is_standard(path) ? CODE_OK : folder_check(path);
    }
    const hop_format *format = format_of_output(given, path);
    if (format == NULL && is_standard(path))
        return complain(CODE_USAGE, "standard output has no suffix; --to FORMAT names the format");
    if (format == NULL) {
        bool zstd = hop__path_ends(path, ".zst");
        complain(CODE_USAGE, "%s: no format has this suffix; --to FORMAT names one", path);
        advise(zstd ? "zstd is read and not written; text is compressed by a suffix .gz"
                    : "hoplite formats lists formats and suffixes");
        return CODE_USAGE;
    }
    if (is_standard(path) && !format->text)
        return complain(CODE_USAGE, "%s is not text and cannot go to standard output",
                        format->name);
    if (is_given(given, OPT_GZIP) && !format->text)
        return complain(CODE_USAGE, "--gzip: %s is not text and is not compressed", format->name);
    if ((format->weight_types & weight_types) == 0 && weight_types == 1u << HOP_TYPE_NONE)
        return complain(CODE_USAGE, "%s: %s always has weights; --weights TYPE makes them", path,
                        format->name);
    if ((format->weight_types & weight_types) == 0)
        return complain(CODE_USAGE, "%s: %s holds no weights of this type", path, format->name);
    return is_standard(path) ? CODE_OK : folder_check(path);
}

static int finish_write(session *work, hop_status status, const char *path, double began,
                        written_file *written) {
    struct stat about;
    if (status != HOP_OK) {
        int code = session_fail(work, status);
        hop_error_detail detail = failure_detail(work->context);
        if (status == HOP_ERR_UNSUPPORTED && (work->given->verb->groups & GROUP_CHANGE) != 0)
            advise_change(&detail);
        return code;
    }
    written->seconds = clock_seconds() - began;
    written->bytes = !is_standard(path) && stat(path, &about) == 0 ? (uint64_t)about.st_size : 0;
    return CODE_OK;
}

int file_write(session *work, const hop_graph *graph, const char *path, written_file *written) {
    hop_write_options options = HOP_WRITE_OPTIONS_INIT;
    options.format = work->given->values[OPT_TO].text;
    options.gzip = is_given(work->given, OPT_GZIP);
    options.drop_labels = is_given(work->given, OPT_DROP_LABELS);
    double began = clock_seconds();
    hop_status status = hop_graph_write(work->context, graph, path, &options);
    return finish_write(work, status, path, began, written);
}

bool output_is_native(const arguments *given, const char *path) {
    const hop_format *format = format_of_output(given, path);
    return format != NULL && strcmp(format->name, "npz") == 0 && !is_standard(path);
}

/* How files are built: options that the verbs have in common. */
typedef struct building {
    hop_write_options write;
    hop_convert_options options;
} building;

static void take_building(const arguments *given, building *how) {
    *how = (building){HOP_WRITE_OPTIONS_INIT, HOP_CONVERT_OPTIONS_INIT};
    how->write.format = given->values[OPT_TO].text;
    how->write.drop_labels = is_given(given, OPT_DROP_LABELS);
    how->options.write = &how->write;
    how->options.scratch = given->values[OPT_SCRATCH].text;
    how->options.plan = is_given(given, OPT_DRY_RUN);
}

/* Opens the file that was built. */
static int open_built(session *work, const char *path, const hop_convert_report *report,
                      opened_graph *opened, written_file *written) {
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    int code = finish_write(work, HOP_OK, path, clock_seconds() - report->write_seconds, written);
    opened->open_seconds = report->read_seconds;
    if (report->on_disk) { /* it was written while it was built */
        written->seconds = 0;
        session_say(work, "built on disk: %s of scratch at most",
                    bytes_text(report->scratch_bytes).s);
    }
    options.trusted = true;
    fault_watch(path);
    hop_status status = hop_graph_read(work->context, path, &options, &opened->graph);
    return status == HOP_OK ? code : session_fail(work, status);
}

/* After a build, or the plan of one. */
static int built(session *work, const char *input, const char *path,
                 const hop_convert_report *report, opened_graph *opened, written_file *written) {
    if (!is_given(work->given, OPT_DRY_RUN))
        return open_built(work, path, report, opened, written);
    build_forecast(work, input, report);
    return CODE_OK;
}

int file_convert(session *work, const char *input, const char *path, opened_graph *opened,
                 written_file *written, hop_convert_report *report) {
    hop_read_options options = HOP_READ_OPTIONS_INIT;
    building how;
    int code = read_options(work->given, &options);
    if (code != CODE_OK)
        return code;
    if (!options.in_memory)
        fault_watch(input);
    take_building(work->given, &how);
    hop_status status =
        hop_graph_convert(work->context, input, &options, path, &how.options, report);
    opened->format = hop_context_format(work->context);
    if (status == HOP_OK)
        return built(work, input, path, report, opened, written);
    code = session_fail(work, status);
    if (status == HOP_ERR_INPUT)
        advise_reading(work->context, &options, opened->format);
    return code;
}

int file_generate(session *work, const char *family, const hop_generate_options *made,
                  const char *path, opened_graph *opened, written_file *written,
                  hop_convert_report *report) {
    building how;
    take_building(work->given, &how);
    hop_status status =
        hop_graph_generate_file(work->context, family, made, path, &how.options, report);
    return status == HOP_OK ? built(work, NULL, path, report, opened, written)
                            : session_fail(work, status);
}

void file_say_ids(session *work, const hop_graph *graph, const char *path) {
    const arguments *given = work->given;
    const hop_format *format = format_of_output(given, path);
    uint64_t first = hop_graph_first_id(graph);
    if (format == NULL || format->counts_from < 0 || first == (uint64_t)format->counts_from ||
        first > 1 || hop_graph_labels(graph) != NULL || hop_graph_vertices(graph) == 0 ||
        is_given(given, OPT_DROP_LABELS) || is_given(given, OPT_VERBOSE) || work->json)
        return;
    session_say(work, "%s counts vertices from %d: vertex %" PRIu64 " is %d in %s", format->name,
                format->counts_from, first, format->counts_from, file_name(path, true));
}

int file_write_list(session *work, const char *path, const hop_vertex *successors, hop_vertex count,
                    written_file *written) {
    double began = clock_seconds();
    hop_status status = hop_list_write(work->context, path, successors, count);
    return finish_write(work, status, path, began, written);
}
