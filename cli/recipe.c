/* SPDX-License-Identifier: Apache-2.0
 *
 * What to generate: see recipe.h. */
#include "recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "complaint.h"
#include "core/nearest_word.h"
#include "exit_codes.h"
#include "number_text.h"

parameter_table recipe_table(const hop_family *family) {
    return (parameter_table){family->name, family->parameters, family->parameter_count};
}

/* The narrowest type that holds both ends: what --min-weight or --max-weight alone ask for. */
static hop_weight_type type_of_range(double low, double high) {
    if (low != floor(low) || high != floor(high))
        return HOP_TYPE_FLOAT64;
    return low >= INT32_MIN && high <= INT32_MAX ? HOP_TYPE_INT32 : HOP_TYPE_INT64;
}

static int take_weights(const arguments *given, recipe *made) {
    hop_generate_options *options = &made->options;
    const hop_family *family = made->family;
    const option_value *type = &given->values[OPT_WEIGHTS];
    const option_value *low = &given->values[OPT_MIN_WEIGHT],
                       *high = &given->values[OPT_MAX_WEIGHT];
    bool ranged = low->times > 0 || high->times > 0;
    if (!family->takes_weights && (ranged || type->number != HOP_TYPE_NONE))
        return complain(CODE_USAGE, "%s takes no weights", family->name);
    if (ranged && type->times > 0 && type->number == HOP_TYPE_NONE)
        return complain(CODE_USAGE, "--weights none and a range of weights contradict each other");
    if (low->times > 0)
        options->min_weight = low->real;
    if (high->times > 0)
        options->max_weight = high->real;
    if (type->times > 0)
        options->weight_type = (hop_weight_type)type->number;
    else if (ranged && family->weight_type == HOP_TYPE_NONE)
        options->weight_type = type_of_range(low->times > 0 ? low->real : family->min_weight,
                                             high->times > 0 ? high->real : family->max_weight);
    return CODE_OK;
}

int recipe_take(const arguments *given, const char *family, recipe *made) {
    *made = (recipe){.options = HOP_GENERATE_OPTIONS_INIT, .family = hop_family_find(family)};
    if (made->family == NULL)
        return complain_word("FAMILY", family, word_of_family);
    if (is_given(given, OPT_SEED))
        made->options.seed = given->values[OPT_SEED].number;
    parameter_table table = recipe_table(made->family);
    int code = settings_take(&table, given, &made->settings, &made->options.setting_count);
    made->options.settings = made->settings;
    return code != CODE_OK ? code : take_weights(given, made);
}

enum { NAME_ROOM = 64 };

/* What comes before the colon; false where nothing does. */
static bool first_word(const char *word, char name[NAME_ROOM]) {
    size_t length = strcspn(word, ":");
    if (word[length] == '\0' || length >= NAME_ROOM)
        return false;
    memcpy(name, word, length);
    name[length] = '\0';
    return true;
}

/* What it begins with; NULL where that is none. */
static const hop_family *family_of(const char *word) {
    char name[NAME_ROOM];
    return first_word(word, name) ? hop_family_find(name) : NULL;
}

bool recipe_is(const char *word) {
    return family_of(word) != NULL;
}

const char *recipe_meant(const char *word) {
    char name[NAME_ROOM];
    hop__nearest search;
    if (strchr(word, '=') == NULL || !first_word(word, name))
        return NULL;
    hop__nearest_begin(&search, name);
    for (size_t i = 0; word_of_family(i) != NULL; i++)
        hop__nearest_offer(&search, word_of_family(i));
    return hop__nearest_best(&search);
}

bool recipe_is_list(const char *word) {
    const hop_family *family = family_of(word);
    return family != NULL && family->is_list;
}

/* A key that is an option of generate; false when its value is none. */
static bool take_key(const option_row *option, const char *word, option_value *value) {
    value->times = 1;
    value->text = word;
    if (option->kind == KIND_WHOLE)
        return parse_whole(word, &value->number);
    if (option->kind == KIND_REAL)
        return parse_real(word, &value->real);
    for (; option->words(value->number) != NULL; value->number++)
        if (strcmp(option->words(value->number), word) == 0)
            return true;
    return false;
}

