/* SPDX-License-Identifier: Apache-2.0
 *
 * At the end of a template; see numbers.h. */
#undef NUMBER
#undef WEIGHT
#undef DISTANCE
#undef SUM
#undef ENTRY
#undef DOMAIN
