/* SPDX-License-Identifier: Apache-2.0
 *
 * hoplite devices --accept: from graph to graph, a child for each, until memory or time is over. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "accept/accept.h"
#include "complaint.h"
#include "exit_codes.h"
#include "interrupt.h"
#include "number_text.h"
#include "whole_file.h"

#define ACCEPT_SECONDS 600.0
#define PATIENCE       5.0  /* seconds after ^C, before a child that does not end is ended */
#define GRACE          60.0 /* the same, after the time is over */

/* Short paths and hubs; long paths; and the types of weights, of which bfs-bits takes none. */
static const accept_course courses[] = {
    {.problem = HOP_PROBLEM_RANK, .pattern = "list:n=2^@", .first = 10, .step = 2, .growth = 4},
    {.problem = HOP_PROBLEM_COMPONENTS, .pattern = "rmat:scale=@", .first = 6, .step = 2},
    {.problem = HOP_PROBLEM_COMPONENTS, .pattern = "grid:rows=2^@,cols=2^@", .first = 3},
    {.problem = HOP_PROBLEM_BFS, .pattern = "rmat:scale=@", .first = 6, .step = 2},
    {.problem = HOP_PROBLEM_BFS, .pattern = "grid:rows=2^@,cols=2^@", .first = 3},
    {.problem = HOP_PROBLEM_SSSP, .pattern = "rmat:scale=@,weights=int32", .first = 6, .step = 2},
    {.problem = HOP_PROBLEM_SSSP, .pattern = "rmat:scale=@,weights=float64", .first = 6, .step = 2},
    {.problem = HOP_PROBLEM_SSSP, .pattern = "grid:rows=2^@,cols=2^@,weights=float32", .first = 3},
    {.problem = HOP_PROBLEM_APSP, .pattern = "rmat:scale=@", .first = 5, .growth = 8},
    {.problem = HOP_PROBLEM_APSP,
     .pattern = "rmat:scale=@,weights=int32",
     .without = "bfs-bits",
     .distance_type = HOP_TYPE_INT32,
     .first = 5,
     .growth = 8},
    {.problem = HOP_PROBLEM_APSP,
     .pattern = "rmat:scale=@,weights=float32",
     .without = "bfs-bits",
     .first = 5,
     .growth = 8},
};
enum { COURSES = sizeof courses / sizeof courses[0] };

const char *const accept_outcomes[] = {"ok",      "wrong",  "refused", "full",
                                       "stopped", "failed", "crashed", "hung"};

/* --- children -------------------------------------------------------------------------------- */

static void nap(void) {
    struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    (void)nanosleep(&pause, NULL);
}

/* Waits for a child, and ends it when it does not. Returns whether it was ended by us. */
static bool wait_child(const acceptance *all, pid_t child, int *how) {
    double told = INFINITY; /* when it was asked to stop */
    for (;;) {
        pid_t got = waitpid(child, how, WNOHANG);
        if (got == child || (got < 0 && errno != EINTR))
            return false;
        double now = clock_seconds();
        if (interrupted() && isinf(told)) {
            told = now;
            (void)kill(child, SIGINT);
        }
        if (now > told + PATIENCE || now > all->deadline + GRACE) {
            (void)kill(child, SIGKILL);
            while (waitpid(child, how, 0) < 0 && errno == EINTR)
                continue;
            return true;
        }
        nap();
    }
}

/* Why a child has not come to its end. */
static const char *loss_text(bool ended, int how) {
    return interrupted()      ? "interrupted"
           : ended            ? "it did not come back when the time was over, and was ended"
           : WIFSIGNALED(how) ? strsignal(WTERMSIG(how))
                              : "the driver has ended the process";
}

/* What is left of a row when its child has not come to its end. */
static void note_loss(acceptance *all, bool ended, int how) {
    accept_state *state = all->state;
    accept_row *row = &state->rows[state->row_count++];
    row->outcome = interrupted() ? ACCEPT_STOPPED : ended ? ACCEPT_HUNG : ACCEPT_CRASHED;
    snprintf(row->message, sizeof row->message, "%s", loss_text(ended, how));
}

