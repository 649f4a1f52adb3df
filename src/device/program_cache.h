/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiled programs, kept in files between processes; and notes, in the same form, that a device
 * has passed its tests with a driver.
 *
 * What comes out of the cache is run as code, so:
 *  1. The folder is ours alone: a directory, not a link, owned by this user, mode 0700. Otherwise
 *     it is not used, and the log says why.
 *  2. Files are opened inside the folder that was checked, without following links, and must be
 *     ours, regular and writable by nobody else.
 *  3. A file begins with its key, the hash of source, options, platform, driver and device, and
 *     the hash of what follows: what is damaged, or was made by another driver, is not used.
 *  4. A file takes its name when it is complete: by a rename.
 *  5. A process with the privileges of another user has no cache.
 *  6. When all files together are more than HOP__CACHE_BYTES, those that were not used for the
 *     longest time are removed. Nobody is locked out meanwhile: who has opened a file still reads
 *     it, who comes too late compiles.
 *
 * The folder is HOPLITE_CACHE_DIR (empty: no cache), else hoplite in XDG_CACHE_HOME or ~/.cache. */
#ifndef HOPLITE_DEVICE_PROGRAM_CACHE_H
#define HOPLITE_DEVICE_PROGRAM_CACHE_H

#include "core/context_internal.h"

enum { HOP__CACHE_PATH = 512, HOP__CACHE_BYTES = 256 << 20 };

/* Where the folder is; empty when there is none. `why` says why it is not used, and is empty when
 * it is. Makes it if it does not exist. Returns its descriptor, or -1. */
int hop__cache_open(char path[HOP__CACHE_PATH], char why[256]);

/* The bytes that were stored under the key, allocated by hop__alloc; NULL when there are none that
 * can be trusted. Failures are no errors: they go to the log. */
void *hop__cache_load(hop_context *context, int folder, const uint64_t key[2], size_t *bytes);
void hop__cache_store(hop_context *context, int folder, const uint64_t key[2], const void *binary,
                      size_t bytes);

/* Rule 6, with another limit; the file of `key` stays. Called by hop__cache_store. */
void hop__cache_prune(hop_context *context, int folder, const uint64_t key[2], uint64_t limit);

#endif
