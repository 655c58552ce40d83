//! Attempts to reach what lies outside.

use std::path::PathBuf;

use run::sandbox::End;

use super::{Case, Rung, outside};

/// Says what was reached.
const PRELUDE: &str = "
import os, sys

def attempt(what, action):
    try:
        reached = action()
    except (Exception, SystemExit) as error:
        print('held', what, type(error).__name__, error)
    else:
        print('REACHED', what, repr(reached)[:80])

def inet(kind):
    import socket
    return socket.socket(socket.AF_INET, kind)

def unix(address):
    import socket
    one = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.bind(address)

def call(number, *given):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(one) if isinstance(one, int) else one for one in given])
    if result == -1 and ctypes.get_errno() in (1, 38):
        raise PermissionError(ctypes.get_errno())
    return result, ctypes.get_errno()

def copy():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return os.waitpid(pid, 0)

def spawn(*command):
    import subprocess
    return subprocess.run(command, check=True, capture_output=True)

def replace(path):
    os.execv(path, [path, '-c', 'echo REACHED'])
";

/// The older call that opens a file, where there is one; else one that there is nowhere.
#[cfg(target_arch = "x86_64")]
const OPEN: libc::c_long = libc::SYS_open;
#[cfg(not(target_arch = "x86_64"))]
const OPEN: libc::c_long = 9_999;

/// Code, and whether the same succeeds outside for anybody: so the sandbox it is that holds it.
struct Attack {
    name: &'static str,
    code: String,
    succeeds_outside: bool,
}

fn attack(name: &'static str, code: impl Into<String>, succeeds_outside: bool) -> Attack {
    Attack { name, code: code.into(), succeeds_outside }
}

// proves: D4
pub(crate) fn cases(rung: &Rung) -> Vec<Case<'_>> {
    let attacks = list_attacks().into_iter().chain(calls());
    let mut cases: Vec<Case<'_>> = attacks
        .map(|attack| -> Case<'_> {
            (attack.name.to_owned(), Box::new(move || hold(rung, &attack)))
        })
        .collect();
    cases.push((
        "a_file_of_the_users_is_neither_read_nor_listed".into(),
        Box::new(|| own_files(rung)),
    ));
    cases.push(("variables_of_the_parent_are_unknown".into(), Box::new(|| variables(rung))));
    cases.push(("descriptors_of_the_parent_are_closed".into(), Box::new(|| descriptors(rung))));
    cases.push(("nothing_but_the_interpreter_is_in_the_world".into(), Box::new(|| world(rung))));
    cases
}

fn hold(rung: &Rung, attack: &Attack) {
    let source = format!("{PRELUDE}\n{}\nprint('end')\n", attack.code);
    if attack.succeeds_outside {
        let told = outside(&source);
        assert!(told.contains("REACHED"), "{}: outside: {told}", attack.name);
    }
    let Some(execution) = rung.run(&source) else { return };
    let told = &execution.stdout;
    assert!(!told.contains("REACHED"), "{}: {told}", attack.name);
    assert!(told.contains("held") && told.ends_with("end\n"), "{}: {execution:?}", attack.name);
    assert_eq!(execution.end, End::Exited { code: 0 }, "{}", attack.name);
}

