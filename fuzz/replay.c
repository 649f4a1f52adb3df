/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a fuzz target without libFuzzer, so that its corpus is a test with every compiler:
 *
 *     replay_NAME FOLDER...
 *     replay_NAME --draw SEED SECONDS RUNS FINDING FOLDER...
 *
 * Each file of the folders is fed as it is; then cut off at every byte; then with every byte
 * changed, in four ways if the file is small, else in one. That is some thousand runs. Ends with
 * the number of runs, or by the abort of the target. A folder without files is a failure.
 *
 * --draw feeds changed files instead (draw.h), for so many seconds or runs at most. The input that
 * ends the target, or takes it ten seconds of the processor, is left in the file FINDING; a folder
 * may be empty. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "draw.h"
#include "fuzz_target.h"

enum { MAX_FILE = 1 << 16, SMALL_FILE = 512, SLOW = 10 };

/* The sanitizers call it at the end; without them there is none. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static volatile unsigned long runs;
static const uint8_t *volatile fed;
static volatile size_t fed_count;
static const char *finding;

/* From a block of exactly this size, so that the sanitizers see any read past the end. */
static void feed(const uint8_t *bytes, size_t count) {
    uint8_t *copy = malloc(count > 0 ? count : 1);
    if (copy == NULL)
        abort();
    if (count > 0)
        memcpy(copy, bytes, count);
    fed = bytes;
    fed_count = count;
    LLVMFuzzerTestOneInput(copy, count);
    free(copy);
    runs++;
}

static void feed_changes(uint8_t *bytes, size_t count) {
    for (size_t length = 0; length < count; length++)
        feed(bytes, length);
    for (size_t i = 0; i < count; i++) {
        const uint8_t old = bytes[i];
        const uint8_t changed[4] = {0x00, 0xff, (uint8_t)(old + 1), (uint8_t)(old ^ 0x80)};
        for (size_t k = 0; k < 4; k++) {
            if (count > SMALL_FILE && k != i % 4)
                continue;
            bytes[i] = changed[k];
            feed(bytes, count);
        }
        bytes[i] = old;
    }
}

/* The bytes are there until the next file is loaded. */
static uint8_t *load(const char *path, size_t *count) {
    static uint8_t bytes[MAX_FILE];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    *count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return bytes;
}

static void feed_file(const char *path) {
    size_t count;
    uint8_t *bytes = load(path, &count);
    feed(bytes, count);
    feed_changes(bytes, count);
}

static int order(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their names, so that a run can be repeated. */
static size_t each_file(const char *folder, void (*use)(const char *path)) {
    char *paths[4096];
    size_t count = 0;
    DIR *directory = opendir(folder);
    if (directory == NULL) {
        perror(folder);
        exit(EXIT_FAILURE);
    }
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL && count < sizeof paths / sizeof paths[0]) {
        size_t length = strlen(folder) + strlen(entry->d_name) + 2;
        if (entry->d_name[0] == '.')
            continue;
        paths[count] = malloc(length);
        if (paths[count] == NULL)
            abort();
        snprintf(paths[count++], length, "%s/%s", folder, entry->d_name);
    }
    closedir(directory);
    qsort(paths, count, sizeof paths[0], order);
    for (size_t i = 0; i < count; i++) {
        use(paths[i]);
        free(paths[i]);
    }
    return count;
}

/* ---- drawn inputs ---------------------------------------------------------------------------- */

static draw_pool pool;

static void add_file(const char *path) {
    size_t count;
    const uint8_t *bytes = load(path, &count);
    draw_add(&pool, bytes, count);
}

/* Only calls that a handler may make. */
static void keep_finding(void) {
    int file = open(finding, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, (const void *)fed, fed_count) != (ssize_t)fed_count)
        _exit(EXIT_FAILURE);
    close(file);
}

static void on_abort(int number) {
    keep_finding();
    signal(number, SIG_DFL);
    raise(number);
}

/* Called whenever so many seconds of the processor are spent. */
static void on_time(int number) {
    static unsigned long last;
    (void)number;
    if (runs == last) {
        static const char text[] = "one input takes more than ten seconds\n";
        keep_finding();
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
        _exit(EXIT_FAILURE);
    }
    last = runs;
}

static void catch_ends(void) {
    const struct itimerval often = {{SLOW, 0}, {SLOW, 0}};
    runs = 1; /* so that the first one has as long as the others */
    signal(SIGABRT, on_abort);
    signal(SIGPROF, on_time);
    setitimer(ITIMER_PROF, &often, NULL);
    if (__sanitizer_set_death_callback != NULL)
        __sanitizer_set_death_callback(keep_finding);
}

static int draw_all(int argc, char **argv) {
    static uint8_t bytes[DRAW_MOST];
    const uint32_t seed = (uint32_t)strtoul(argv[0], NULL, 10);
    const time_t end = time(NULL) + strtol(argv[1], NULL, 10);
    const uint64_t most = strtoull(argv[2], NULL, 10);
    finding = argv[3];
    for (int i = 4; i < argc; i++)
        each_file(argv[i], add_file);
    if (pool.count == 0) {
        fprintf(stderr, "no files in these folders\n");
        return EXIT_FAILURE;
    }
    catch_ends();
    for (uint64_t number = 0; number < most && (number % 64 != 0 || time(NULL) < end); number++) {
        feed(bytes, draw_input(&pool, seed, number, bytes));
    }
    printf("%lu runs\n", runs - 1);
    draw_free(&pool);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    if (argc > 6 && strcmp(argv[1], "--draw") == 0)
        return draw_all(argc - 2, argv + 2);
    fuzz_all = true;
    for (int i = 1; i < argc; i++) {
        if (each_file(argv[i], feed_file) == 0) {
            fprintf(stderr, "%s: no files\n", argv[i]);
            return EXIT_FAILURE;
        }
    }
    printf("%lu runs\n", runs);
    return runs > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
