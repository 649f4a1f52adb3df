/* SPDX-License-Identifier: Apache-2.0
 *
 * The flow of chunks (see text_flow.h).
 *
 * Chunk i of a plain file has the lines that begin in bytes start + i*size .. start + (i+1)*size-1,
 * so a thread can find its chunk by itself: it reads from one byte before (is that a newline?) to
 * the end of the last line, which may be in the next chunk's bytes. A line longer than that makes
 * the lane's buffer larger; before one that is too long the chunk ends, and is held when it has
 * been parsed: so what is wrong before that line is said first, and its number is known.
 *
 * Chunks that come in order are read by whoever finds that nobody else is `reading`, without the
 * lock: the input may be a pipe that is silent for hours, and the caller's thread must not be kept
 * from asking whether to go on.
 *
 * Of a file that several read together (parts.h) the chunks are those of one part: the lines that
 * begin in its bytes, the last of which may end in the next part.
 *
 * The lock guards everything in hop__flow that changes while threads run. hop__fail and the
 * allocator are called with the lock held, or by the one that is `reading`, and the thread that
 * made the call is in the team: so only one thread writes the context's message, and nobody reads
 * it before the team has ended. */
#include "io/text/text_flow.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "core/checked.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/patience.h"
#include "core/progress.h"
#include "core/timing.h"
#include "core/try.h"
#include "io/text/parts.h"

enum { OVERHANG = 512 }; /* bytes of the last line that are read at once */

typedef struct lane {
    char *buffer;
    size_t capacity; /* without the slack */
    hop__flow_chunk chunk;
    uint64_t number;
    hop__bad_line bad; /* the line behind the chunk */
    bool held;
    bool at_bad; /* it is held because of that line, the chunk itself is parsed */
} lane;

struct hop__flow {
    hop__text *text;
    hop__flow_work work;
    size_t chunk_bytes;
    bool random;         /* a plain file or memory: chunks at any offset */
    uint64_t start, end; /* bytes of the contents, when random */
    uint64_t limit;      /* chunks begin before this byte: the end, or that of a part of the file */
    bool is_cut;         /* chunk 0 begins anywhere, too: in a part that is not the first */
    lane *lanes;
    unsigned lane_count;

    pthread_mutex_t lock;
    pthread_cond_t passed; /* `next_sums` has changed, or `reading`, or `stopping` */
    bool has_lock;
    uint64_t next_number; /* of the chunk to be taken next */
    uint64_t next_sums;   /* of the chunk whose sums are to be added next */
    uint64_t sums[2], line;
    bool ended, stopping;
    bool reading; /* somebody has the input, when not random; and what follows here */
    char *kept;   /* the beginning of a row that goes on in the next block */
    size_t kept_bytes, kept_capacity;
    uint64_t consumed; /* bytes of it, when somebody last read */
    hop_status status;
};

/* ---- opening -------------------------------------------------------------------------------- */

static hop_status check_size(const hop__text *text) {
    uint64_t size = hop__input_size(text->input), bound = hop__input_bound(text->input);
    if (size <= bound)
        return HOP_OK;
    hop__fail(text->context, HOP_ERR_INPUT,
              "%s: more than %" PRIu64 " bytes, which is the limit (max_bytes)",
              hop__input_name(text->input), bound);
    return hop__note_limit(text->context, "max_bytes", HOP_UNKNOWN, bound);
}

/* How many lanes are worth having, for the chunks that there are. */
static unsigned useful_lanes(const hop__flow *flow) {
    unsigned most = hop__team_limit(flow->text->context);
    uint64_t chunks = (flow->limit - flow->start) / flow->chunk_bytes + 1;
    return flow->random && chunks < most ? (unsigned)chunks : most;
}

/* Of a file that several read: lines that begin in this one's share of the bytes. */
static void take_part(hop__flow *flow, const hop__parts *parts) {
    uint64_t body = flow->start, left = flow->end - body;
    flow->start = body + hop__part_start(parts, left, parts->part);
    flow->limit = body + hop__part_start(parts, left, parts->part + 1);
    flow->is_cut = flow->start > body;
    flow->line += parts->lines_before;
}

