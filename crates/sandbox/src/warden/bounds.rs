//! The child confines itself and becomes the interpreter.

use std::convert::Infallible;
use std::ffi::CString;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::process::{
    Gid, Resource, Rlimit, Signal, Uid, chdir, getrlimit, set_parent_process_death_signal,
    setrlimit, setsid,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs, set_thread_groups,
    set_thread_res_gid, set_thread_res_uid,
};

use super::room::{NOBODY, Room};
use super::watch::THREADS;
use super::{DRIVER, Refusal, c_path, calls, refused, sys};
use crate::protocol::{Request, Wall};

/// The maximum number of a program's descriptors.
const DESCRIPTORS: u64 = 64;
const STACK: u64 = 8 << 20;
/// The versions of Landlock, newest first.
const ABIS: [ABI; 9] =
    [ABI::V9, ABI::V8, ABI::V7, ABI::V6, ABI::V5, ABI::V4, ABI::V3, ABI::V2, ABI::V1];

/// The confinement of a process that is about to become the interpreter.
pub(crate) struct Bounds<'a> {
    pub(crate) request: &'a Request,
    pub(crate) room: &'a Room,
}

impl Bounds<'_> {
    /// Confines this process and becomes the interpreter; returns only if something is not allowed here, and says what.
    ///
    /// `places` become its descriptors 0, 1, 2 and 3. It waits for a byte from `go`, which a dead warden does not send.
    pub(crate) fn become_it(
        &self,
        places: [BorrowedFd<'_>; 4],
        go: BorrowedFd<'_>,
    ) -> Result<Infallible, Refusal> {
        setsid().map_err(|error| format!("a session: {error}"))?;
        for (at, descriptor) in (0..).zip(places) {
            sys::place(descriptor, at).map_err(refused("a descriptor"))?;
        }
        sys::close_with_execute_from(4).map_err(refused("descriptors"))?;
        chdir(&self.room.scratch).map_err(|error| format!("the scratch folder: {error}"))?;
        self.give_up_rights().map_err(refused("capabilities"))?;
        self.limit().map_err(refused("rlimits"))?;
        set_parent_process_death_signal(Some(Signal::KILL))
            .map_err(|error| format!("the end with its parent: {error}"))?;
        if rustix::io::read(go, &mut [0]) != Ok(1) {
            return Err("nobody waits for it".to_owned());
        }
        set_no_new_privs(true).map_err(|error| format!("no new privileges: {error}"))?;
        let (path, arguments, variables) = self.command()?;
        if self.request.walls.contains(&Wall::Landlock) {
            self.wall().map_err(|error| format!("landlock: {error}"))?;
        }
        calls::allow_only_harmless(self.room.has_namespaces)?;
        sys::execute(&path, &arguments, &variables)
            .map_err(|error| format!("{}: {error}", self.request.interpreter.executable.display()))
    }

    fn give_up_rights(&self) -> io::Result<()> {
        let all = CapabilitySet::all();
        for capability in all.iter() {
            // Fails without the right to drop them, but then the process gains none.
            let _ = remove_capability_from_bounding_set(capability);
        }
        if self.room.is_nobodys {
            let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
            set_thread_groups(&[])?;
            set_thread_res_gid(group, group, group)?;
            set_thread_res_uid(user, user, user)?;
        }
        clear_ambient_capability_set()?;
        let none = CapabilitySet::empty();
        Ok(set_capabilities(
            None,
            CapabilitySets { effective: none, permitted: none, inheritable: none },
        )?)
    }

    fn limit(&self) -> io::Result<()> {
        let limits = &self.request.program.limits;
        lower(Resource::As, limits.memory_mib.saturating_mul(1 << 20))?;
        lower(Resource::Cpu, limits.seconds.max(1))?;
        lower(Resource::Fsize, limits.scratch_mib.saturating_mul(1 << 20))?;
        lower(Resource::Nofile, DESCRIPTORS)?;
        lower(Resource::Core, 0)?;
        lower(Resource::Stack, STACK)?;
        lower(Resource::Memlock, 0)?;
        lower(Resource::Msgqueue, 0)?;
        if self.room.has_namespaces {
            // Only in namespaces does the kernel count this program's threads alone.
            lower(Resource::Nproc, THREADS)?;
        }
        Ok(())
    }

    /// Applies Landlock at the highest version that this kernel supports.
    fn wall(&self) -> Result<(), Refusal> {
        let mut refusal = "the kernel enforces it only in part".to_owned();
        for abi in high_enough(self.room.has_namespaces) {
            match self.rules(abi) {
                Ok(rules) => {
                    let status = rules.restrict_self().map_err(|error| error.to_string())?;
                    // Every rule is required, so anything else means that the rules do not fully hold.
                    if status.ruleset == RulesetStatus::FullyEnforced {
                        return Ok(());
                    }
                }
                Err(error) => refusal = error.to_string(),
            }
        }
        if !self.room.has_namespaces {
            refusal.push_str(" (without namespaces, Linux 6.2 or later is needed)");
        }
        Err(refusal)
    }

    fn rules(&self, abi: ABI) -> Result<landlock::RulesetCreated, landlock::RulesetError> {
        let interpreter = &self.request.interpreter;
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(abi))?;
        let connections = AccessNet::from_all(abi);
        if !connections.is_empty() {
            rules = rules.handle_access(connections)?;
        }
        let scopes = Scope::from_all(abi);
        if !scopes.is_empty() {
            rules = rules.scope(scopes)?;
        }
        let read = AccessFs::ReadFile | AccessFs::ReadDir;
        let run = AccessFs::ReadFile | AccessFs::Execute;
        let write = AccessFs::ReadFile
            | AccessFs::WriteFile
            | AccessFs::ReadDir
            | AccessFs::RemoveDir
            | AccessFs::RemoveFile
            | AccessFs::MakeDir
            | AccessFs::MakeReg
            | AccessFs::MakeSym
            | AccessFs::MakeFifo
            | AccessFs::Refer
            | AccessFs::Truncate;
        let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
        let folders = interpreter.folders.iter().map(|path| (path.as_path(), read));
        let programs = interpreter.loaders.iter().chain([&interpreter.executable]);
        let programs = programs.map(|path| (path.as_path(), run));
        let own = [(self.room.scratch.as_path(), write), (Path::new("/dev/null"), device)];
        let mut created = rules.create()?;
        let known: BitFlags<AccessFs> = AccessFs::from_all(abi);
        for (path, access) in folders.chain(programs).chain(own) {
            // A folder that has disappeared is not needed.
            let Ok(path) = PathFd::new(path) else { continue };
            created = created.add_rule(PathBeneath::new(path, access & known))?;
        }
        Ok(created)
    }

    fn command(&self) -> Result<(CString, Vec<CString>, Vec<CString>), Refusal> {
        let interpreter = &self.request.interpreter;
        let c = |text: String| CString::new(text).map_err(|_| "a zero in a path".to_owned());
        let scratch = self.room.scratch.display();
        let path = c_path(&interpreter.executable)?;
        // Modules in the working folder, in the user's home or from a `.pth` file are not loaded.
        let mut arguments = vec![path.clone()];
        for argument in ["-s", "-S", "-B", "-X", "utf8", "-c", DRIVER] {
            arguments.push(c(argument.to_owned())?);
        }
        for package in &interpreter.packages {
            arguments.push(c_path(package)?);
        }
        let mut variables = vec![
            c("PYTHONHASHSEED=0".to_owned())?,
            c("LC_ALL=C.UTF-8".to_owned())?,
            c("TZ=UTC".to_owned())?,
            c(format!("HOME={scratch}"))?,
            c(format!("TMPDIR={scratch}"))?,
        ];
        if let Some(libraries) = &interpreter.libraries {
            variables.push(c(format!("LD_LIBRARY_PATH={}", libraries.display()))?);
        }
        Ok((path, arguments, variables))
    }
}

/// Returns the acceptable Landlock versions, newest first.
///
/// Before version 3, nothing keeps code from emptying a file that its user owns, such as the interpreter of an environment. That is enough
/// only if namespaces make everything read-only.
fn high_enough(has_namespaces: bool) -> impl Iterator<Item = ABI> {
    ABIS.into_iter().filter(move |abi| has_namespaces || *abi >= ABI::V3)
}

/// Sets the limit from now on, never above the maximum of this process.
fn lower(resource: Resource, to: u64) -> io::Result<()> {
    let to = getrlimit(resource).maximum.map_or(to, |maximum| maximum.min(to));
    Ok(setrlimit(resource, Rlimit { current: Some(to), maximum: Some(to) })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: D4
    #[test]
    fn behind_landlock_alone_every_wall_sees_that_a_file_is_emptied() {
        let alone: Vec<ABI> = high_enough(false).collect();
        assert_eq!(alone.last(), Some(&ABI::V3));
        assert!(alone.iter().all(|abi| AccessFs::from_all(*abi).contains(AccessFs::Truncate)));
        assert_eq!(high_enough(true).count(), ABIS.len());
    }
}
