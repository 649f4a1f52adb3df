/* SPDX-License-Identifier: Apache-2.0
 * See the header. */
#include "scratch_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

const char *scratch_write(const char *name, const void *bytes, size_t count) {
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, count, file) != count || fclose(file) != 0) {
        perror(path);
        abort();
    }
    return path;
}
