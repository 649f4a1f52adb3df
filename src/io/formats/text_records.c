/* SPDX-License-Identifier: Apache-2.0
 *
 * Parsing records in parallel (see text_records.h).
 *
 * The records of every chunk are counted before it is parsed, so that it has its own range of slots
 * in the arrays (text_flow.c), and text_record_kernel.c parses it there. A chunk is held at the
 * first line that it cannot store. Then one thread looks at the first such line of the text: either
 * it is an error, or the arrays get a wider type, records that are there already are converted, and
 * the chunk is parsed again. That happens at most three times per file. The other reason to hold a
 * chunk is that the arrays are full; their size is estimated from the first block. */
#include "io/formats/text_records.h"

#include <inttypes.h>
#include <string.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/try.h"
#include "io/formats/edge_spool.h"
#include "io/formats/table_record.h"
#include "io/formats/text_record.h"
#include "io/formats/text_record_kernel.h"
#include "io/text/parts.h"
#include "io/text/text_flow.h"
#include "io/text/text_number.h"

/* What a lane of the flow has seen, and why it holds its chunk. */
typedef struct lane_state {
    uint64_t largest;
    bool saw_real;
    uint64_t large_line; /* least, of integers beyond 64 bits; 0: none */
    enum { FULL, TOO_MANY, STOPPED, NAMES_FULL, OPEN_QUOTE } reason;
    const char *stopped; /* the line */
} lane_state;

typedef struct job {
    hop__text *text;
    const hop__record_spec *spec;
    const hop_read_options *options;
    hop__edge_list *list;
    hop__record_form form;
    hop__flow *flow;
    lane_state *lanes;
    uint64_t most;     /* records that may come: the header's number or the caller's limit */
    uint64_t base;     /* records that were spooled: slot 0 of the arrays is the next */
    uint64_t limit;    /* records that may be in memory before they are spooled */
    uint64_t capacity; /* records that the arrays have room for */
    uint64_t used;     /* slots that may have been written */
    uint64_t guess;    /* records by the size of the text, when they are not counted; 0: no idea */
    uint64_t used_before;  /* bytes of the budget */
    uint64_t first_line;   /* where all parts begin to count */
    uint64_t names_before; /* names of a table that its header has */
    hop__parts *parts;     /* of a file that several read; NULL: all is read here */
    hop__part_facts facts; /* of what was read */
    bool in_order, again;  /* chunks end where rows do; all is to be read from its beginning */
} job;

/* ---- the work of the flow ----------------------------------------------------------------- */

/* Where the second piece of a chunk begins: at the first line after its middle. */
static const char *middle_of(const hop__flow_chunk *chunk) {
    if (chunk->begin == chunk->end) /* perhaps NULL */
        return chunk->end;
    const char *middle = chunk->begin + (chunk->end - chunk->begin) / 2;
    const char *newline = memchr(middle, '\n', (size_t)(chunk->end - middle));
    return newline == NULL ? chunk->end : newline + 1;
}

/* Whether the kernels can parse the chunk: numbers, in lines. */
static bool is_for_kernels(const job *work, const hop__flow_chunk *chunk) {
    return work->form.table == NULL ||
           (work->form.separator != 0 && chunk->begin < chunk->end &&
            memchr(chunk->begin, '"', (size_t)(chunk->end - chunk->begin)) == NULL);
}

/* counted[0]: records; counted[1]: those of the first piece, or whether a table's chunk ends inside
 * quotes. */
static void count_chunk(void *user, hop__flow_chunk *chunk) {
    job *work = user;
    if (!is_for_kernels(work, chunk)) {
        chunk->counted[1] = hop__table_count(&work->form, chunk->begin, chunk->end, &chunk->lines,
                                             &chunk->counted[0]) != NULL;
        return;
    }
    uint64_t lines[2], records[2];
    const char *middle = middle_of(chunk);
    hop__records_count(&work->form, chunk->begin, middle, &lines[0], &records[0]);
    hop__records_count(&work->form, middle, chunk->end, &lines[1], &records[1]);
    chunk->lines = lines[0] + lines[1];
    chunk->counted[0] = records[0] + records[1];
    chunk->counted[1] = records[0];
}

