// Makes the n-th call of one function of the C library fail, in front of the library (LD_PRELOAD).
//
//     EARSHOT_FAULT=CALL:N:ERRNO     the N-th CALL (from 1) returns the error with this number
//     EARSHOT_FAULT=CALL:N:short     the N-th CALL moves half of the bytes or frames, at least one
//     EARSHOT_FAULT=CALL:N+:ERRNO    the N-th CALL and each one after it fails: a disk that stays full
//     EARSHOT_FAULT_REPORT=FILE      receives a line for each failure: call, number, error, process, file
//     EARSHOT_FAULT_PROGRAM=NAME     only the program of this name fails, not those that it starts
//
// CALL is a group, such as `write`, which is write, writev, pwrite and pwrite64. Three kinds of calls do not fail: the C
// library's internal ones (the streams of stdio, the allocations of mmap), system calls without the library, and io_uring.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SHORT = -1 };

static char fault_call[32], report_path[512];
static long fault_number;
static int fault_error;
static bool is_lasting;
static atomic_long call_count;
static atomic_bool is_armed;

// This uses system calls, because the C library's functions are replaced here.
static void report(long number, int descriptor, const char *path) {
    char target[256] = "", line[512], link[64];
    if (path) {
        snprintf(target, sizeof target, "%s", path);
    } else if (descriptor >= 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        long length = syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target - 1);
        target[length > 0 ? length : 0] = 0;
    }
    int length = snprintf(line, sizeof line, "%s %ld %d %d %s\n", fault_call, number, fault_error, getpid(), target);
    long file = syscall(SYS_openat, AT_FDCWD, report_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return;
    syscall(SYS_write, file, line, (size_t)length);
    syscall(SYS_close, file);
}

// Whether this call of a group fails now.
static bool fails(const char *group, int descriptor, const char *path) {
    if (!atomic_load_explicit(&is_armed, memory_order_acquire) || strcmp(group, fault_call) != 0) return false;
    long number = atomic_fetch_add(&call_count, 1) + 1;
    if (number != fault_number && !(is_lasting && number > fault_number)) return false;
    if (number == fault_number) {
        int kept = errno;
        report(number, descriptor, path);
        errno = kept;
    }
    return true;
}

static size_t half(size_t count) { return count > 1 ? count / 2 : count; }

__attribute__((constructor)) static void arm(void) {
    const char *fault = getenv("EARSHOT_FAULT"), *file = getenv("EARSHOT_FAULT_REPORT");
    const char *program = getenv("EARSHOT_FAULT_PROGRAM");
    char what[16] = "", number[24] = "";
    if (!fault || !file || sscanf(fault, "%31[^:]:%23[^:]:%15s", fault_call, number, what) != 3) return;
    if (program) {
        char self[512];
        ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
        self[length > 0 ? length : 0] = 0;
        const char *name = strrchr(self, '/');
        if (!name || strcmp(name + 1, program) != 0) return;
    }
    snprintf(report_path, sizeof report_path, "%s", file);
    is_lasting = strchr(number, '+') != NULL;
    fault_number = atol(number);
    fault_error = strcmp(what, "short") == 0 ? SHORT : atoi(what);
    atomic_store_explicit(&is_armed, true, memory_order_release);
}

#define NEXT(name)                                                          \
    static __typeof__(name) *next;                                          \
    if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

// A function that returns -1 and sets errno.
#define FAILING(group, type, name, parameters, arguments, descriptor, path) \
    type name parameters {                                                  \
        NEXT(name);                                                         \
        if (fails(group, descriptor, path)) {                               \
            errno = fault_error;                                            \
            return -1;                                                      \
        }                                                                   \
        return next arguments;                                              \
    }

// The same for one that moves `count` bytes, fewer in a short call.
#define MOVING(group, name, parameters, arguments)                          \
    ssize_t name parameters {                                               \
        NEXT(name);                                                         \
        if (fails(group, descriptor, NULL)) {                               \
            if (fault_error != SHORT) {                                     \
                errno = fault_error;                                        \
                return -1;                                                  \
            }                                                               \
            count = half(count);                                            \
        }                                                                   \
        return next arguments;                                              \
    }