hop_status hop__flow_open(hop__text *text, const hop__flow_work *work, hop__flow **slot) {
    hop_context *context = text->context;
    hop__flow *flow = NULL;
    hop_status status;
    *slot = NULL;
    HOP_TRY(status, hop__alloc_zero(context, "text", 1, sizeof *flow, &flow));
    flow->text = text;
    flow->work = *work;
    flow->chunk_bytes = hop__input_chunk(text->input);
    flow->random = !work->in_order && hop__input_is_random(text->input);
    flow->line = text->line;
    if (flow->random) {
        HOP_TRY(status, check_size(text));
        flow->start = hop__input_block_offset(text->input) + text->at;
        flow->end = flow->limit = hop__input_size(text->input);
        if (hop__input_parts(text->input) != NULL)
            take_part(flow, hop__input_parts(text->input));
    }
    if (pthread_mutex_init(&flow->lock, NULL) != 0)
        HOP_TRY(status, hop__fail(context, HOP_ERR_MEMORY, "read: no memory for a lock"));
    if (pthread_cond_init(&flow->passed, NULL) != 0) {
        pthread_mutex_destroy(&flow->lock);
        HOP_TRY(status, hop__fail(context, HOP_ERR_MEMORY, "read: no memory for a lock"));
    }
    flow->has_lock = true;
    flow->lane_count = useful_lanes(flow);
    HOP_TRY(status,
            hop__alloc_zero(context, "text", flow->lane_count, sizeof *flow->lanes, &flow->lanes));
    *slot = flow;
done:
    if (status != HOP_OK)
        hop__flow_close(flow);
    return status;
}

void hop__flow_close(hop__flow *flow) {
    if (flow == NULL)
        return;
    for (unsigned i = 0; flow->lanes != NULL && i < flow->lane_count; i++)
        hop__free(flow->lanes[i].buffer);
    hop__free(flow->lanes);
    hop__free(flow->kept);
    if (flow->has_lock) {
        pthread_cond_destroy(&flow->passed);
        pthread_mutex_destroy(&flow->lock);
    }
    hop__free(flow);
}

unsigned hop__flow_lanes(const hop__flow *flow) {
    return flow->lane_count;
}

uint64_t hop__flow_sum(const hop__flow *flow, int which) {
    return flow->sums[which];
}

uint64_t hop__flow_line_of(const hop__flow_chunk *chunk, const char *at) {
    return chunk->line + hop__text_newlines(chunk->begin, at);
}

/* ---- stopping ------------------------------------------------------------------------------- */

static void stop(hop__flow *flow) {
    flow->stopping = true;
    pthread_cond_broadcast(&flow->passed);
}

/* With the lock held: the first failure stays. */
static void fail(hop__flow *flow, hop_status status) {
    if (flow->status == HOP_OK)
        flow->status = status;
    stop(flow);
}

/* With the lock held, which is given up meanwhile: until something has changed, or it is time to
 * ask whether to go on. */
static void wait_turn(hop__flow *flow) {
    enum { TURN = 60000000, SECOND = 1000000000 }; /* nanoseconds */
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TURN;
    until.tv_sec += until.tv_nsec / SECOND;
    until.tv_nsec %= SECOND;
    double begin = hop__now();
    int end = pthread_cond_timedwait(&flow->passed, &flow->lock, &until);
    hop__slept_add(hop__now() - begin);
    if (end == ETIMEDOUT && !hop__progress_add(flow->text->context, 0))
        fail(flow, HOP_ERR_CANCELLED);
}

/* ---- chunks of a plain file ------------------------------------------------------------------ */

/* Makes the buffer hold `bytes`; false when there is no memory. */
static bool reserve(hop__flow *flow, lane *own, size_t bytes) {
    if (own->buffer != NULL && own->capacity >= bytes)
        return true;
    hop_context *context = flow->text->context;
    size_t all = 0;
    pthread_mutex_lock(&flow->lock);
    hop_status status = flow->status; /* the message stays that of the first failure */
    if (status != HOP_OK)
        goto done;
    if (!hop__add_size(bytes, HOP__INPUT_SLACK, &all))
        status = hop__fail(context, HOP_ERR_MEMORY, "%s: a line is too long",
                           hop__input_name(flow->text->input));
    else if (own->buffer == NULL)
        status = hop__alloc(context, "text", all, 1, &own->buffer);
    else
        status = hop__resize(context, "text", all, 1, &own->buffer);
    if (status == HOP_OK)
        own->capacity = bytes;
    else
        fail(flow, status);
done:
    pthread_mutex_unlock(&flow->lock);
    return status == HOP_OK;
}

