//! System calls without a safe interface.
#![allow(
    unsafe_code,
    reason = "fork, exec, unshare and the numbers of descriptors; each block says why it is sound"
)]

use std::convert::Infallible;
use std::ffi::{CString, c_char, c_int, c_uint};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::null;
use std::time::Duration;

use rustix::process::Pid;
use rustix::thread::UnshareFlags;

fn checked(code: libc::c_long) -> io::Result<libc::c_long> {
    if code < 0 { Err(io::Error::last_os_error()) } else { Ok(code) }
}

/// Forks this process; returns `None` in the child.
pub(crate) fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: this process has one thread, so no lock is held by a thread that the copy lacks.
    let pid = checked(unsafe { libc::fork() }.into())?;
    Ok(i32::try_from(pid).ok().and_then(Pid::from_raw))
}

/// Ends this process at once.
pub(crate) fn end(code: c_int) -> ! {
    // SAFETY: takes a number and does not return.
    unsafe { libc::_exit(code) }
}

/// Becomes another program.
pub(crate) fn execute(
    path: &CString,
    arguments: &[CString],
    variables: &[CString],
) -> io::Result<Infallible> {
    let ended = |texts: &[CString]| -> Vec<*const c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([null()]).collect()
    };
    let (arguments, variables) = (ended(arguments), ended(variables));
    // SAFETY: all strings end with a zero byte and both lists with a null pointer, and they outlive the call.
    unsafe { libc::execve(path.as_ptr(), arguments.as_ptr(), variables.as_ptr()) };
    Err(io::Error::last_os_error())
}

/// Closes every descriptor from `first` on.
pub(crate) fn close_from(first: c_uint) -> io::Result<()> {
    // SAFETY: only called while nothing owns a descriptor that high.
    checked(unsafe { libc::syscall(libc::SYS_close_range, first, c_uint::MAX, 0) }).map(drop)
}

/// Marks every descriptor from `first` on to be closed by the next `execute`.
pub(crate) fn close_with_execute_from(first: c_uint) -> io::Result<()> {
    let flag = libc::CLOSE_RANGE_CLOEXEC;
    // SAFETY: closes nothing now.
    checked(unsafe { libc::syscall(libc::SYS_close_range, first, c_uint::MAX, flag) }).map(drop)
}

/// Copies a descriptor to the number `at`, where it survives `execute`.
pub(crate) fn place(descriptor: BorrowedFd<'_>, at: c_int) -> io::Result<()> {
    // SAFETY: called in a child in which nothing owns a number below 16 except standard input and output, which are replaced.
    checked(unsafe { libc::dup2(descriptor.as_raw_fd(), at) }.into()).map(drop)
}

pub(crate) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: descriptors stay shared.
    Ok(unsafe { rustix::thread::unshare_unsafe(flags) }?)
}

/// Sets attributes of a mount and of all mounts below it.
pub(crate) fn set_mount(tree: BorrowedFd<'_>, attributes: u64) -> io::Result<()> {
    set_mounts(tree, attributes, libc::AT_EMPTY_PATH | libc::AT_RECURSIVE)
}

/// Sets attributes of a mount, but not of those below it.
pub(crate) fn set_mount_alone(tree: BorrowedFd<'_>, attributes: u64) -> io::Result<()> {
    set_mounts(tree, attributes, libc::AT_EMPTY_PATH)
}

fn set_mounts(tree: BorrowedFd<'_>, attributes: u64, flags: c_int) -> io::Result<()> {
    let set = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    let (path, size) = (c"".as_ptr(), size_of::<libc::mount_attr>());
    // SAFETY: the structure outlives the call and its size is given.
    let code = unsafe {
        libc::syscall(libc::SYS_mount_setattr, tree.as_raw_fd(), path, flags, &raw const set, size)
    };
    checked(code).map(drop)
}

/// Has this process killed after this many seconds.
pub(crate) fn alarm(seconds: u64) {
    // SAFETY: takes a number.
    unsafe { libc::alarm(c_uint::try_from(seconds).unwrap_or(c_uint::MAX)) };
}

/// Returns the processor time of ended children.
pub(crate) fn processor_time() -> Duration {
    // SAFETY: all zeros is a valid value of this structure, which the call fills in.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let whole = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
    let parts = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    Duration::from_secs(u64::try_from(whole).unwrap_or(0))
        + Duration::from_micros(u64::try_from(parts).unwrap_or(0))
}
