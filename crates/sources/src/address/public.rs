//! The ranges of addresses that are not public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ranges of IPv4 that are not public, and what they are for (RFC 6890 and the registry that follows it).
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

/// Ranges within the public part of IPv6 that are not public.
const NOT_PUBLIC_6: &[([u16; 3], u32)] = &[
    ([0x2001, 0, 0], 23),     // protocol assignments, Teredo among them
    ([0x2001, 0xdb8, 0], 32), // documentation
    ([0x2002, 0, 0], 16),     // 6to4: any IPv4 address
    ([0x3fff, 0, 0], 20),     // documentation
];

/// Where clouds answer their machines with credentials. No setting opens these.
const METADATA: &[IpAddr] = &[
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    // A public address by its range, and within Azure the host of the machine.
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

pub(super) fn is_metadata(address: IpAddr) -> bool {
    METADATA.contains(&address)
}

/// Tells whether an address is one of the public internet.
pub(super) fn is_public(address: IpAddr) -> bool {
    if is_metadata(address) {
        return false;
    }
    match address {
        IpAddr::V4(address) => !NOT_PUBLIC_4
            .iter()
            .any(|(network, bits)| shares(address.into(), Ipv4Addr::from(*network).into(), *bits)),
        // Everything else is loopback, private, link-local, multicast, not assigned, or IPv4 in disguise.
        IpAddr::V6(address) => {
            within_6(address, [0x2000, 0, 0], 3)
                && !NOT_PUBLIC_6.iter().any(|(network, bits)| within_6(address, *network, *bits))
        }
    }
}

fn within_6(address: Ipv6Addr, [a, b, c]: [u16; 3], bits: u32) -> bool {
    shares_6(address.into(), Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0).into(), bits)
}

/// Tells whether two addresses share their first `bits` bits.
pub(super) fn shares(one: u32, other: u32, bits: u32) -> bool {
    (one ^ other).checked_shr(32_u32.saturating_sub(bits)).unwrap_or(0) == 0
}

/// The same for IPv6.
pub(super) fn shares_6(one: u128, other: u128, bits: u32) -> bool {
    (one ^ other).checked_shr(128_u32.saturating_sub(bits)).unwrap_or(0) == 0
}
