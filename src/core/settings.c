/* SPDX-License-Identifier: Apache-2.0
 * See settings.h. */
#include "core/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/nearest_word.h"
#include "core/try.h"

enum { NAME_MOST = 48 }; /* letters of a name that are shown */

const char *hop__nearest_name(const char *word, const char *(*name_at)(const void *user, size_t i),
                              const void *user, size_t count) {
    hop__nearest search;
    hop__nearest_begin(&search, word);
    for (size_t i = 0; i < count; i++)
        hop__nearest_offer(&search, name_at(user, i));
    return hop__nearest_best(&search);
}

const char *hop__name_list(const char *(*name_at)(const void *user, size_t i), const void *user,
                           size_t count, char *text, size_t size) {
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        int written =
            snprintf(text + length, size - length, "%s%s", i == 0 ? "" : ", ", name_at(user, i));
        if (written < 0 || (size_t)written >= size - length) {
            text[length] = '\0';
            break;
        }
        length += (size_t)written;
    }
    return text;
}

/* What the parameters belong to, for messages. */
typedef struct owner_table {
    const char *name;
    const hop_parameter *parameters;
    size_t count;
} owner_table;

static const char *parameter_name_at(const void *user, size_t i) {
    return ((const owner_table *)user)->parameters[i].name;
}

static hop_status unknown_parameter(hop_context *context, const owner_table *owner,
                                    const char *name) {
    char names[256];
    hop__fail(context, HOP_ERR_ARGUMENT, "%s: there is no parameter '%.*s'", owner->name, NAME_MOST,
              name);
    if (owner->count == 0)
        return hop__note_unknown(context, name, NULL, "it has", "none");
    hop__name_list(parameter_name_at, owner, owner->count, names, sizeof names);
    return hop__note_unknown(context, name,
                             hop__nearest_name(name, parameter_name_at, owner, owner->count),
                             "it has", names);
}

/* The place of a word among the choices of a parameter, or -1. */
static int choice_find(const hop_parameter *parameter, const char *word) {
    size_t length = strlen(word);
    int place = 0;
    for (const char *at = parameter->choices; at != NULL && *at != '\0'; place++) {
        size_t end = strcspn(at, " ");
        if (end == length && strncmp(at, word, length) == 0)
            return place;
        at += end;
        at += strspn(at, " ");
    }
    return -1;
}

/* The number that a setting stands for. */
static hop_status setting_value(hop_context *context, const owner_table *owner,
                                const hop_parameter *parameter, const hop_setting *setting,
                                double *value) {
    *value = setting->value;
    if (setting->word == NULL)
        return HOP_OK;
    if (parameter->type != HOP_PARAMETER_CHOICE)
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: %s = '%.*s'; it is a number", owner->name,
                         parameter->name, NAME_MOST, setting->word);
    int place = choice_find(parameter, setting->word);
    if (place < 0)
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: %s = '%.*s'; it is one of %s", owner->name,
                         parameter->name, NAME_MOST, setting->word, parameter->choices);
    *value = place;
    return HOP_OK;
}

/* Whether the value is one that the parameter takes. NaN fails every comparison. */
static hop_status check_value(hop_context *context, const owner_table *owner,
                              const hop_parameter *parameter, double value) {
    if (parameter->type == HOP_PARAMETER_FLAG && value != 0 && value != 1)
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: %s = %.15g; it is a flag: 0 or 1",
                         owner->name, parameter->name, value);
    if (!(value >= parameter->minimum && value <= parameter->maximum))
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: %s = %.15g; it goes from %.15g to %.15g",
                         owner->name, parameter->name, value, parameter->minimum,
                         parameter->maximum);
    bool whole =
        parameter->type == HOP_PARAMETER_INTEGER || parameter->type == HOP_PARAMETER_CHOICE;
    if (whole && value != floor(value))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: %s = %.15g; it is a whole number from %.15g to %.15g", owner->name,
                         parameter->name, value, parameter->minimum, parameter->maximum);
    return HOP_OK;
}

static const hop_parameter *parameter_find(const owner_table *owner, const char *name) {
    for (size_t i = 0; i < owner->count; i++) {
        if (strcmp(owner->parameters[i].name, name) == 0)
            return &owner->parameters[i];
    }
    return NULL;
}