fn list_attacks() -> Vec<Attack> {
    vec![
        attack("a_tcp_socket", "attempt('tcp', lambda: inet(1))", true),
        attack("a_udp_socket", "attempt('udp', lambda: inet(2))", true),
        attack("a_raw_socket", "attempt('raw', lambda: inet(3))", false),
        attack("a_unix_socket", "attempt('unix', lambda: unix('here'))", true),
        attack(
            "an_abstract_socket",
            "attempt('abstract', lambda: unix('\\0quaestio-%d' % os.getpid()))",
            true,
        ),
        attack(
            "a_vsock_socket",
            "import socket\nattempt('vsock', lambda: socket.socket(40, 1))",
            false,
        ),
        attack(
            "a_netlink_socket",
            "import socket\nattempt('netlink', lambda: socket.socket(16, 3, 0))",
            true,
        ),
        attack(
            "a_datagram_pair_that_could_send_elsewhere",
            "import socket\nattempt('pair', lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))",
            true,
        ),
        attack(
            "data_out_of_band_between_a_pair",
            "import socket\na, b = socket.socketpair()\nattempt('oob', lambda: a.send(b'x', socket.MSG_OOB))\nattempt('rights', lambda: socket.send_fds(a, [b'x'], [1]))\nassert a.send(b'y') == 1 and b.recv(1) == b'y'",
            true,
        ),
        attack(
            "a_name_that_is_resolved",
            "import socket\nattempt('dns', lambda: socket.getaddrinfo('example.org', 80))\nattempt('connect', lambda: socket.create_connection(('1.1.1.1', 53), 1))",
            false,
        ),
        attack(
            "reading_the_list_of_users",
            "attempt('passwd', lambda: open('/etc/passwd').read())",
            true,
        ),
        attack("reading_passwords", "attempt('shadow', lambda: open('/etc/shadow').read())", false),
        attack(
            "reading_through_ways_up",
            "attempt('up', lambda: open('../../../../../../etc/passwd').read())\nattempt('proc', lambda: open('/proc/self/root/etc/passwd').read())\nos.symlink('/etc/passwd', 'way')\nattempt('link', lambda: open('way').read())",
            true,
        ),
        attack(
            "writing_elsewhere",
            "name = 'quaestio-escape-%d' % os.getpid()\nfor folder in ('/tmp', '/dev/shm', '/var/tmp', '/', '/etc', '/usr/lib', os.path.dirname(os.__file__), '..'):\n    attempt(folder, lambda: (open(os.path.join(folder, name), 'x'), os.unlink(os.path.join(folder, name))))",
            true,
        ),
        attack(
            "changing_what_the_interpreter_is_made_of",
            "for path in (os.__file__, sys.executable):\n    attempt('mode', lambda: os.chmod(path, 0o755))\n    attempt('append', lambda: open(path, 'ab'))\n    attempt('time', lambda: os.utime(path, ns=(os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns)))\n    attempt('cut', lambda: os.truncate(path, os.stat(path).st_size))\n    attempt('name', lambda: os.rename(path, 'mine'))\n    attempt('link', lambda: os.link(path, 'mine'))",
            false,
        ),
        attack(
            "emptying_a_file_that_is_only_read",
            "open('own', 'w').write('x')\nattempt('own', lambda: os.open('own', os.O_RDONLY | os.O_TRUNC))\nattempt('own', lambda: call(NUMBER, b'own', os.O_RDONLY | os.O_TRUNC))\nassert os.fstat(os.open('own', os.O_RDWR | os.O_TRUNC)).st_size == 0\nassert os.fstat(os.open('own', os.O_WRONLY | os.O_TRUNC)).st_size == 0"
                .replace("NUMBER", &OPEN.to_string()),
            true,
        ),
        // Those that are empty, so that nothing is lost where it succeeds.
        attack(
            "emptying_what_the_interpreter_is_made_of",
            "import glob\nfor path in glob.glob(os.path.dirname(os.__file__) + '/*/__init__.py'):\n    if os.path.getsize(path) == 0:\n        for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):\n            attempt(path, lambda: os.open(path, flags | os.O_TRUNC))",
            false,
        ),
        attack("a_new_process", "attempt('fork', copy)", true),
        attack(
            "many_new_processes",
            "def bomb():\n    return [copy() for _ in range(3)]\nattempt('bomb', bomb)",
            true,
        ),
        attack(
            "a_shell",
            "attempt('sh', lambda: spawn('/bin/sh', '-c', 'true'))\nattempt('system', lambda: os.system('true') and 1 / 0)",
            true,
        ),
        attack(
            "becoming_a_shell",
            "attempt('exec', lambda: replace('/bin/sh'))\nattempt('exec', lambda: replace('/usr/bin/env'))\nattempt('spawn', lambda: os.posix_spawn('/bin/sh', ['sh', '-c', 'true'], {}))",
            false,
        ),
        attack(
            "becoming_what_it_wrote_itself",
            "open('mine', 'wb').write(b'#!/bin/sh\\necho REACHED\\n')\ntry:\n    os.chmod('mine', 0o755)\nexcept OSError:\n    pass\nattempt('exec', lambda: os.execv('./mine', ['mine']))",
            false,
        ),
        attack(
            "signals_to_others",
            "attempt('all', lambda: os.kill(-1, 0))\nattempt('parent', lambda: os.kill(os.getppid(), 0))\nattempt('first', lambda: os.kill(2, 0))\nattempt('group', lambda: os.killpg(os.getpgrp() if hasattr(os, 'never') else 0, 0))",
            false,
        ),
        attack(
            "a_signal_to_the_parent",
            "attempt('parent', lambda: os.kill(os.getppid(), 0) if os.getppid() else os.kill(2, 0))",
            true,
        ),
        attack(
            "signals_by_descriptor",
            "import fcntl\nr, w = os.pipe()\nattempt('owner', lambda: fcntl.fcntl(r, 8, os.getpid()))\nattempt('signal', lambda: fcntl.fcntl(r, 10, 28))\nattempt('async', lambda: fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC))",
            true,
        ),
        attack(
            "files_of_processes",
            "for path in ('/proc/self/status', '/proc/1/environ', '/proc/self/mem', '/proc/self/maps', '/proc/self/environ', '/proc/%d/cmdline' % os.getppid(), '/proc/sysrq-trigger', '/proc/kcore', '/sys/kernel/notes', '/sys/class/net', '/dev/mem', '/dev/kmsg', '/dev/tty', '/dev/ptmx', '/dev/zero'):\n    attempt(path, lambda: open(path, 'rb'))\n    attempt(path, lambda: open(path, 'ab'))",
            true,
        ),
        attack(
            "the_ways_that_processes_are",
            "for path in ('/proc/self/root', '/proc/1/root', '/proc/1/cwd', '/proc/%d/exe' % os.getppid(), '/proc/self/fd'):\n    attempt(path, lambda: open(path, 'rb').read(1))\n    attempt(path, lambda: os.listdir(path))",
            true,
        ),
        attack(
            "another_root",
            "attempt('chroot', lambda: os.chroot('.'))\nattempt('user', lambda: os.setuid(0) if os.getuid() else 1 / 0)\nattempt('groups', lambda: os.setgroups([0]))",
            false,
        ),
        attack(
            "devices",
            "attempt('device', lambda: os.mknod('null', 0o020666, os.makedev(1, 3)))\nattempt('disk', lambda: os.mknod('disk', 0o060666, os.makedev(8, 0)))\nattempt('socket', lambda: os.mknod('socket', 0o140666))",
            false,
        ),
        attack(
            "links_to_what_lies_outside",
            "for path in ('/etc/passwd', '/etc/hostname'):\n    attempt('link', lambda: os.link(path, 'mine'))\n    os.symlink(path, 'way' + path.replace('/', '-'))\nattempt('race', lambda: open('way-etc-passwd').read())\nattempt('write', lambda: open('way-etc-passwd', 'r+'))",
            true,
        ),
    ]
}

