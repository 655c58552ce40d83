//! The ranges of addresses that are not public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 ranges that are not public, and their purpose (RFC 6890 and the registry that follows it).
const NOT_PUBLIC_4: &[([u8; 4], u32)] = &[
    ([0, 0, 0, 0], 8),       // this network
    ([10, 0, 0, 0], 8),      // private
    ([100, 64, 0, 0], 10),   // shared by a carrier's customers
    ([127, 0, 0, 0], 8),     // loopback
    ([169, 254, 0, 0], 16),  // link-local, and the metadata of clouds
    ([172, 16, 0, 0], 12),   // private
    ([192, 0, 0, 0], 24),    // protocol assignments
    ([192, 0, 2, 0], 24),    // documentation
    ([192, 88, 99, 0], 24),  // relays of 6to4
    ([192, 168, 0, 0], 16),  // private
    ([198, 18, 0, 0], 15),   // benchmarks
    ([198, 51, 100, 0], 24), // documentation
    ([203, 0, 113, 0], 24),  // documentation
    ([224, 0, 0, 0], 4),     // multicast
    ([240, 0, 0, 0], 4),     // reserved, and broadcast
];

/// Ranges that are not public within the public part of IPv6.
const NOT_PUBLIC_6: &[([u16; 3], u32)] = &[
    ([0x2001, 0, 0], 23),     // protocol assignments, Teredo among them
    ([0x2001, 0xdb8, 0], 32), // documentation
    ([0x2002, 0, 0], 16),     // 6to4: any IPv4 address
    ([0x3fff, 0, 0], 20),     // documentation
];

/// The metadata services of clouds, some of which give out credentials. No setting opens these.
const METADATA_4: &[([u8; 4], u32)] = &[
    ([169, 254, 169, 0], 24),   // nearly all; their name and time services too
    ([169, 254, 170, 0], 24),   // containers at Amazon: .2 for tasks, .23 for pods
    ([169, 254, 0, 23], 32),    // Tencent
    ([169, 254, 10, 10], 32),   // Tencent
    ([169, 254, 42, 42], 32),   // Scaleway
    ([100, 100, 100, 200], 32), // Alibaba
    ([100, 96, 0, 96], 32),     // Volcengine
    ([192, 0, 0, 192], 32),     // Oracle
    ([168, 63, 129, 16], 32),   // Azure, though its range is public
];

/// IPv6 addresses of metadata services, other than those that end in an IPv4 address.
const METADATA_6: &[Ipv6Addr] = &[
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), // Amazon
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),  // Amazon, for pods
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),  // Google
    Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42),   // Scaleway
    Ipv6Addr::new(0xfd00, 0xa9fe, 0xa9fe, 0, 0, 0, 0, 1), // Linode
];

/// Returns whether an address is that of a cloud's metadata service, however it is wrapped in another.
pub(super) fn is_metadata(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_metadata_4(address.into()),
        IpAddr::V6(address) => {
            METADATA_6.contains(&address) || wrapped(address).into_iter().any(is_metadata_4)
        }
    }
}

fn is_metadata_4(address: u32) -> bool {
    METADATA_4.iter().any(|(network, bits)| shares(address, Ipv4Addr::from(*network).into(), *bits))
}

/// Returns the IPv4 addresses that an IPv6 address may stand for, by any known mapping.
fn wrapped(address: Ipv6Addr) -> Vec<u32> {
    let bits = u128::from(address);
    // The 32 bits that end `count` bits before the end of the address.
    let before_last = |count: u32| (bits >> count) as u32;
    // Mapped, compatible and translated addresses, and any network's own 96-bit prefix for NAT64 (RFC 6052, 2.2), have it at the end.
    let mut wrapped = vec![before_last(0)];
    if within_6(address, [0x2002, 0, 0], 16) {
        wrapped.push(before_last(80));
    }
    if within_6(address, [0x2001, 0, 0], 32) {
        // Teredo: the server, and the inverted client address (RFC 4380, 4).
        wrapped.extend([before_last(64), !before_last(0)]);
    }
    if within_6(address, [0x64, 0xff9b, 1], 48) {
        // After 48, 56 or 64 bits, skipping the eight bits from 64 to 71 (RFC 6052, 2.2).
        let without = ((bits >> 64) << 56) | (bits & ((1 << 56) - 1));
        wrapped.extend([40, 32, 24].map(|count| (without >> count) as u32));
    }
    wrapped
}

/// Returns whether an address is on the public internet.
pub(super) fn is_public(address: IpAddr) -> bool {
    if is_metadata(address) {
        return false;
    }
    match address {
        IpAddr::V4(address) => !NOT_PUBLIC_4
            .iter()
            .any(|(network, bits)| shares(address.into(), Ipv4Addr::from(*network).into(), *bits)),
        // Everything else is loopback, private, link-local, multicast, unassigned, or wrapped IPv4.
        IpAddr::V6(address) => {
            within_6(address, [0x2000, 0, 0], 3)
                && !NOT_PUBLIC_6.iter().any(|(network, bits)| within_6(address, *network, *bits))
        }
    }
}

fn within_6(address: Ipv6Addr, [a, b, c]: [u16; 3], bits: u32) -> bool {
    shares_6(address.into(), Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0).into(), bits)
}

/// Returns whether two addresses share their first `bits` bits.
pub(super) fn shares(one: u32, other: u32, bits: u32) -> bool {
    (one ^ other).checked_shr(32_u32.saturating_sub(bits)).unwrap_or(0) == 0
}

/// Returns whether two IPv6 addresses share their first `bits` bits.
pub(super) fn shares_6(one: u128, other: u128, bits: u32) -> bool {
    (one ^ other).checked_shr(128_u32.saturating_sub(bits)).unwrap_or(0) == 0
}
