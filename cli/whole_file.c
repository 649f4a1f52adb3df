/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that appear only when they are complete: see whole_file.h. */
#include "whole_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complaint.h"
#include "exit_codes.h"

int whole_file_write(const char *option, const char *path,
                     void (*print)(const void *user, FILE *file), const void *user) {
    size_t room = strlen(path) + 32;
    char *draft = need_memory(NULL, room, 1);
    snprintf(draft, room, "%s.%ld.part", path, (long)getpid());
    FILE *file = fopen(draft, "w");
    bool good = file != NULL;
    if (good) {
        print(user, file);
        good = !ferror(file);
        good = fclose(file) == 0 && good;
        good = good && rename(draft, path) == 0;
    }
    int code = good ? CODE_OK : complain(CODE_FAILURE, "%s: %s: %s", option, path, strerror(errno));
    if (!good)
        (void)unlink(draft);
    free(draft);
    return code;
}
