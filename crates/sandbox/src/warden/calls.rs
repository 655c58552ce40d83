//! The system calls that a program may make. Any other call fails without ending the program.

use std::collections::BTreeMap;
use std::ffi::c_long;

use libc::{
    SYS_brk, SYS_chdir, SYS_clock_getres, SYS_clock_gettime, SYS_clock_nanosleep, SYS_clone,
    SYS_clone3, SYS_close, SYS_dup, SYS_dup3, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait,
    SYS_eventfd2, SYS_execve, SYS_exit, SYS_exit_group, SYS_faccessat, SYS_faccessat2, SYS_fchdir,
    SYS_fchmod, SYS_fchmodat, SYS_fcntl, SYS_fdatasync, SYS_flock, SYS_fstat, SYS_fsync,
    SYS_ftruncate, SYS_futex, SYS_getcwd, SYS_getdents64, SYS_getegid, SYS_geteuid, SYS_getgid,
    SYS_getgroups, SYS_getitimer, SYS_getpid, SYS_getppid, SYS_getrandom, SYS_getresgid,
    SYS_getresuid, SYS_getrusage, SYS_gettid, SYS_gettimeofday, SYS_getuid, SYS_ioctl, SYS_kill,
    SYS_linkat, SYS_lseek, SYS_madvise, SYS_membarrier, SYS_mkdirat, SYS_mknodat, SYS_mmap,
    SYS_mprotect, SYS_mremap, SYS_munmap, SYS_nanosleep, SYS_newfstatat, SYS_openat, SYS_pipe2,
    SYS_ppoll, SYS_pread64, SYS_prlimit64, SYS_pselect6, SYS_pwrite64, SYS_read, SYS_readlinkat,
    SYS_readv, SYS_recvfrom, SYS_renameat, SYS_renameat2, SYS_rseq, SYS_rt_sigaction,
    SYS_rt_sigpending, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait, SYS_sched_getaffinity, SYS_sched_yield, SYS_sendto, SYS_set_robust_list,
    SYS_set_tid_address, SYS_setitimer, SYS_shutdown, SYS_sigaltstack, SYS_socketpair, SYS_statx,
    SYS_symlinkat, SYS_sysinfo, SYS_tgkill, SYS_times, SYS_truncate, SYS_umask, SYS_uname,
    SYS_unlinkat, SYS_utimensat, SYS_write, SYS_writev,
};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

use super::Refusal;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Built<T> = std::result::Result<T, BackendError>;

/// The calls that are allowed with any arguments.
///
/// Paths are harmless here: other walls decide which files may be opened. Calls that change a file without opening it are not included.
const FREE: &[c_long] = &[
    SYS_brk,
    SYS_clock_getres,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_close,
    SYS_dup,
    SYS_dup3,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_eventfd2,
    SYS_execve,
    SYS_exit,
    SYS_exit_group,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_fchdir,
    SYS_chdir,
    SYS_fdatasync,
    SYS_flock,
    SYS_fstat,
    SYS_fsync,
    SYS_ftruncate,
    SYS_futex,
    SYS_getcwd,
    SYS_getdents64,
    SYS_getegid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getgroups,
    SYS_getitimer,
    SYS_getpid,
    SYS_getppid,
    SYS_getrandom,
    SYS_getresgid,
    SYS_getresuid,
    SYS_getrusage,
    SYS_gettid,
    SYS_gettimeofday,
    SYS_getuid,
    SYS_linkat,
    SYS_lseek,
    SYS_madvise,
    SYS_membarrier,
    SYS_mkdirat,
    SYS_mmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_munmap,
    SYS_nanosleep,
    SYS_newfstatat,
    SYS_pipe2,
    SYS_ppoll,
    SYS_pread64,
    SYS_pselect6,
    SYS_pwrite64,
    SYS_read,
    SYS_readlinkat,
    SYS_readv,
    SYS_renameat,
    SYS_renameat2,
    SYS_rseq,
    SYS_rt_sigaction,
    SYS_rt_sigpending,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait,
    SYS_sched_getaffinity,
    SYS_sched_yield,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_setitimer,
    SYS_shutdown,
    SYS_sigaltstack,
    SYS_statx,
    SYS_symlinkat,
    SYS_sysinfo,
    SYS_times,
    SYS_umask,
    SYS_uname,
    SYS_unlinkat,
    SYS_write,
    SYS_writev,
    // The other filter refuses it with the error that makes the C library use `clone`.
    SYS_clone3,
];

/// The older names of some of them.
#[cfg(target_arch = "x86_64")]
const OLDER: &[c_long] = &[
    libc::SYS_access,
    libc::SYS_alarm,
    libc::SYS_arch_prctl,
    libc::SYS_dup2,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_link,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_pause,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_rmdir,
    libc::SYS_select,
    libc::SYS_stat,
    libc::SYS_symlink,
    libc::SYS_time,
    libc::SYS_unlink,
];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: &[c_long] = &[];

/// Calls that change a file by its path. Landlock does not see them, so they are allowed only if every other file is read-only.
const BY_PATH: &[c_long] = &[SYS_fchmod, SYS_fchmodat, SYS_truncate, SYS_utimensat];
#[cfg(target_arch = "x86_64")]
const OLDER_BY_PATH: &[c_long] = &[libc::SYS_chmod];
#[cfg(not(target_arch = "x86_64"))]
const OLDER_BY_PATH: &[c_long] = &[];

/// The allowed `fcntl` commands: none that makes the kernel send a signal to another process.
const OF_DESCRIPTORS: [i32; 11] = [
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_GETLK,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
];

