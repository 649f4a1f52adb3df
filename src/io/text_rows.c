/* SPDX-License-Identifier: Apache-2.0
 *
 * Parsing rows in parallel (see text_rows.h).
 *
 * Each block of text is cut into chunks whose lines are counted, so that every chunk has its own
 * range of slots in the arrays, and text_row_kernel.c parses it there. A chunk stops at the first
 * line that it cannot store. Then one thread looks at the first such line of the block: either it
 * is an error, or the arrays get a wider type and the block, which is still there, is parsed again.
 * That happens at most three times per file.
 *
 * Slots of lines without a row are closed up after each block. */
#include "io/text_rows.h"

#include <inttypes.h>
#include <string.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/try.h"
#include "io/text_number.h"
#include "io/text_row.h"
#include "io/text_row_kernel.h"

typedef struct job {
    hop__text *text;
    const hop__row_spec *spec;
    const hop_read_options *options;
    hop__edge_list *list;
    hop__row_form form;
    hop__row_piece *pieces;
    size_t piece_capacity;
    uint64_t capacity; /* rows that the arrays have room for */
    uint64_t largest;
    bool saw_real;
    uint64_t large_line;
} job;

static void parse_chunks(void *arg, uint64_t first, uint64_t last, unsigned thread) {
    (void)thread;
    job *work = arg;
    hop__rows_parse(&work->form, work->list, work->text->chunks + first, work->pieces + first,
                    (size_t)(last - first));
}

/* ---- room and types -------------------------------------------------------------------------- */

static hop_status resize(job *work, uint64_t capacity) {
    hop__edge_list *list = work->list;
    hop_context *context = work->text->context;
    hop_status status;
    HOP_TRY(status, hop__resize(context, "edges", capacity, list->id_bytes, &list->from));
    if (work->spec->ids == 2)
        HOP_TRY(status, hop__resize(context, "edges", capacity, list->id_bytes, &list->to));
    if (work->form.weighted)
        HOP_TRY(status, hop__resize(context, "weights", capacity,
                                    hop_weight_size(list->weight_type), &list->weights));
    work->capacity = capacity;
done:
    return status;
}

static hop_status start_arrays(job *work) {
    hop__edge_list *list = work->list;
    hop_context *context = work->text->context;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "edges", 0, list->id_bytes, &list->from));
    if (work->spec->ids == 2)
        HOP_TRY(status, hop__alloc(context, "edges", 0, list->id_bytes, &list->to));
    if (work->form.weighted)
        HOP_TRY(status, hop__alloc(context, "weights", 0, hop_weight_size(list->weight_type),
                                   &list->weights));
done:
    return status;
}

/* Room for the rows of this block. The first time, where the size of the text is known, for as
 * many as the whole of it will have if it goes on like this block. */
static hop_status make_room(job *work, uint64_t lines) {
    uint64_t need = work->list->count + lines;
    if (need <= work->capacity)
        return HOP_OK;
    uint64_t room = work->capacity + work->capacity / 2;
    uint64_t size = hop__input_size(work->text->input);
    if (work->capacity == 0 && size > 0 && work->text->count > 0)
        room = (uint64_t)((double)lines / (double)work->text->count * (double)size * 1.02) + 1024;
    if (work->spec->counted && room > work->spec->rows)
        room = work->spec->rows;
    return resize(work, room < need ? need : room);
}

typedef struct widening {
    const void *from;
    void *to;
    hop_weight_type old_type, new_type;
} widening;

static void widen_ids(void *arg, uint64_t first, uint64_t last, unsigned thread) {
    (void)thread;
    const widening *task = arg;
    for (uint64_t i = first; i < last; i++)
        ((uint64_t *)task->to)[i] = ((const uint32_t *)task->from)[i];
}

static void widen_weights(void *arg, uint64_t first, uint64_t last, unsigned thread) {
    (void)thread;
    const widening *task = arg;
    for (uint64_t i = first; i < last; i++) {
        int64_t value = task->old_type == HOP_WEIGHT_INT32 ? ((const int32_t *)task->from)[i]
                                                           : ((const int64_t *)task->from)[i];
        if (task->new_type == HOP_WEIGHT_INT64)
            ((int64_t *)task->to)[i] = value;
        else
            ((double *)task->to)[i] = (double)value;
    }
}

/* Replaces the array in `slot` by one of 8-byte elements. */
static hop_status widen(job *work, void **slot, hop__range_fn fn, hop_weight_type new_type) {
    void *wide = NULL;
    hop_status status = hop__alloc(work->text->context, "edges", work->capacity, 8, &wide);
    if (status != HOP_OK)
        return status;
    widening task = {*slot, wide, work->list->weight_type, new_type};
    hop__for(work->text->context, work->list->count, 1 << 16, fn, &task);
    hop__free(*slot);
    *slot = wide;
    return HOP_OK;
}

