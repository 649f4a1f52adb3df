/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of constants, and their file. */
#include "core/tuning_constants.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context_internal.h"

enum { FILE_MOST = 1 << 16, PATH_MOST = 4096 };

static const hop_tuning_constant rows[HOP__TUNED_COUNT] = {
    [HOP__RANK_SMALL] = {"rank.small", "from how many elements on many walks beat one", "elements",
                         16, 1e9, 50000},
    [HOP__COMPONENTS_SMALL] = {"components.small",
                               "from how many arcs on giant-first beats rem, 5 or more per vertex",
                               "arcs", 16, 1e9, 4096},
    [HOP__BFS_SMALL] = {"bfs.small", "from how many on direction-optimizing beats sequential",
                        "vertices and arcs", 16, 1e9, 10000},
    [HOP__SSSP_SMALL] = {"sssp.small",
                         "from how many on delta-stepping beats dijkstra, all threads", "vertices",
                         16, 1e9, 16384},
    [HOP__SSSP_SMALL_ALONE] = {"sssp.small-alone",
                               "from how many on delta-stepping beats dijkstra, one thread",
                               "vertices", 16, 1e9, 32768},
    [HOP__SSSP_SMALL_SPARSE] = {"sssp.small-sparse",
                                "the same with fewer than 8 arcs per vertex, all threads",
                                "vertices", 16, 1e9, 4096},
    [HOP__APSP_STEP] = {"apsp.step",
                        "one step of blocked on 32-bit distances; 0: by the instructions", "ns", 0,
                        100, 0},
    [HOP__APSP_QUEUE] = {"apsp.queue", "a vertex that a search reaches", "ns", 0.1, 1e4, 75},
    [HOP__APSP_ARC] = {"apsp.arc", "an arc that a search looks at", "ns", 0.01, 1e3, 0.9},
};

size_t hop_tuning_count(void) {
    return HOP__TUNED_COUNT;
}

const hop_tuning_constant *hop_tuning_at(size_t index) {
    return index < HOP__TUNED_COUNT ? &rows[index] : NULL;
}

void hop__tuning_init(hop__tuning *tuning) {
    for (size_t i = 0; i < HOP__TUNED_COUNT; i++) {
        tuning->values[i] = rows[i].standard;
        tuning->changed[i] = false;
    }
    tuning->device_count = 0;
}

const char *hop__tuned_text(const hop__tuning *tuning, hop__tuned which,
                            char text[HOP__TUNED_TEXT]) {
    snprintf(text, HOP__TUNED_TEXT, "%s = %.6g, %s", rows[which].name, tuning->values[which],
             tuning->changed[which] ? "tuned" : "the default");
    return text;
}

static size_t find(const char *name, size_t length) {
    size_t i = 0;
    while (i < HOP__TUNED_COUNT &&
           (strlen(rows[i].name) != length || memcmp(rows[i].name, name, length) != 0))
        i++;
    return i;
}

double hop_tuning_get(const hop_context *context, const char *name) {
    size_t i = context && name ? find(name, strlen(name)) : HOP__TUNED_COUNT;
    return i < HOP__TUNED_COUNT ? context->tuning.values[i] : (double)NAN;
}

static bool in_range(size_t i, double value) {
    return value >= rows[i].minimum && value <= rows[i].maximum; /* false for NaN */
}

hop_status hop_tuning_set(hop_context *context, const char *name, double value) {
    if (!context || !name)
        return hop__missing(context, "hop_tuning_set");
    size_t i = find(name, strlen(name));
    if (i == HOP__TUNED_COUNT) {
        hop__fail(context, HOP_ERR_ARGUMENT, "tuning: there is no constant '%s'", name);
        return hop__note_unknown(context, name, NULL, "hop_tuning_at", "lists them");
    }
    if (!in_range(i, value)) {
        hop__fail(context, HOP_ERR_ARGUMENT, "tuning: %s is %g, but must be from %g to %g", name,
                  value, rows[i].minimum, rows[i].maximum);
        return hop__note_name(context, HOP_KIND_ARGUMENT, name);
    }
    context->tuning.values[i] = value;
    context->tuning.changed[i] = true;
    return HOP_OK;
}

void hop_tuning_copy(hop_context *context, const hop_context *from) {
    if (context && from)
        context->tuning = from->tuning;
}

/* The C library reads and prints numbers by the locale; files have a point. */
static void swap_point(char *number, char from, char to) {
    char *point = strchr(number, from);
    if (point && from != to)
        *point = to;
}

static char locale_point(void) {
    char text[8];
    snprintf(text, sizeof text, "%.1f", 0.5);
    return text[1];
}