static const char *open_row(void *user, hop__flow_chunk *chunk) {
    const job *work = user;
    if (memchr(chunk->begin, '"', (size_t)(chunk->end - chunk->begin)) == NULL)
        return NULL;
    const char *row =
        hop__table_count(&work->form, chunk->begin, chunk->end, &chunk->lines, &chunk->counted[0]);
    chunk->counted[1] = row != NULL;
    chunk->is_counted = true;
    return row;
}

static void note(lane_state *own, const hop__flow_chunk *chunk, const hop__record_piece *part) {
    own->largest = part->largest > own->largest ? part->largest : own->largest;
    own->saw_real |= part->saw_real;
    if (part->large != NULL) {
        uint64_t line = hop__flow_line_of(chunk, part->large);
        if (own->large_line == 0 || line < own->large_line)
            own->large_line = line;
    }
}

static bool parse_table(job *work, const hop__flow_chunk *chunk, lane_state *own) {
    hop__record_piece piece = {
        .begin = chunk->begin, .end = chunk->end, .slot = chunk->before[0] - work->base};
    if (chunk->counted[1] != 0) {
        own->reason = OPEN_QUOTE;
        return false;
    }
    bool room = hop__table_rows(&work->form, work->list, &piece);
    if (!room || piece.stopped != NULL) {
        own->reason = room ? STOPPED : NAMES_FULL;
        own->stopped = piece.stopped;
        return false;
    }
    note(own, chunk, &piece);
    return true;
}

static bool parse_chunk(void *user, const hop__flow_chunk *chunk, unsigned lane) {
    job *work = user;
    lane_state *own = &work->lanes[lane];
    uint64_t slot = chunk->before[0] - work->base, after = slot + chunk->counted[0];
    if (work->base + after > work->most || after > work->capacity) {
        own->reason = work->base + after > work->most ? TOO_MANY : FULL;
        return false;
    }
    if (!is_for_kernels(work, chunk))
        return parse_table(work, chunk, own);
    const char *middle = middle_of(chunk);
    hop__record_piece pieces[2] = {
        {.begin = chunk->begin, .end = middle, .slot = slot},
        {.begin = middle, .end = chunk->end, .slot = slot + chunk->counted[1]}};
    hop__records_parse(&work->form, work->list, pieces);
    for (int i = 0; i < 2; i++) {
        if (pieces[i].stopped != NULL) {
            own->reason = STOPPED;
            own->stopped = pieces[i].stopped;
            return false;
        }
        note(own, chunk, &pieces[i]);
    }
    return true;
}

/* ---- room and types -------------------------------------------------------------------------- */

/* Names all that reading takes, not the array that did not fit. */
static hop_status fail_room(job *work, uint64_t capacity) {
    const hop__record_spec *spec = work->spec;
    hop__edge_list list = *work->list;
    uint64_t records = spec->counted ? spec->records : work->guess;
    if (spec->ids != 2) /* a list of vertices: only its own array */
        return hop__fail_total(work->text->context, "read", work->used_before + 9 * capacity, 0,
                               capacity, !spec->counted);
    if (spec->bounded)
        list.vertices = spec->vertices;
    return hop__edge_list_fail_total(work->text->context, &list, work->options, work->used_before,
                                     records > capacity ? records : capacity, !spec->counted);
}

static hop_status resize(job *work, uint64_t capacity) {
    hop__edge_list *list = work->list;
    hop_context *context = work->text->context;
    hop_status status;
    HOP_TRY(status, hop__resize(context, "edges", capacity, list->id_bytes, &list->from));
    if (work->spec->ids == 2)
        HOP_TRY(status, hop__resize(context, "edges", capacity, list->id_bytes, &list->to));
    if (work->form.weighted)
        HOP_TRY(status, hop__resize(context, "weights", capacity, hop_type_size(list->weight_type),
                                    &list->weights));
    work->capacity = capacity;
done:
    return status == HOP_ERR_BUDGET ? fail_room(work, capacity) : status;
}

