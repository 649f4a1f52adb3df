/* SPDX-License-Identifier: Apache-2.0
 *
 * libzstd at run time: see zstd_library.h. It is opened anew for each input, which the system
 * counts; so there is nothing to share between threads. */
#include "io/bytes/zstd_library.h"

#include <dlfcn.h>
#include <string.h>

enum { WINDOW_LOG_MAX = 100 }; /* ZSTD_d_windowLogMax */

/* A function is no object: its address is copied, as POSIX says of dlsym. */
static bool find(void *library, const char *name, void *function) {
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

bool hop__zstd_open(hop__zstd *zstd) {
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return false;
    zstd->library = library;
    return find(library, "ZSTD_decompressStream", &zstd->decompress) &&
           find(library, "ZSTD_DCtx_setParameter", &zstd->set) &&
           find(library, "ZSTD_sizeof_DCtx", &zstd->bytes_of) &&
           find(library, "ZSTD_isError", &zstd->is_error) &&
           find(library, "ZSTD_getErrorName", &zstd->error_name) &&
           find(library, "ZSTD_createDCtx", &zstd->create) &&
           find(library, "ZSTD_freeDCtx", &zstd->destroy);
}

bool hop__zstd_begin(hop__zstd *zstd, int window_log) {
    zstd->stream = zstd->create();
    return zstd->stream != NULL &&
           !zstd->is_error(zstd->set(zstd->stream, WINDOW_LOG_MAX, window_log));
}

void hop__zstd_close(hop__zstd *zstd) {
    if (zstd->stream != NULL)
        zstd->destroy(zstd->stream);
    if (zstd->library != NULL)
        dlclose(zstd->library);
    *zstd = (hop__zstd){0};
}
