use proptest::prelude::*;

use super::*;

fn build_guard(private_hosts: &[&str]) -> Guard {
    let hosts: Vec<String> = private_hosts.iter().map(|host| (*host).to_owned()).collect();
    Guard::new(&hosts).unwrap()
}

/// Spellings of hosts that must not be reached.
const PRIVATE: &[&str] = &[
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",
    "127.000.000.001",
    "127.0.0.1.",
    "１２７.0.0.1",
    "127。0。0。1",
    "%31%32%37.0.0.1",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "169.254.169.254",
    "0xA9FEA9FE",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "100.100.100.200",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::127.0.0.1]",
    "[::8.8.8.8]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:8.8.8.8]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::8.8.8.8]",
    "[64:ff9b:1::1]",
    "[100::1]",
    "[2001::1]",
    "[2001:2::1]",
    "[2001:db8::1]",
    "[2002:7f00:1::]",
    "[3fff::1]",
    "[5f00::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "localhost%2e",
    "a.localhost",
    "printer.local",
    "api.internal",
    "metadata.google.internal",
    "metadata",
    "ip6-localhost",
    "vm",
    "router.home.arpa",
    "wiki",
    "wiki.",
    "a..",
];

const PUBLIC: &[&str] = &[
    "8.8.8.8",
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "[2606:4700::1111]",
    "[2001:4860:4860::8888]",
    "[2a00::1]",
    "example.org",
    "example.org.",
    "notlocalhost.org",
    "mylocal.org",
    "xn--bcher-kva.example",
    "bücher.example",
];

// proves: A2
#[test]
fn no_spelling_of_a_private_host_is_let_through_and_no_public_one_is_held_back() {
    let guard = build_guard(&[]);
    for host in PRIVATE {
        for url in [
            format!("http://{host}/"),
            format!("https://{host}:8443/x"),
            format!("http:{host}/"),
            format!("http:\\\\{host}/"),
            format!("HTTP:////{host}/"),
            format!(" http://{host}/"),
        ] {
            assert!(guard.read(&url).is_err(), "{url}");
        }
    }
    for host in PUBLIC {
        assert!(guard.read(&format!("http://{host}:81/")).is_ok(), "{host}");
    }
}

#[test]
fn other_schemes_users_and_zones_are_refused() {
    let guard = build_guard(&["localhost"]);
    for url in [
        "ftp://example.org/",
        "file:///etc/passwd",
        "gopher://example.org/_x",
        "dict://example.org/",
        "jar:http://example.org!/",
        "data:text/plain,x",
        "javascript:x",
        "//example.org/",
        "example.org",
        "",
        "http://",
        "http://[fe80::1%25eth0]/",
        "http://[::1%25lo]/",
        "http://user@example.org/",
        "http://user:pw@localhost/",
        "http://:pw@example.org/",
        "http://example.com%40localhost/",
        "http://a%00.example.org/",
        "http://exa mple.org/",
    ] {
        assert!(guard.read(url).is_err(), "{url}");
    }
}

#[test]
fn a_private_host_is_reached_where_a_setting_names_it_and_on_its_port_alone() {
    let guard = build_guard(&[
        "LOCALHOST:8999",
        "wiki",
        "10.1.2.3",
        "10.9.9.9:8080",
        "[::1]:80",
        "192.168.0.0/16",
        "fd00::/8",
    ]);
    for (url, open) in [
        ("http://localhost:8999/", true),
        ("http://localhost.:8999/", true),
        ("http://localhost/", false),
        ("http://wiki/", true),
        ("https://wiki:444/", true),
        ("http://10.1.2.3:1/", true),
        ("http://10.1.2.4/", false),
        ("http://10.9.9.9:8080/", true),
        ("http://10.9.9.9/", false),
        ("http://[::1]/", true),
        ("http://[::1]:81/", false),
        ("http://192.168.255.1/", true),
        ("http://192.169.0.1/", true),
        ("http://172.16.0.1/", false),
        ("http://[fd12::1]/", true),
        ("http://[fd00:ec2::254]/", false),
        ("http://[fc00::1]/", false),
        // A named host does not open other hosts' addresses, and an address does not open other spellings of itself.
        ("http://[::ffff:10.1.2.3]/", false),
    ] {
        assert_eq!(guard.read(url).is_ok(), open, "{url}");
    }
    let everything =
        self::build_guard(&["0.0.0.0/0", "::/0", "metadata.google.internal", "169.254.169.254"]);
    assert!(everything.read("http://127.0.0.1/").is_ok());
    for url in
        ["http://169.254.169.254/", "http://[fd00:ec2::254]/", "http://metadata.google.internal/"]
    {
        assert!(everything.read(url).is_err(), "{url}");
    }
}