/* Asks whether to go on: while a long line is gathered. */
static bool goes_on(hop__flow *flow) {
    if (hop__progress_add(flow->text->context, 0))
        return true;
    pthread_mutex_lock(&flow->lock);
    fail(flow, HOP_ERR_CANCELLED);
    pthread_mutex_unlock(&flow->lock);
    return false;
}

/* Reads bytes of the file into the buffer from `at` on. */
static bool fetch(hop__flow *flow, lane *own, uint64_t offset, size_t at, size_t count) {
    int error = hop__input_fetch(flow->text->input, offset, own->buffer + at, count);
    if (error == 0)
        return true;
    pthread_mutex_lock(&flow->lock);
    if (flow->status == HOP_OK)
        fail(flow, hop__input_fail_fetch(flow->text->context, flow->text->input, error));
    pthread_mutex_unlock(&flow->lock);
    return false;
}

/* The bytes of the file that a lane has in its buffer. */
typedef struct window {
    uint64_t first; /* offset in the file of the buffer's first byte */
    size_t filled;
} window;

/* Reads the comment on to its end, without keeping it: what the buffer has of it will do. */
static bool skip_comment(hop__flow *flow, lane *own, const window *seen, size_t *end) {
    enum { PIECE = 1 << 16 };
    uint64_t at = seen->first + seen->filled;
    size_t place = seen->filled;
    if (!reserve(flow, own, place + PIECE))
        return false;
    while (at < flow->end) {
        size_t count = flow->end - at < PIECE ? (size_t)(flow->end - at) : PIECE;
        if (!fetch(flow, own, at, place, count) || !goes_on(flow))
            return false;
        if (memchr(own->buffer + place, '\n', count) != NULL)
            break;
        at += count;
    }
    own->buffer[place] = '\n';
    *end = place + 1;
    return true;
}

/* Room for more of a line that began at `start`: twice as much, but not more than may be. */
static bool grow(hop__flow *flow, lane *own, size_t start, size_t filled, uint64_t left) {
    uint64_t most = hop__input_max_line(flow->text->input);
    uint64_t more = start + most - filled + 1; /* the line is not too long yet */
    more = more < left ? more : left;
    more = more < filled ? more : filled;
    return own->capacity > filled || reserve(flow, own, filled + (size_t)more);
}

/* The line that began at `start` goes on behind what was read: gathers the rest of it. When that
 * cannot be, the chunk ends before the line. */
static bool gather(hop__flow *flow, lane *own, size_t start, window *seen, size_t *end) {
    uint64_t most = hop__input_max_line(flow->text->input), left;
    size_t searched = start;
    while ((left = flow->end - (seen->first + seen->filled)) > 0) {
        own->bad.zero =
            hop__line_has_zero(own->buffer + start, searched - start, seen->filled - start);
        if (own->bad.zero || seen->filled - start > most) {
            own->bad.bytes = seen->filled - start;
            *end = start;
            return true;
        }
        if (!grow(flow, own, start, seen->filled, left))
            return false;
        size_t more = own->capacity - seen->filled;
        more = more < HOP__INPUT_PIECE ? more : HOP__INPUT_PIECE;
        more = more < left ? more : (size_t)left;
        if (!fetch(flow, own, seen->first + seen->filled, seen->filled, more) || !goes_on(flow))
            return false;
        searched = seen->filled;
        seen->filled += more;
        const char *newline = memchr(own->buffer + searched, '\n', more);
        if (newline != NULL) {
            *end = (size_t)(newline - own->buffer) + 1;
            return true;
        }
    }
    *end = seen->filled;
    return true;
}