static hop_status start_arrays(job *work) {
    hop__edge_list *list = work->list;
    hop_context *context = work->text->context;
    hop_status status;
    HOP_TRY(status, hop__alloc(context, "edges", 0, list->id_bytes, &list->from));
    if (work->spec->ids == 2)
        HOP_TRY(status, hop__alloc(context, "edges", 0, list->id_bytes, &list->to));
    if (work->form.weighted)
        HOP_TRY(status, hop__alloc(context, "weights", 0, hop_type_size(list->weight_type),
                                   &list->weights));
done:
    return status;
}

static size_t record_bytes(const job *work) {
    return work->spec->ids * work->list->id_bytes +
           (work->form.weighted ? hop_type_size(work->list->weight_type) : 0);
}

/* Records that half of what is left of the budget has room for: a guess may take so much. */
static uint64_t most_guessed(const job *work) {
    hop__memory_usage usage = hop__pool_usage(work->text->context->pool);
    return usage.used < usage.budget ? (usage.budget - usage.used) / 2 / record_bytes(work) : 0;
}

/* What is behind slot `first` of an array goes to its beginning. */
static void shift_array(const job *work, void *array, size_t bytes, uint64_t first) {
    if (array != NULL && work->used > first)
        memmove(array, (unsigned char *)array + first * bytes, (work->used - first) * bytes);
}

/* Spools the records before number `end`, all of which are there; later ones may be. */
static hop_status spool(job *work, uint64_t end) {
    hop__edge_list *list = work->list;
    hop_context *context = work->text->context;
    const hop__table *table = work->form.table;
    bool labels =
        !work->spec->bounded && list->labels == NULL && (table == NULL || table->names == NULL);
    uint64_t count = end - work->base;
    hop_status status = HOP_OK;
    if (list->spool == NULL)
        HOP_TRY(status, hop__edge_spool_create(context, labels, &list->spool));
    HOP_TRY(status, hop__edge_spool_add(context, list->spool, list, count));
    shift_array(work, list->from, list->id_bytes, count);
    shift_array(work, list->to, list->id_bytes, count);
    shift_array(work, list->weights, hop_type_size(list->weight_type), count);
    work->used -= count < work->used ? count : work->used;
    work->base = end;
done:
    return status;
}

/* The same to have room for wider types: all that is left is small. */
static hop_status spool_and_shrink(job *work, uint64_t end) {
    hop_status status;
    HOP_TRY(status, spool(work, end));
    HOP_TRY(status, resize(work, work->used));
done:
    return status;
}

/* Spools what is there; from the first time on, less may be there at once. */
static hop_status spool_some(job *work, uint64_t end) {
    uint64_t limit = work->limit;
    if (work->list->spool != NULL)
        return spool(work, end);
    work->limit = hop__edge_spool_later(work->text->context, record_bytes(work), limit);
    return work->limit < limit ? spool_and_shrink(work, end) : spool(work, end);
}

/* Room for at least `need` records, and half as many as there are if there is memory for them. */
static hop_status make_room(job *work, uint64_t need) {
    uint64_t more = work->capacity / 2, most = most_guessed(work);
    uint64_t room = work->capacity + (more < most ? more : most);
    if (work->spec->counted && room > work->spec->records)
        room = work->spec->records;
    if (room > work->limit)
        room = work->limit;
    return need <= work->capacity ? HOP_OK : resize(work, room < need ? need : room);
}

/* As many records as the text will have if it goes on like its first block. */
static uint64_t estimate(job *work) {
    const hop__text *text = work->text;
    uint64_t size = hop__input_size(text->input), lines, records;
    if (work->spec->counted && size > 0)
        return work->spec->records / /* which the size allows: hop__records_check_count */
               (work->parts != NULL ? work->parts->parts : 1);
    if (text->count == 0)
        return 0;
    const char *begin = text->block + text->at, *end = text->block + text->count;
    if (work->form.table != NULL)
        (void)hop__table_count(&work->form, begin, end, &lines, &records);
    else
        hop__records_count(&work->form, begin, end, &lines, &records);
    if (size == 0 || begin == end)
        return 4 * records < most_guessed(work) ? 4 * records : most_guessed(work);
    double left = (double)(size - hop__input_block_offset(text->input)) - (double)text->at;
    double bytes = (double)(end - begin);
    if (work->parts != NULL)
        left /= work->parts->parts;
    uint64_t guess =
        bytes >= left ? records : (uint64_t)((double)records / bytes * left * 1.02) + 1024;
    work->guess = guess;
    uint64_t most = most_guessed(work); /* a comment of gigabytes may follow */
    return guess < most ? guess : most < records ? records : most;
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
        int64_t value = task->old_type == HOP_TYPE_INT32 ? ((const int32_t *)task->from)[i]
                                                         : ((const int64_t *)task->from)[i];
        if (task->new_type == HOP_TYPE_INT64)
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
    hop__for(work->text->context, work->used, 1 << 16, fn, &task);
    hop__free(*slot);
    *slot = wide;
    return HOP_OK;
}

