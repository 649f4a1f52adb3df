/* SPDX-License-Identifier: Apache-2.0
 * Little-endian integers in files, at any alignment. Headers go through these; arrays are moved
 * as they are, which is why the machine must be little-endian too. */
#ifndef HOPLITE_IO_BYTES_LITTLE_ENDIAN_H
#define HOPLITE_IO_BYTES_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the binary formats move little-endian arrays without swapping");

static inline uint16_t hop__le16_load(const unsigned char *bytes) {
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint32_t hop__le32_load(const unsigned char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint64_t hop__le64_load(const unsigned char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* These store and return the place after what they stored. */
static inline unsigned char *hop__le16_store(unsigned char *bytes, uint16_t value) {
    memcpy(bytes, &value, sizeof value);
    return bytes + sizeof value;
}

static inline unsigned char *hop__le32_store(unsigned char *bytes, uint32_t value) {
    memcpy(bytes, &value, sizeof value);
    return bytes + sizeof value;
}

static inline unsigned char *hop__le64_store(unsigned char *bytes, uint64_t value) {
    memcpy(bytes, &value, sizeof value);
    return bytes + sizeof value;
}

#endif