static hop_status use_wide_ids(job *work) {
    hop_status status;
    HOP_TRY(status, widen(work, &work->list->from, widen_ids, HOP_WEIGHT_NONE));
    if (work->spec->ids == 2)
        HOP_TRY(status, widen(work, &work->list->to, widen_ids, HOP_WEIGHT_NONE));
    work->list->id_bytes = 8;
    work->form.most = UINT64_MAX;
done:
    return status;
}

static hop_status use_wide_weights(job *work, hop_weight_type type) {
    hop_status status = widen(work, &work->list->weights, widen_weights, type);
    if (status == HOP_OK)
        work->list->weight_type = type;
    return status;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The first line that stopped a chunk: makes the arrays fit it, or fails with what is wrong. */
static hop_status resolve(job *work, const hop__text_chunk *chunk, const char *at) {
    hop__text *text = work->text;
    char message[HOP__ROW_MESSAGE] = "a malformed line";
    hop__row row;
    uint64_t line = hop__text_line_of(chunk, at);
    const char *end = hop__line_end(at, chunk->end);
    if (hop__row_parse(&work->form, at, end, &row, message) == HOP__ROW_FOUND) {
        for (unsigned i = 0; i < work->form.ids; i++)
            if (row.id[i] > work->form.most && work->list->id_bytes == 4 && !work->spec->bounded)
                return use_wide_ids(work);
        hop_weight_type type;
        if (work->form.weighted &&
            hop__weight_widen(&work->form, work->list->weight_type, &row.weight, &type, message))
            return use_wide_weights(work, type);
    }
    return hop__input_fail_line(text->context, text->input, line, "%s", message);
}

/* Parses the chunks until none of them stops. */
static hop_status parse_block(job *work) {
    hop__text *text = work->text;
    for (;;) {
        uint64_t slot = work->list->count;
        for (size_t i = 0; i < text->chunk_count; i++) {
            work->pieces[i] = (hop__row_piece){.slot = slot};
            slot += text->chunks[i].lines;
        }
        /* Two at a time: see text_row_kernel.h. */
        hop__for(text->context, text->chunk_count, 2, parse_chunks, work);
        size_t i = 0;
        while (i < text->chunk_count && work->pieces[i].stopped == NULL)
            i++;
        if (i == text->chunk_count)
            return HOP_OK;
        hop_status status = resolve(work, &text->chunks[i], work->pieces[i].stopped);
        if (status != HOP_OK)
            return status;
    }
}

static void move_rows(hop__edge_list *list, uint64_t to, uint64_t from, uint64_t count) {
    size_t size = list->id_bytes, weight = hop_weight_size(list->weight_type);
    memmove((char *)list->from + to * size, (char *)list->from + from * size, count * size);
    if (list->to != NULL)
        memmove((char *)list->to + to * size, (char *)list->to + from * size, count * size);
    if (list->weights != NULL)
        memmove((char *)list->weights + to * weight, (char *)list->weights + from * weight,
                count * weight);
}

/* Closes the gaps that lines without a row have left, and adds up what the chunks found. */
static void collect(job *work) {
    for (size_t i = 0; i < work->text->chunk_count; i++) {
        const hop__row_piece *part = &work->pieces[i];
        if (part->slot != work->list->count && part->rows > 0)
            move_rows(work->list, work->list->count, part->slot, part->rows);
        work->list->count += part->rows;
        work->largest = part->largest > work->largest ? part->largest : work->largest;
        work->saw_real |= part->saw_real;
        if (work->large_line == 0)
            work->large_line = part->large_line;
    }
}

/* More rows than the header states: finds the line of the first one too many. */
static hop_status fail_surplus(job *work, uint64_t before) {
    hop__text *text = work->text;
    uint64_t rows = before, line = 0;
    for (size_t i = 0; i < text->chunk_count && line == 0; i++) {
        const hop__text_chunk *chunk = &text->chunks[i];
        uint64_t number = chunk->line;
        for (const char *at = chunk->begin; at < chunk->end && line == 0; number++) {
            hop__row row;
            const char *newline = memchr(at, '\n', (size_t)(chunk->end - at));
            const char *end = hop__line_end(at, chunk->end);
            if (hop__row_parse(&work->form, at, end, &row, NULL) == HOP__ROW_FOUND &&
                ++rows > work->spec->rows)
                line = number;
            at = newline == NULL ? chunk->end : newline + 1;
        }
    }
    return hop__input_fail_line(text->context, text->input, line,
                                "one %s more than the %" PRIu64 " that the header states",
                                work->spec->row_name, work->spec->rows);
}

static hop_status read_block(job *work) {
    hop__text *text = work->text;
    uint64_t lines = 0, before = work->list->count;
    hop_status status;
    if (text->chunk_capacity > work->piece_capacity) {
        hop__free(work->pieces);
        work->pieces = NULL;
        work->piece_capacity = 0;
        HOP_TRY(status, hop__alloc(text->context, "chunks", text->chunk_capacity,
                                   sizeof *work->pieces, &work->pieces));
        work->piece_capacity = text->chunk_capacity;
    }
    for (size_t i = 0; i < text->chunk_count; i++)
        lines += text->chunks[i].lines;
    HOP_TRY(status, make_room(work, lines));
    HOP_TRY(status, parse_block(work));
    collect(work);
    if (work->spec->counted && work->list->count > work->spec->rows)
        HOP_TRY(status, fail_surplus(work, before));
    HOP_TRY(status, hop__read_limits_check(text->context, hop__input_name(text->input),
                                           work->options, 0, work->list->count));
done:
    return status;
}

/* ---- the front ------------------------------------------------------------------------------- */

/* Whether rows have weights: what the first one has. */
static hop_status decide(job *work) {
    hop__text *text = work->text;
    const char *line, *end;
    char message[HOP__ROW_MESSAGE];
    hop__row row = {0};
    hop__row_result result = HOP__ROW_EMPTY;
    hop_status status;
    work->form.undecided = true;
    while (result == HOP__ROW_EMPTY) {
        HOP_TRY(status, hop__text_line(text, &line, &end));
        if (line == NULL)
            break;
        result = hop__row_parse(&work->form, line, end, &row, message);
        if (result == HOP__ROW_EMPTY)
            hop__text_take(text);
    }
    if (result == HOP__ROW_BAD)
        HOP_TRY(status,
                hop__input_fail_line(text->context, text->input, text->line, "%s", message));
    work->form.undecided = false;
    work->form.weighted = row.weighted;
done:
    return status;
}

/* How rows are to be taken apart. */
static hop_status begin(job *work) {
    const hop__row_spec *spec = work->spec;
    hop__row_form *form = &work->form;
    hop_status status = HOP_OK;
    form->spec = spec;
    form->tag = spec->tag;
    form->commas = spec->commas;
    form->ids = spec->ids;
    form->base = spec->base;
    form->closed = spec->bounded && spec->vertices == 0;
    form->most = spec->bounded && !form->closed ? spec->vertices - 1 : UINT32_MAX;
    form->weighted = spec->weights == HOP__WEIGHTS_ALWAYS;
    work->list->id_bytes = spec->bounded && form->most > UINT32_MAX ? 8 : 4;
    if (spec->weights == HOP__WEIGHTS_MAYBE)
        HOP_TRY(status, decide(work));
    if (form->weighted)
        work->list->weight_type = spec->type == HOP_WEIGHT_NONE ? HOP_WEIGHT_INT32 : spec->type;
done:
    return status;
}

static hop_status finish(job *work) {
    hop__text *text = work->text;
    const hop__row_spec *spec = work->spec;
    if (spec->counted && work->list->count < spec->rows)
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "the end of the file after %" PRIu64 " rows, expected %" PRIu64
                                    " (%s) as the header states",
                                    work->list->count, spec->rows, spec->row_name);
    if (work->large_line != 0 && !work->saw_real && spec->type == HOP_WEIGHT_NONE)
        return hop__input_fail_line(text->context, text->input, work->large_line,
                                    "an integer weight that does not fit in 64 bits");
    return resize(work, work->list->count);
}

