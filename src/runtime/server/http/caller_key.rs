//! What limits count by: the token of an authenticated caller, otherwise the address of the client.

use std::net::{IpAddr, Ipv6Addr};

use super::rate_limit::CallerId;

/// A client's address as limits see it: of IPv6 the network of 64 bits, because one client has all
/// addresses of such a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct AddressKey(IpAddr);

impl AddressKey {
    pub(super) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(long) => IpAddr::V6(Ipv6Addr::from_bits(long.to_bits() & (u128::MAX << 64))),
            short => short,
        })
    }
}

/// A caller as limits see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum CallerKey {
    /// Digest of an accepted token.
    Token(CallerId),
    Address(AddressKey),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_network_are_one_client() {
        let key = |text: &str| AddressKey::of(text.parse().unwrap());
        assert_eq!(key("2001:db8:1:2::7"), key("2001:db8:1:2:ffff::"));
        assert_ne!(key("2001:db8:1:2::7"), key("2001:db8:1:3::7"));
        assert_eq!(key("::ffff:192.0.2.1"), key("192.0.2.1"));
        assert_ne!(key("192.0.2.2"), key("192.0.2.1"));
    }
}