static size_t skip_blanks(const char *text, size_t at, size_t end) {
    while (at < end && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r'))
        at++;
    return at;
}

static hop_status fail_system(hop_context *context, const char *path, const char *verb, int error) {
    hop__fail(context, HOP_ERR_IO, "tuning: %s: cannot be %s: %s", path, verb, strerror(error));
    hop__note_file(context, path);
    return hop__note_system(context, error);
}

/* A value for a name, "bfs.small" or "device.launch@" and a device's key. The name and the range of
 * a constant that has no such value are in *row; NULL: there is none of the name. */
static bool put(hop__tuning *tuning, const char *name, size_t length, double value,
                const hop_tuning_constant **row) {
    const char *mark = memchr(name, '@', length);
    size_t own = mark ? (size_t)(mark - name) : length, rest = length - own;
    size_t i = mark ? (size_t)hop__device_constant_find(name, own) : find(name, length);
    *row = mark ? hop_tuning_device_at(i) : hop_tuning_at(i);
    if (!*row)
        return false;
    if (mark) {
        char key[HOP__DEVICE_KEY];
        if (rest < 2 || rest > sizeof key) {
            *row = NULL;
            return false;
        }
        snprintf(key, sizeof key, "%.*s", (int)(rest - 1), mark + 1);
        return hop__tuning_put_device(tuning, key, (hop__device_constant)i, value);
    }
    if (!in_range(i, value))
        return false;
    tuning->values[i] = value;
    tuning->changed[i] = true;
    return true;
}

/* One line, text[at .. end-1]. */
static hop_status read_line(hop_context *context, hop__tuning *tuning, const char *path,
                            unsigned line, const char *text, size_t at, size_t end) {
    const char *note = memchr(text + at, '#', end - at);
    end = note ? (size_t)(note - text) : end;
    at = skip_blanks(text, at, end);
    if (at == end)
        return HOP_OK;
    size_t name = at, length = 0;
    while (at < end && strchr(" \t=", text[at]) == NULL)
        at++, length++;
    at = skip_blanks(text, at, end);
    char *after = NULL;
    char number[64] = {0};
    if (length > 0 && at < end && text[at] == '=' && end - at - 1 < sizeof number) {
        memcpy(number, text + at + 1, end - at - 1);
        swap_point(number, '.', locale_point());
        double value = strtod(number, &after);
        size_t rest = after != number ? strspn(after, " \t\r") : 0;
        if (after != number && after[rest] == '\0') {
            const hop_tuning_constant *row;
            if (put(tuning, text + name, length, value, &row))
                return HOP_OK;
            if (row)
                return hop__fail(context, HOP_ERR_INPUT,
                                 "tuning: %s: line %u: %s is %g, but must be from %g to %g", path,
                                 line, row->name, value, row->minimum, row->maximum);
            hop__log(context, HOP_LOG_INFO, "%s: line %u: no constant of this version", path, line);
            return HOP_OK;
        }
    }
    return hop__fail(context, HOP_ERR_INPUT,
                     "tuning: %s: line %u is not of the form 'name = value'", path, line);
}

hop_status hop_tuning_read(hop_context *context, const char *path) {
    if (!context || !path)
        return hop__missing(context, "hop_tuning_read");
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0)
        return fail_system(context, path, "read", errno);
    char text[FILE_MOST + 1];
    size_t used = 0;
    ssize_t got;
    while ((got = read(file, text + used, sizeof text - used)) > 0)
        used += (size_t)got;
    int error = errno;
    close(file);
    if (got < 0)
        return fail_system(context, path, "read", error);
    if (used > FILE_MOST || memchr(text, '\0', used) != NULL)
        return hop__file_done(
            context, hop__fail(context, HOP_ERR_INPUT, "tuning: %s: not a file of constants", path),
            path);
    hop__tuning tuning = context->tuning;
    unsigned line = 1;
    for (size_t at = 0; at < used; line++) {
        const char *stop = memchr(text + at, '\n', used - at);
        size_t end = stop ? (size_t)(stop - text) : used;
        hop_status status = read_line(context, &tuning, path, line, text, at, end);
        if (status != HOP_OK) {
            hop__note_line(context, line);
            return hop__note_file(context, path);
        }
        at = end + 1;
    }
    context->tuning = tuning;
    return HOP_OK;
}

static bool write_line(FILE *file, const char *before, const hop_tuning_constant *row,
                       const char *mark, const char *key, double value) {
    char number[32];
    snprintf(number, sizeof number, "%.6g", value);
    swap_point(number, locale_point(), '.');
    return fprintf(file, "%s%s%s%s = %s # %s: %s\n", before, row->name, mark, key, number,
                   row->unit, row->summary) > 0;
}

static bool write_constants(FILE *file, const hop__tuning *tuning, const char *note) {
    bool fine =
        fprintf(file, "# Constants by which Hoplite chooses variants; made by hoplite tune.\n") > 0;
    if (note)
        fine = fine && fprintf(file, "# %.*s\n", (int)strcspn(note, "\n"), note) > 0;
    for (size_t i = 0; fine && i < HOP__TUNED_COUNT; i++)
        fine = write_line(file, tuning->changed[i] ? "" : "# the default: ", &rows[i], "", "",
                          tuning->values[i]);
    for (unsigned d = 0; d < tuning->device_count; d++)
        for (size_t i = 0; fine && i < HOP__DEVICE_CONSTANTS; i++)
            if (tuning->devices[d].measured[i])
                fine = write_line(file, "", hop_tuning_device_at(i), "@", tuning->devices[d].key,
                                  tuning->devices[d].values[i]);
    int synced = 0;
    fine = fine && fflush(file) == 0;
    while (fine && (synced = fsync(fileno(file))) != 0 && errno == EINTR)
        ;
    return fine && synced == 0;
}

hop_status hop_tuning_write(hop_context *context, const char *path, const char *note) {
    char beside[PATH_MOST];
    if (!context || !path)
        return hop__missing(context, "hop_tuning_write");
    int length = snprintf(beside, sizeof beside, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof beside)
        return hop__fail(context, HOP_ERR_ARGUMENT, "tuning: the path is too long");
    int descriptor = mkstemp(beside);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!file) {
        int error = errno;
        if (descriptor >= 0) {
            close(descriptor);
            unlink(beside);
        }
        return fail_system(context, path, "written", error);
    }
    bool fine = write_constants(file, &context->tuning, note) && fchmod(descriptor, 0644) == 0;
    int error = errno;
    if (fclose(file) != 0 && fine) {
        error = errno;
        fine = false;
    }
    if (fine && rename(beside, path) != 0) {
        error = errno;
        fine = false;
    }
    if (fine)
        return HOP_OK;
    unlink(beside);
    return fail_system(context, path, "written", error);
}
