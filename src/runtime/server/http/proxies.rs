//! The address of a client behind trusted proxies.
//!
//! Each proxy adds the address that it was reached from at the end of a header. Whatever a client
//! writes there itself stands before that, so entries are read from the end, and only as long as a
//! trusted proxy wrote them.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use http::HeaderMap;
use http::header::{FORWARDED, HeaderName};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Proxies whose word about their client is taken, and the header they write it to.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies {
    /// Their addresses.
    pub networks: Vec<Network>,
    /// The header.
    pub header: ForwardedHeader,
}

/// The header in which proxies name their client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ForwardedHeader {
    /// `X-Forwarded-For: 192.0.2.1, 10.0.0.7`
    #[default]
    XForwardedFor,
    /// `Forwarded: for=192.0.2.1;proto=https, for="[2001:db8::7]:4711"` (RFC 7239)
    Forwarded,
}

/// A range of addresses, such as `10.0.0.0/8`, or a single address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u32,
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not an address or a range such as 10.0.0.0/8");
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.trim().parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.trim().parse().map_err(|_| wrong()))?;
        if bits > most {
            return Err(wrong());
        }
        Ok(Self { address, bits })
    }
}

impl Network {
    fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let rest = 32 - self.bits;
                own.to_bits().checked_shr(rest) == other.to_bits().checked_shr(rest)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let rest = 128 - self.bits;
                own.to_bits().checked_shr(rest) == other.to_bits().checked_shr(rest)
            }
            _ => false,
        }
    }
}

impl TrustedProxies {
    /// Whether this is the address of a trusted proxy.
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks.iter().any(|network| network.contains(address))
    }

    /// The client of a request that came from `peer`: the last address on its way that is no trusted
    /// proxy. An entry that cannot be read ends the search, and the proxy that wrote it stands for the
    /// client.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        if self.networks.is_empty() || !self.contains(client) {
            return client;
        }
        let name = match self.header {
            ForwardedHeader::XForwardedFor => X_FORWARDED_FOR,
            ForwardedHeader::Forwarded => FORWARDED,
        };
        let lines: Vec<_> = headers.get_all(name).iter().collect();
        for line in lines.into_iter().rev() {
            let Ok(line) = line.to_str() else { return client };
            for entry in line.rsplit(',') {
                let address = match self.header {
                    ForwardedHeader::XForwardedFor => node(entry.trim()),
                    ForwardedHeader::Forwarded => forwarded_for(entry),
                };
                let Some(address) = address else { return client };
                client = address.to_canonical();
                if !self.contains(client) {
                    return client;
                }
            }
        }
        client
    }
}

/// The address in the `for` parameter of one element of `Forwarded`.
///
/// A comma within quotes splits an element in two; neither half has a readable address then.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let mut found = element.split(';').filter_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        name.eq_ignore_ascii_case("for").then_some(value)
    });
    let value = found.next()?;
    if found.next().is_some() {
        return None;
    }
    match value.strip_prefix('"') {
        Some(quoted) => node(quoted.strip_suffix('"')?),
        None => node(value),
    }
}