// With several buffers, a short call moves a part of the first.
#define MOVING_BUFFERS(group, name, parameters, arguments)                  \
    ssize_t name parameters {                                               \
        NEXT(name);                                                         \
        struct iovec first;                                                 \
        if (fails(group, descriptor, NULL)) {                               \
            if (fault_error != SHORT) {                                     \
                errno = fault_error;                                        \
                return -1;                                                  \
            }                                                               \
            if (count > 0) {                                                \
                first = buffers[0];                                         \
                first.iov_len = half(first.iov_len);                        \
                buffers = &first;                                           \
                count = 1;                                                  \
            }                                                               \
        }                                                                   \
        return next arguments;                                              \
    }

// ---- Files ----

#define OPENING(name)                                                       \
    int name(const char *path, int flags, ...) {                            \
        NEXT(name);                                                         \
        va_list list;                                                       \
        va_start(list, flags);                                              \
        unsigned mode = va_arg(list, unsigned);                             \
        va_end(list);                                                       \
        if (fails("open", -1, path)) {                                      \
            errno = fault_error;                                            \
            return -1;                                                      \
        }                                                                   \
        return next(path, flags, mode);                                     \
    }
#define OPENING_AT(name)                                                    \
    int name(int folder, const char *path, int flags, ...) {                \
        NEXT(name);                                                         \
        va_list list;                                                       \
        va_start(list, flags);                                              \
        unsigned mode = va_arg(list, unsigned);                             \
        va_end(list);                                                       \
        if (fails("open", -1, path)) {                                      \
            errno = fault_error;                                            \
            return -1;                                                      \
        }                                                                   \
        return next(folder, path, flags, mode);                             \
    }
OPENING(open)
OPENING(open64)
OPENING_AT(openat)
OPENING_AT(openat64)

void *opendir(const char *path);
void *opendir(const char *path) {
    NEXT(opendir);
    if (fails("open", -1, path)) {
        errno = fault_error;
        return NULL;
    }
    return next(path);
}

FILE *fopen(const char *path, const char *mode) {
    NEXT(fopen);
    if (fails("open", -1, path)) {
        errno = fault_error;
        return NULL;
    }
    return next(path, mode);
}

MOVING("read", read, (int descriptor, void *bytes, size_t count), (descriptor, bytes, count))
MOVING("read", pread, (int descriptor, void *bytes, size_t count, off_t place), (descriptor, bytes, count, place))
MOVING("read", pread64, (int descriptor, void *bytes, size_t count, off64_t place), (descriptor, bytes, count, place))
MOVING_BUFFERS("read", readv, (int descriptor, const struct iovec *buffers, int count), (descriptor, buffers, count))
MOVING("write", write, (int descriptor, const void *bytes, size_t count), (descriptor, bytes, count))
MOVING("write", pwrite, (int descriptor, const void *bytes, size_t count, off_t place), (descriptor, bytes, count, place))
MOVING("write", pwrite64, (int descriptor, const void *bytes, size_t count, off64_t place), (descriptor, bytes, count, place))
MOVING_BUFFERS("write", writev, (int descriptor, const struct iovec *buffers, int count), (descriptor, buffers, count))
FAILING("fsync", int, fsync, (int descriptor), (descriptor), descriptor, NULL)
FAILING("fsync", int, fdatasync, (int descriptor), (descriptor), descriptor, NULL)
FAILING("ftruncate", int, ftruncate, (int descriptor, off_t size), (descriptor, size), descriptor, NULL)
FAILING("ftruncate", int, ftruncate64, (int descriptor, off64_t size), (descriptor, size), descriptor, NULL)
FAILING("lseek", off_t, lseek, (int descriptor, off_t place, int from), (descriptor, place, from), descriptor, NULL)
FAILING("lseek", off64_t, lseek64, (int descriptor, off64_t place, int from), (descriptor, place, from), descriptor, NULL)
// For a socket or a pipe the kernel always has the answer, so the call cannot fail.
#define LOOKING(name, type)                                                 \
    int name(int descriptor, type *status) {                                \
        NEXT(name);                                                         \
        int result = next(descriptor, status);                              \
        bool isFile = result == 0 && (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode)); \
        if (!isFile || !fails("stat", descriptor, NULL)) return result;     \
        errno = fault_error;                                                \
        return -1;                                                          \
    }
