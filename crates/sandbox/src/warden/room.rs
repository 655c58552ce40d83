//! The surroundings of a program: namespaces with only an interpreter and a scratch folder, or that folder alone.

use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use run::sandbox::Limits;
use rustix::fs::CWD;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags,
    OpenTreeFlags, UnmountFlags, fsconfig_create, fsconfig_set_string, fsmount, fsopen,
    mount_change, move_mount, open_tree, unmount,
};
use rustix::process::{Pid, WaitOptions, getegid, geteuid, waitpid};
use rustix::thread::{CapabilitySet, UnshareFlags, capabilities};

use super::{Refusal, files, refused, sys};
use crate::interpreter::Interpreter;

/// The user and group id of the user `nobody`.
pub(crate) const NOBODY: u32 = 65_534;
/// Where the new root is assembled: an existing folder that is no longer needed.
const SITE: &str = "/proc";
const SCRATCH: &str = "/scratch";
const NOTHING: &str = "/dev/null";

/// The surroundings of a program.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) scratch: PathBuf,
    pub(crate) has_namespaces: bool,
    /// Whether the program must become the user `nobody`.
    pub(crate) is_nobodys: bool,
    temporary: Option<files::Temporary>,
}

impl Room {
    /// Makes a scratch folder among the temporary files; it is removed with the room.
    pub(crate) fn temporary(folder: &Path) -> Result<Room, Refusal> {
        let temporary = files::Temporary::new(folder)
            .map_err(|error| format!("a scratch folder in {}: {error}", folder.display()))?;
        let scratch = temporary.path().to_owned();
        Ok(Room { scratch, has_namespaces: false, is_nobodys: false, temporary: Some(temporary) })
    }

    /// Returns whether the warden must check how much is stored.
    pub(crate) fn is_watched(&self) -> bool {
        self.temporary.is_some()
    }
}

/// Enters namespaces of its own, whose processes begin with the next fork.
pub(crate) fn enter(interpreter: &Interpreter, limits: &Limits) -> Result<Room, Refusal> {
    let is_nobodys = separate().map_err(|error| format!("namespaces: {error}"))?;
    furnish(interpreter, limits, is_nobodys)?;
    let scratch = PathBuf::from(SCRATCH);
    Ok(Room { scratch, has_namespaces: true, is_nobodys, temporary: None })
}

