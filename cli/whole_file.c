/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that appear only when they are complete: see whole_file.h. */
#include "whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complaint.h"
#include "exit_codes.h"

/* All that was printed, on the disk before the file has its name: after a loss of power the name
 * must not stand for an empty one. 0 or an errno. */
static int finish(FILE *file) {
    int error = ferror(file) || fflush(file) != 0 ? errno : 0;
    while (error == 0 && fsync(fileno(file)) != 0 && errno != EINVAL && errno != EROFS)
        error = errno == EINTR ? 0 : errno;
    if (fclose(file) != 0 && error == 0 && errno != EINTR)
        error = errno;
    return error;
}

int whole_file_write(const char *option, const char *path,
                     void (*print)(const void *user, FILE *file), const void *user) {
    size_t room = strlen(path) + 32;
    char *draft = need_memory(NULL, room, 1);
    snprintf(draft, room, "%s.%ld.part", path, (long)getpid());
    FILE *file = fopen(draft, "w");
    int code = CODE_OK, error = file == NULL ? errno : 0;
    if (file != NULL) {
        print(user, file);
        error = finish(file);
    }
    if (error == 0 && rename(draft, path) != 0)
        error = errno;
    if (error != 0)
        code = complain(CODE_FAILURE, "%s: %s: %s", option, path, strerror(error));
    if (error != 0 && file != NULL)
        (void)unlink(draft);
    free(draft);
    return code;
}