LOOKING(fstat, struct stat)
LOOKING(fstat64, struct stat64)
FAILING("stat", int, stat, (const char *path, struct stat *status), (path, status), -1, path)
FAILING("stat", int, stat64, (const char *path, struct stat64 *status), (path, status), -1, path)
FAILING("stat", int, lstat, (const char *path, struct stat *status), (path, status), -1, path)
FAILING("rename", int, rename, (const char *path, const char *target), (path, target), -1, target)
FAILING("link", int, link, (const char *path, const char *target), (path, target), -1, target)
FAILING("link", int, linkat, (int from, const char *path, int to, const char *target, int flags),
    (from, path, to, target, flags), -1, target)
FAILING("unlink", int, unlink, (const char *path), (path), -1, path)
FAILING("mkdir", int, mkdir, (const char *path, mode_t mode), (path, mode), -1, path)
FAILING("chmod", int, fchmod, (int descriptor, mode_t mode), (descriptor, mode), descriptor, NULL)

// The descriptor is closed in any case: Linux closes it even if close() returns an error.
int close(int descriptor) {
    NEXT(close);
    bool fault = fails("close", descriptor, NULL);
    int result = next(descriptor);
    if (!fault) return result;
    errno = fault_error;
    return -1;
}

// Only commands that create a descriptor or take a lock fail; the others need no resource.
#define CONTROLLING(name)                                                   \
    int name(int descriptor, int command, ...) {                            \
        NEXT(name);                                                         \
        va_list list;                                                       \
        va_start(list, command);                                            \
        void *argument = va_arg(list, void *);                              \
        va_end(list);                                                       \
        bool makes = command == F_DUPFD || command == F_DUPFD_CLOEXEC;      \
        bool locks = (command == F_SETLK || command == F_SETLKW) &&         \
            ((const struct flock *)argument)->l_type != F_UNLCK;            \
        if ((makes && fails("dup", descriptor, NULL)) || (locks && fails("lock", descriptor, NULL))) { \
            errno = fault_error;                                            \
            return -1;                                                      \
        }                                                                   \
        return next(descriptor, command, argument);                         \
    }
CONTROLLING(fcntl)
CONTROLLING(fcntl64)
FAILING("dup", int, dup, (int descriptor), (descriptor), descriptor, NULL)