/* The same of the parts before all rows, which have one child: the first that is not done, and
 * those behind it. */
static void note_lost_parts(accept_state *state, bool ended, int how) {
    accept_part *const parts[] = {&state->open, &state->check, &state->order, &state->measure};
    const char *why = loss_text(ended, how);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (!parts[i]->done) {
            snprintf(parts[i]->message, sizeof parts[i]->message, "%s", why);
            why = "not tried, since the part before it has not come to its end";
        }
}

/* Whether the child came to its end. */
static bool in_child(acceptance *all, const accept_course *course, const char *word, size_t first,
                     bool *ended, int *how) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (course == NULL)
            accept_device(all);
        else
            accept_graph(all, course, word, first);
        _exit(0); /* without the ends of drivers */
    }
    *ended = false;
    *how = 0;
    if (child > 0)
        *ended = wait_child(all, child, how);
    return child > 0 && !*ended && WIFEXITED(*how) && WEXITSTATUS(*how) == 0;
}

/* --- one graph ------------------------------------------------------------------------------- */

static void word_of(const accept_course *course, char *word, size_t size) {
    size_t length = 0;
    for (const char *at = course->pattern; *at != '\0' && length + 4 < size; at++)
        if (*at == '@')
            length += (size_t)snprintf(word + length, size - length, "%u", course->power);
        else
            word[length++] = *at;
    word[length] = '\0';
}

static size_t number_of(hop_problem problem, const char *name) {
    const hop_variant *variant;
    for (size_t v = 0; (variant = hop_variant_at(problem, v)) != NULL; v++)
        if (variant->place == HOP_PLACE_DEVICE && strcmp(variant->name, name) == 0)
            return v;
    return SIZE_MAX; /* the host */
}

/* All variants on one graph, in as many children as it takes. False when the host could not. */
static bool try_graph(acceptance *all, accept_course *course, const char *word) {
    accept_state *state = all->state;
    for (size_t first = 0;;) {
        bool ended;
        int how;
        size_t before = state->row_count;
        state->input = (accept_part){0};
        bool fine = in_child(all, course, word, first, &ended, &how);
        if (!fine && state->row_count + 1 < ACCEPT_ROWS)
            note_loss(all, ended, how);
        if (!state->input.done || state->input.status != HOP_OK)
            return false;
        size_t last = SIZE_MAX;
        if (state->row_count > before)
            last = number_of(course->problem, state->rows[state->row_count - 1].variant);
        if (last == SIZE_MAX || interrupted() || clock_seconds() > all->deadline ||
            (fine && state->rows[state->row_count - 1].outcome != ACCEPT_FAILED))
            return true;
        first = last + 1; /* it has taken the process with it */
    }
}

/* Goes over the rows of the graph: which variants go on, and whether any was right. */
static bool judge_rows(acceptance *all, accept_course *course, size_t before, bool *full) {
    bool alive = false;
    *full = false;
    for (size_t i = before; i < all->state->row_count; i++) {
        const accept_row *row = &all->state->rows[i];
        size_t number = number_of(course->problem, row->variant);
        *full |= row->outcome == ACCEPT_FULL;
        alive |= row->outcome == ACCEPT_OK;
        if (row->outcome != ACCEPT_OK && row->outcome != ACCEPT_FULL && number < 32)
            course->dead |= UINT32_C(1) << number;
        if (row->outcome == ACCEPT_OK)
            snprintf(course->largest, sizeof course->largest, "%s", row->graph);
    }
    return alive;
}

static void say_rows(const acceptance *all, const accept_course *course, const char *word,
                     size_t before) {
    size_t counts[ACCEPT_HUNG + 1] = {0};
    fprintf(stderr, "%-10s %-42s", hop_problem_name(course->problem), word);
    for (size_t i = before; i < all->state->row_count; i++)
        counts[all->state->rows[i].outcome]++;
    for (int o = 0; o <= ACCEPT_HUNG; o++)
        if (counts[o] > 0)
            fprintf(stderr, "  %zu %s", counts[o], accept_outcomes[o]);
    fputc('\n', stderr);
}

