/* SPDX-License-Identifier: Apache-2.0
 *
 * Files as POSIX has them (the headers are in posix/). Invariants: no file is in text mode; all are
 * opened so that others may read, write, rename and remove them meanwhile; failures are told by
 * errno. Paths are in the code page of the process, with either kind of slash. */
#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#undef fopen /* Windows' own is called below */

enum { SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, PART_MOST = 1 << 30 };

/* ---- failures -------------------------------------------------------------------------------- */

static int errno_of(DWORD error) {
    static const struct {
        DWORD error;
        int number;
    } rows[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},      {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},       {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_WRITE_PROTECT, EROFS},        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},      {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_DISK_FULL, ENOSPC},           {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},   {ERROR_COMMITMENT_LIMIT, ENOMEM},
        {ERROR_INVALID_HANDLE, EBADF},       {ERROR_INVALID_PARAMETER, EINVAL},
        {ERROR_LOCK_VIOLATION, EWOULDBLOCK}, {ERROR_NO_DATA, EPIPE},
        {ERROR_BROKEN_PIPE, EPIPE},          {ERROR_USER_MAPPED_FILE, EBUSY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].error == error)
            return rows[i].number;
    return EIO;
}

static int fail(void) {
    errno = errno_of(GetLastError());
    return -1;
}

static HANDLE handle_of(int descriptor) {
    return (HANDLE)_get_osfhandle(descriptor);
}

/* ---- opening --------------------------------------------------------------------------------- */

static DWORD access_of(int flags) {
    switch (flags & (O_RDONLY | O_WRONLY | O_RDWR)) {
    case O_WRONLY:
        return GENERIC_WRITE;
    case O_RDWR:
        return GENERIC_READ | GENERIC_WRITE;
    default:
        return GENERIC_READ;
    }
}

static DWORD creation_of(int flags) {
    if ((flags & O_CREAT) == 0)
        return (flags & O_TRUNC) != 0 ? TRUNCATE_EXISTING : OPEN_EXISTING;
    if ((flags & O_EXCL) != 0)
        return CREATE_NEW;
    return (flags & O_TRUNC) != 0 ? CREATE_ALWAYS : OPEN_ALWAYS;
}

static int open_with(const char *path, int flags, DWORD access, DWORD attributes) {
    HANDLE file = CreateFileA(path, access, SHARED, NULL, creation_of(flags), attributes, NULL);
    if (file == INVALID_HANDLE_VALUE) {
        DWORD error = GetLastError(), kind = GetFileAttributesA(path);
        bool folder = kind != INVALID_FILE_ATTRIBUTES && (kind & FILE_ATTRIBUTE_DIRECTORY) != 0;
        errno = folder && error == ERROR_ACCESS_DENIED ? EISDIR : errno_of(error);
        return -1;
    }
    int descriptor =
        _open_osfhandle((intptr_t)file, (flags & (O_APPEND | O_RDONLY)) | O_BINARY | O_NOINHERIT);
    if (descriptor < 0)
        CloseHandle(file);
    return descriptor;
}

int hop__windows_open(const char *path, int flags, ...) {
    return open_with(path, flags, access_of(flags), FILE_ATTRIBUTE_NORMAL);
}

int mkostemp(char *name, int flags) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    char *end = name + strlen(name);
    int descriptor = -1;
    (void)flags;
    for (unsigned attempt = 0; attempt < 100 && descriptor < 0; attempt++) {
        unsigned bits;
        if (rand_s(&bits) != 0)
            bits = GetTickCount() * 2654435761u + attempt;
        for (char *at = end - 6; at < end; at++, bits >>= 5)
            *at = letters[bits & 31];
        descriptor =
            open_with(name, O_RDWR | O_CREAT | O_EXCL, GENERIC_READ | GENERIC_WRITE | DELETE,
                      FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
        if (descriptor < 0 && errno != EEXIST)
            break;
    }
    return descriptor;
}

int hop__windows_fcntl(int descriptor, int command, ...) {
    if (command == F_DUPFD_CLOEXEC)
        return _dup(descriptor);
    if (command == F_GETFD)
        return handle_of(descriptor) == INVALID_HANDLE_VALUE ? -1 : 0;
    errno = EINVAL;
    return -1;
}

int hop__windows_fadvise(int descriptor, long long offset, long long length, int advice) {
    (void)descriptor, (void)offset, (void)length, (void)advice;
    return 0;
}

/* The mode as Windows has it: 'e' is of Linux, and 'b' is what Linux means. */
FILE *hop__windows_fopen(const char *path, const char *mode) {
    char own[8];
    size_t used = 0;
    for (; *mode != '\0' && used + 2 < sizeof own; mode++)
        if (*mode != 'e' && *mode != 'b')
            own[used++] = *mode;
    own[used++] = 'b';
    own[used] = '\0';
    return fopen(path, own);
}

/* ---- reading and writing --------------------------------------------------------------------- */

static OVERLAPPED place_of(long long offset) {
    OVERLAPPED place = {0};
    place.Offset = (DWORD)((unsigned long long)offset & 0xffffffffu);
    place.OffsetHigh = (DWORD)((unsigned long long)offset >> 32);
    return place;
}

