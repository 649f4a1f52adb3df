/* SPDX-License-Identifier: Apache-2.0
 * What is known of files; the identity is the volume and 16 bits of the number on it. */
#ifndef HOPLITE_WINDOWS_POSIX_SYS_STAT_H
#define HOPLITE_WINDOWS_POSIX_SYS_STAT_H

#include_next <sys/stat.h>

#define S_ISLNK(mode)      0
#define S_ISSOCK(mode)     0
#define st_blocks          st_size / 512 /* used as a number of blocks of 512 bytes */
#define lstat(path, about) stat(path, about)
#define mkdir(path, mode)  ((void)(mode), mkdir(path))
#define fchmod(file, mode) ((void)(file), (void)(mode), 0)

/* `stat` is already another word for `_stat64`, which is a struct and a function. */
int hop__windows_stat(const char *path, struct stat *about);
int hop__windows_fstat(int descriptor, struct stat *about);
#define _stat64(path, about) hop__windows_stat(path, about)
#undef fstat
#define fstat hop__windows_fstat

#endif