/* The next graph of a course, or its end. */
static void take_step(acceptance *all, accept_course *course) {
    accept_state *state = all->state;
    char word[64];
    bool full;
    size_t before = state->row_count;
    double began = clock_seconds();
    if (began + course->spent * course->growth > all->deadline) {
        course->ended = "seconds";
        return;
    }
    word_of(course, word, sizeof word);
    bool able = try_graph(all, course, word);
    bool alive = judge_rows(all, course, before, &full);
    say_rows(all, course, word, before);
    /* The first graph compiles programs, and says little about the second. */
    course->spent = course->power > course->first ? clock_seconds() - began : 0;
    if (interrupted())
        course->ended = "interrupted";
    else if (!able)
        course->ended = state->host_full ? "host memory" : "the host failed";
    else if (course->half || (!alive && (!full || course->step < 2)))
        course->ended = full || course->half ? "device memory" : "no variant is left";
    else if (!alive) {
        course->half = true;
        course->power -= course->step / 2;
    } else if (8 * state->host_bytes > state->host_budget)
        course->ended = "host memory"; /* building takes about twice as much as the graph */
    else if (clock_seconds() > all->deadline)
        course->ended = "seconds";
    else
        course->power += course->step;
}

/* --- the whole ------------------------------------------------------------------------------- */

static void take_courses(acceptance *all) {
    for (size_t left = all->course_count; left > 0 && !interrupted();) {
        left = 0;
        for (size_t c = 0; c < all->course_count && !interrupted(); c++)
            if (all->courses[c].ended == NULL) {
                take_step(all, &all->courses[c]);
                left++;
            }
    }
    for (size_t c = 0; c < all->course_count; c++)
        if (all->courses[c].ended == NULL)
            all->courses[c].ended = "interrupted";
}

static void print_report(const void *all, FILE *file) {
    accept_json(all, file);
}

static int accept_all(acceptance *all) {
    const arguments *given = all->given;
    accept_state *state = all->state;
    const char *path = given->values[OPT_OUTPUT].text;
    bool ended, to_output = path != NULL && strcmp(path, "-") == 0;
    int how;
    in_child(all, NULL, NULL, 0, &ended, &how);
    if (interrupted())
        return complain(interrupt_exit_code(), "interrupted");
    note_lost_parts(state, ended, how);
    if (!state->open.done || state->open.status != HOP_OK) {
        complain(CODE_NO_DEVICE, "%s%s",
                 state->open.done ? "" : "the device was not opened: ", state->open.message);
        advise("hoplite devices lists them");
        return CODE_NO_DEVICE;
    }
    take_courses(all);
    int code = CODE_OK;
    if (path != NULL && !to_output)
        code = whole_file_write("-o", path, print_report, all);
    if (is_given(given, OPT_JSON) || to_output)
        accept_json(all, stdout);
    else
        accept_text(all, stdout);
    fflush(stdout);
    return code == CODE_OK ? accept_verdict(all) : code;
}

int run_acceptance(const arguments *given) {
    accept_course mine[COURSES];
    acceptance all = {.given = given,
                      .device = given->values[OPT_ACCEPT].text,
                      .began = clock_seconds(),
                      .courses = mine,
                      .course_count = COURSES};
    double seconds =
        is_given(given, OPT_SECONDS) ? given->values[OPT_SECONDS].real : ACCEPT_SECONDS;
    if (!(seconds > 0))
        return complain(CODE_USAGE, "--seconds: more than 0 expected");
    if (strcmp(all.device, "cpu") == 0)
        return complain(CODE_USAGE, "--accept: cpu is the host, which devices are compared with");
    all.deadline = all.began + seconds;
    for (size_t c = 0; c < COURSES; c++) {
        mine[c] = courses[c];
        mine[c].power = courses[c].first;
        mine[c].step = courses[c].step > 0 ? courses[c].step : 1;
        mine[c].growth = courses[c].growth > 0 ? courses[c].growth : 4;
    }
    all.state =
        mmap(NULL, sizeof *all.state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all.state == MAP_FAILED)
        return complain(CODE_FAILURE, "no memory for the report: %s", strerror(errno));
    int code = accept_all(&all);
    (void)munmap(all.state, sizeof *all.state);
    return code;
}