/// An address, with or without a port.
fn node(text: &str) -> Option<IpAddr> {
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(IpAddr::V6);
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    text.parse().ok().or_else(with_port).or_else(bracketed)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn client(header: ForwardedHeader, peer: &str, lines: &[&'static str]) -> String {
        let networks = ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32", "127.0.0.1"];
        let networks = networks.map(|text| text.parse().unwrap()).to_vec();
        let name = match header {
            ForwardedHeader::XForwardedFor => X_FORWARDED_FOR,
            ForwardedHeader::Forwarded => FORWARDED,
        };
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(&name, HeaderValue::from_static(line));
        }
        TrustedProxies { networks, header }.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn the_last_address_that_is_no_trusted_proxy_is_the_client() {
        for (peer, lines, expected) in [
            ("127.0.0.1", &["198.51.100.7"][..], "198.51.100.7"),
            ("::ffff:127.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("127.0.0.1", &["198.51.100.7, 10.1.2.3"], "198.51.100.7"),
            ("127.0.0.1", &["198.51.100.7", "10.1.2.3,10.0.0.9"], "198.51.100.7"),
            ("127.0.0.1", &["198.51.100.7:4711"], "198.51.100.7"),
            ("127.0.0.1", &["[2001:db9::7]:80"], "2001:db9::7"),
            ("127.0.0.1", &["2001:db9::7, 2001:db8::1"], "2001:db9::7"),
            // Only proxies: the first of them.
            ("127.0.0.1", &["10.1.1.1, 10.2.2.2"], "10.1.1.1"),
            ("127.0.0.1", &[], "127.0.0.1"),
        ] {
            let found = client(ForwardedHeader::XForwardedFor, peer, lines);
            assert_eq!(found, expected, "{peer} {lines:?}");
        }
    }

    #[test]
    fn a_client_cannot_say_who_it_is() {
        for (peer, lines, expected) in [
            // Straight to the server: its header is not looked at.
            ("203.0.113.5", &["198.51.100.7"][..], "203.0.113.5"),
            ("203.0.113.5", &["127.0.0.1"], "203.0.113.5"),
            // Through a proxy, which adds the real address at the end.
            ("127.0.0.1", &["198.51.100.7, 203.0.113.5"], "203.0.113.5"),
            ("127.0.0.1", &["198.51.100.7", "203.0.113.5"], "203.0.113.5"),
            ("127.0.0.1", &["10.1.1.1, 10.2.2.2, 203.0.113.5"], "203.0.113.5"),
            // Nonsense is never skipped.
            ("127.0.0.1", &["198.51.100.7, nonsense"], "127.0.0.1"),
            ("127.0.0.1", &["198.51.100.7, unknown, 10.1.1.1"], "10.1.1.1"),
            ("127.0.0.1", &["198.51.100.7, "], "127.0.0.1"),
        ] {
            let found = client(ForwardedHeader::XForwardedFor, peer, lines);
            assert_eq!(found, expected, "{peer} {lines:?}");
        }
    }

    #[test]
    fn the_standard_header_is_read_too() {
        for (lines, expected) in [
            (&["for=198.51.100.7;proto=https"][..], "198.51.100.7"),
            (&["proto=https;For=\"198.51.100.7:4711\", for=10.0.0.1"], "198.51.100.7"),
            (&["for=\"[2001:db9::7]:80\"", "for=10.0.0.1;by=10.0.0.2"], "2001:db9::7"),
            (&["for=198.51.100.7, for=203.0.113.5"], "203.0.113.5"),
            (&["for=198.51.100.7, for=_hidden"], "127.0.0.1"),
            (&["for=198.51.100.7, for=unknown, for=10.1.1.1"], "10.1.1.1"),
            (&["for=198.51.100.7, proto=https"], "127.0.0.1"),
            (&["for=198.51.100.7;for=203.0.113.5"], "127.0.0.1"),
            (&["for=198.51.100.7, x=\"a, for=203.0.113.5\""], "127.0.0.1"),
            (&["for=\"198.51.100.7"], "127.0.0.1"),
        ] {
            let found = client(ForwardedHeader::Forwarded, "127.0.0.1", lines);
            assert_eq!(found, expected, "{lines:?}");
        }
        // Whichever header is not chosen says nothing.
        let found = client(ForwardedHeader::Forwarded, "127.0.0.1", &[]);
        assert_eq!(found, "127.0.0.1");
    }

    #[test]
    fn networks_are_addresses_or_ranges() {
        for text in ["0.0.0.0/0", "::/0", "10.0.0.0/8", "192.0.2.1/32", "::1", "fe80::/10"] {
            assert!(text.parse::<Network>().is_ok(), "{text}");
        }
        for text in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "example.com", "10.0.0.0/", "/8"] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
        let all: Network = "0.0.0.0/0".parse().unwrap();
        assert!(all.contains([9, 9, 9, 9].into()) && !all.contains("::1".parse().unwrap()));
        let half: Network = "128.0.0.0/1".parse().unwrap();
        assert!(half.contains([200, 0, 0, 1].into()) && !half.contains([1, 0, 0, 1].into()));
    }
}