/* Whether the line that begins at `start` is a comment, of which the beginning is enough. Not after
 * a quote in the chunk, where fields may have quotes: the line may be inside. (A quote that an
 * earlier chunk left open does no harm: all is read anew then, or fails.) */
static bool is_comment(const hop__flow *flow, const lane *own, size_t begin, size_t start,
                       const window *seen) {
    return hop__input_is_comment(flow->text->input, own->buffer + start, seen->filled - start) &&
           (flow->work.open_row == NULL || memchr(own->buffer + begin, '"', start - begin) == NULL);
}

/* Finds the end of the line that the buffer's byte `from` belongs to, reading on where need be. The
 * chunk's lines begin at `begin`. */
static bool find_end(hop__flow *flow, lane *own, size_t begin, size_t from, window *seen,
                     size_t *end) {
    const char *newline = memchr(own->buffer + from, '\n', seen->filled - from);
    *end = newline != NULL ? (size_t)(newline - own->buffer) + 1 : seen->filled;
    if (newline != NULL || seen->first + seen->filled == flow->end)
        return true;
    const char *before = from > begin ? memrchr(own->buffer + begin, '\n', from - begin) : NULL;
    size_t start = before == NULL ? begin : (size_t)(before - own->buffer) + 1;
    if (is_comment(flow, own, begin, start, seen))
        return skip_comment(flow, own, seen, end);
    return gather(flow, own, start, seen, end);
}

/* Reads chunk number own->number, which may turn out to have no line. */
static bool read_random(hop__flow *flow, lane *own) {
    uint64_t offset = flow->start + own->number * flow->chunk_bytes;
    /* The byte before, to see a newline there. */
    size_t lead = own->number > 0 || flow->is_cut, begin = 0, end;
    uint64_t left = flow->end - offset, own_bytes = flow->limit - offset;
    size_t body = own_bytes < flow->chunk_bytes ? (size_t)own_bytes : flow->chunk_bytes;
    size_t filled = lead + (left - body < OVERHANG ? (size_t)left : body + OVERHANG);
    if (!reserve(flow, own, filled) || !fetch(flow, own, offset - lead, 0, filled))
        return false;
    own->bad = (hop__bad_line){0};
    own->chunk.begin = own->chunk.end = own->buffer;
    if (lead > 0) {
        const char *newline = memchr(own->buffer, '\n', body);
        if (newline == NULL)
            return true; /* the middle of a line that began before */
        begin = (size_t)(newline - own->buffer) + 1;
    }
    window seen = {offset - lead, filled};
    if (!find_end(flow, own, begin, lead + body - 1, &seen, &end))
        return false;
    memset(own->buffer + (end > seen.filled ? end : seen.filled), '\n', HOP__INPUT_SLACK);
    own->chunk.begin = own->buffer + begin;
    own->chunk.end = own->buffer + end;
    return true;
}

/* ---- chunks in order ------------------------------------------------------------------------- */

/* Makes text->block from text->at on the next bytes of the input, none at its end. */
static hop_status next_block(hop__text *text) {
    if (text->at < text->count || text->count == 0)
        return HOP_OK;
    text->at = 0;
    return hop__input_lines(text->context, text->input, &text->block, &text->count);
}

/* Adds bytes to what is kept for the next chunk. */
static hop_status keep(hop__flow *flow, const char *bytes, size_t count) {
    hop_context *context = flow->text->context;
    hop_status status = HOP_OK;
    size_t all = 0;
    if (!hop__add_size(flow->kept_bytes, count, &all))
        return hop__fail(context, HOP_ERR_MEMORY, "%s: a row is too long",
                         hop__input_name(flow->text->input));
    if (all > flow->kept_capacity) {
        size_t room = all < 2 * flow->kept_capacity ? 2 * flow->kept_capacity : all;
        HOP_TRY(status, flow->kept == NULL ? hop__alloc(context, "text", room, 1, &flow->kept)
                                           : hop__resize(context, "text", room, 1, &flow->kept));
        flow->kept_capacity = room;
    }
    memcpy(flow->kept + flow->kept_bytes, bytes, count);
    flow->kept_bytes = all;
done:
    return status;
}

/* What is kept of a row was looked at in vain: makes it twice as long before it is looked at again,
 * so that a long row costs no more than a few looks. */