/* Records have become larger, twice at the most. */
static void lower_limit(job *work) {
    if (work->limit != UINT64_MAX)
        work->limit = work->limit / 2 + 1;
}

static hop_status use_wide_ids(job *work) {
    hop_status status;
    if (work->limit != UINT64_MAX) /* both or none: what fails is tried again */
        HOP_TRY(status,
                hop__reserve_check(work->text->context, "edges", 16 * work->capacity + 256));
    HOP_TRY(status, widen(work, &work->list->from, widen_ids, HOP_TYPE_NONE));
    if (work->spec->ids == 2)
        HOP_TRY(status, widen(work, &work->list->to, widen_ids, HOP_TYPE_NONE));
    work->list->id_bytes = 8;
    work->form.most = UINT64_MAX;
    lower_limit(work);
done:
    return status;
}

static hop_status use_wide_weights(job *work, hop_weight_type type) {
    hop_status status = widen(work, &work->list->weights, widen_weights, type);
    if (status == HOP_OK) {
        work->list->weight_type = type;
        lower_limit(work);
    }
    return status;
}

/* ---- chunks that are held ---------------------------------------------------------------------
 */

static hop_status fail_line(const job *work, uint64_t line, const hop__record_fault *fault) {
    hop_context *context = work->text->context;
    hop__input_fail_line(context, work->text->input, line, "%s", fault->message);
    if (fault->kind == HOP_KIND_WORD || fault->kind == HOP_KIND_ID)
        return hop__note_found(context, fault->kind, fault->found, strlen(fault->found));
    if (fault->kind == HOP_KIND_FIELDS)
        return hop__note_need(context, fault->kind, HOP_UNKNOWN, fault->numbers);
    return HOP_ERR_INPUT;
}

/* The record at `at`, of a text that goes on to `end`. */
static hop__record_result parse_one(const hop__record_form *form, const char *at, const char *end,
                                    hop__record *record, hop__record_fault *fault) {
    return form->table != NULL ? hop__table_parse(form, at, end, record, fault)
                               : hop__record_parse(form, at, hop__line_end(at, end), record, fault);
}

/* A line that did not fit: makes the arrays fit it, or fails with what is wrong. */
static hop_status resolve(job *work, const hop__flow_chunk *chunk, const char *at) {
    hop__record_fault fault = {.message = "a malformed line"};
    hop__record record;
    if (parse_one(&work->form, at, chunk->end, &record, &fault) == HOP__RECORD_FOUND) {
        for (unsigned i = 0; i < work->form.ids; i++)
            if (record.id[i] > work->form.most && work->list->id_bytes == 4 && !work->spec->bounded)
                return use_wide_ids(work);
        hop_weight_type type;
        if (work->form.weighted &&
            hop__weight_widen(&work->form, work->list->weight_type, &record.weight, &type, &fault))
            return use_wide_weights(work, type);
    }
    return fail_line(work, hop__flow_line_of(chunk, at), &fault);
}

/* More records than there may be: fails at the first one too many, or at what is wrong before it.
 */
