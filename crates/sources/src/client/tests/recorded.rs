//! Tests with hostile input collected for them.

use std::path::PathBuf;
use std::process::Command;

use super::*;

fn data(path: &str) -> PathBuf {
    let folder = std::env::var_os("QUAESTIO_TEST_DATA").expect("QUAESTIO_TEST_DATA names a folder");
    PathBuf::from(folder).join("security").join(path)
}

// proves: A2
#[tokio::test]
async fn no_address_of_the_list_is_connected_to() {
    // The servers use the ports in the list if they are free; otherwise the addresses get a port that is.
    let servers = ["127.0.0.1:8999", "[::1]:8999", "127.0.0.2:8999", "127.0.0.1:0"];
    let servers = servers.map(|address| Server::start_at(address, |_| Say::html("secret")).ok());
    let port = servers[3].as_ref().unwrap().address().port().to_string();
    let settings = Settings {
        private_hosts: vec!["192.0.2.1".into()],
        connect_timeout: Duration::from_millis(20),
        page_timeout: Duration::from_millis(500),
        page_attempts: 2,
        ..settings()
    };
    let client = with_names(settings);
    let list = std::fs::read_to_string(data("ssrf_urls.txt")).unwrap();
    let (mut refused, mut public) = (0, 0);
    for url in list.lines() {
        for url in [url.to_owned(), url.replace("8999", &port)] {
            match client.fetch(&url).await {
                Err(PortError::Invalid { .. }) => refused += 1,
                // The name resolved to a public address this time.
                Err(_) => public += 1,
                Ok(_) => panic!("{url}"),
            }
        }
    }
    println!("{refused} refused, {public} not reached");
    assert!(refused + public > 500 && public < 30, "{refused} refused, {public} not reached");
    for server in servers.into_iter().flatten() {
        assert_eq!(server.connections(), 0, "{}", server.address());
    }
}

/// Returns the peak memory of this process, in bytes.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap() * 1_024
}

// proves: A2
#[test]
fn a_bomb_is_refused_with_little_memory() {
    const ALONE: &str = "QUAESTIO_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        // It runs in its own process, where no other test uses memory.
        let name = std::thread::current().name().unwrap().to_owned();
        let test = std::env::current_exe().unwrap();
        let run =
            Command::new(test).args(["--exact", &name, "--nocapture"]).env(ALONE, "1").output();
        let run = run.unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        print!("{said}");
        assert!(
            run.status.success() && said.contains("1 passed"),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
        return;
    }
    let bomb = std::fs::read(data("bombs/zeros-2GiB.br")).unwrap();
    let server = Server::start(move |_| {
        let headers = [("content-encoding", "br"), ("content-type", "text/html")];
        let headers = headers.map(|(name, value)| (name, value.to_owned())).to_vec();
        Say::Whole { status: 200, headers, body: bomb.clone() }
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = client();
    let before = most_memory();
    let page = runtime.block_on(client.fetch(&server.url("/"))).unwrap_err();
    let reply = runtime.block_on(client.ask(&etiquette(), &request(&server))).unwrap_err();
    for error in [page, reply] {
        assert!(error.to_string().contains("more than the limit of 20971520 bytes"), "{error}");
    }
    let used = most_memory() - before;
    println!("{} KiB more than before", used / 1_024);
    assert!(used < 64 << 20, "{used} bytes");
    assert_eq!(server.seen().len(), 2);
}