static hop_status keep_more(hop__flow *flow) {
    hop__text *text = flow->text;
    size_t enough = 2 * flow->kept_bytes, count;
    hop_status status;
    do {
        HOP_TRY(status, next_block(text));
        count = text->count - text->at;
        if (count > 0)
            HOP_TRY(status, keep(flow, text->block + text->at, count));
        text->at = text->count;
        if (!goes_on(flow))
            status = HOP_ERR_CANCELLED;
    } while (status == HOP_OK && count > 0 && flow->kept_bytes < enough);
done:
    return status;
}

/* Bytes, at least one, as the lane's chunk. */
static hop_status put_chunk(hop__flow *flow, lane *own, const char *bytes, size_t count) {
    hop_status status = HOP_OK;
    if (count > own->capacity) {
        hop__free(own->buffer);
        own->buffer = NULL;
        own->capacity = 0;
        HOP_TRY(status,
                hop__alloc(flow->text->context, "text", count + HOP__INPUT_SLACK, 1, &own->buffer));
        own->capacity = count;
    }
    memcpy(own->buffer, bytes, count);
    memset(own->buffer + count, '\n', HOP__INPUT_SLACK);
    own->chunk.begin = own->buffer;
    own->chunk.end = own->buffer + count;
done:
    return status;
}

/* Cuts the chunk before the row that does not end in it, if there is one, and keeps that; but not a
 * row that is longer than lines may be. */
static hop_status cut_chunk(hop__flow *flow, lane *own) {
    hop__flow_chunk *chunk = &own->chunk;
    const char *open =
        flow->work.open_row == NULL ? NULL : flow->work.open_row(flow->work.user, chunk);
    if (open == NULL || (uint64_t)(chunk->end - open) > hop__input_max_line(flow->text->input))
        return HOP_OK;
    hop_status status = keep(flow, open, (size_t)(chunk->end - open));
    chunk->end = open;
    chunk->is_counted = false;
    memset(own->buffer + (open - chunk->begin), '\n', HOP__INPUT_SLACK);
    return status;
}

/* The next chunk of the input, which is empty at its end. */
static hop_status read_block(hop__flow *flow, lane *own) {
    hop__text *text = flow->text;
    hop_status status;
    do {
        own->chunk.begin = own->chunk.end = own->buffer;
        own->chunk.is_counted = false;
        if (flow->kept_bytes > 0)
            HOP_TRY(status, keep_more(flow));
        else
            HOP_TRY(status, next_block(text));
        const hop__bad_line *bad = hop__input_bad(text->input);
        bool last = text->count == 0;
        own->bad = last && bad != NULL ? *bad : (hop__bad_line){0};
        if (flow->kept_bytes > 0)
            HOP_TRY(status, put_chunk(flow, own, flow->kept, flow->kept_bytes));
        else if (!last)
            HOP_TRY(status, put_chunk(flow, own, text->block + text->at, text->count - text->at));
        flow->kept_bytes = 0;
        text->at = text->count;
        if (!last)
            HOP_TRY(status, cut_chunk(flow, own));
    } while (flow->kept_bytes > 0 && own->chunk.begin == own->chunk.end);
done:
    return status;
}

/* With the lock held, which is given up while the input is read: whether there was a chunk. What
 * was read while another thread stopped the flow is a chunk like any other. */
static bool read_in_order(hop__flow *flow, lane *own) {
    while (flow->reading && !flow->stopping)
        wait_turn(flow);
    if (flow->stopping || flow->ended)
        return false;
    flow->reading = true;
    pthread_mutex_unlock(&flow->lock);
    hop_status status = read_block(flow, own);
    uint64_t consumed = hop__input_consumed(flow->text->input);
    pthread_mutex_lock(&flow->lock);
    flow->reading = false;
    flow->consumed = consumed;
    pthread_cond_broadcast(&flow->passed);
    if (status != HOP_OK)
        fail(flow, status);
    else if (own->chunk.begin == own->chunk.end)
        flow->ended = true;
    return status == HOP_OK && (!flow->ended || own->bad.bytes > 0);
}