// ---- Memory ----

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static void *none(void) {
    errno = fault_error;
    return NULL;
}
void *malloc(size_t size) { return fails("malloc", -1, NULL) ? none() : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails("malloc", -1, NULL) ? none() : __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return fails("malloc", -1, NULL) ? none() : __libc_realloc(memory, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
    NEXT(posix_memalign);
    return fails("malloc", -1, NULL) ? fault_error : next(memory, alignment, size);
}

#define MAPPING(name, offset)                                               \
    void *name(void *place, size_t size, int protection, int flags, int descriptor, offset from) { \
        NEXT(name);                                                         \
        if (fails("mmap", descriptor, NULL)) {                              \
            errno = fault_error;                                            \
            return (void *)-1;                                              \
        }                                                                   \
        return next(place, size, protection, flags, descriptor, from);      \
    }
void *mmap(void *, size_t, int, int, int, off_t);
void *mmap64(void *, size_t, int, int, int, off64_t);
MAPPING(mmap, off_t)
MAPPING(mmap64, off64_t)

// ---- Sockets, waiting, threads ----

FAILING("socket", int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1, NULL)
FAILING("socket", int, socketpair, (int domain, int type, int protocol, int pair[2]), (domain, type, protocol, pair), -1, NULL)
FAILING("pipe", int, pipe, (int pair[2]), (pair), -1, NULL)
FAILING("pipe", int, pipe2, (int pair[2], int flags), (pair, flags), -1, NULL)
FAILING("bind", int, bind, (int descriptor, const struct sockaddr *address, socklen_t size), (descriptor, address, size),
    descriptor, NULL)
FAILING("bind", int, listen, (int descriptor, int count), (descriptor, count), descriptor, NULL)
FAILING("connect", int, connect, (int descriptor, const struct sockaddr *address, socklen_t size),
    (descriptor, address, size), descriptor, NULL)
FAILING("accept", int, accept, (int descriptor, struct sockaddr *address, socklen_t *size), (descriptor, address, size),
    descriptor, NULL)
FAILING("accept", int, accept4, (int descriptor, struct sockaddr *address, socklen_t *size, int flags),
    (descriptor, address, size, flags), descriptor, NULL)
MOVING("send", send, (int descriptor, const void *bytes, size_t count, int flags), (descriptor, bytes, count, flags))
MOVING("send", sendto,
    (int descriptor, const void *bytes, size_t count, int flags, const struct sockaddr *address, socklen_t size),
    (descriptor, bytes, count, flags, address, size))
MOVING("receive", recv, (int descriptor, void *bytes, size_t count, int flags), (descriptor, bytes, count, flags))
MOVING("receive", recvfrom,
    (int descriptor, void *bytes, size_t count, int flags, struct sockaddr *address, socklen_t *size),
    (descriptor, bytes, count, flags, address, size))
FAILING("send", ssize_t, sendmsg, (int descriptor, const struct msghdr *message, int flags), (descriptor, message, flags),
    descriptor, NULL)
FAILING("receive", ssize_t, recvmsg, (int descriptor, struct msghdr *message, int flags), (descriptor, message, flags),
    descriptor, NULL)
FAILING("epoll", int, epoll_create1, (int flags), (flags), -1, NULL)
FAILING("watch", int, epoll_ctl, (int set, int operation, int descriptor, struct epoll_event *event),
    (set, operation, descriptor, event), descriptor, NULL)
FAILING("wait", int, epoll_wait, (int set, struct epoll_event *events, int count, int milliseconds),
    (set, events, count, milliseconds), set, NULL)
FAILING("poll", int, poll, (struct pollfd *set, nfds_t count, int milliseconds), (set, count, milliseconds), -1, NULL)
FAILING("poll", int, ppoll,
    (struct pollfd *set, nfds_t count, const struct timespec *time, const sigset_t *mask), (set, count, time, mask), -1, NULL)
int eventfd(unsigned value, int flags);
FAILING("eventfd", int, eventfd, (unsigned value, int flags), (value, flags), -1, NULL)
int timerfd_create(int clock, int flags);
FAILING("eventfd", int, timerfd_create, (int clock, int flags), (clock, flags), -1, NULL)
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    NEXT(pthread_create);
    return fails("thread", -1, NULL) ? fault_error : next(thread, attributes, start, argument);
}

// ---- Sound ----

// These return the negative error. ALSA's types are opaque here.
#define SOUNDING(group, name, parameters, arguments)                        \
    int name parameters;                                                    \
    int name parameters {                                                   \
        NEXT(name);                                                         \
        return fails(group, -1, NULL) ? -fault_error : next arguments;      \
    }
#define SOUNDING_FRAMES(name, bytes)                                        \
    long name(void *pcm, bytes samples, unsigned long count);               \
    long name(void *pcm, bytes samples, unsigned long count) {              \
        NEXT(name);                                                         \
        if (fails("frames", -1, NULL)) {                                    \
            if (fault_error != SHORT) return -fault_error;                  \
            count = half(count);                                            \
        }                                                                   \
        return next(pcm, samples, count);                                   \
    }
SOUNDING("device", snd_pcm_open, (void **pcm, const char *name, int stream, int mode), (pcm, name, stream, mode))
SOUNDING("setup", snd_pcm_hw_params, (void *pcm, void *parameters), (pcm, parameters))
SOUNDING("setup", snd_pcm_sw_params, (void *pcm, void *parameters), (pcm, parameters))
SOUNDING("setup", snd_pcm_prepare, (void *pcm), (pcm))
SOUNDING("setup", snd_pcm_start, (void *pcm), (pcm))
SOUNDING("setup", snd_pcm_drain, (void *pcm), (pcm))
SOUNDING("setup", snd_pcm_nonblock, (void *pcm, int flag), (pcm, flag))
SOUNDING("frames", snd_pcm_wait, (void *pcm, int milliseconds), (pcm, milliseconds))
SOUNDING("frames", snd_pcm_resume, (void *pcm), (pcm))
SOUNDING("frames", snd_pcm_delay, (void *pcm, long *frames), (pcm, frames))
SOUNDING_FRAMES(snd_pcm_readi, void *)
SOUNDING_FRAMES(snd_pcm_writei, const void *)