/* One KEY=VALUE of a recipe's word; `value` may be NULL. */
static int take_pair(arguments *given, const char *key, const char *value) {
    static const option_id options[] = {OPT_SEED, OPT_WEIGHTS, OPT_MIN_WEIGHT, OPT_MAX_WEIGHT};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const option_row *option = &option_rows[options[i]];
        if (strcmp(option->name, key) != 0)
            continue;
        given->values[options[i]] = (option_value){0};
        if (value == NULL || !take_key(option, value, &given->values[options[i]]))
            return complain(CODE_USAGE, "%s: %s expected, \"%s\" found", key, option->argument,
                            value != NULL ? value : "");
        return CODE_OK;
    }
    given->settings =
        need_memory(given->settings, given->setting_count + 1, sizeof given->settings[0]);
    given->settings[given->setting_count++] = (typed_setting){key, value};
    return CODE_OK;
}

int recipe_parse(const char *word, recipe *made) {
    arguments given = {0};
    char *words = need_memory(NULL, strlen(word) + 1, 1);
    strcpy(words, word);
    int code = CODE_OK;
    char *family = words, *rest = words + strcspn(words, ":");
    *rest++ = '\0';
    while (*rest != '\0' && code == CODE_OK) {
        char *pair = rest, *value;
        rest += strcspn(rest, ",");
        if (*rest != '\0')
            *rest++ = '\0';
        value = strchr(pair, '=');
        if (value != NULL)
            *value++ = '\0';
        code = take_pair(&given, pair, value);
    }
    *made = (recipe){0};
    if (code == CODE_OK)
        code = recipe_take(&given, family, made);
    made->words = words;
    free(given.settings);
    return code;
}

void recipe_free(recipe *made) {
    free(made->settings);
    free(made->words);
    *made = (recipe){0};
}

/* A list has one parameter: its length. */
static uint64_t elements_of(const recipe *made) {
    const hop_parameter *length = hop_parameter_at(made->family->parameters, 0);
    return (uint64_t)(made->options.setting_count > 0 ? made->settings[0].value : length->standard);
}

enum { HUGE_PAGE = 2 << 20 };

/* The array is the caller's, so the budget is ours to keep. */
static int allocate_list(session *work, uint64_t count, hop_vertex **list) {
    uint64_t budget = hop_context_memory_budget(work->context);
    if (count > HOP_MAX_VERTICES)
        return complain(CODE_USAGE, "%s elements; at most %s are possible", count_text(count).s,
                        count_text(HOP_MAX_VERTICES).s);
    uint64_t bytes = count * sizeof(hop_vertex);
    if (bytes > budget) {
        complain(CODE_FAILURE, "%s needed for the list, %s allowed", bytes_text(bytes).s,
                 bytes_text(budget).s);
        advise("--memory SIZE sets another budget");
        return CODE_FAILURE;
    }
    /* Huge pages: a list is written in random order, and freed at once when interrupted. */
    bytes = (bytes / HUGE_PAGE + 1) * HUGE_PAGE;
    *list = aligned_alloc(HUGE_PAGE, bytes);
    if (*list == NULL)
        return complain(CODE_FAILURE, "no memory for %s", bytes_text(bytes).s);
    madvise(*list, bytes, MADV_HUGEPAGE);
    return CODE_OK;
}

int recipe_make_graph(session *work, const recipe *made, hop_graph **graph, double *seconds) {
    double began = clock_seconds();
    hop_status status =
        hop_graph_generate(work->context, made->family->name, &made->options, graph);
    *seconds = clock_seconds() - began;
    return status == HOP_OK ? CODE_OK : session_fail(work, status);
}

int recipe_make_list(session *work, const recipe *made, hop_vertex **list, hop_vertex *count,
                     double *seconds) {
    uint64_t elements = elements_of(made);
    int code = allocate_list(work, elements, list);
    if (code != CODE_OK)
        return code;
    *count = (hop_vertex)elements;
    double began = clock_seconds();
    hop_status status = hop_list_generate(work->context, *count, made->options.seed, *list);
    *seconds = clock_seconds() - began;
    return status == HOP_OK ? CODE_OK : session_fail(work, status);
}