hop_status hop__rows_read(hop__text *text, const hop__row_spec *spec,
                          const hop_read_options *options, hop__edge_list *list,
                          uint64_t *largest) {
    job work = {.text = text, .spec = spec, .options = options, .list = list};
    hop__reals *reals = NULL;
    bool ready = false;
    hop_status status;
    HOP_TRY(status, hop__alloc(text->context, "numbers", 1, sizeof(hop__reals), &reals));
    ready = hop__reals_init(reals);
    if (!ready)
        HOP_TRY(status, hop__fail(text->context, HOP_ERR_MEMORY, "%s: no memory for the C locale",
                                  hop__input_name(text->input)));
    work.form.reals = reals;
    HOP_TRY(status, begin(&work));
    HOP_TRY(status, start_arrays(&work));
    for (;;) {
        HOP_TRY(status, hop__text_cut(text));
        if (text->chunk_count == 0)
            break;
        HOP_TRY(status, read_block(&work));
    }
    HOP_TRY(status, finish(&work));
    if (largest != NULL)
        *largest = work.largest;
done:
    if (ready)
        hop__reals_clear(reals);
    hop__free(reals);
    hop__free(work.pieces);
    return status;
}

hop_status hop__rows_check_count(const hop__text *text, uint64_t rows, uint64_t bytes_per_row,
                                 const char *row_name) {
    uint64_t bound = hop__input_bound(text->input);
    /* The last row may lack its newline. */
    if (rows > bound / bytes_per_row + 1)
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "the header states %" PRIu64 " %s rows, more than %" PRIu64
                                    " bytes can hold",
                                    rows, row_name, bound);
    return HOP_OK;
}
