/* SPDX-License-Identifier: Apache-2.0
 *
 * See place.h. All of it is a favour: where the system refuses (more cores than a cpu_set_t has, a
 * sandbox), the thread is woken wherever the system likes. */
#include "core/place.h"

void hop__place_elsewhere(hop__place *place, pthread_t thread) {
    int core = sched_getcpu();
    if (core < 0 || pthread_getaffinity_np(thread, sizeof place->cores, &place->cores) != 0 ||
        !CPU_ISSET((size_t)core, &place->cores) || CPU_COUNT(&place->cores) < 2)
        return;
    cpu_set_t others = place->cores;
    CPU_CLR((size_t)core, &others);
    place->kept_away = pthread_setaffinity_np(thread, sizeof others, &others) == 0;
}

void hop__place_free(hop__place *place) {
    if (place->kept_away)
        (void)pthread_setaffinity_np(pthread_self(), sizeof place->cores, &place->cores);
    place->kept_away = false;
}
