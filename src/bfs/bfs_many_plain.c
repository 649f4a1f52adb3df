/* SPDX-License-Identifier: Apache-2.0
 * The loops of bfs_many.h for what the library is built for. */
#include "bfs/bfs_many_loops.h"

#define TARGET

static inline bool any_1(const words_1 *x) {
    return (*x)[0] != 0;
}
static inline bool any_2(const words_2 *x) {
    return ((*x)[0] | (*x)[1]) != 0;
}
static inline bool any_4(const words_4 *x) {
    return ((*x)[0] | (*x)[1] | (*x)[2] | (*x)[3]) != 0;
}
static inline bool any_8(const words_8 *x) {
    return ((*x)[0] | (*x)[1] | (*x)[2] | (*x)[3] | (*x)[4] | (*x)[5] | (*x)[6] | (*x)[7]) != 0;
}

#define MANY_WORDS 1
#include "bfs/bfs_many_template.h"
#define MANY_WORDS 2
#include "bfs/bfs_many_template.h"
#define MANY_WORDS 4
#include "bfs/bfs_many_template.h"
#define MANY_WORDS 8
#include "bfs/bfs_many_template.h"

const hop__many_form hop__many_plain[HOP__MANY_FORMS] = {
    {push_1, pull_1, count_1},
    {push_2, pull_2, count_2},
    {push_4, pull_4, count_4},
    {push_8, pull_8, count_8},
};
