//! Places for connections: so many in all, so many of one address, and a few for health checks.
//!
//! When a connection finds no place, the one that has been waiting longest for a request gives up its
//! own: of the same address if that has as many as it may, otherwise of the address that has most.
//! Connections that are being answered are never displaced. What still finds no place is served on
//! one of the places for health checks, which answer nothing else.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::activity::Activity;
use super::caller_key::AddressKey;
use super::proxies::TrustedProxies;
use super::shares::{Share, Shares};

/// Places for health checks beyond the limit of connections, and how many of them one address gets.
const FOR_PROBES: usize = 32;
const FOR_PROBES_OF_ADDRESS: usize = 4;

/// The places of a server.
pub(super) struct Places {
    most: usize,
    most_of_address: usize,
    proxies: TrustedProxies,
    taken: Mutex<Taken>,
    probes: Arc<Shares<()>>,
    probes_of_address: Arc<Shares<AddressKey>>,
}

#[derive(Default)]
struct Taken {
    count: usize,
    by_holder: HashMap<Holder, Vec<Arc<Activity>>>,
}

/// Whose places are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Holder {
    address: AddressKey,
    /// All clients of a proxy share its address: they are counted by request instead.
    is_proxy: bool,
}

/// The place of a connection; free again when dropped.
pub(super) struct ConnectionPlace {
    /// It is one of those for health checks.
    pub(super) only_probes: bool,
    _any: Option<AnyPlace>,
    _probe: Option<(Share<()>, Share<AddressKey>)>,
}

/// A place for any request.
struct AnyPlace {
    places: Arc<Places>,
    holder: Holder,
    activity: Arc<Activity>,
}

impl Places {
    pub(super) fn new(most: usize, most_of_address: usize, proxies: TrustedProxies) -> Arc<Self> {
        Arc::new(Self {
            most: most.max(1),
            most_of_address: most_of_address.max(1),
            proxies,
            taken: Mutex::default(),
            probes: Shares::new(FOR_PROBES),
            probes_of_address: Shares::new(FOR_PROBES_OF_ADDRESS),
        })
    }

