/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes through scratch on disk: appended, then read once from the beginning. Pages that were read
 * are given back. One thread at a time. */
#ifndef HOPLITE_IO_BYTES_PAGE_SPOOL_H
#define HOPLITE_IO_BYTES_PAGE_SPOOL_H

#include "io/bytes/page_file.h"

typedef struct hop__page_spool {
    hop__page_file file;
    hop__page_chain chain;
    unsigned char *buffer; /* one page: the last when appending, the first when reading */
    size_t filled, used;   /* bytes in the buffer; of them, those that were read */
    uint64_t bytes;        /* appended and not read, those in the buffer included */
} hop__page_spool;

/* `page_bytes` as in hop__pages_open. */
hop_status hop__spool_open(hop_context *context, hop__scratch *scratch, size_t page_bytes,
                           hop__page_spool *spool);
hop_status hop__spool_append(hop_context *context, hop__page_spool *spool, const void *bytes,
                             uint64_t count);
/* After the last append and before the first read. */
hop_status hop__spool_rewind(hop_context *context, hop__page_spool *spool);
/* Reads the next bytes, of which there are as many. */
hop_status hop__spool_read(hop_context *context, hop__page_spool *spool, void *bytes,
                           uint64_t count);
/* Also of one that was never opened, if it is all zeros. */
void hop__spool_close(hop__page_spool *spool);

#endif
