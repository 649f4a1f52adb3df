/* SPDX-License-Identifier: Apache-2.0
 * Libraries at run time. */
#ifndef HOPLITE_WINDOWS_POSIX_DLFCN_H
#define HOPLITE_WINDOWS_POSIX_DLFCN_H

enum { RTLD_NOW = 2, RTLD_LOCAL = 0 };

typedef struct Dl_info {
    const char *dli_fname;
} Dl_info;

/* Known by their names on Linux; never from the folder that the program was started in. */
void *dlopen(const char *name, int mode);
void *dlsym(void *library, const char *name);
int dlclose(void *library);
const char *dlerror(void);
int dladdr(const void *address, Dl_info *info); /* 0: it is not known */

#endif