/// The allowed `ioctl` requests.
#[allow(clippy::unnecessary_cast, reason = "the C libraries have different types for them")]
const OF_DEVICES: [u64; 6] = [
    libc::TCGETS as u64,
    libc::TIOCGWINSZ as u64,
    libc::FIONBIO as u64,
    libc::FIONREAD as u64,
    libc::FIOCLEX as u64,
    libc::FIONCLEX as u64,
];

/// Restricts this process, and the program that it becomes, to harmless calls.
pub(crate) fn allow_only_harmless(everything_else_is_read_only: bool) -> Result<(), Refusal> {
    let failed = |error: &dyn std::fmt::Display| format!("seccomp: {error}");
    let (missing, allowed) =
        filters(everything_else_is_read_only).map_err(|error| failed(&error))?;
    apply_filter(&missing).map_err(|error| failed(&error))?;
    apply_filter(&allowed).map_err(|error| failed(&error))
}

fn filters(everything_else_is_read_only: bool) -> Built<(BpfProgram, BpfProgram)> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let missing = SeccompFilter::new(
        Rules::from([(SYS_clone3, Vec::new())]),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::ENOSYS as u32),
        architecture,
    )?;
    let allowed = SeccompFilter::new(
        rules(everything_else_is_read_only)?,
        SeccompAction::Errno(libc::EPERM as u32),
        SeccompAction::Allow,
        architecture,
    )?;
    Ok((missing.try_into()?, allowed.try_into()?))
}

fn rules(everything_else_is_read_only: bool) -> Built<Rules> {
    let mut free: Vec<c_long> = [FREE, OLDER].concat();
    if everything_else_is_read_only {
        free.extend(BY_PATH.iter().chain(OLDER_BY_PATH));
    }
    let mut rules: Rules = free.into_iter().map(|call| (call, Vec::new())).collect();
    // The process id stays the same when this process becomes the interpreter.
    let own = u64::try_from(rustix::process::getpid().as_raw_nonzero().get()).unwrap_or(0);
    let mut when = |call: c_long, cases: Vec<Vec<SeccompCondition>>| -> Built<()> {
        let cases = cases.into_iter().map(SeccompRule::new).collect::<Built<Vec<_>>>()?;
        rules.insert(call, cases);
        Ok(())
    };
    let any = |index: u8, values: &[u64]| -> Built<Vec<Vec<SeccompCondition>>> {
        values.iter().map(|value| Ok(vec![equals(index, *value)?])).collect()
    };
    // Only a new thread of this process.
    let new = libc::CLONE_NEWCGROUP
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWNET
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWUSER
        | libc::CLONE_NEWUTS
        | libc::CLONE_PTRACE;
    let thread = u64::from((libc::CLONE_THREAD | new) as u32);
    when(SYS_clone, vec![vec![masked(0, thread, libc::CLONE_THREAD as u64)?]])?;
    // Only signals to itself.
    when(SYS_kill, any(0, &[own])?)?;
    when(SYS_tgkill, any(0, &[own])?)?;
    when(SYS_prlimit64, any(0, &[0])?)?;
    let mut commands = any(1, &OF_DESCRIPTORS.map(|command| command as u64))?;
    let asynchronous = u64::from(libc::O_ASYNC as u32);
    commands.push(vec![equals(1, libc::F_SETFL as u64)?, masked(2, asynchronous, 0)?]);
    when(SYS_fcntl, commands)?;
    when(SYS_ioctl, any(1, &OF_DEVICES)?)?;
    // Emptying a file requires the right to write to it, but opening it to read with `O_TRUNC` does not ask for that right.
    let emptied = u64::from(libc::O_TRUNC as u32);
    let opened = |index: u8| -> Built<Vec<Vec<SeccompCondition>>> {
        let with = |mask: u64, value: u64| Ok(vec![masked(index, mask, value)?]);
        let (write, both) = (libc::O_WRONLY as u64, libc::O_RDWR as u64);
        Ok(vec![with(emptied, 0)?, with(write, write)?, with(both, both)?])
    };
    when(SYS_openat, opened(2)?)?;
    #[cfg(target_arch = "x86_64")]
    when(libc::SYS_open, opened(1)?)?;
    // Only named pipes, and no other special file.
    let kind = u64::from(libc::S_IFMT);
    when(SYS_mknodat, vec![vec![masked(2, kind, libc::S_IFIFO.into())?]])?;
    #[cfg(target_arch = "x86_64")]
    when(libc::SYS_mknod, vec![vec![masked(1, kind, libc::S_IFIFO.into())?]])?;
    // A connected pair, with which event loops wake themselves; `sendto` and `recvfrom` only without flags, which would allow more.
    let flags = (libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC) as u64;
    let stream = SeccompCmpOp::MaskedEq(u64::from(u32::MAX) & !flags);
    let stream =
        SeccompCondition::new(1, SeccompCmpArgLen::Dword, stream, libc::SOCK_STREAM as u64)?;
    when(SYS_socketpair, vec![vec![equals(0, libc::AF_UNIX as u64)?, stream, equals(2, 0)?]])?;
    let nowhere = SeccompCondition::new(4, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)?;
    when(SYS_sendto, vec![vec![equals(3, 0)?, nowhere]])?;
    when(SYS_recvfrom, vec![vec![equals(3, 0)?]])?;
    Ok(rules)
}

/// Compares only the lower half of an argument: if the kernel takes a 32-bit number, it ignores the upper half.
fn equals(index: u8, value: u64) -> Built<SeccompCondition> {
    let value = value & u64::from(u32::MAX);
    SeccompCondition::new(index, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn masked(index: u8, mask: u64, value: u64) -> Built<SeccompCondition> {
    SeccompCondition::new(index, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask), value)
}
