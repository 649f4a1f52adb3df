/* SPDX-License-Identifier: Apache-2.0
 *
 * Prefix sums in two passes: each member of the team sums its share, then, knowing the sums of
 * those before it, replaces its share. Reads 2 and writes 1 value per element. */
#include "core/scan.h"

#include "core/context_internal.h"
#include "core/parallel.h"

/* Below this many elements per thread, waking the thread costs more than it saves. */
enum { GRAIN = 1 << 15 };

static unsigned team_for(uint64_t count) {
    uint64_t teams = count / GRAIN + (count < GRAIN);
    return teams < HOP__THREADS_MAX ? (unsigned)teams : HOP__THREADS_MAX;
}

#define SCAN(name) name##_u64
#define SCAN_TYPE  uint64_t
#include "core/scan_template.h"
#undef SCAN
#undef SCAN_TYPE

#define SCAN(name) name##_u32
#define SCAN_TYPE  uint32_t
#include "core/scan_template.h"
#undef SCAN
#undef SCAN_TYPE

uint64_t hop__scan_u64(const hop_context *context, uint64_t *values, uint64_t count) {
    job_u64 job;
    job.values = values;
    job.count = count;
    hop__team_of(context, team_for(count), count, worker_u64, &job);
    return job.total;
}

uint32_t hop__scan_u32(const hop_context *context, uint32_t *values, uint64_t count) {
    job_u32 job;
    job.values = values;
    job.count = count;
    hop__team_of(context, team_for(count), count, worker_u32, &job);
    return job.total;
}