static hop_status fail_surplus(job *work, const hop__flow_chunk *chunk) {
    hop__record_fault fault;
    uint64_t records = chunk->before[0], line = chunk->line, unused[1];
    for (const char *at = chunk->begin; at < chunk->end; line++) {
        hop__record record;
        hop_weight_type type;
        const char *newline = memchr(at, '\n', (size_t)(chunk->end - at));
        hop__record_result result = parse_one(&work->form, at, chunk->end, &record, &fault);
        if (result == HOP__RECORD_FOUND && work->form.table != NULL) {
            const char *next = hop__table_row_end(&work->form, at, chunk->end);
            newline = next == NULL || next == chunk->end ? NULL : next - 1;
            line += newline != NULL ? hop__text_newlines(at, newline) : 0;
        }
        if (result == HOP__RECORD_FOUND && ++records > work->most)
            break;
        if (result == HOP__RECORD_BAD ||
            (result == HOP__RECORD_FOUND && work->form.weighted &&
             !hop__weight_store(&work->form, work->list->weight_type, unused, 0, &record.weight) &&
             !hop__weight_widen(&work->form, work->list->weight_type, &record.weight, &type,
                                &fault)))
            return fail_line(work, line, &fault);
        at = newline == NULL ? chunk->end : newline + 1;
    }
    uint64_t most = work->most + (work->parts != NULL ? work->parts->records_before : 0);
    if (work->spec->counted && most == work->spec->records)
        return hop__input_fail_line(work->text->context, work->text->input, line,
                                    "one %s more than the %" PRIu64 " that the header states",
                                    work->spec->record_name, most);
    bool own = work->options->max_edges != 0;
    hop__input_fail_line(work->text->context, work->text->input, line,
                         "more than %" PRIu64 " edges, which is the limit%s", most,
                         own ? " (max_edges)" : "");
    return own ? hop__note_limit(work->text->context, "max_edges", HOP_UNKNOWN, most)
               : HOP_ERR_INPUT;
}

/* A row that goes on over the end of its chunk, inside quotes. A file whose chunks did not come in
 * order is read anew: names with ends of lines are rare. */
static hop_status open_quote(job *work, const hop__flow_chunk *chunk) {
    hop__text *text = work->text;
    hop_context *context = text->context;
    uint64_t most = hop__input_max_line(text->input), lines, records;
    if (work->parts != NULL) /* where quotes end shows from the beginning only */
        return hop__unsupported_parts(context, text->input,
                                      "a field in quotes does not end in its line");
    if (!work->in_order && hop__input_is_random(text->input)) {
        work->in_order = work->again = true;
        return HOP_OK;
    }
    const char *row = hop__table_count(&work->form, chunk->begin, chunk->end, &lines, &records);
    uint64_t line = hop__flow_line_of(chunk, row);
    if ((uint64_t)(chunk->end - row) <= most)
        return hop__input_fail_line(context, text->input, line,
                                    "a quote in this row is not closed");
    hop__input_fail_line(context, text->input, line,
                         "a quote in this row is not closed within %" PRIu64
                         " bytes, which is the limit (max_line)",
                         most);
    return hop__note_limit(context, "max_line", HOP_UNKNOWN, most);
}

static hop_status read_all(job *work) {
    const hop__flow_chunk *held = NULL;
    unsigned lane = 0;
    hop_status status;
    for (;;) {
        status = hop__flow_run(work->flow, &held, &lane);
        if (status == HOP_ERR_BUDGET) /* for a buffer of text */
            status = fail_room(work, work->capacity);
        HOP_TRY(status, status);
        work->list->count = hop__flow_sum(work->flow, 0);
        uint64_t here = work->list->count - work->base;
        work->used = here < work->capacity ? here : work->capacity;
        if (held == NULL)
            break;
        switch (work->lanes[lane].reason) {
        case FULL: {
            uint64_t end = held->before[0] + held->counted[0];
            if (end - work->base > work->limit) /* later chunks are held, too */
                HOP_TRY(status, spool_some(work, held->before[0]));
            HOP_TRY(status, make_room(work, end - work->base));
            break;
        }
        case TOO_MANY:
            HOP_TRY(status, fail_surplus(work, held));
            break;
        case NAMES_FULL:
            HOP_TRY(status, hop__name_index_grow(work->text->context, work->form.table->names));
            break;
        case OPEN_QUOTE:
            HOP_TRY(status, open_quote(work, held));
            return HOP_OK; /* begins anew */
        case STOPPED:
            status = resolve(work, held, work->lanes[lane].stopped);
            if (status == HOP_ERR_BUDGET && work->limit != UINT64_MAX) {
                HOP_TRY(status, spool_and_shrink(work, held->before[0]));
                status = resolve(work, held, work->lanes[lane].stopped);
            }
            HOP_TRY(status, status);
            break;
        }
    }
done:
    return status;
}

