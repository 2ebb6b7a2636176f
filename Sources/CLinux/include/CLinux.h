/* The GNU/Linux calls that Swift's Glibc module does not import. Each returns what the call of the
   same name returns and leaves errno as that call set it. */
#pragma once
#include <stddef.h>
#include <stdint.h>

int cl_renameat2(int olddirfd, const char *oldpath, int newdirfd, const char *newpath, unsigned int flags);
long cl_copy_file_range(int in, int64_t *in_offset, int out, int64_t *out_offset, size_t length);
int cl_fallocate(int fd, int mode, int64_t offset, int64_t length);
int cl_sync_file_range(int fd, int64_t offset, int64_t length, unsigned int flags);
int cl_clone(int out, int in); /* ioctl FICLONE */

long cl_fgetxattr(int fd, const char *name, void *value, size_t size);
int cl_fsetxattr(int fd, const char *name, const void *value, size_t size, int flags);
int cl_fremovexattr(int fd, const char *name);

/* 0 where no process has the file open for writing (fcntl F_SETLEASE, given back at once); -1 where one has it, or
   nobody can tell. */
int cl_check_no_writers(int fd);

int cl_close_range_from(unsigned int first);
int cl_openat(int dirfd, const char *path, int flags, unsigned int mode);

struct cl_filesystem {
    uint64_t type, block_size, fragment_size, blocks, blocks_free, blocks_available, files, files_free, name_length;
};
int cl_fstatfs(int fd, struct cl_filesystem *out);

/* accept4 with SOCK_CLOEXEC and SOCK_NONBLOCK */
int cl_accept(int fd);
struct cl_credentials {
    int32_t pid;
    uint32_t uid, gid;
};
int cl_peer_credentials(int fd, struct cl_credentials *out); /* getsockopt SO_PEERCRED */
/* sendmsg and recvmsg with one descriptor beside the bytes (SCM_RIGHTS); `passed` is -1 where none came, else
   close-on-exec. */
long cl_send_descriptor(int fd, const void *bytes, size_t count, int passed);
long cl_receive_descriptor(int fd, void *bytes, size_t count, int *passed);
int cl_memfd(const char *name); /* close-on-exec */
int cl_eventfd(void); /* close-on-exec, without blocking */

int cl_umount2(const char *target, int flags);
/* Names the calling thread, as the kernel's tools show it (15 bytes at most). */
void cl_set_thread_name(const char *name);
int cl_memory_usage(uint64_t *resident_bytes);

enum {
    CL_RENAME_NOREPLACE = 1, CL_RENAME_EXCHANGE = 2, CL_RENAME_WHITEOUT = 4,
    CL_XATTR_CREATE = 1, CL_XATTR_REPLACE = 2,
    CL_UMOUNT_DETACH = 2, CL_UMOUNT_FORCE = 1,
    CL_SYNC_RANGE_WRITE = 2,
};
extern const int cl_o_path, cl_o_tmpfile, cl_o_direct, cl_o_noatime, cl_seek_data, cl_seek_hole;

/* Shared 64-bit counter in mapped memory: sequentially consistent. */
uint64_t cl_atomic_load(const void *address);
uint64_t cl_atomic_increment(void *address);
/* Sets it, unless it is higher already. */
void cl_atomic_raise(void *address, uint64_t value);
/* futex(2) on its lower half, between processes: sleeps while that is `expected`, at most so many nanoseconds. */
void cl_futex_wait(const void *address, uint64_t expected, int64_t nanoseconds);
void cl_futex_wake(const void *address);

/* What a process gives up that reads hostile bytes. */
int cl_set_no_new_privileges(void);
int cl_set_undumpable(void);
/* All threads allocate from one heap: each further one reserves 64 MiB of address space. */
void cl_use_one_heap(void);
/* Opening files by name, running programs, making sockets and processes, changing the file system: EACCES from now on. */
int cl_forbid_reaching_out(void);
