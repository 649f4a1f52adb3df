/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "hoplite/hoplite.h"

int main(void) {
    puts(hop_version());
    return 0;
}
