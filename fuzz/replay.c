/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a fuzz target without libFuzzer, so that its corpus is a test with every compiler:
 *
 *     replay_NAME FOLDER...
 *
 * Each file of the folders is fed as it is; then cut off at every byte; then with every byte
 * changed, in four ways if the file is small, else in one. That is some thousand runs. Ends with
 * the number of runs, or by the abort of the target. A folder without files is a failure. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 1 << 16, SMALL_FILE = 512 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static unsigned long runs;

/* From a block of exactly this size, so that the sanitizers see any read past the end. */
static void feed(const uint8_t *bytes, size_t count) {
    uint8_t *copy = malloc(count > 0 ? count : 1);
    if (copy == NULL)
        abort();
    if (count > 0)
        memcpy(copy, bytes, count);
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

static void feed_file(const char *path) {
    static uint8_t bytes[MAX_FILE];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    feed(bytes, count);
    feed_changes(bytes, count);
}

static int order(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their names, so that a run can be repeated. */
static size_t feed_folder(const char *folder) {
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
        feed_file(paths[i]);
        free(paths[i]);
    }
    return count;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (feed_folder(argv[i]) == 0) {
            fprintf(stderr, "%s: no files\n", argv[i]);
            return EXIT_FAILURE;
        }
    }
    printf("%lu runs\n", runs);
    return runs > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
