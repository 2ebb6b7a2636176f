#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

int cl_renameat2(int olddirfd, const char *oldpath, int newdirfd, const char *newpath, unsigned int flags) {
    return renameat2(olddirfd, oldpath, newdirfd, newpath, flags);
}

long cl_copy_file_range(int in, int64_t *in_offset, int out, int64_t *out_offset, size_t length) {
    return copy_file_range(in, in_offset, out, out_offset, length, 0);
}

int cl_fallocate(int fd, int mode, int64_t offset, int64_t length) { return fallocate(fd, mode, offset, length); }

int cl_sync_file_range(int fd, int64_t offset, int64_t length, unsigned int flags) {
    return sync_file_range(fd, offset, length, flags);
}

int cl_clone(int out, int in) { return ioctl(out, FICLONE, in); }

long cl_fgetxattr(int fd, const char *name, void *value, size_t size) { return fgetxattr(fd, name, value, size); }
int cl_fsetxattr(int fd, const char *name, const void *value, size_t size, int flags) {
    return fsetxattr(fd, name, value, size, flags);
}
int cl_fremovexattr(int fd, const char *name) { return fremovexattr(fd, name); }

int cl_check_no_writers(int fd) {
    if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return -1;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return 0;
}

int cl_close_range_from(unsigned int first) { return (int)syscall(SYS_close_range, first, ~0U, 0); }
int cl_openat(int dirfd, const char *path, int flags, unsigned int mode) { return openat(dirfd, path, flags, mode); }

int cl_fstatfs(int fd, struct cl_filesystem *out) {
    struct statfs s;
    if (fstatfs(fd, &s) != 0) return -1;
    out->type = (uint64_t)s.f_type;
    out->block_size = (uint64_t)s.f_bsize;
    out->fragment_size = s.f_frsize ? (uint64_t)s.f_frsize : (uint64_t)s.f_bsize;
    out->blocks = s.f_blocks;
    out->blocks_free = s.f_bfree;
    out->blocks_available = s.f_bavail;
    out->files = s.f_files;
    out->files_free = s.f_ffree;
    out->name_length = (uint64_t)s.f_namelen;
    return 0;
}

int cl_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int cl_peer_credentials(int fd, struct cl_credentials *out) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    if (length != sizeof peer) { errno = EIO; return -1; }
    out->pid = peer.pid;
    out->uid = peer.uid;
    out->gid = peer.gid;
    return 0;
}

long cl_send_descriptor(int fd, const void *bytes, size_t count, int passed) {
    struct iovec part = {(void *)bytes, count};
    union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } control = {{0}};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &passed, sizeof(int));
    return sendmsg(fd, &message, MSG_NOSIGNAL);
}

long cl_receive_descriptor(int fd, void *bytes, size_t count, int *passed) {
    struct iovec part = {bytes, count};
    union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *passed = -1;
    long received = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
            memcpy(passed, CMSG_DATA(header), sizeof(int));
    }
    return received;
}

int cl_memfd(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int cl_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int cl_umount2(const char *target, int flags) { return umount2(target, flags); }
void cl_set_thread_name(const char *name) { pthread_setname_np(pthread_self(), name); }

int cl_memory_usage(uint64_t *resident_bytes) {
    FILE *f = fopen("/proc/self/statm", "re");
    unsigned long long total, resident;
    if (!f) return -1;
    int n = fscanf(f, "%llu %llu", &total, &resident);
    fclose(f);
    if (n != 2) { errno = EIO; return -1; }
    *resident_bytes = resident * (uint64_t)sysconf(_SC_PAGESIZE);
    return 0;
}

const int cl_o_path = O_PATH, cl_o_tmpfile = O_TMPFILE, cl_o_direct = O_DIRECT, cl_o_noatime = O_NOATIME,
          cl_seek_data = SEEK_DATA, cl_seek_hole = SEEK_HOLE;

uint64_t cl_atomic_load(const void *address) { return atomic_load((const _Atomic uint64_t *)address); }
uint64_t cl_atomic_increment(void *address) { return atomic_fetch_add((_Atomic uint64_t *)address, 1) + 1; }

void cl_atomic_raise(void *address, uint64_t value) {
    _Atomic uint64_t *counter = address;
    uint64_t now = atomic_load(counter);
    while (now < value && !atomic_compare_exchange_weak(counter, &now, value)) {}
}

/* The half that counts up comes first on little-endian machines, last on others. */
static const uint32_t *lower_half(const void *address) {
    return (const uint32_t *)address + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

void cl_futex_wait(const void *address, uint64_t expected, int64_t nanoseconds) {
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    syscall(SYS_futex, lower_half(address), FUTEX_WAIT, (uint32_t)expected, &limit, NULL, 0);
}

void cl_futex_wake(const void *address) {
    syscall(SYS_futex, lower_half(address), FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