    /// A place for a new connection.
    pub(super) fn take(
        self: &Arc<Self>,
        peer: IpAddr,
        activity: &Arc<Activity>,
    ) -> Option<ConnectionPlace> {
        let address = AddressKey::of(peer);
        let holder = Holder { address, is_proxy: self.proxies.contains(peer) };
        let mut taken = self.taken();
        let own = taken.by_holder.get(&holder).map_or(0, Vec::len);
        let room = if !holder.is_proxy && own >= self.most_of_address {
            taken.displace(holder)
        } else {
            taken.count < self.most || taken.displace_any()
        };
        if room {
            taken.count += 1;
            taken.by_holder.entry(holder).or_default().push(activity.clone());
            let place = AnyPlace { places: self.clone(), holder, activity: activity.clone() };
            return Some(ConnectionPlace { only_probes: false, _any: Some(place), _probe: None });
        }
        drop(taken);
        let own = self.probes_of_address.take(address)?;
        let probe = (self.probes.take(())?, own);
        Some(ConnectionPlace { only_probes: true, _any: None, _probe: Some(probe) })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Ends the connection of this holder that has been waiting longest.
    fn displace(&mut self, holder: Holder) -> bool {
        let Some(held) = self.by_holder.get_mut(&holder) else { return false };
        let waiting = held.iter().enumerate();
        let longest =
            waiting.filter_map(|(index, activity)| Some((activity.waiting_since()?, index))).min();
        let Some((_, index)) = longest else { return false };
        held.swap_remove(index).displace();
        self.left(holder);
        true
    }

    /// Ends a waiting connection of the address that has most. Those of proxies stay: a proxy may be
    /// sending a request on any of them.
    fn displace_any(&mut self) -> bool {
        let holders = self.by_holder.iter().filter(|(holder, _)| !holder.is_proxy);
        let mut holders: Vec<_> =
            holders.map(|(holder, held)| (std::cmp::Reverse(held.len()), *holder)).collect();
        holders.sort_unstable();
        holders.into_iter().any(|(_, holder)| self.displace(holder))
    }

    fn left(&mut self, holder: Holder) {
        self.count -= 1;
        if self.by_holder.get(&holder).is_some_and(Vec::is_empty) {
            self.by_holder.remove(&holder);
        }
    }
}

impl Drop for AnyPlace {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        let Some(held) = taken.by_holder.get_mut(&self.holder) else { return };
        // It is gone if it was displaced.
        let found = held.iter().position(|activity| Arc::ptr_eq(activity, &self.activity));
        if let Some(index) = found {
            held.swap_remove(index);
            taken.left(self.holder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(last: u8) -> IpAddr {
        [192, 0, 2, last].into()
    }

    struct Connection {
        activity: Arc<Activity>,
        place: Option<ConnectionPlace>,
    }

    impl Connection {
        fn open(places: &Arc<Places>, last: u8) -> Self {
            let activity = Activity::new();
            let place = places.take(peer(last), &activity);
            Self { activity, place }
        }

        fn busy(places: &Arc<Places>, last: u8) -> Self {
            let connection = Self::open(places, last);
            connection.activity.answering();
            connection
        }

        fn is_any(&self) -> bool {
            self.place.as_ref().is_some_and(|place| !place.only_probes)
        }

        async fn is_displaced(&self) -> bool {
            let forever = std::time::Duration::from_secs(3_600);
            let never =
                super::super::activity::Deadlines { head: forever, idle: forever, write: forever };
            tokio::select! {
                biased;
                _ = self.activity.overdue(never) => true,
                () = std::future::ready(()) => false,
            }
        }
    }

    #[tokio::test]
    async fn who_has_too_many_displaces_its_own() {
        let places = Places::new(100, 3, TrustedProxies::default());
        let busy = Connection::busy(&places, 9);
        let waiting = [Connection::open(&places, 9), Connection::open(&places, 9)];
        let other = Connection::open(&places, 1);
        assert!(Connection::busy(&places, 9).is_any());
        assert!(waiting[0].is_displaced().await && !waiting[1].is_displaced().await);
        assert!(!busy.is_displaced().await && !other.is_displaced().await);
        drop((busy, waiting, other));
        assert!(places.taken().by_holder.is_empty() && places.taken().count == 0);
    }

    #[tokio::test]
    async fn the_address_with_most_connections_makes_room() {
        let places = Places::new(5, 4, TrustedProxies::default());
        let few = Connection::open(&places, 1);
        let many = [(); 4].map(|()| Connection::open(&places, 9));
        let new = Connection::open(&places, 2);
        assert!(new.is_any() && many[0].is_displaced().await && !few.is_displaced().await);
    }

    #[test]
    fn when_all_are_busy_only_health_checks_find_a_place() {
        let places = Places::new(2, 2, TrustedProxies::default());
        let _busy = [Connection::busy(&places, 9), Connection::busy(&places, 9)];
        let probes: Vec<_> = (0..5).map(|_| Connection::open(&places, 9)).collect();
        let only_probes = |probe: &Connection| Some(probe.place.as_ref()?.only_probes);
        assert!(probes.iter().take(4).all(|probe| only_probes(probe) == Some(true)));
        assert!(probes[4].place.is_none(), "one address gets only so many of them");
        assert!(Connection::open(&places, 1).place.is_some());
    }

    #[test]
    fn connections_of_proxies_are_not_counted_by_address() {
        let networks = vec!["192.0.2.9".parse().unwrap()];
        let proxies = TrustedProxies { networks, ..TrustedProxies::default() };
        let places = Places::new(10, 1, proxies);
        let all: Vec<_> = (0..10).map(|_| Connection::open(&places, 9)).collect();
        assert!(all.iter().all(Connection::is_any));
        assert!(!Connection::open(&places, 1).is_any(), "proxies are not displaced");
    }
}
