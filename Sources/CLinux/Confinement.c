#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int cl_set_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }
int cl_set_undumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
void cl_use_one_heap(void) { mallopt(M_ARENA_MAX, 1); }

#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)
#define DENY(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), ANSWER(SECCOMP_RET_ERRNO | EACCES)

int cl_forbid_reaching_out(void) {
#ifndef THIS_MACHINE
    errno = ENOSYS;
    return -1;
#else
    struct sock_filter program[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0),
        ANSWER(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
#if defined(__x86_64__)
        /* The x32 calls have numbers of their own. */
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        ANSWER(SECCOMP_RET_KILL_PROCESS),
        DENY(open), DENY(creat), DENY(fork), DENY(vfork), DENY(unlink), DENY(rename), DENY(link), DENY(symlink),
        DENY(mkdir), DENY(rmdir), DENY(mknod), DENY(chmod), DENY(chown), DENY(lchown), DENY(utime), DENY(utimes),
#endif
        /* glibc then makes its threads by clone, whose flags can be looked at. */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1), ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
        DENY(openat), DENY(openat2), DENY(open_by_handle_at), DENY(execve), DENY(execveat), DENY(socket),
        DENY(socketpair), DENY(connect), DENY(bind), DENY(listen), DENY(accept), DENY(accept4), DENY(ptrace),
        DENY(process_vm_readv), DENY(process_vm_writev), DENY(kill), DENY(pidfd_open), DENY(pidfd_getfd),
        DENY(pidfd_send_signal), DENY(unlinkat), DENY(renameat2), DENY(linkat), DENY(symlinkat), DENY(mkdirat),
        DENY(mknodat), DENY(fchmodat), DENY(fchmod), DENY(fchownat), DENY(fchown), DENY(truncate), DENY(utimensat),
        DENY(setxattr), DENY(lsetxattr), DENY(fsetxattr), DENY(removexattr), DENY(lremovexattr), DENY(fremovexattr),
        DENY(mount), DENY(umount2), DENY(chroot), DENY(setns), DENY(unshare), DENY(bpf), DENY(perf_event_open),
        DENY(io_uring_setup), DENY(userfaultfd), DENY(keyctl), DENY(add_key), DENY(request_key), DENY(chdir),
        DENY(inotify_init1), DENY(fanotify_init), DENY(memfd_create), DENY(name_to_handle_at),
#ifdef __NR_renameat
        DENY(renameat),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        ANSWER(SECCOMP_RET_ERRNO | EACCES),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof program / sizeof *program, program};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
#endif
}
