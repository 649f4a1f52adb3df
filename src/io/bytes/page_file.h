/* SPDX-License-Identifier: Apache-2.0
 *
 * Scratch on disk in pages, for what is built beside its result and read once.
 *
 * The file has no name (O_TMPFILE, or a name that is removed at once): whatever ends the process,
 * nothing is left behind, and nobody else can open it. Pages have one size. Room
 * on the disk is given back when the file is closed; of pages that are dropped in their order, a
 * sixteenth or 8 MiB at a time: a hole is punched, where the file system can do that. Not page by
 * page: a hole may cost a discard, which the disk is waited for.
 *
 * Pages form chains: page after page, in the order in which they were written. A page on disk is
 * its head, with the XXH3 of its bytes and of its number, and the bytes: one that is torn, changed
 * or belongs elsewhere is an error that names it.
 *
 * Threads: hop__page_write and _read run on any thread, each chain and each page on one at a
 * time. They cannot report: they keep the first failure, which hop__pages_status tells.
 *
 * Cost: 4 bytes of memory per page ever written. */
#ifndef HOPLITE_IO_BYTES_PAGE_FILE_H
#define HOPLITE_IO_BYTES_PAGE_FILE_H

#include <stdatomic.h>

#include "core/context_internal.h"

enum {
    HOP__PAGE_HEAD = 16,
    HOP__SCRATCH_FILES = 40 /* more than are open at a time: 32 shelves of buckets, two spools */
};
#define HOP__NO_PAGE UINT32_MAX

/* Where scratch is made, and how much of it there is, in all files together. */
typedef struct hop__scratch {
    const char *folder;
    atomic_uint_fast64_t live; /* bytes on disk */
    atomic_uint_fast64_t most; /* of them at once */
} hop__scratch;

typedef struct hop__page_file {
    hop__scratch *scratch;
    int descriptor;
    size_t page_bytes;           /* on disk, the head included: a multiple of 4096 */
    uint32_t *next;              /* the page after each in its chain */
    uint64_t room;               /* of `next` */
    atomic_uint_fast64_t pages;  /* handed out so far */
    atomic_uint_fast64_t live;   /* bytes on disk */
    bool keeps;                  /* holes cannot be punched here */
    uint64_t hole, hole_end;     /* dropped pages that are still there */
    atomic_int error;            /* errno of the first failure; EBADMSG: a damaged page */
    atomic_bool writing;         /* it was one of writing */
    atomic_uint_fast64_t number; /* of that page */
} hop__page_file;

typedef struct hop__page_chain {
    uint32_t first, last; /* HOP__NO_PAGE: empty */
} hop__page_chain;

#define HOP__PAGE_CHAIN_EMPTY                                                                      \
    (hop__page_chain) {                                                                            \
        HOP__NO_PAGE, HOP__NO_PAGE                                                                 \
    }

/* Makes the file, for pages of `page_bytes` (rounded up to a multiple of 4096); the scratch must
 * outlive it. */
hop_status hop__pages_open(hop_context *context, hop__scratch *scratch, size_t page_bytes,
                           hop__page_file *file);
/* Also of one that was never opened, if it is all zeros. */
void hop__pages_close(hop__page_file *file);
/* Room in memory for so many pages more: before threads write them. */
hop_status hop__pages_expect(hop_context *context, hop__page_file *file, uint64_t pages);
/* The first failure of the threads, if there was any. */
hop_status hop__pages_status(hop_context *context, const hop__page_file *file);

/* Bytes that a page has room for. */
static inline size_t hop__page_room(const hop__page_file *file) {
    return file->page_bytes - HOP__PAGE_HEAD;
}
/* Writes a page at the end of a chain. */
void hop__page_write(hop__page_file *file, hop__page_chain *chain, const void *bytes, size_t count);
/* Reads a page of `count` bytes; false: it failed. */
bool hop__page_read(hop__page_file *file, uint32_t page, void *bytes, size_t count);
/* A page that is not needed any more, the one after the last that was dropped. One thread. */
void hop__page_drop(hop__page_file *file, uint32_t page);
/* The page after this one in its chain. */
static inline uint32_t hop__page_after(const hop__page_file *file, uint32_t page) {
    return file->next[page];
}

#endif
