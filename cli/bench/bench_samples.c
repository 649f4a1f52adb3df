/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the times that are compared come from: see bench_compare.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_compare.h"
#include "bench/bench_row_run.h"
#include "complaint.h"
#include "cpu_probe.h"
#include "exit_codes.h"
#include "json_reader.h"

static char *copy_text(const char *from) {
    char *copy = need_memory(NULL, strlen(from) + 1, 1);
    return strcpy(copy, from);
}

/* To be added up over the sources of a repetition, in any order: equal sums are equal sets. */
static uint64_t hash_of_source(const char *label) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *label != '\0'; label++)
        hash = (hash ^ (unsigned char)*label) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

static void add_sample(sample_set *set, const char *cell, const char *process, double repetition,
                       double seconds) {
    /* Room for twice as many each time it is full. */
    if ((set->count & (set->count + 1)) == 0 || set->count == 0)
        set->samples = need_memory(set->samples, 2 * set->count + 2, sizeof *set->samples);
    set->samples[set->count++] =
        (sample){copy_text(cell), copy_text(process), repetition, seconds, 1, 0};
}

/* Fields that make up a cell, in this order; a tab between them, so that they can be told apart. */
static const char *const cell_fields[] = {"problem",  "graph_hash", "seed",   "variant",
                                          "settings", "device",     "threads"};
enum { CELL_FIELDS = sizeof cell_fields / sizeof cell_fields[0], CELL_BYTES = 2048 };

/* Matrices of half the size are something else; rows from before there was a choice have none. */
static bool add_type(char cell[CELL_BYTES], const char *type) {
    size_t length = strlen(cell);
    if (type == NULL || strcmp(type, "int32") != 0)
        return true;
    return (size_t)snprintf(cell + length, CELL_BYTES - length, "\tint32") < CELL_BYTES - length;
}

static bool cell_of_row(json_row *row, char cell[CELL_BYTES]) {
    size_t length = 0;
    for (size_t i = 0; i < CELL_FIELDS; i++) {
        const char *value = json_text(row, cell_fields[i]);
        if (value == NULL)
            value = json_value(row, cell_fields[i]);
        if (value == NULL)
            return false;
        length +=
            (size_t)snprintf(cell + length, CELL_BYTES - length, "%s%s", i == 0 ? "" : "\t", value);
        if (length >= CELL_BYTES)
            return false;
    }
    return add_type(cell, json_text(row, "distance_type"));
}

/* The name of the processor in the row of a session. */
static void take_machine(sample_set *set, const json_row *row) {
    static const char key[] = "\"model\": \"";
    const char *machine = json_value(row, "machine");
    const char *model = machine != NULL ? strstr(machine, key) : NULL;
    if (model == NULL)
        return;
    model += sizeof key - 1;
    snprintf(set->machine, sizeof set->machine, "%.*s", (int)strcspn(model, "\""), model);
}

static void take_row(sample_set *set, json_row *row) {
    char cell[CELL_BYTES];
    double seconds, repetition;
    const char *kind = json_text(row, "kind"), *how = json_text(row, "outcome");
    const char *process = json_text(row, "session");
    if (kind != NULL && strcmp(kind, "session") == 0)
        take_machine(set, row);
    if (kind == NULL || strcmp(kind, "run") != 0 || how == NULL || strcmp(how, "ok") != 0 ||
        process == NULL || json_is_true(row, "warmup") || !json_number(row, "seconds", &seconds) ||
        !json_number(row, "repetition", &repetition) || !cell_of_row(row, cell) ||
        !(seconds > 0 && isfinite(seconds)))
        return;
    const char *source = json_value(row, "source");
    add_sample(set, cell, process, repetition, seconds);
    set->samples[set->count - 1].sources =
        source != NULL && strcmp(source, "null") != 0 ? hash_of_source(source) : 0;
}

int samples_read(sample_set *set, const char *path) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    json_row row;
    *set = (sample_set){.name = path};
    if (file == NULL)
        return complain(CODE_FAILURE, "%s: cannot be opened", path);
    while (getline(&line, &room, file) > 0)
        if (json_row_parse(line, &row))
            take_row(set, &row);
    free(line);
    fclose(file);
    if (set->count == 0)
        return complain(CODE_BAD_INPUT, "%s: no rows of runs that ended well", path);
    return CODE_OK;
}

/* The cell that a row of this contender would have. */
static void cell_of_contender(const bench *all, const contender *each, char cell[CELL_BYTES]) {
    json out;
    char *settings = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&settings, &length);
    const hop_variant *ran = each->ran != NULL ? each->ran : each->variant->row;
    if (stream == NULL) {
        complain(CODE_FAILURE, "no memory for a cell");
        exit(CODE_FAILURE);
    }
    out = (json){.file = stream, .one_line = true};
    json_object(&out, NULL);
    if (ran != NULL) {
        parameter_table table = {ran->name, ran->parameters, ran->parameter_count};
        settings_json_fields(&out, &table, each->variant->settings, each->variant->setting_count);
    }
    json_end(&out);
    fclose(stream);
    snprintf(cell, CELL_BYTES, "%s\t%016llx\t%llu\t%s\t%s\t%s\t%u", hop_problem_name(all->problem),
             (unsigned long long)all->input->hash, (unsigned long long)all->seed,
             each->variant->name, settings, each->device->name, each->threads);
    (void)add_type(cell, hop_type_name(all->distance_type));
    free(settings);
}

void samples_take(sample_set *set, const bench *all) {
    char cell[CELL_BYTES];
    cpu_facts facts;
    uint64_t sources = 0;
    bool searches = all->problem == HOP_PROBLEM_BFS || all->problem == HOP_PROBLEM_SSSP;
    for (size_t i = 0; i < all->input->source_count && searches; i++) {
        char label[24];
        snprintf(label, sizeof label, "%llu",
                 (unsigned long long)hop_graph_label(all->input->graph, all->input->sources[i]));
        sources += hash_of_source(label);
    }
    cpu_probe(&facts);
    snprintf(set->machine, sizeof set->machine, "%s", facts.model);
    for (size_t c = 0; c < all->contender_count; c++) {
        const contender *each = &all->contenders[c];
        cell_of_contender(all, each, cell);
        for (size_t i = 0; i < each->value_count; i++) { /* a value is the mean of all sources */
            add_sample(set, cell, all->rows.session, (double)i, each->values[i]);
            set->samples[set->count - 1].sources = sources;
            set->samples[set->count - 1].count = all->input->source_count;
            set->samples[set->count - 1].sum *= (double)all->input->source_count;
        }
    }
}

void samples_free(sample_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        free(set->samples[i].cell);
        free(set->samples[i].session);
    }
    free(set->samples);
    *set = (sample_set){0};
}
