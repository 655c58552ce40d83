//! What no safe interface offers.
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

/// Splits this process in two; the new one is told nothing.
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
    // SAFETY: all texts end with a zero and both lists with a null, and they outlive the call.
    unsafe { libc::execve(path.as_ptr(), arguments.as_ptr(), variables.as_ptr()) };
    Err(io::Error::last_os_error())
}

/// Closes every descriptor from `first` on.
pub(crate) fn close_from(first: c_uint) -> io::Result<()> {
    // SAFETY: only called where nothing owns a descriptor that high.
    checked(unsafe { libc::syscall(libc::SYS_close_range, first, c_uint::MAX, 0) }).map(drop)
}

/// Has every descriptor from `first` on closed by the next `execute`.
pub(crate) fn close_with_execute_from(first: c_uint) -> io::Result<()> {
    let flag = libc::CLOSE_RANGE_CLOEXEC;
    // SAFETY: closes nothing now.
    checked(unsafe { libc::syscall(libc::SYS_close_range, first, c_uint::MAX, flag) }).map(drop)
}

/// Puts a copy of a descriptor at a number, where it survives `execute`.
pub(crate) fn place(descriptor: BorrowedFd<'_>, at: c_int) -> io::Result<()> {
    // SAFETY: called in a child whose numbers below 16 nobody owns but standard input and output, which are replaced.
    checked(unsafe { libc::dup2(descriptor.as_raw_fd(), at) }.into()).map(drop)
}

pub(crate) fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: descriptors stay shared.
    Ok(unsafe { rustix::thread::unshare_unsafe(flags) }?)
}

/// Sets attributes of a mount and of all below it.
pub(crate) fn set_mount(tree: BorrowedFd<'_>, attributes: u64) -> io::Result<()> {
    set_mounts(tree, attributes, libc::AT_EMPTY_PATH | libc::AT_RECURSIVE)
}

/// Sets attributes of a mount, and of none below it.
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

/// Has this process killed after that many seconds.
pub(crate) fn alarm(seconds: u64) {
    // SAFETY: takes a number.
    unsafe { libc::alarm(c_uint::try_from(seconds).unwrap_or(c_uint::MAX)) };
}

/// Returns how much processor time ended children have taken.
pub(crate) fn processor_time() -> Duration {
    // SAFETY: all zeroes is a value of this structure, which the call fills.
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
