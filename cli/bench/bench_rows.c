/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of JSON lines: see bench_rows.h. A row is composed in memory and leaves by one write, so
 * that what kills the command leaves whole lines behind. */
#include "bench/bench_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "build_facts.h"
#include "complaint.h"
#include "cpu_probe.h"
#include "exit_codes.h"
#include "json_reader.h"
#include "number_text.h"

static int compare_known(const void *a, const void *b) {
    return strcmp(((const known_run *)a)->key, ((const known_run *)b)->key);
}

static bool same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static char *copy_text(const char *from) {
    char *copy = need_memory(NULL, strlen(from) + 1, 1);
    return strcpy(copy, from);
}

/* The name of a run, and what it was made on: a file may have been replaced since, and sources be
 * others. To be freed. */
static char *whole_key(const char *key, const char *graph_hash, const char *source) {
    size_t room = strlen(key) + strlen(graph_hash) + strlen(source) + 3;
    char *whole = need_memory(NULL, room, 1);
    snprintf(whole, room, "%s\t%s\t%s", key, graph_hash, source);
    return whole;
}

static void keep_run(row_file *rows, json_row *row) {
    const char *key = json_text(row, "key"), *how = json_text(row, "outcome");
    const char *tag = json_text(row, "tag"), *hash = json_text(row, "graph_hash");
    const char *source = json_value(row, "source");
    double seconds = NAN;
    (void)json_number(row, "seconds", &seconds);
    if (key == NULL || how == NULL || hash == NULL || source == NULL ||
        json_is_true(row, "warmup") || !same_text(tag, rows->tag))
        return;
    /* What was wrong is tried again: it may be mended, and must be seen if not. */
    if (strcmp(how, "wrong") == 0 ||
        (strcmp(how, "ok") == 0 && !(seconds > 0 && isfinite(seconds))))
        return;
    rows->known = need_memory(rows->known, rows->known_count + 1, sizeof *rows->known);
    known_run *known = &rows->known[rows->known_count++];
    *known = (known_run){whole_key(key, hash, source), copy_text(how), seconds};
}

/* The runs that are in the file; lines that are no rows are skipped. */
static int read_known(row_file *rows, uint64_t seed) {
    FILE *file = fopen(rows->path, "r");
    if (file == NULL && errno != ENOENT) /* else all that is there would run again */
        return complain(CODE_FAILURE, "--jsonl %s: %s", rows->path, strerror(errno));
    char *line = NULL;
    size_t room = 0, number = 0;
    double made_with;
    int code = CODE_OK;
    json_row row;
    while (file != NULL && code == CODE_OK && getline(&line, &room, file) > 0) {
        number++;
        if (!json_row_parse(line, &row) || !same_text(json_text(&row, "kind"), "run"))
            continue;
        if (json_number(&row, "seed", &made_with) && made_with != (double)seed)
            code =
                complain(CODE_USAGE,
                         "%s: line %zu was made with seed %.0f; --resume continues with the same "
                         "options only",
                         rows->path, number, made_with);
        keep_run(rows, &row);
    }
    if (code == CODE_OK && file != NULL && ferror(file))
        code = complain(CODE_FAILURE, "--jsonl %s: %s", rows->path, strerror(errno));
    free(line);
    if (file != NULL)
        fclose(file);
    if (rows->known_count > 0)
        qsort(rows->known, rows->known_count, sizeof *rows->known, compare_known);
    return code;
}

const known_run *rows_find(const row_file *rows, const char *key, const char *graph_hash,
                           const char *source) {
    if (rows->known_count == 0)
        return NULL;
    known_run wanted = {whole_key(key, graph_hash, source), NULL, 0};
    const known_run *known =
        bsearch(&wanted, rows->known, rows->known_count, sizeof *rows->known, compare_known);
    free(wanted.key);
    return known;
}

/* The byte there, or `none` behind the end and in a pipe; -1: it cannot be read. */
static int byte_at(int descriptor, off_t place, char none) {
    char byte = none;
    ssize_t got;
    while ((got = place < 0 ? 0 : pread(descriptor, &byte, 1, place)) < 0 && errno == EINTR)
        ;
    return got < 0 && errno != ESPIPE ? -1 : (unsigned char)byte;
}

/* A command that died in the middle of a line must not spoil the next one. False: see errno. */
static bool end_the_line(int descriptor) {
    int last = byte_at(descriptor, lseek(descriptor, 0, SEEK_END) - 1, '\n');
    return last == '\n' || (last != -1 && write(descriptor, "\n", 1) == 1);
}

