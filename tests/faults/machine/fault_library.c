/* What a machine can do to a program that this is preloaded into: its clock is off, its disk is slow
 * or stands still. The test says how much by a file that is mapped here, at any moment.
 *
 * Only the wall clock moves; what measures durations does not, and nothing does in a process that is
 * told to keep its clock. Only regular files are slow, so that pipes and sockets, which the test talks
 * through, are not; and no logs, which are opened for appending. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct control {
    _Atomic int64_t clock_seconds; /* how far the clock is off */
    _Atomic int64_t delay_micros;  /* before every write and sync */
    _Atomic int64_t still;         /* nothing is written while it is set */
};

static struct control *control;
static int steady;

__attribute__((constructor)) static void begin(void)
{
    const char *name = getenv("TOOLWRIGHT_FAULTS");
    int file = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED)
        control = mapped;
    steady = getenv("TOOLWRIGHT_STEADY_CLOCK") != NULL;
}

static int64_t off(void)
{
    return control && !steady ? atomic_load(&control->clock_seconds) : 0;
}

static void pause_for(int64_t micros)
{
    struct timespec span = {micros / 1000000, micros % 1000000 * 1000};
    syscall(SYS_nanosleep, &span, NULL);
}

static void disk(int file)
{
    struct stat found;
    if (!control || (!atomic_load(&control->still) && !atomic_load(&control->delay_micros)))
        return;
    if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode))
        return;
    if (fcntl(file, F_GETFL) & O_APPEND)
        return;
    while (atomic_load(&control->still))
        pause_for(1000);
    pause_for(atomic_load(&control->delay_micros));
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += off();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    int result = syscall(SYS_gettimeofday, now, zone);
    if (result == 0)
        now->tv_sec += off();
    return result;
}

time_t time(time_t *place)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (place)
        *place = now.tv_sec;
    return now.tv_sec;
}

ssize_t write(int file, const void *bytes, size_t count)
{
    disk(file);
    return syscall(SYS_write, file, bytes, count);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    disk(file);
    return syscall(SYS_writev, file, parts, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at)
{
    disk(file);
    return syscall(SYS_pwrite64, file, bytes, count, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at)
{
    disk(file);
    return syscall(SYS_pwrite64, file, bytes, count, at);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at)
{
    disk(file);
    return syscall(SYS_pwritev, file, parts, count, at, 0);
}

int fsync(int file)
{
    disk(file);
    return syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    disk(file);
    return syscall(SYS_fdatasync, file);
}
