/* SPDX-License-Identifier: Apache-2.0
 * What afforest on the host and on devices share: parameters, and the sample. */
#ifndef HOPLITE_COMPONENTS_COMPONENTS_AFFOREST_H
#define HOPLITE_COMPONENTS_COMPONENTS_AFFOREST_H

#include "components/components_device.h"

/* Its own parameters, then those of the row of devices. */
enum {
    HOP__AFFOREST_ROUNDS,
    HOP__AFFOREST_SAMPLES,
    HOP__AFFOREST_OWN,
    HOP__AFFOREST_STEPS = HOP__AFFOREST_OWN + HOP__FORM_PARAMETERS,
    HOP__AFFOREST_ALL
};
extern const hop_parameter hop__afforest_parameters[HOP__AFFOREST_ALL];

enum { HOP__AFFOREST_SAMPLES_MOST = 2048 };

/* Vertex number i of the sample. */
hop_vertex hop__afforest_vertex(uint64_t i, hop_vertex n);
/* The label that most of the sample have. `labels` are those of all n vertices, or, if `picked`,
 * of the sample. */
hop_vertex hop__afforest_giant(const hop_vertex *labels, uint64_t samples, hop_vertex n,
                               bool picked);

#endif
