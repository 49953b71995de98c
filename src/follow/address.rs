//! Public and private addresses.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use thiserror::Error;
use tokio::net::lookup_host;

/// True for an address of the public internet: no machine of this network, and not this one.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => is_public_v4(address),
            None => is_public_v6(address),
        },
    }
}

/// By the registry of special addresses (RFC 6890).
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_shared = a == 100 && (64..128).contains(&b);
    let is_protocol = (a, b, c) == (192, 0, 0);
    let is_relay = (a, b, c) == (192, 88, 99);
    let is_benchmark = a == 198 && (18..20).contains(&b);
    !(a == 0
        || a >= 224
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || is_shared
        || is_protocol
        || is_relay
        || is_benchmark)
}

/// Global unicast is 2000::/3. In it 2001::/23 is for protocols, 2001:db8::/32 and 3fff::/20 for
/// documentation, and 2002::/16 stands for IPv4 addresses.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, .., c, d] = address.segments();
    // 64:ff9b::/96 stands for IPv4 addresses, for machines that have only IPv6.
    if address.segments().starts_with(&[0x64, 0xff9b, 0, 0, 0, 0]) {
        let [c, d] = [c.to_be_bytes(), d.to_be_bytes()];
        return is_public_v4(Ipv4Addr::new(c[0], c[1], d[0], d[1]));
    }
    let is_global = (0x2000..0x4000).contains(&a);
    let is_protocol = a == 0x2001 && b < 0x200;
    let is_documentation = (a, b) == (0x2001, 0xdb8) || a == 0x3fff && b < 0x1000;
    is_global && !is_protocol && !is_documentation && a != 0x2002
}

/// Why the addresses of a host are not given.
#[derive(Debug, Error)]
pub enum LookupError {
    /// One of them is not public.
    #[error("its address is private")]
    Private,
    /// The name cannot be looked up.
    #[error(transparent)]
    Unknown(#[from] io::Error),
}

/// The addresses of a host, all of them public: of a name, or an address itself.
pub async fn look_up(host: &str) -> Result<Vec<SocketAddr>, LookupError> {
    let found: Vec<SocketAddr> = lookup_host((host, 0)).await?.collect();
    if found.iter().all(|address| is_public(address.ip())) {
        Ok(found)
    } else {
        Err(LookupError::Private)
    }
}

/// Looks up names for connections, so that they go to the addresses that were judged.
pub struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let addresses: Addrs = Box::new(look_up(name.as_str()).await?.into_iter());
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_and_its_networks_are_not_public() {
        for public in [
            "1.1.1.1",
            "100.63.0.1",
            "172.32.0.1",
            "198.20.0.1",
            "2606:4700::1111",
            "64:ff9b::101:101",
        ] {
            assert!(is_public(public.parse().expect(public)), "{public}");
        }
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "fc00::1",
            "fe80::1",
            "ff02::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
        ] {
            assert!(!is_public(private.parse().expect(private)), "{private}");
        }
    }
}
