/* SPDX-License-Identifier: Apache-2.0
 *
 * The constants of devices: their table, what is assumed of them by kind, and what a context has of
 * single devices.
 *
 * A device is known by a key that is made of what its driver says, "cuda/NVIDIA-GeForce-RTX-4090/
 * 575.51": the same card with another driver is measured anew. In files a constant of a device has
 * the name "device.launch@" and the key. */
#include <stdio.h>
#include <string.h>

#include "core/context_internal.h"

/* By default what is assumed of a graphics card. Those of a GeForce RTX 4090, where figures are
 * published: 1,008 GB/s of memory; a word from anywhere takes a sector of 32 bytes of it, an atomic
 * operation reads and writes one; half of the 2 10^13 sums with minima that its units issue in a
 * second; the bus is PCIe 4 with 16 lanes, as such links are found to be. What a launch and a wait
 * take (3 and 10 microseconds) no vendor publishes. */
static const hop_tuning_constant rows[HOP__DEVICE_CONSTANTS] = {
    [HOP__DEVICE_STREAM] = {"device.stream", "a byte read or written side by side with others",
                            "ns", 1e-6, 1e3, 0.001},
    [HOP__DEVICE_GATHER] = {"device.gather", "a word of 32 bits read from anywhere", "ns", 1e-5,
                            1e4, 0.032},
    [HOP__DEVICE_ATOMIC] = {"device.atomic", "an atomic operation on a word anywhere", "ns", 1e-5,
                            1e4, 0.064},
    [HOP__DEVICE_STEP] = {"device.step", "one step of katz-kider on 32-bit distances", "ns", 1e-6,
                          1e3, 1e-4},
    [HOP__DEVICE_LAUNCH] = {"device.launch", "a launch that the host waits for", "ns", 1, 1e9,
                            13000},
    [HOP__DEVICE_BUS] = {"device.bus", "a byte from the host's memory to the device's", "ns", 1e-4,
                         1e4, 0.04},
};

/* Of a processor behind OpenCL: near what PoCL and Intel's runtime gave on two cores of a server
 * that was busy with other work. By them auto chooses what it chose before they were constants. */
static const double processor[HOP__DEVICE_CONSTANTS] = {
    [HOP__DEVICE_STREAM] = 0.1, [HOP__DEVICE_GATHER] = 10,    [HOP__DEVICE_ATOMIC] = 15,
    [HOP__DEVICE_STEP] = 0.1,   [HOP__DEVICE_LAUNCH] = 20000, [HOP__DEVICE_BUS] = 0.3,
};

size_t hop_tuning_device_count(void) {
    return HOP__DEVICE_CONSTANTS;
}

const hop_tuning_constant *hop_tuning_device_at(size_t index) {
    return index < HOP__DEVICE_CONSTANTS ? &rows[index] : NULL;
}

double hop__device_assumed(hop__device_constant which, bool is_processor) {
    return is_processor ? processor[which] : rows[which].standard;
}

hop__device_constant hop__device_constant_find(const char *name, size_t length) {
    unsigned i = 0;
    while (i < HOP__DEVICE_CONSTANTS &&
           (strlen(rows[i].name) != length || memcmp(rows[i].name, name, length) != 0))
        i++;
    return (hop__device_constant)i;
}

/* Whatever the locale. */
static bool is_plain(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           strchr("/.+_-", c) != NULL;
}

void hop__device_key(const char *backend, size_t length, const char *title, const char *driver,
                     char key[HOP__DEVICE_KEY]) {
    snprintf(key, HOP__DEVICE_KEY, "%.*s/%s/%s", (int)length, backend, title, driver);
    for (char *c = key; *c != '\0'; c++)
        if (!is_plain(*c))
            *c = '-'; /* a name in a file has no blanks, '=' or '#' */
}

const hop__device_tuning *hop__tuning_device(const hop__tuning *tuning, const char *key) {
    for (unsigned i = 0; i < tuning->device_count; i++)
        if (strcmp(tuning->devices[i].key, key) == 0)
            return &tuning->devices[i];
    return NULL;
}

/* The device's, which is new if it is not there: the one that was there first then goes if there
 * are too many. */
static hop__device_tuning *device_of(hop__tuning *tuning, const char *key) {
    for (unsigned i = 0; i < tuning->device_count; i++)
        if (strcmp(tuning->devices[i].key, key) == 0)
            return &tuning->devices[i];
    if (tuning->device_count == HOP__TUNED_DEVICES) {
        memmove(&tuning->devices[0], &tuning->devices[1],
                (HOP__TUNED_DEVICES - 1) * sizeof tuning->devices[0]);
        tuning->device_count--;
    }
    hop__device_tuning *device = &tuning->devices[tuning->device_count++];
    *device = (hop__device_tuning){{0}, {0}, {false}};
    snprintf(device->key, sizeof device->key, "%s", key);
    return device;
}

bool hop__tuning_put_device(hop__tuning *tuning, const char *key, hop__device_constant which,
                            double value) {
    if (!(value >= rows[which].minimum && value <= rows[which].maximum)) /* NaN too */
        return false;
    hop__device_tuning *device = device_of(tuning, key);
    device->values[which] = value;
    device->measured[which] = true;
    return true;
}