/// Calls of the kernel, made without the interpreter's help: each answers that it may not be made.
fn calls() -> Vec<Attack> {
    let list: &[(&str, libc::c_long, &str, bool)] = &[
        ("call_mount", libc::SYS_mount, "0, 0, 0, 0, 0", false),
        ("call_umount", libc::SYS_umount2, "0, 0", false),
        ("call_unshare", libc::SYS_unshare, "0", true),
        ("call_unshare_user", libc::SYS_unshare, "0x10000000", false),
        ("call_setns", libc::SYS_setns, "-1, 0", true),
        ("call_bpf", libc::SYS_bpf, "0, 0, 0", false),
        ("call_keyctl", libc::SYS_keyctl, "0, -3, 0", true),
        ("call_add_key", libc::SYS_add_key, "0, 0, 0, 0, 0", true),
        ("call_io_uring", libc::SYS_io_uring_setup, "1, 0", false),
        ("call_userfaultfd", libc::SYS_userfaultfd, "0", false),
        ("call_memfd", libc::SYS_memfd_create, "b'x', 0", true),
        ("call_execveat", libc::SYS_execveat, "-1, 0, 0, 0, 0", true),
        ("call_open_by_handle", libc::SYS_open_by_handle_at, "-1, 0, 0", false),
        ("call_name_to_handle", libc::SYS_name_to_handle_at, "-1, 0, 0, 0, 0", true),
        ("call_personality", libc::SYS_personality, "0xffffffff", true),
        ("call_perf_event", libc::SYS_perf_event_open, "0, 0, 0, 0, 0", false),
        ("call_kexec", libc::SYS_kexec_load, "0, 0, 0, 0", false),
        ("call_init_module", libc::SYS_init_module, "0, 0, 0", false),
        ("call_finit_module", libc::SYS_finit_module, "-1, 0, 0", false),
        ("call_reboot", libc::SYS_reboot, "0, 0, 0, 0", false),
        ("call_ptrace", libc::SYS_ptrace, "16, os.getppid() or 2, 0, 0", false),
        ("call_ptrace_me", libc::SYS_ptrace, "0, 0, 0, 0", true),
        ("call_read_of_a_process", libc::SYS_process_vm_readv, "os.getpid(), 0, 0, 0, 0, 0", true),
        (
            "call_write_of_a_process",
            libc::SYS_process_vm_writev,
            "os.getpid(), 0, 0, 0, 0, 0",
            true,
        ),
        ("call_pidfd", libc::SYS_pidfd_open, "os.getpid(), 0", true),
        ("call_pidfd_getfd", libc::SYS_pidfd_getfd, "-1, 0, 0", true),
        ("call_kcmp", libc::SYS_kcmp, "0, 0, 0, 0, 0", false),
        ("call_chroot", libc::SYS_chroot, "0", false),
        ("call_pivot_root", libc::SYS_pivot_root, "0, 0", false),
        ("call_socket", libc::SYS_socket, "2, 1, 0", true),
        ("call_socket_with_high_bits", libc::SYS_socket, "0x100000002, 1, 0", true),
        ("call_clone", libc::SYS_clone, "0x10000000, 0, 0, 0, 0", false),
        ("call_prctl", libc::SYS_prctl, "4, 0, 0, 0, 0", true),
        ("call_seccomp", libc::SYS_seccomp, "2, 0, 0", true),
        ("call_tkill", libc::SYS_tkill, "0, 0", true),
        ("call_shmget", libc::SYS_shmget, "0, 4096, 0o1600", true),
        ("call_mq_open", libc::SYS_mq_open, "0, 0, 0, 0", true),
        ("call_setpriority", libc::SYS_setpriority, "0, 0, 19", true),
        ("call_sched_setscheduler", libc::SYS_sched_setscheduler, "0, -1, 0", true),
        ("call_prlimit_of_another", libc::SYS_prlimit64, "os.getppid() or 2, 7, 0, 0", true),
        ("call_setxattr", libc::SYS_setxattr, "0, 0, 0, 0, 0", true),
        ("call_chown", libc::SYS_fchownat, "-100, 0, 0, 0, 0", true),
        ("call_fanotify", libc::SYS_fanotify_init, "0, 0", false),
        ("call_inotify", libc::SYS_inotify_init1, "0", true),
        ("call_quotactl", libc::SYS_quotactl, "0, 0, 0, 0", false),
        ("call_syslog", libc::SYS_syslog, "3, 0, 0", false),
        ("call_open_tree", libc::SYS_open_tree, "-1, 0, 0", true),
        ("call_timer_create", libc::SYS_timer_create, "0, 0, 0", true),
        ("call_sendmsg", libc::SYS_sendmsg, "-1, 0, 0", true),
    ];
    list.iter()
        .map(|(name, number, given, succeeds_outside)| {
            let code = format!("attempt({name:?}, lambda: call({number}, {given}))");
            attack(name, code, *succeeds_outside)
        })
        .collect()
}