static hop_setting setting_at(hop__settings settings, size_t index) {
    hop_setting own;
    size_t step = settings.size == 0 ? sizeof own : settings.size;
    memcpy(&own, (const char *)settings.first + index * step, sizeof own);
    return own;
}

/* The array: that there is one, and that it says nothing which is not known here. */
static hop_status check_array(hop_context *context, const owner_table *owner,
                              hop__settings settings) {
    if (settings.first == NULL && settings.count > 0)
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: %zu settings, but no array of them",
                         owner->name, settings.count);
    if (settings.size > 0 && settings.size < sizeof(hop_setting))
        return hop__fail(context, HOP_ERR_ARGUMENT,
                         "%s: a setting_size of %zu bytes; settings have %zu", owner->name,
                         settings.size, sizeof(hop_setting));
    for (size_t i = 0; i < settings.count; i++)
        for (size_t at = sizeof(hop_setting); at < settings.size; at++)
            if (((const char *)settings.first)[i * settings.size + at] != 0) {
                hop__fail(context, HOP_ERR_UNSUPPORTED,
                          "%s: setting %zu says more than this version of the library knows",
                          owner->name, i);
                return hop__remedy(context, HOP_REMEDY_UPDATE, "update it");
            }
    return HOP_OK;
}

static hop_status setting_apply(hop_context *context, const owner_table *owner,
                                hop__settings settings, size_t index, double *values) {
    const hop_setting setting = setting_at(settings, index);
    double value;
    if (setting.name == NULL)
        return hop__fail(context, HOP_ERR_ARGUMENT, "%s: setting %zu has no name", owner->name,
                         index);
    const hop_parameter *parameter = parameter_find(owner, setting.name);
    if (parameter == NULL)
        return unknown_parameter(context, owner, setting.name);
    for (size_t i = 0; i < index; i++) {
        const hop_setting other = setting_at(settings, i);
        if (strcmp(other.name, setting.name) != 0)
            continue;
        hop__fail(context, HOP_ERR_ARGUMENT, "%s: %s is given twice, as %.15g and as %.15g",
                  owner->name, setting.name, other.value, setting.value);
        return hop__note_name(context, HOP_KIND_ARGUMENT, setting.name);
    }
    hop_status status = setting_value(context, owner, parameter, &setting, &value);
    if (status == HOP_OK)
        status = check_value(context, owner, parameter, value);
    if (status != HOP_OK)
        return hop__note_name(context, HOP_KIND_ARGUMENT, parameter->name);
    values[parameter - owner->parameters] = value;
    return HOP_OK;
}

static hop_status check_required(hop_context *context, const owner_table *owner,
                                 hop__settings settings) {
    for (size_t i = 0; i < owner->count; i++) {
        const hop_parameter *parameter = &owner->parameters[i];
        bool given = !parameter->required;
        for (size_t j = 0; j < settings.count && !given; j++)
            given = strcmp(setting_at(settings, j).name, parameter->name) == 0;
        if (given)
            continue;
        hop__fail(context, HOP_ERR_ARGUMENT, "%s: %s (%s) must be given: from %.15g to %.15g",
                  owner->name, parameter->name, parameter->summary, parameter->minimum,
                  parameter->maximum);
        return hop__note_name(context, HOP_KIND_ARGUMENT, parameter->name);
    }
    return HOP_OK;
}

hop_status hop__settings_resolve(hop_context *context, const char *owner_name,
                                 const hop_parameters *parameters, size_t parameter_count,
                                 hop__settings settings, double *values) {
    hop_status status;
    owner_table owner = {owner_name, hop_parameter_at(parameters, 0), parameter_count};
    HOP_TRY(status, check_array(context, &owner, settings));
    for (size_t i = 0; i < parameter_count; i++)
        values[i] = owner.parameters[i].standard;
    for (size_t i = 0; i < settings.count; i++)
        HOP_TRY(status, setting_apply(context, &owner, settings, i, values));
    status = check_required(context, &owner, settings);
done:
    return status;
}

const hop_parameter *hop_parameter_at(const hop_parameters *parameters, size_t index) {
    return parameters == NULL ? NULL : (const hop_parameter *)(const void *)parameters + index;
}