// proves: A2
#[test]
fn the_metadata_of_clouds_stays_shut_in_every_disguise_whatever_a_setting_names() {
    let disguised = [
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "::ffff:169.254.169.254",
        "::ffff:169.254.170.2",
        "::ffff:100.100.100.200",
        "::169.254.169.254",
        "::ffff:0:169.254.169.254",
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::169.254.169.254",
        "64:ff9b:1:a9fe:a9:fe00::",
        "64:ff9b:1:a9:fe:a9fe::",
        "64:ff9b:1:0:a9:fea9:fe00:0",
        "2002:a9fe:a9fe::1",
        "2001:0:a9fe:a9fe::1",
        "2001:0:808:808::5601:5601",
        "2606:4700:64::169.254.169.254",
        "fe80::a9fe:a9fe",
        "fd00:c1::a9fe:a9fe",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
    ];
    let mut hosts = vec!["0.0.0.0/0", "::/0", "wiki"];
    hosts.extend(disguised);
    let open = build_guard(&hosts);
    for address in disguised {
        let address: std::net::IpAddr = address.parse().unwrap();
        assert!(!open.passes(address), "{address}");
        let host = Url::parse("http://wiki/").map(|mut url| url.set_ip_host(address).map(|()| url));
        assert!(open.judge(&host.unwrap().unwrap()).is_err(), "{address}");
    }
    for address in ["::ffff:10.0.0.1", "64:ff9b:1::1", "2002:a00:1::", "fd00:ec2::1", "169.254.1.1"]
    {
        assert!(open.passes(address.parse().unwrap()), "{address}");
    }
}

#[test]
fn a_setting_that_names_no_host_is_refused() {
    for entry in [
        "",
        "http://wiki/",
        "10.0.0.0/33",
        "::/129",
        "wiki/8",
        "user@wiki",
        "wiki:99999",
        "*",
        "*.corp",
        "a b",
        "[::1",
    ] {
        let error = Guard::new(&[entry.to_owned()]).unwrap_err();
        assert!(error.to_string().contains("invalid private host"), "{entry}: {error}");
    }
}

proptest! {
    #[test]
    fn anything_at_all_is_judged_without_a_panic(url in "\\PC{0,60}", host in "[0-9a-fx.:\\[\\]%]{0,30}") {
        let guard = build_guard(&[]);
        let _ = guard.read(&url);
        let _ = guard.read(&format!("http://{host}/"));
        let _ = Guard::new(&[url, host]);
    }

    #[test]
    fn every_spelling_of_an_ipv4_address_is_judged_alike(bits in any::<u32>()) {
        let guard = build_guard(&[]);
        let address = std::net::Ipv4Addr::from(bits);
        let usual = guard.read(&format!("http://{address}/")).is_ok();
        let [a, b, c, d] = address.octets();
        for host in [
            format!("{bits}"),
            format!("{bits:#x}"),
            format!("0{bits:o}"),
            format!("{a}.{}", bits & 0xff_ffff),
            format!("{a:#x}.0{b:o}.{c}.{d}."),
        ] {
            prop_assert_eq!(guard.read(&format!("http://{host}/")).is_ok(), usual, "{}", host);
        }
        for host in [format!("[::{address}]"), format!("[::ffff:{address}]"), format!("[64:ff9b::{address}]")] {
            prop_assert!(guard.read(&format!("http://{host}/")).is_err(), "{}", host);
        }
    }
}
