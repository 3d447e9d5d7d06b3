/**
 * Lists the system calls that every container may make, by purpose.
 *
 * The set is that of containerd 2.4 without calls of 32-bit programs, which are refused anyway. These are
 * missing on purpose:
 *
 *   - io_uring: its operations bypass seccomp, and it has had many vulnerabilities.
 *   - keyctl, add_key, request_key: containers do not separate the kernel's keyrings.
 *   - userfaultfd, kexec, swapon, nfsservctl, uselib, and others that reach beyond the container, or
 *     that only exploits still use.
 */
const CALLS_BY_PURPOSE: Readonly<Record<string, string>> = {
  filesOpen: `
    open openat openat2 creat close close_range dup dup2 dup3 fcntl flock ioctl
    name_to_handle_at memfd_create memfd_secret pipe pipe2`,
  filesReadAndWrite: `
    read readv pread64 preadv preadv2 write writev pwrite64 pwritev pwritev2 lseek readahead sendfile
    splice tee vmsplice copy_file_range fallocate fadvise64 truncate ftruncate sync syncfs fsync
    fdatasync sync_file_range cachestat`,
  filesAsynchronous: `
    io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents`,
  folders: `
    chdir fchdir getcwd getdents getdents64 mkdir mkdirat rmdir link linkat symlink symlinkat readlink
    readlinkat rename renameat renameat2 unlink unlinkat mknod mknodat`,
  fileAttributes: `
    stat fstat lstat newfstatat statx statfs fstatfs access faccessat faccessat2 chmod fchmod fchmodat
    fchmodat2 chown fchown lchown fchownat umask utime utimes futimesat utimensat`,
  extendedAttributes: `
    getxattr lgetxattr fgetxattr getxattrat setxattr lsetxattr fsetxattr setxattrat listxattr
    llistxattr flistxattr listxattrat removexattr lremovexattr fremovexattr removexattrat`,
  mountsReadOnly: `listmount statmount`,
  fileNotifications: `
    inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_mark`,
  waitingForFiles: `
    poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_wait
    epoll_wait_old epoll_pwait epoll_pwait2 eventfd eventfd2`,
  memory: `
    brk mmap munmap mremap mprotect msync madvise mincore mlock mlock2 mlockall munlock munlockall
    remap_file_pages mseal map_shadow_stack membarrier pkey_alloc pkey_free pkey_mprotect
    process_mrelease`,
  processes: `
    fork vfork execve execveat exit exit_group wait4 waitid getpid getppid gettid getpgid getpgrp
    setpgid getsid setsid pidfd_open pidfd_send_signal prctl uretprobe restart_syscall
    set_tid_address rseq get_thread_area set_thread_area`,
  limitsAndUse: `
    getrlimit setrlimit prlimit64 getrusage times sysinfo uname getrandom getcpu`,
  users: `
    getuid geteuid getgid getegid getresuid getresgid getgroups setuid setgid setreuid setregid
    setresuid setresgid setfsuid setfsgid setgroups capget capset`,
  restrictingOneself: `
    seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self lsm_get_self_attr
    lsm_set_self_attr lsm_list_modules`,
  signals: `
    kill tkill tgkill pause alarm sigaltstack rt_sigaction rt_sigpending rt_sigprocmask
    rt_sigqueueinfo rt_tgsigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait signalfd signalfd4`,
  scheduling: `
    sched_yield sched_getaffinity sched_setaffinity sched_getattr sched_setattr sched_getparam
    sched_setparam sched_getscheduler sched_setscheduler sched_get_priority_max
    sched_get_priority_min sched_rr_get_interval getpriority setpriority ioprio_get ioprio_set`,
  locks: `
    futex futex_wait futex_wake futex_requeue futex_waitv get_robust_list set_robust_list`,
  time: `
    time gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep getitimer setitimer
    timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create
    timerfd_gettime timerfd_settime adjtimex clock_adjtime`,
  sockets: `
    socketpair bind listen accept accept4 connect shutdown getsockname getpeername getsockopt
    setsockopt recvfrom recvmsg recvmmsg sendto sendmsg sendmmsg`,
  betweenProcesses: `
    msgctl msgget msgrcv msgsnd semctl semget semop semtimedop shmat shmctl shmdt shmget mq_open
    mq_unlink mq_getsetattr mq_notify mq_timedreceive mq_timedsend`,
};

export const DEFAULT_CALLS: readonly string[] = Object.values(CALLS_BY_PURPOSE).flatMap((names) =>
  names.trim().split(/\s+/),
);
