/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiling, so that it can be cancelled. A driver's compiler takes seconds, asks nobody whether to
 * go on, and cannot be stopped: the callback of clBuildProgram, which would make it asynchronous by
 * the standard, is called by PoCL and others before clBuildProgram returns. So it runs on a thread
 * of its own, while the caller asks its progress callback.
 *
 * When that says no, the compile is left to itself. What it needs is its own: the job, which is not
 * of the context's memory because it may outlive the context, and the only reference to the program
 * (which has one to the driver's context). The caller must not even release the program: drivers
 * hold its lock while they compile.
 *
 * Jobs that were left are in one list. Those that are through are joined and freed by the next
 * compile and by the next device that is closed; the rest at the end of the process, or when the
 * library is unloaded: a thread must not run in code that is unmapped, nor in a driver whose
 * destructors have run. That wait is why the command, after ^C, ends by _exit. A child of fork()
 * has the list and not the threads: there it is left alone.
 *
 * Where nobody can cancel, or no thread is to be had, the caller compiles by itself. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/process_lock.h"
#include "core/progress.h"
#include "device/opencl/opencl_internal.h"

enum { POLL_NS = 10000000, STACK_LEAST = 8 << 20 };

typedef struct build_job build_job;
struct build_job {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool done, left; /* under the lock: the compiler is through; the caller has gone */
    hop__opencl call;
    cl_program program;
    cl_device_id device;
    cl_int code;
    build_job *next; /* of those that were left */
    char options[];
};

static hop__process_lock left_lock;
static build_job *left_jobs;
static int left_process; /* whose threads they are */

static cl_int build_now(const hop__opencl *call, cl_program program, cl_device_id device,
                        const char *options) {
    return call->BuildProgram(program, 1, &device, options, NULL, NULL);
}

static void *build_thread(void *arg) {
    build_job *job = arg;
    stack_t before;
    bool known = sigaltstack(NULL, &before) == 0;
    cl_int code = build_now(&job->call, job->program, job->device, job->options);
    /* LLVM leaves a stack for signals of its own with the thread, and keeps the memory; a sanitizer
     * that has put one there takes it for its own when the thread ends. */
    if (known)
        sigaltstack(&before, NULL);
    pthread_mutex_lock(&job->lock);
    job->code = code;
    job->done = true;
    if (job->left)
        job->call.ReleaseProgram(job->program);
    pthread_cond_signal(&job->end);
    pthread_mutex_unlock(&job->lock);
    return NULL;
}

static bool is_done(build_job *job) {
    pthread_mutex_lock(&job->lock);
    bool done = job->done;
    pthread_mutex_unlock(&job->lock);
    return done;
}

static void job_free(build_job *job) {
    if (job == NULL)
        return;
    pthread_cond_destroy(&job->end);
    pthread_mutex_destroy(&job->lock);
    free(job);
}

/* --- jobs that were left --------------------------------------------------------------------- */

/* Joins those that are through, or all. */
static void join_left(bool all) {
    hop__process_lock_take(&left_lock);
    build_job **place = left_process == (int)getpid() ? &left_jobs : NULL;
    while (place != NULL && *place != NULL) {
        build_job *job = *place;
        if (!all && !is_done(job)) {
            place = &job->next;
            continue;
        }
        *place = job->next;
        pthread_join(job->thread, NULL);
        job_free(job);
    }
    hop__process_lock_give(&left_lock);
}

void hop__opencl_build_settle(void) {
    join_left(false);
}

static void join_all(void) {
    join_left(true);
}

/* The caller goes. False when the compiler was through before, or there is nobody to join it. */
static bool leave(build_job *job) {
    /* Registered now, when the compiler has made most of its static objects: they live until all
     * that was registered later has run. */
    if (atexit(join_all) != 0)
        return false;
    hop__process_lock_take(&left_lock);
    pthread_mutex_lock(&job->lock);
    bool left = !job->done;
    job->left = left;
    pthread_mutex_unlock(&job->lock);
    if (left) {
        if (left_process != (int)getpid())
            left_jobs = NULL; /* of the process that this one was forked from */
        left_process = (int)getpid();
        job->next = left_jobs;
        left_jobs = job;
    }
    hop__process_lock_give(&left_lock);
    return left;
}

/* --- a compile ------------------------------------------------------------------------------- */

/* Signals are for the program's own threads. Compilers are deep; where the stack has no limit,
 * threads would have a small one. */
static bool begin_thread(build_job *job) {
    pthread_attr_t attributes;
    sigset_t all, before;
    size_t stack = 0;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < STACK_LEAST)
        (void)pthread_attr_setstacksize(&attributes, STACK_LEAST);
    sigfillset(&all); /* but not what the compiler may bring upon itself */
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGSEGV);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool made = pthread_create(&job->thread, &attributes, build_thread, job) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return made;
}

static build_job *job_create(const hop__opencl_driver *driver, cl_program program,
                             const char *options) {
    pthread_condattr_t clock;
    size_t length = strlen(options) + 1;
    build_job *job = calloc(1, sizeof *job + length);
    if (job == NULL)
        return NULL;
    job->call = driver->call;
    job->program = program;
    job->device = driver->device;
    memcpy(job->options, options, length);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->end, &clock);
    pthread_condattr_destroy(&clock);
    if (begin_thread(job))
        return job;
    job_free(job);
    return NULL;
}

/* Waits, and asks whether to. False: no. */
static bool wait_for(hop_context *context, build_job *job) {
    bool goes_on = true;
    pthread_mutex_lock(&job->lock);
    while (!job->done && goes_on) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += POLL_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)pthread_cond_timedwait(&job->end, &job->lock, &until);
        pthread_mutex_unlock(&job->lock);
        goes_on = hop__progress_add(context, 0);
        pthread_mutex_lock(&job->lock);
    }
    bool done = job->done;
    pthread_mutex_unlock(&job->lock);
    return done;
}

bool hop__opencl_build(hop_context *context, const hop__opencl_driver *driver, cl_program program,
                       const char *options, cl_int *code) {
    join_left(false);
    build_job *job =
        context->options.progress != NULL ? job_create(driver, program, options) : NULL;
    if (job == NULL) {
        *code = build_now(&driver->call, program, driver->device, options);
        return true;
    }
    if (!wait_for(context, job) && leave(job))
        return false;
    pthread_join(job->thread, NULL);
    *code = job->code;
    job_free(job);
    return true;
}
