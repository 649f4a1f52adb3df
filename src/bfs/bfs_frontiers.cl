/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a search with frontiers stands, in `state`, so that many launches can be given to the
 * device before the host looks: each finds there what is to be done, or does nothing.
 *
 * Launches are numbered: each turn of the search is one kernel, in one slice or several. Turn t
 * reads the level at LEVEL_AT(t), and whether its frontier is a list or a bitmap at FORM_AT(t);
 * its first item writes both for t + 1, also when the turn does nothing. So no launch reads what it
 * writes.
 *
 * The frontier of level L has one of four slots, L % 4:
 *   BEGIN      of its part of the queue, which has a place for every vertex of every level, in
 *              the order of levels; where a level was found bottom-up, places stay empty
 *   COUNT      its vertices; the launches of level L - 1 raise it
 *   PIECES     parts of rows that the launches of level L have put aside
 *   ARCS_HERE  its arcs, about, in units of 32
 *   EXPLORED   those of all levels before it
 * The launches of level L read slots L and L - 1, raise slot L + 1, and clear L + 2. */
#define BEGIN          0
#define COUNT          1
#define PIECES         2
#define ARCS_HERE      3
#define EXPLORED       4
#define SLOT(level, k) (8 * ((level) % 4) + (k))
#define LEVEL_AT(turn) (32 + (turn) % 8)
#define FORM_AT(turn)  (40 + (turn) % 8)
#define SWITCHES       48 /* from lists to bitmaps */
#define LISTED         64 /* vertices of a bitmap that are in the queue by now */
#define IS_LIST        0
#define IS_MAP         1

/* By one item of a turn, whether it `goes` or not. */
FN void turn_end(GLOBAL u32 *state, u32 turn, u32 goes, u32 form) {
    u32 level = state[LEVEL_AT(turn)];
    state[LEVEL_AT(turn + 1)] = level + goes;
    state[FORM_AT(turn + 1)] = form;
}

/* By one item of a launch that goes from `level`, of `count` vertices and `arcs`, to the next. */
FN void level_end(GLOBAL u32 *state, u32 level, u32 count, u32 arcs) {
    state[SLOT(level + 1, BEGIN)] = state[SLOT(level, BEGIN)] + count;
    state[SLOT(level + 1, EXPLORED)] = state[SLOT(level, EXPLORED)] + arcs;
    state[SLOT(level + 2, COUNT)] = 0;
    state[SLOT(level + 2, PIECES)] = 0;
    state[SLOT(level + 2, ARCS_HERE)] = 0;
    state[LISTED] = 0;
}

/* Whether the level behind `level` is to be found bottom-up: its frontier, a list, grows and has
 * more than 1/alpha of the arcs that were not looked at, of `arcs` in units of 32. alpha 0: no. */
FN u32 rises(GLOBAL const u32 *state, u32 level, u32 alpha, u32 arcs) {
    u64 here = state[SLOT(level, ARCS_HERE)], seen = state[SLOT(level, EXPLORED)] + here;
    return alpha > 0 && state[SLOT(level, COUNT)] > state[SLOT(level + 3, COUNT)] &&
           here * alpha + seen > arcs;
}