/* ---- the front ------------------------------------------------------------------------------- */

/* Whether records have weights: what the first one has. */
static hop_status decide(job *work) {
    hop__text *text = work->text;
    const char *line, *end;
    hop__record_fault fault;
    hop__record record = {0};
    hop__record_result result = HOP__RECORD_EMPTY;
    hop_status status;
    work->form.undecided = true;
    while (result == HOP__RECORD_EMPTY) {
        HOP_TRY(status, hop__text_line(text, &line, &end));
        if (line == NULL)
            break;
        result = hop__record_parse(&work->form, line, end, &record, &fault);
        if (result == HOP__RECORD_EMPTY)
            hop__text_take(text);
    }
    if (result == HOP__RECORD_BAD)
        HOP_TRY(status, fail_line(work, text->line, &fault));
    work->form.undecided = false;
    work->form.weighted = record.weighted;
done:
    return status;
}

/* Of a table for the kernels; else 0. Blanks may be many between two columns. */
static char plain_separator(const hop__table *table) {
    return table != NULL && table->names == NULL && table->exact && table->delimiter != ' ' &&
                   table->place[0] == 0 && table->place[1] == 1 &&
                   table->place[2] == (table->columns == 2 ? HOP__NO_COLUMN : 2)
               ? table->delimiter
               : 0;
}

/* How records are to be taken apart. */
static hop_status begin(job *work) {
    const hop__record_spec *spec = work->spec;
    hop__record_form *form = &work->form;
    hop_status status = HOP_OK;
    form->spec = spec;
    form->table = spec->table;
    work->names_before = form->table != NULL && form->table->names != NULL
                             ? hop__name_index_count(form->table->names)
                             : 0;
    form->separator = plain_separator(form->table);
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
    work->first_line = work->text->line; /* behind what decide() has passed by */
    if (form->weighted)
        work->list->weight_type = spec->type == HOP_TYPE_NONE ? HOP_TYPE_INT32 : spec->type;
done:
    return status;
}

static void facts_gather(job *work) {
    hop__part_facts *facts = &work->facts;
    *facts = (hop__part_facts){.lines = work->text->line - work->first_line,
                               .records = work->list->count,
                               .most = work->most,
                               .id_bytes = work->list->id_bytes,
                               .type = work->list->weight_type};
    for (unsigned i = 0; i < hop__flow_lanes(work->flow); i++) {
        const lane_state *own = &work->lanes[i];
        facts->largest = own->largest > facts->largest ? own->largest : facts->largest;
        facts->saw_real |= own->saw_real;
        if (own->large_line != 0 && (facts->large_line == 0 || own->large_line < facts->large_line))
            facts->large_line = own->large_line;
    }
}

/* What shows at the end only. */
static hop_status facts_check(const job *work) {
    hop__text *text = work->text;
    const hop__record_spec *spec = work->spec;
    const hop__part_facts *facts = &work->facts;
    if (spec->counted && facts->records < spec->records)
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "the end of the file after %" PRIu64 " rows, expected %" PRIu64
                                    " (%s) as the header states",
                                    facts->records, spec->records, spec->record_name);
    if (facts->large_line != 0 && !facts->saw_real && spec->type == HOP_TYPE_NONE)
        return hop__input_fail_line(text->context, text->input, facts->large_line,
                                    "an integer weight that does not fit in 64 bits");
    return HOP_OK;
}

/* With those who have read the other parts: the types that all records fit, and the last line. */
static hop_status join(job *work, hop_status status) {
    hop__part_facts *facts = &work->facts;
    hop__edge_list *list = work->list;
    HOP_TRY(status, work->parts->join(work->parts->user, status, facts));
    work->text->line = work->first_line + facts->lines;
    list->others = facts->records - list->count;
    if (facts->id_bytes > list->id_bytes)
        HOP_TRY(status, use_wide_ids(work));
    if (facts->type != list->weight_type)
        HOP_TRY(status, use_wide_weights(work, facts->type));
    status = facts_check(work);
done:
    return status;
}

