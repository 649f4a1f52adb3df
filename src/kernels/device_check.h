/* SPDX-License-Identifier: Apache-2.0
 * Known answers before a device is used. */
#ifndef HOPLITE_KERNELS_DEVICE_CHECK_H
#define HOPLITE_KERNELS_DEVICE_CHECK_H

#include "device/device.h"

/* The tests of hop_device_check, unless the device has passed them before with this driver: what
 * the driver of calls does before a row runs. Where an answer is wrong, or the device stops
 * working: HOP_ERR_DEVICE, and it is lost from then on. Another call of its driver that fails is
 * only told, and the tests come again next time. */
hop_status hop__device_prove(hop__device *device);

#endif
