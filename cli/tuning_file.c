/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the constants of the choice are kept: see tuning_file.h. Commands start often, so nothing
 * is done here but one open(), which fails where nobody has ever tuned. */
#include "tuning_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complaint.h"
#include "exit_codes.h"
#include "failure_text.h"

const char *tuning_path(void) {
    static char path[4096];
    const char *given = getenv("HOPLITE_TUNING"), *folder = getenv("XDG_CONFIG_HOME");
    if (given != NULL && *given != '\0')
        return strcmp(given, "none") == 0 ? NULL : given;
    const char *inside = "";
    if (folder == NULL || folder[0] != '/') {
        folder = getenv("HOME");
        inside = "/.config";
    }
    if (folder == NULL || folder[0] != '/')
        return NULL;
    int length = snprintf(path, sizeof path, "%s%s/hoplite/tuning", folder, inside);
    return length > 0 && (size_t)length < sizeof path ? path : NULL;
}

void read_tuning(hop_context *context) {
    const char *path = tuning_path();
    if (path == NULL || access(path, F_OK) != 0)
        return;
    if (hop_tuning_read(context, path) != HOP_OK)
        complain(CODE_OK, "warning: %s; the constants that come with the library are used",
                 failure_text(context).s);
}

/* Makes every folder above the last '/'. */
static void make_folders(const char *path) {
    char folder[4096];
    size_t length = strlen(path);
    if (length >= sizeof folder)
        return;
    memcpy(folder, path, length + 1);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(folder, 0755); /* what is missing shows when the file is opened */
        *slash = '/';
    }
}

int write_tuning(hop_context *context, const char *path, const char *note) {
    make_folders(path);
    hop_status status = hop_tuning_write(context, path, note);
    if (status == HOP_OK)
        return CODE_OK;
    return complain(exit_code_of(status), "%s", failure_text(context).s);
}