static hop_status finish(job *work) {
    hop_status status;
    if (work->parts == NULL)
        HOP_TRY(status, facts_check(work));
    if (work->list->spool == NULL)
        return resize(work, work->list->count);
    HOP_TRY(status, spool(work, work->list->count));
    hop__free(work->list->from);
    hop__free(work->list->to);
    hop__free(work->list->weights);
    work->list->from = work->list->to = work->list->weights = NULL;
done:
    return status;
}

/* Forgets what was read of a table, names that are none among it. */
static hop_status begin_anew(job *work) {
    hop_context *context = work->text->context;
    hop__flow_close(work->flow);
    hop__free(work->lanes);
    work->flow = NULL;
    work->lanes = NULL;
    work->list->count = work->used = work->base = 0;
    hop__edge_spool_free(work->list->spool);
    work->list->spool = NULL;
    return work->form.table->names == NULL
               ? HOP_OK
               : hop__name_index_cut(context, work->form.table->names, work->names_before);
}

static hop_status records_run(job *work) {
    hop__flow_work steps = {.count = count_chunk,
                            .parse = parse_chunk,
                            .open_row = work->spec->table != NULL ? open_row : NULL,
                            .user = work};
    hop_context *context = work->text->context;
    hop_status status;
    HOP_TRY(status, begin(work));
    HOP_TRY(status, start_arrays(work));
    work->limit =
        hop__edge_spool_possible(context, work->list) && work->spec->ids == 2 && !work->spec->whole
            ? hop__edge_spool_records(context, record_bytes(work))
            : UINT64_MAX;
    uint64_t room = estimate(work);
    HOP_TRY(status, resize(work, room < work->limit ? room : work->limit));
    do {
        work->again = false;
        steps.in_order = work->in_order;
        HOP_TRY(status, hop__flow_open(work->text, &steps, &work->flow));
        HOP_TRY(status, hop__alloc_zero(context, "text", hop__flow_lanes(work->flow),
                                        sizeof *work->lanes, &work->lanes));
        HOP_TRY(status, read_all(work));
        if (work->again)
            HOP_TRY(status, begin_anew(work));
    } while (work->again);
    facts_gather(work);
    HOP_TRY(status, finish(work));
done:
    hop__flow_close(work->flow);
    hop__free(work->lanes);
    return status;
}

/* Records that may come: HOP_MAX_EDGES, the caller's limit, or the header's number if that is less.
 */
static uint64_t most_records(const hop__record_spec *spec, const hop_read_options *options) {
    uint64_t most = options->max_edges != 0 && options->max_edges < HOP_MAX_EDGES
                        ? options->max_edges
                        : HOP_MAX_EDGES;
    return spec->counted && spec->records <= most ? spec->records : most;
}

hop_status hop__records_read(hop__text *text, const hop__record_spec *spec,
                             const hop_read_options *options, hop__edge_list *list,
                             uint64_t *largest) {
    job work = {.text = text, .spec = spec, .options = options, .list = list};
    hop__reals reals;
    hop_status status;
    if (!hop__reals_init(&reals))
        return hop__fail(text->context, HOP_ERR_MEMORY, "%s: no memory for the C locale",
                         hop__input_name(text->input));
    work.form.reals = &reals;
    work.parts = hop__input_parts(text->input);
    work.most = most_records(spec, options);
    if (work.parts != NULL)
        work.most -=
            work.parts->records_before < work.most ? work.parts->records_before : work.most;
    work.used_before = hop__pool_usage(text->context->pool).used;
    status = records_run(&work);
    if (work.parts != NULL && work.parts->join != NULL)
        status = join(&work, status);
    if (largest != NULL)
        *largest = work.facts.largest;
    hop__reals_clear(&reals);
    return status;
}

hop_status hop__records_check_count(const hop__text *text, uint64_t records,
                                    uint64_t bytes_per_record, const char *record_name) {
    uint64_t bound = hop__input_bound(text->input);
    /* The last record may lack its newline. */
    if (records > bound / bytes_per_record + 1)
        return hop__input_fail_line(text->context, text->input, text->line,
                                    "the header states %" PRIu64 " %s rows, more than %" PRIu64
                                    " bytes can hold",
                                    records, record_name, bound);
    return HOP_OK;
}
