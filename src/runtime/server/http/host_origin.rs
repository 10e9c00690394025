//! Checks `Host` and `Origin` to prevent DNS rebinding, and adds the CORS headers that let an allowed
//! web page read its response.
//!
//! In a DNS rebinding attack, a page whose name resolves to this machine sends that name as `Host`.
//! Loopback names and the address that the client connected to are safe; other names must be listed.
//! A request with an `Origin` comes from a web page, which must be the server's own or a listed one.

use std::net::{IpAddr, Ipv6Addr};

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, HOST,
    HeaderMap, HeaderValue, ORIGIN, VARY,
};
use http::uri::{Authority, Uri};

use super::metrics::Reason;

/// Allowed hosts and origins.
#[derive(Debug)]
pub(super) struct HostOriginPolicy {
    hosts: Vec<HostPort>,
    origins: Vec<(String, HostPort)>,
}

/// A host, in lower case and without brackets, and an optional port.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HostPort {
    host: String,
    port: Option<u16>,
}

impl HostPort {
    fn read(authority: &str) -> Option<Self> {
        if authority.contains('@') {
            return None;
        }
        let authority: Authority = authority.parse().ok()?;
        let port = authority.port_u16();
        // Only a port may follow the host.
        let alone = authority.as_str().trim_end_matches(':') == authority.host();
        let host = match authority.host().strip_prefix('[') {
            // Only IPv6 addresses are allowed in brackets.
            Some(inner) => inner.strip_suffix(']').filter(|ip| ip.parse::<Ipv6Addr>().is_ok())?,
            None => authority.host(),
        };
        (!host.is_empty() && (alone || port.is_some()))
            .then(|| Self { host: host.to_ascii_lowercase(), port })
    }

    fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.ip().is_some_and(|ip| ip.is_loopback())
    }

    fn ip(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }

    /// A listed host without a port matches any port.
    fn admits(&self, other: &Self) -> bool {
        self.host == other.host && (self.port.is_none() || self.port == other.port)
    }
}