static void draw_session(char name[17]) {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        number = (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid();
    snprintf(name, 17, "%016llx", (unsigned long long)number);
}

int rows_open(row_file *rows, const arguments *given, uint64_t seed) {
    *rows = (row_file){.path = given->values[OPT_JSONL].text,
                       .tag = given->values[OPT_TAG].text,
                       .descriptor = -1};
    draw_session(rows->session);
    if (rows->path == NULL)
        return is_given(given, OPT_RESUME)
                   ? complain(CODE_USAGE, "--resume needs --jsonl FILE: the rows to continue")
                   : CODE_OK;
    if (strcmp(rows->path, "-") == 0) {
        if (is_given(given, OPT_RESUME) || is_given(given, OPT_JSON))
            return complain(CODE_USAGE, "--jsonl - cannot be combined with --resume or --json");
        rows->descriptor = STDOUT_FILENO;
        return CODE_OK;
    }
    int code = is_given(given, OPT_RESUME) ? read_known(rows, seed) : CODE_OK;
    if (code != CODE_OK)
        return code;
    do
        rows->descriptor = open(rows->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    while (rows->descriptor == -1 && errno == EINTR);
    int first = rows->descriptor == -1 ? -1 : byte_at(rows->descriptor, 0, '{');
    if (first != -1 && first != '{')
        return complain(CODE_USAGE, "--jsonl %s: there is something else than rows in this file",
                        rows->path);
    if (first == -1 || !end_the_line(rows->descriptor))
        return complain(CODE_FAILURE, "%s: %s", rows->path, strerror(errno));
    return CODE_OK;
}

void rows_close(row_file *rows) {
    if (rows->descriptor > STDERR_FILENO)
        close(rows->descriptor);
    for (size_t i = 0; i < rows->known_count; i++) {
        free(rows->known[i].key);
        free(rows->known[i].outcome);
    }
    free(rows->known);
    if (rows->stream != NULL)
        fclose(rows->stream);
    free(rows->text);
    *rows = (row_file){.descriptor = -1};
}

/* One stream for all rows, without locks: this happens between runs that are measured. */
static void open_stream(row_file *rows) {
    if (rows->stream == NULL) {
        rows->stream = open_memstream(&rows->text, &rows->length);
        if (rows->stream == NULL) {
            complain(CODE_FAILURE, "no memory for a row");
            exit(CODE_FAILURE);
        }
        (void)__fsetlocking(rows->stream, FSETLOCKING_BYCALLER);
    }
    rewind(rows->stream);
}

void row_begin(row_file *rows, const char *kind) {
    struct timespec now;
    struct tm parts;
    char date[32], stamp[48];
    open_stream(rows);
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(stamp, sizeof stamp, "%s.%03ldZ", date, now.tv_nsec / 1000000);
    json_line_begin(&rows->out, rows->stream, kind);
    json_string(&rows->out, "session", rows->session);
    json_string(&rows->out, "time", stamp);
    json_string(&rows->out, "tag", rows->tag);
}

static int write_all(const row_file *rows, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t wrote = write(rows->descriptor, bytes, length);
        if (wrote == -1 && errno == EINTR)
            continue;
        if (wrote == -1)
            return complain(CODE_FAILURE, "%s: %s", rows->path, strerror(errno));
        bytes += wrote;
        length -= (size_t)wrote;
    }
    return CODE_OK;
}

int row_end(row_file *rows) {
    json_finish(&rows->out);
    int code = CODE_OK;
    if (fflush(rows->stream) != 0) /* the length is then that of what was written since the start */
        code = complain(CODE_FAILURE, "no memory for a row");
    else if (rows->path != NULL)
        code = write_all(rows, rows->text, rows->length);
    return code;
}

double machine_load(void) {
    double load;
    return getloadavg(&load, 1) == 1 ? load : NAN;
}

void machine_json(json *out) {
    cpu_facts facts;
    struct utsname system;
    char name[sizeof system.sysname + sizeof system.release + sizeof system.machine + 4] = "";
    cpu_probe(&facts);
    json_object(out, "machine");
    json_string(out, "model", facts.model);
    json_count(out, "sockets", facts.sockets);
    json_count(out, "cores", facts.cores);
    json_count(out, "hardware_threads", facts.processors);
    json_count(out, "usable_threads", facts.usable);
    json_array(out, "caches");
    for (unsigned i = 0; i < facts.cache_count; i++) {
        json_object(out, NULL);
        json_count(out, "level", facts.caches[i].level);
        json_string(out, "type", facts.caches[i].type);
        json_count(out, "bytes", facts.caches[i].bytes);
        json_count(out, "instances", facts.caches[i].instances);
        json_end(out);
    }
    json_end(out);
    json_string(out, "simd", facts.simd);
    json_count(out, "memory_bytes", facts.memory);
    json_count(out, "memory_free_bytes", facts.memory_free);
    json_string(out, "huge_pages", facts.huge_pages);
    if (uname(&system) == 0)
        snprintf(name, sizeof name, "%s %s %s", system.sysname, system.release, system.machine);
    json_string(out, "system", name);
    json_end(out);
}

int row_session(row_file *rows, const arguments *given, uint64_t budget) {
    json *out = &rows->out;
    row_begin(rows, "session");
    json_string(out, "version", HOP_VERSION);
    json_string(out, "library", hop_version());
    json_string(out, "features", hop_build_features());
    json_string(out, "compiler", build_compiler);
    json_string(out, "commit", build_commit());
    json_array(out, "command");
    json_string(out, NULL, "hoplite");
    for (size_t i = 0; given->words != NULL && given->words[i] != NULL; i++)
        json_string(out, NULL, given->words[i]);
    json_end(out);
    machine_json(out);
    json_count(out, "budget_bytes", budget);
    json_real(out, "load", machine_load());
    return row_end(rows);
}
