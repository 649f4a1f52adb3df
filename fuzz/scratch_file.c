/* SPDX-License-Identifier: Apache-2.0
 * See the header. */
#include "scratch_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_target.h"

bool fuzz_all;

static char folder[64];

static void remove_folder(void) {
    DIR *directory = opendir(folder);
    if (directory != NULL) {
        const struct dirent *entry;
        while ((entry = readdir(directory)) != NULL)
            unlinkat(dirfd(directory), entry->d_name, 0);
        closedir(directory);
    }
    rmdir(folder);
}

static void make_folder(void) {
    strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/hoplite-fuzz-XXXXXX"
                                                 : "/tmp/hoplite-fuzz-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        abort();
    }
    atexit(remove_folder);
}

const char *scratch_path(const char *name) {
    static char path[128];
    if (folder[0] == '\0')
        make_folder();
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

typedef struct written_file {
    char name[32]; /* "": none */
    int descriptor;
    size_t size;
} written_file;

/* The file of this name among those that are open, or a free place. */
static written_file *find_written(const char *name) {
    static written_file files[4];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i].name[0] == '\0' || strcmp(files[i].name, name) == 0)
            return &files[i];
    abort();
}

static void fail_on(const char *path) {
    perror(path);
    abort();
}

const char *scratch_write(const char *name, const void *bytes, size_t count) {
    written_file *file = find_written(name);
    const char *path = scratch_path(name);
    if (file->name[0] == '\0') {
        snprintf(file->name, sizeof file->name, "%s", name);
        file->descriptor = -1;
    }
    if (file->descriptor < 0) {
        file->descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        file->size = 0;
    }
    if (file->descriptor < 0 || pwrite(file->descriptor, bytes, count, 0) != (ssize_t)count ||
        (count < file->size && ftruncate(file->descriptor, (off_t)count) != 0))
        fail_on(path);
    file->size = count;
    return path;
}

void scratch_remove(const char *name) {
    written_file *file = find_written(name);
    if (file->name[0] == '\0' || file->descriptor < 0)
        return;
    close(file->descriptor);
    file->descriptor = -1;
    if (unlink(scratch_path(name)) != 0)
        fail_on(name);
}