/// Enters namespaces of every kind. Returns whether `nobody` is a user there other than the one who started this.
fn separate() -> io::Result<bool> {
    let all = UnshareFlags::NEWUSER
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWNET
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    let held = capabilities(None)?.effective;
    if held.contains(CapabilitySet::SETUID | CapabilitySet::SETGID) && geteuid().is_root() {
        // Root can map two users: one that puts up the walls and one that lives behind them.
        let mut mapper = Mapper::start()?;
        sys::unshare(all)?;
        return mapper.map().map(|()| true);
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    sys::unshare(all)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{NOBODY} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{NOBODY} {group} 1"))?;
    Ok(false)
}

/// A process that stays outside long enough to map the users inside.
struct Mapper {
    process: Pid,
    go: io::PipeWriter,
}

impl Mapper {
    fn start() -> io::Result<Mapper> {
        let (mut from, go) = io::pipe()?;
        let warden = rustix::process::getpid().as_raw_nonzero();
        match sys::fork()? {
            Some(process) => Ok(Mapper { process, go }),
            None => {
                drop(go);
                let written = from.read_exact(&mut [0]).and_then(|()| {
                    ["uid_map", "gid_map"].iter().try_for_each(|map| {
                        fs::write(
                            format!("/proc/{warden}/{map}"),
                            format!("0 0 1\n{NOBODY} {NOBODY} 1"),
                        )
                    })
                });
                sys::end(i32::from(written.is_err()))
            }
        }
    }

    fn map(&mut self) -> io::Result<()> {
        self.go.write_all(&[1])?;
        let ended = waitpid(Some(self.process), WaitOptions::empty())?;
        if ended.and_then(|(_, status)| status.exit_status()) == Some(0) {
            return Ok(());
        }
        Err(io::Error::other("users could not be mapped"))
    }
}

/// Builds a root from what the interpreter needs, and makes it the only one.
fn furnish(interpreter: &Interpreter, limits: &Limits, is_nobodys: bool) -> Result<(), Refusal> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).map_err(|error| format!("namespaces: mounts: {error}"))?;
    let reading = MountAttrFlags::MOUNT_ATTR_RDONLY
        | MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV;
    let device = MountAttrFlags::MOUNT_ATTR_RDONLY
        | MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    let mut pieces = Vec::new();
    let mut links = Vec::new();
    let wanted = interpreter.folders.iter().chain([&interpreter.executable]);
    let within = |path: &Path| interpreter.folders.iter().any(|folder| path.starts_with(folder));
    let loose = interpreter.loaders.iter().filter(|loader| !within(loader));
    for path in wanted.chain(loose) {
        // A link to a folder, as /lib often is, stays a link.
        match fs::read_link(path) {
            Ok(target) => links.push((path.clone(), target)),
            Err(_) => pieces.push((path.clone(), copy(path, reading)?)),
        }
    }
    pieces.push((NOTHING.into(), copy(Path::new(NOTHING), device)?));
    // The root itself holds only mount points and links.
    let root = memory(
        &[("size", "1m"), ("nr_inodes", "4096"), ("mode", "0755")],
        MountAttrFlags::MOUNT_ATTR_NODEV,
    )?;
    let site = Path::new(SITE);
    attach(&root, site)?;
    let below = |path: &Path| site.join(path.strip_prefix("/").unwrap_or(path));
    for (path, tree) in pieces {
        let there = below(&path);
        let is_folder = path.is_dir();
        folders(there.parent().unwrap_or(site))?;
        if is_folder {
            folders(&there)?;
        } else {
            fs::write(&there, []).map_err(refused("namespaces: a mount point"))?;
        }
        attach(&tree, &there)?;
    }
    for (path, target) in links {
        let there = below(&path);
        folders(there.parent().unwrap_or(site))?;
        symlink(target, there).map_err(refused("namespaces: a link"))?;
    }
    let size = format!("{}m", limits.scratch_mib.max(1));
    // One more for the folder itself.
    let most = limits.files.saturating_add(1).to_string();
    let owner = if is_nobodys || !geteuid().is_root() { NOBODY.to_string() } else { "0".into() };
    let scratch = memory(
        &[
            ("size", &size),
            ("nr_inodes", &most),
            ("mode", "0700"),
            ("uid", &owner),
            ("gid", &owner),
        ],
        MountAttrFlags::MOUNT_ATTR_NODEV | MountAttrFlags::MOUNT_ATTR_NOEXEC,
    )?;
    let there = below(Path::new(SCRATCH));
    folders(&there)?;
    // The root first, without the mounts below it.
    sys::set_mount_alone(root.as_fd(), reading.bits().into())
        .map_err(refused("namespaces: a root that is only read"))?;
    attach(&scratch, &there)?;
    let moved = rustix::process::chdir(SITE)
        .and_then(|()| rustix::process::pivot_root(".", "."))
        .and_then(|()| unmount(".", UnmountFlags::DETACH))
        .and_then(|()| rustix::process::chdir("/"));
    moved.map_err(|error| format!("namespaces: a new root: {error}"))
}

fn folders(path: &Path) -> Result<(), Refusal> {
    use std::os::unix::fs::DirBuilderExt;
    let old = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    let made = fs::DirBuilder::new().recursive(true).mode(0o755).create(path);
    rustix::process::umask(old);
    made.map_err(refused("namespaces: a folder"))
}

/// Returns a copy of the mount at a path.
fn copy(path: &Path, attributes: MountAttrFlags) -> Result<OwnedFd, Refusal> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    let tree = open_tree(CWD, path, flags)
        .map_err(|error| format!("namespaces: {}: {error}", path.display()))?;
    sys::set_mount(tree.as_fd(), attributes.bits().into())
        .map_err(|error| format!("namespaces: {} read-only: {error}", path.display()))?;
    Ok(tree)
}

/// Returns an in-memory file system.
fn memory(options: &[(&str, &str)], attributes: MountAttrFlags) -> Result<OwnedFd, Refusal> {
    let made = || {
        let kind = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        for (key, value) in options {
            fsconfig_set_string(kind.as_fd(), *key, *value)?;
        }
        fsconfig_create(kind.as_fd())?;
        let attributes = attributes | MountAttrFlags::MOUNT_ATTR_NOSUID;
        fsmount(kind.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)
    };
    made().map_err(|error| format!("namespaces: a file system in memory: {error}"))
}

fn attach(tree: &OwnedFd, there: &Path) -> Result<(), Refusal> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    move_mount(tree.as_fd(), "", CWD, there, flags)
        .map_err(|error| format!("namespaces: {}: {error}", there.display()))
}