/// What lies beside the user's work is neither read nor seen.
fn own_files(rung: &Rung) {
    let home = std::env::var_os("HOME").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = tempfile::Builder::new().prefix("quaestio-data-").tempdir_in(home).unwrap();
    let secret = folder.path().join("quaestio.db");
    std::fs::write(&secret, "REACHED the secret").unwrap();
    let data = env!("CARGO_MANIFEST_DIR");
    let source = format!(
        "{PRELUDE}\nsecret, folder = {secret:?}, {:?}\nattempt('read', lambda: open(secret).read())\nattempt('list', lambda: os.listdir(folder))\nattempt('write', lambda: open(secret, 'r+'))\nattempt('remove', lambda: os.unlink(secret))\nattempt('own', lambda: open('{data}/Cargo.toml').read())\nattempt('home', lambda: os.listdir(os.path.dirname(folder)).index(os.path.basename(folder)))\nprint('end')",
        folder.path()
    );
    let Some(execution) = rung.run(&source) else { return };
    assert!(!execution.stdout.contains("REACHED"), "{}", execution.stdout);
    assert!(execution.stdout.ends_with("end\n"), "{execution:?}");
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "REACHED the secret");
    drop(folder);
}

fn variables(rung: &Rung) {
    // The parent has some; which does not matter.
    assert!(std::env::var_os("PATH").is_some());
    let Some(execution) = rung.run("import os\nprint(sorted(os.environ))") else { return };
    for name in ["'PATH'", "USER", "CARGO", "QUAESTIO"] {
        assert!(!execution.stdout.contains(name), "{}", execution.stdout);
    }
    assert!(execution.stdout.contains("HOME"), "{execution:?}");
}

/// Whatever the parent has open, whether or not it was to be inherited, is not there.
fn descriptors(rung: &Rung) {
    let source = "import os\nopen_ones = []\nfor number in range(4096):\n    try:\n        os.fstat(number)\n        open_ones.append(number)\n    except OSError:\n        pass\nprint(open_ones)\nprint(repr(os.read(0, 100)))";
    let Some(execution) = rung.run(source) else { return };
    // The last is where the driver reports.
    assert_eq!(execution.stdout, "[0, 1, 2, 3]\nb''\n", "{execution:?}");
}

fn world(rung: &Rung) {
    let source = "import os, sys\nfound = []\nfor path in ('/etc', '/home', '/sys', '/var', '/run', '/tmp', '/usr/bin/env', '/bin/sh', '/opt', '/boot', '/mnt', '/srv', '/usr/share'):\n    if os.path.exists(path):\n        found.append(path)\nprint(found, os.getpid(), os.getuid())";
    let Some(execution) = rung.run(source) else { return };
    if rung.has_namespaces() {
        assert_eq!(execution.stdout, "[] 1 65534\n", "{execution:?}");
    }
}