impl HostOriginPolicy {
    pub(super) fn new(hosts: &[String], origins: &[String]) -> Result<Self, String> {
        let hosts = hosts
            .iter()
            .map(|host| {
                HostPort::read(host)
                    .ok_or_else(|| format!("`{host}` is not a host name with an optional port"))
            })
            .collect::<Result<_, _>>()?;
        let origins = origins
            .iter()
            .map(|origin| {
                read_origin(origin).ok_or_else(|| {
                    format!("`{origin}` is not an origin such as https://app.example.com")
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { hosts, origins })
    }

    /// Checks the request. Returns its origin, if it has one.
    pub(super) fn admit(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        local: IpAddr,
    ) -> Result<Option<HeaderValue>, Reason> {
        let host = only(headers, &HOST).and_then(HostPort::read).ok_or(Reason::Host)?;
        let named = uri.authority().map(|authority| HostPort::read(authority.as_str()));
        let named = named.unwrap_or_else(|| Some(host.clone())).ok_or(Reason::Host)?;
        if !self.knows(&host, local) || !self.knows(&named, local) {
            return Err(Reason::Host);
        }
        let Some(value) = headers.get(ORIGIN) else { return Ok(None) };
        let (scheme, place) = only(headers, &ORIGIN).and_then(read_origin).ok_or(Reason::Origin)?;
        let own = HostPort { port: host.port.or_else(|| default_port(&scheme)), ..host };
        let listed = self.origins.iter().any(|(known, at)| *known == scheme && *at == place);
        if listed || place == own { Ok(Some(value.clone())) } else { Err(Reason::Origin) }
    }

    /// Whether a request that was admitted comes from a page of this server itself.
    pub(super) fn is_own_page(&self, headers: &HeaderMap) -> bool {
        let host = only(headers, &HOST).and_then(HostPort::read);
        let origin = only(headers, &ORIGIN).and_then(read_origin);
        host.zip(origin).is_some_and(|(host, (scheme, place))| {
            place == HostPort { port: host.port.or_else(|| default_port(&scheme)), ..host }
        })
    }

    fn knows(&self, host: &HostPort, local: IpAddr) -> bool {
        host.is_loopback()
            || host.ip().is_some_and(|ip| ip.to_canonical() == local.to_canonical())
            || self.hosts.iter().any(|known| known.admits(host))
    }
}

/// The only value of a header.
fn only<'a>(headers: &'a HeaderMap, name: &http::HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

/// Scheme and host, with an explicit port.
fn read_origin(text: &str) -> Option<(String, HostPort)> {
    let (scheme, authority) = text.trim().split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let default = default_port(&scheme)?;
    let place = HostPort::read(authority)?;
    // Nothing may follow the authority.
    authority.parse::<Authority>().ok()?;
    Some((scheme, HostPort { port: Some(place.port.unwrap_or(default)), ..place }))
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

/// Lets the page at `origin` read the response.
pub(super) fn add_cors_headers(answer: &mut HeaderMap, origin: HeaderValue) {
    answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    let exposed = HeaderValue::from_static("retry-after, www-authenticate");
    answer.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    answer.insert(VARY, HeaderValue::from_static("origin"));
}

/// Answers a preflight request.
pub(super) fn add_preflight_headers(answer: &mut HeaderMap, asked: &HeaderMap) {
    answer.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("3600"));
    if let Some(headers) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, headers.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(
        host_origin: &HostOriginPolicy,
        host: &str,
        origin: Option<&str>,
    ) -> Result<bool, Reason> {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        let admitted = host_origin.admit(&Uri::from_static("/mcp"), &headers, [10, 0, 0, 5].into());
        admitted.map(|origin| origin.is_some())
    }

    #[test]
    fn only_known_hosts_are_let_in() {
        let host_origin =
            HostOriginPolicy::new(&["Api.example.com".into(), "two.example:8443".into()], &[])
                .unwrap();
        for host in [
            "localhost:80",
            "LOCALHOST",
            "127.0.0.1:9",
            "[::1]:9",
            "10.0.0.5:80",
            "api.example.com",
            "api.example.com:9",
            "two.example:8443",
        ] {
            assert_eq!(admitted(&host_origin, host, None), Ok(false), "{host}");
        }
        for host in [
            "evil.example",
            "10.0.0.6",
            "two.example",
            "localhost.evil.example",
            "a@localhost",
            "127.0.0.1.nip.io",
            "localhost:99999",
            "[localhost]",
            "",
        ] {
            assert_eq!(admitted(&host_origin, host, None), Err(Reason::Host), "{host}");
        }
    }

    #[test]
    fn a_host_in_the_request_line_counts_too() {
        let host_origin = HostOriginPolicy::new(&[], &[]).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("localhost"));
        let uri = Uri::from_static("http://evil.example/mcp");
        assert_eq!(host_origin.admit(&uri, &headers, [127, 0, 0, 1].into()), Err(Reason::Host));
        headers.append(HOST, HeaderValue::from_static("localhost"));
        let uri = Uri::from_static("/mcp");
        assert_eq!(host_origin.admit(&uri, &headers, [127, 0, 0, 1].into()), Err(Reason::Host));
    }

    #[test]
    fn only_known_origins_are_let_in() {
        let host_origin = HostOriginPolicy::new(&[], &["https://App.example.com".into()]).unwrap();
        for origin in
            ["http://localhost:8080", "https://app.example.com", "https://app.example.com:443"]
        {
            assert_eq!(
                admitted(&host_origin, "localhost:8080", Some(origin)),
                Ok(true),
                "{origin}"
            );
        }
        for origin in [
            "null",
            "http://localhost",
            "http://localhost:8081",
            "http://app.example.com",
            "https://app.example.com:444",
            "https://app.example.com.evil.example",
            "nonsense",
            "file://localhost:8080",
            "https://app.example.com/x",
        ] {
            assert_eq!(
                admitted(&host_origin, "localhost:8080", Some(origin)),
                Err(Reason::Origin),
                "{origin}"
            );
        }
    }
}
