/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of families, and the way from a name and settings to a graph: find the row, check the
 * settings and the weights, call the row. */
#include <math.h>
#include <string.h>

#include "core/options.h"
#include "core/settings.h"
#include "core/try.h"
#include "generate/family.h"

static const hop__family *const families[] = {
    &hop__family_list,    &hop__family_list_graph,  &hop__family_tree_graph,
    &hop__family_density, &hop__family_erdos_renyi, &hop__family_degree,
    &hop__family_rmat,    &hop__family_fanout,      &hop__family_grid,
    &hop__family_road,
};

size_t hop_family_count(void) {
    return HOP_LENGTH(families);
}

const hop_family *hop_family_at(size_t index) {
    return index < HOP_LENGTH(families) ? &families[index]->about : NULL;
}

static const hop__family *family_find(const char *name) {
    for (size_t i = 0; name != NULL && i < HOP_LENGTH(families); i++) {
        if (strcmp(families[i]->about.name, name) == 0)
            return families[i];
    }
    return NULL;
}

const hop_family *hop_family_find(const char *name) {
    const hop__family *family = family_find(name);
    return family == NULL ? NULL : &family->about;
}

static const char *family_name_at(const void *user, size_t i) {
    (void)user;
    return families[i]->about.name;
}

static hop_status unknown_family(hop_context *context, const char *name) {
    char names[256];
    hop__name_list(family_name_at, NULL, HOP_LENGTH(families), names, sizeof names);
    if (name == NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT, "generate: no family is named; there are %s",
                         names);
    hop__fail(context, HOP_ERR_ARGUMENT, "generate: there is no family '%.48s'", name);
    return hop__note_unknown(context, name,
                             hop__nearest_name(name, family_name_at, NULL, HOP_LENGTH(families)),
                             "there are", names);
}

/* What the options leave open comes from the family. */
static hop_status weighting_resolve(hop_context *context, const hop_family *family,
                                    const hop_generate_options *options,
                                    hop__weighting *weighting) {
    hop_weight_type type = options->weight_type;
    if (type == HOP_TYPE_FAMILY)
        type = family->weight_type;
    bool min_given = options->min_weight != -HUGE_VAL, max_given = options->max_weight != HUGE_VAL;
    if (type == HOP_TYPE_NONE && (min_given || max_given))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: %s is %.15g, but the graph has no weights; choose a weight type",
                         family->name, min_given ? "min-weight" : "max-weight",
                         min_given ? options->min_weight : options->max_weight);
    return hop__weighting_init(
        context, family->name, type, min_given ? options->min_weight : family->min_weight,
        max_given ? options->max_weight : family->max_weight, options->seed, weighting);
}

/* Finds the row, and what it is to be made from, and calls it. Of the recipe, `take` is the
 * caller's. */
static hop_status family_make(hop_context *context, const char *name,
                              const hop_generate_options *given, hop__recipe *recipe,
                              hop_graph **graph) {
    hop_status status = HOP_OK;
    hop_generate_options options = HOP_GENERATE_OPTIONS_INIT;
    HOP_TRY(status, hop__options_take(context, "HOP_GENERATE_OPTIONS_INIT", given, &options,
                                      sizeof options));
    const hop__family *family = family_find(name);
    if (family == NULL)
        return unknown_family(context, name);
    if (family->make == NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: this family makes a list, not a graph; call hop_list_generate, or "
                         "use list-graph",
                         name);
    if (recipe->take != NULL && family->plans_vertices)
        return hop__fail(context, HOP_ERR_UNSUPPORTED,
                         "%s: this family needs memory for each vertex on every rank; generate it "
                         "on one machine and read the file",
                         name);
    double values[HOP__PARAMETERS_MOST];
    const hop__settings settings = {options.settings, options.setting_count, options.setting_size};
    HOP_TRY(status, hop__settings_resolve(context, name, family->about.parameters,
                                          family->about.parameter_count, settings, values));
    recipe->values = values;
    recipe->seed = options.seed;
    HOP_TRY(status, weighting_resolve(context, &family->about, &options, &recipe->weighting));
    HOP_TRY(status, family->make(context, recipe, graph));
done:
    return status;
}

hop_status hop_graph_generate(hop_context *context, const char *name,
                              const hop_generate_options *given, hop_graph **graph) {
    hop__recipe recipe = {.take = NULL};
    if (graph != NULL)
        *graph = NULL;
    if (context == NULL)
        return HOP_ERR_ARGUMENT;
    if (graph == NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT, "generate: no place for the graph");
    return family_make(context, name, given, &recipe, graph);
}

hop_status hop__family_edges(hop_context *context, const char *name,
                             const hop_generate_options *options, hop__take_edges take,
                             void *user) {
    hop__recipe recipe = {.take = take, .take_user = user};
    hop_graph *none = NULL;
    return family_make(context, name, options, &recipe, &none);
}
