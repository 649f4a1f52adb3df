/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite index GRAPH -o FILE: makes an index for `hoplite path --index FILE`. */
#include "complaint.h"
#include "exit_codes.h"
#include "graph_file.h"
#include "json_writer.h"
#include "number_text.h"
#include "result_file.h"
#include "session.h"

typedef struct index_verb {
    session work;
    opened_graph opened;
    hop_index *index;
    hop_index_info info;
    double build_seconds, write_seconds;
} index_verb;

static hop_status build(index_verb *made, const char *output) {
    const arguments *given = made->work.given;
    hop_index_options options = HOP_INDEX_OPTIONS_INIT;
    hop_context *context = made->work.context;
    double start = clock_seconds(), written = start;
    if (is_given(given, OPT_INDEX_KIND))
        options.kind = (hop_index_kind)given->values[OPT_INDEX_KIND].number;
    if (is_given(given, OPT_LANDMARKS))
        options.landmarks = (unsigned)given->values[OPT_LANDMARKS].number;
    hop_status status = hop_index_build(context, made->opened.graph, &options, &made->index);
    if (status == HOP_OK)
        status = hop_index_describe(context, made->index, &made->info);
    written = clock_seconds();
    if (status == HOP_OK)
        status = hop_index_save(context, made->index, output);
    made->build_seconds = written - start;
    made->write_seconds = clock_seconds() - written;
    return status;
}

static void tell(index_verb *made, const char *output) {
    const hop_index_info *info = &made->info;
    if (!made->work.json) {
        session_say(&made->work, "index: %s, %s", word_of_index_kind((size_t)info->kind),
                    seconds_text(made->build_seconds).s);
        session_say(&made->work, "wrote %s: %s, in %s", output, bytes_text(info->bytes).s,
                    seconds_text(made->write_seconds).s);
        return;
    }
    json out;
    json_begin(&out, stdout, "index");
    json_string(&out, "input", made->work.given->operands[0]);
    json_string(&out, "index_kind", word_of_index_kind((size_t)info->kind));
    json_count(&out, "vertices", info->vertices);
    json_count(&out, "index_arcs", info->arcs);
    json_count(&out, "landmarks", info->landmarks);
    json_count(&out, "index_bytes", info->bytes);
    json_string(&out, "output", output);
    json_real(&out, "open_seconds", made->opened.open_seconds);
    json_real(&out, "build_seconds", made->build_seconds);
    json_real(&out, "write_seconds", made->write_seconds);
    json_finish(&out);
}

int run_index(const arguments *given) {
    index_verb made = {.info = HOP_INDEX_INFO_INIT};
    const char *output = given->values[OPT_OUTPUT].text;
    if (given->operand_count != 1 || !is_given(given, OPT_OUTPUT)) {
        complain(CODE_USAGE, "a graph and -o FILE expected");
        advise("usage: hoplite index [options] GRAPH -o FILE");
        return CODE_USAGE;
    }
    if (is_given(given, OPT_LANDMARKS) && is_given(given, OPT_INDEX_KIND) &&
        given->values[OPT_INDEX_KIND].number == HOP_INDEX_CONTRACTION)
        return complain(CODE_USAGE, "--landmarks means nothing with --kind contraction");
    int code = results_apart(given);
    if (code != CODE_OK)
        return code;
    code = session_open(&made.work, given);
    if (code == CODE_OK)
        code = folder_check(output);
    if (code == CODE_OK)
        code = file_read(&made.work, given->operands[0], &made.opened);
    if (code == CODE_OK) {
        hop_status status = build(&made, output);
        code = status == HOP_OK ? CODE_OK : session_fail(&made.work, status);
    }
    if (code == CODE_OK)
        tell(&made, output);
    hop_index_free(made.index);
    hop_graph_release(made.opened.graph);
    session_close(&made.work);
    return code;
}
