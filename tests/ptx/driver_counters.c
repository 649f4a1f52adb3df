/* SPDX-License-Identifier: Apache-2.0
 *
 * What a GPU and its bus would be charged for, as lines of JSON in the file that
 * HOPLITE_PTX_COUNTERS names: one line per launch, copy, fill, wait of the host, and allocation, in
 * the order in which they are done. The first line has the version of the format; a member is only
 * added. bench/device_counters makes tables of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/driver_counters.h"

enum { VERSION = 1 };

static FILE *file;
static bool opened;

bool driver_counting(void) {
    const char *name = getenv("HOPLITE_PTX_COUNTERS");
    return name != NULL && name[0] != '\0';
}

/* NULL where nothing is counted. */
static FILE *lines(void) {
    if (opened)
        return file;
    opened = true;
    if (!driver_counting())
        return NULL;
    file = fopen(getenv("HOPLITE_PTX_COUNTERS"), "w");
    if (file == NULL) {
        fprintf(stderr, "ptx: %s cannot be written\n", getenv("HOPLITE_PTX_COUNTERS"));
        return NULL;
    }
    setvbuf(file, NULL, _IOLBF, 0);
    fprintf(file, "{\"counters\": %d, \"sm\": %llu, \"seed\": %llu}\n", VERSION,
            (unsigned long long)driver_number("HOPLITE_PTX_SM", 75),
            (unsigned long long)driver_number("HOPLITE_PTX_SEED", 1));
    return file;
}

void driver_count(const char *what, const char *how, uint64_t bytes) {
    FILE *to = lines();
    if (to != NULL)
        fprintf(to, "{\"%s\": \"%s\", \"bytes\": %llu}\n", what, how, (unsigned long long)bytes);
}

/* --- launches -------------------------------------------------------------------------------- */

static void put(FILE *to, const char *name, uint64_t after, uint64_t before) {
    fprintf(to, ", \"%s\": %llu", name, (unsigned long long)(after - before));
}

static void put_traffic(FILE *to, const char *name, const ptx_traffic *after,
                        const ptx_traffic *before) {
    fprintf(to, ", \"%s\": {\"requests\": %llu", name,
            (unsigned long long)(after->requests - before->requests));
    put(to, "items", after->items, before->items);
    put(to, "sectors", after->sectors, before->sectors);
    put(to, "least", after->least, before->least);
    fputc('}', to);
}

static void put_steps(FILE *to, const ptx_counters *after, const ptx_counters *before) {
    put(to, "steps", after->steps, before->steps);
    put(to, "lane_steps", after->lane_steps, before->lane_steps);
    fputs(", \"works\": {", to);
    for (int i = 0; i < PTX_WORKS; i++)
        fprintf(to, "%s\"%s\": %llu", i > 0 ? ", " : "", ptx_work_names[i],
                (unsigned long long)(after->works[i] - before->works[i]));
    fputs("}, \"lanes\": [", to);
    for (int i = 1; i <= 32; i++)
        fprintf(to, "%s%llu", i > 1 ? ", " : "",
                (unsigned long long)(after->lanes[i] - before->lanes[i]));
    fputc(']', to);
}

static void put_launch(FILE *to, const command *what, const ptx_counters *after,
                       const ptx_counters *before) {
    fprintf(to, "{\"kernel\": \"%s\", \"groups\": %llu, \"group\": %u",
            ptx_kernel_facts(what->function->kernel)->name,
            (unsigned long long)(after->groups - before->groups),
            what->group[0] * what->group[1] * what->group[2]);
    put_steps(to, after, before);
    put_traffic(to, "load", &after->load, &before->load);
    put_traffic(to, "store", &after->store, &before->store);
    put_traffic(to, "update", &after->update, &before->update);
    put(to, "touched", after->touched, before->touched);
    put(to, "collisions", after->collisions, before->collisions);
    put(to, "hottest", after->hottest, before->hottest);
    put(to, "shared_requests", after->shared_requests, before->shared_requests);
    put(to, "shared_passes", after->shared_passes, before->shared_passes);
    put(to, "shared_few", after->shared_few, before->shared_few);
    put(to, "shared_collisions", after->shared_collisions, before->shared_collisions);
    put(to, "barriers", after->barriers, before->barriers);
    put(to, "fences", after->fences, before->fences);
    fputs("}\n", to);
}

ptx_error driver_launch(ptx_machine *machine, const command *what) {
    const struct ptx_facts *facts = ptx_kernel_facts(what->function->kernel);
    const ptx_counters before = facts->counters;
    ptx_error error =
        ptx_launch(machine, what->function->kernel, what->groups, what->group, what->parameters);
    FILE *to = lines();
    if (to != NULL)
        put_launch(to, what, &facts->counters, &before);
    return error;
}