ssize_t pread(int descriptor, void *bytes, size_t count, long long offset) {
    OVERLAPPED place = place_of(offset);
    DWORD got = 0;
    if (ReadFile(handle_of(descriptor), bytes, (DWORD)(count < PART_MOST ? count : PART_MOST), &got,
                 &place))
        return (ssize_t)got;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : fail();
}

/* Windows leaves the file's own position behind what was written; write() goes on where it was. */
ssize_t pwrite(int descriptor, const void *bytes, size_t count, long long offset) {
    OVERLAPPED place = place_of(offset);
    HANDLE file = handle_of(descriptor);
    LARGE_INTEGER stay = {0}, before;
    DWORD part = (DWORD)(count < PART_MOST ? count : PART_MOST), put = 0;
    if (!SetFilePointerEx(file, stay, &before, FILE_CURRENT) ||
        !WriteFile(file, bytes, part, &put, &place) ||
        !SetFilePointerEx(file, before, NULL, FILE_BEGIN))
        return fail();
    return (ssize_t)put;
}

ssize_t preadv(int descriptor, const struct iovec *parts, int count, long long offset) {
    return count < 1 ? 0 : pread(descriptor, parts->iov_base, parts->iov_len, offset);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, long long offset) {
    return count < 1 ? 0 : pwrite(descriptor, parts->iov_base, parts->iov_len, offset);
}

int fsync(int descriptor) {
    return FlushFileBuffers(handle_of(descriptor)) ? 0 : fail();
}

int fdatasync(int descriptor) {
    return fsync(descriptor);
}

int posix_fallocate(int descriptor, long long offset, long long length) {
    LARGE_INTEGER size, wanted = {.QuadPart = offset + length};
    HANDLE file = handle_of(descriptor);
    if (!GetFileSizeEx(file, &size))
        return errno_of(GetLastError());
    if (size.QuadPart >= wanted.QuadPart)
        return 0;
    FILE_END_OF_FILE_INFO end = {.EndOfFile = wanted};
    return SetFileInformationByHandle(file, FileEndOfFileInfo, &end, sizeof end)
               ? 0
               : errno_of(GetLastError());
}

/* ---- in memory ------------------------------------------------------------------------------- */

void *mmap(void *wanted, size_t bytes, int protection, int flags, int descriptor,
           long long offset) {
    (void)wanted, (void)bytes, (void)protection, (void)flags, (void)offset; /* whole, for reading */
    HANDLE mapping = CreateFileMappingA(handle_of(descriptor), NULL, PAGE_READONLY, 0, 0, NULL);
    void *start = mapping == NULL ? NULL : MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, bytes);
    if (start == NULL)
        (void)fail();
    if (mapping != NULL)
        CloseHandle(mapping); /* the view keeps it */
    return start == NULL ? MAP_FAILED : start;
}

int munmap(void *start, size_t bytes) {
    (void)bytes;
    return UnmapViewOfFile(start) ? 0 : fail();
}

/* ---- names and facts ------------------------------------------------------------------------- */

int hop__windows_rename(const char *from, const char *to) {
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) ? 0 : fail();
}

char *realpath(const char *path, char *room) {
    if (GetFileAttributesA(path) == INVALID_FILE_ATTRIBUTES) {
        (void)fail();
        return NULL;
    }
    char *whole = _fullpath(room, path, room == NULL ? 0 : PATH_MAX);
    for (char *at = whole; at != NULL && *at != '\0'; at++)
        if (*at == '\\')
            *at = '/';
    return whole;
}

/* What tells files apart: see posix/sys/stat.h. */
static void identify(HANDLE file, struct stat *about) {
    BY_HANDLE_FILE_INFORMATION facts;
    if (!GetFileInformationByHandle(file, &facts))
        return;
    DWORD number = facts.nFileIndexLow ^ facts.nFileIndexHigh;
    about->st_dev = facts.dwVolumeSerialNumber;
    about->st_ino = (unsigned short)(number ^ number >> 16);
    about->st_nlink = (short)facts.nNumberOfLinks;
}

int hop__windows_fstat(int descriptor, struct stat *about) {
    int code = (_fstat64)(descriptor, about);
    if (code == 0 && S_ISREG(about->st_mode))
        identify(handle_of(descriptor), about);
    return code;
}

int hop__windows_stat(const char *path, struct stat *about) {
    int code = (_stat64)(path, about);
    if (code != 0)
        return code;
    HANDLE file = CreateFileA(path, FILE_READ_ATTRIBUTES, SHARED, NULL, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file != INVALID_HANDLE_VALUE) {
        identify(file, about);
        CloseHandle(file);
    }
    return 0;
}

/* Locks are mandatory: so the one byte that is locked is where no file has any. */
int flock(int descriptor, int how) {
    OVERLAPPED place = place_of(INT64_MAX - 1);
    DWORD flags = LOCKFILE_EXCLUSIVE_LOCK | ((how & LOCK_NB) != 0 ? LOCKFILE_FAIL_IMMEDIATELY : 0);
    return LockFileEx(handle_of(descriptor), flags, 0, 1, 0, &place) ? 0 : fail();
}

int statvfs(const char *path, struct statvfs *facts) {
    ULARGE_INTEGER left, all;
    if (!GetDiskFreeSpaceExA(path, &left, &all, NULL))
        return fail();
    *facts = (struct statvfs){all.QuadPart / 512, left.QuadPart / 512, 512};
    return 0;
}