/* ---- the threads ------------------------------------------------------------------------------
 */

/* Takes the next chunk and reads it; false when there is none, or the flow stops. */
static bool take(hop__flow *flow, lane *own) {
    pthread_mutex_lock(&flow->lock);
    if (flow->random && flow->next_number * flow->chunk_bytes >= flow->limit - flow->start)
        flow->ended = true;
    bool go_on = flow->random ? !flow->stopping && !flow->ended : read_in_order(flow, own);
    if (go_on)
        own->number = flow->next_number++;
    pthread_mutex_unlock(&flow->lock);
    return go_on && (!flow->random || read_random(flow, own));
}

/* Learns what is before the chunk and passes on what is before the next; false when a failure
 * means that this will never be known. */
static bool pass_on(hop__flow *flow, lane *own) {
    hop__flow_chunk *chunk = &own->chunk;
    pthread_mutex_lock(&flow->lock);
    while (flow->next_sums != own->number && flow->status == HOP_OK)
        wait_turn(flow);
    bool known = flow->next_sums == own->number;
    if (known) {
        chunk->line = flow->line;
        flow->line += chunk->lines;
        for (int i = 0; i < 2; i++) {
            chunk->before[i] = flow->sums[i];
            flow->sums[i] += chunk->counted[i];
        }
        flow->next_sums++;
        pthread_cond_broadcast(&flow->passed);
    }
    pthread_mutex_unlock(&flow->lock);
    return known;
}

static void parse(hop__flow *flow, lane *own) {
    own->held = !flow->work.parse(flow->work.user, &own->chunk, (unsigned)(own - flow->lanes));
    own->at_bad = !own->held && own->bad.bytes > 0;
    own->held |= own->at_bad;
    if (!own->held)
        return;
    pthread_mutex_lock(&flow->lock);
    stop(flow);
    pthread_mutex_unlock(&flow->lock);
}

static void report(hop__flow *flow, const lane *own) {
    uint64_t bytes = (uint64_t)(own->chunk.end - own->chunk.begin);
    if (flow->random && hop__progress_add(flow->text->context, bytes))
        return;
    pthread_mutex_lock(&flow->lock);
    if (!flow->random) { /* compressed bytes, as the total is */
        bytes = flow->consumed - flow->text->reported;
        flow->text->reported = flow->consumed;
    }
    if (flow->random || !hop__progress_add(flow->text->context, bytes))
        fail(flow, HOP_ERR_CANCELLED);
    pthread_mutex_unlock(&flow->lock);
}

static void run_lane(void *arg, unsigned thread, unsigned threads) {
    hop__flow *flow = arg;
    lane *own = &flow->lanes[thread];
    for (unsigned i = thread; i < flow->lane_count; i += threads)
        if (flow->lanes[i].held)
            parse(flow, &flow->lanes[i]);
    while (!own->held && take(flow, own)) {
        if (!own->chunk.is_counted) {
            own->chunk.counted[0] = own->chunk.counted[1] = 0;
            flow->work.count(flow->work.user, &own->chunk);
        }
        if (!pass_on(flow, own))
            return;
        parse(flow, own);
        report(flow, own);
    }
}

hop_status hop__flow_run(hop__flow *flow, const hop__flow_chunk **held, unsigned *which) {
    *held = NULL;
    flow->stopping = false;
    hop__team_of(flow->text->context, flow->lane_count, UINT64_MAX, run_lane, flow);
    if (flow->status == HOP_ERR_CANCELLED)
        return hop__progress_end(flow->text->context);
    if (flow->status != HOP_OK)
        return flow->status;
    uint64_t first = UINT64_MAX;
    for (unsigned i = 0; i < flow->lane_count; i++)
        if (flow->lanes[i].held && flow->lanes[i].number < first) {
            first = flow->lanes[i].number;
            *held = &flow->lanes[i].chunk;
            *which = i;
        }
    if (*held == NULL)
        flow->text->line = flow->line;
    else if (flow->lanes[*which].at_bad)
        return hop__input_fail_long(flow->text->context, flow->text->input,
                                    (*held)->line + (*held)->lines, &flow->lanes[*which].bad);
    return HOP_OK;
}
