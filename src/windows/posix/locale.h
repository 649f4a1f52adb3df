/* SPDX-License-Identifier: Apache-2.0
 * The C locale for the calling thread. */
#ifndef HOPLITE_WINDOWS_POSIX_LOCALE_H
#define HOPLITE_WINDOWS_POSIX_LOCALE_H

#include_next <locale.h>

#define LC_ALL_MASK 0

typedef struct hop__windows_locale *locale_t; /* there is one, "C"; NULL: what the thread had */

locale_t newlocale(int mask, const char *name, locale_t base);
void freelocale(locale_t locale);
locale_t uselocale(locale_t locale);
double strtod_l(const char *text, char **end, locale_t locale);

#endif
