//! What is being run right now.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the workers are at, for whoever wants to know while a run goes on.
#[derive(Debug, Default)]
pub struct Running {
    numbers: AtomicU64,
    under_way: Mutex<Vec<UnderWay>>,
}

#[derive(Debug)]
struct UnderWay {
    number: u64,
    file: Arc<str>,
    /// Nothing while it is being loaded.
    name: String,
    since: Instant,
    /// The time that its scripts and its start took before.
    spent: Duration,
}

impl UnderWay {
    fn time(&self, now: Instant) -> Duration {
        self.spent + now.saturating_duration_since(self.since)
    }
}

impl Running {
    /// What goes on for the longest time, and for how long: `FILE::NAME`, or the file of which a scenario is being loaded.
    pub fn slowest(&self) -> Option<(String, Duration)> {
        let under_way = self.lock();
        let now = Instant::now();
        let slowest = under_way.iter().min_by_key(|one| Reverse(one.time(now)))?;
        let UnderWay { file, name, .. } = slowest;
        let id = if name.is_empty() { file.to_string() } else { format!("{file}::{name}") };
        Some((id, slowest.time(now)))
    }

    /// A worker begins with scenarios of `file`.
    pub(super) fn begin(&self, file: &Arc<str>) -> Worker<'_> {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let (since, spent) = (Instant::now(), Duration::ZERO);
        let one = UnderWay { number, file: Arc::clone(file), name: String::new(), since, spent };
        self.lock().push(one);
        Worker { running: self, number }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<UnderWay>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker under way; it is no longer when this is dropped.
pub(super) struct Worker<'r> {
    running: &'r Running,
    number: u64,
}

impl Worker<'_> {
    /// Notes that it now is at the case `name`, which took `spent` to load, or, without a name, loads the next.
    pub(super) fn is_at(&self, name: &str, spent: Duration) {
        let mut under_way = self.running.lock();
        if let Some(one) = under_way.iter_mut().find(|one| one.number == self.number) {
            one.name.clear();
            one.name.push_str(name);
            (one.since, one.spent) = (Instant::now(), spent);
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        self.running.lock().retain(|one| one.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_is_the_one_that_began_first() {
        let running = Running::default();
        assert!(running.slowest().is_none());
        let id = || running.slowest().map(|(id, _)| id);
        let first = running.begin(&"a.toml".into());
        let second = running.begin(&"b.toml".into());
        assert_eq!(id().as_deref(), Some("a.toml"));
        second.is_at("slow", Duration::ZERO);
        first.is_at("quick", Duration::ZERO);
        assert_eq!(id().as_deref(), Some("b.toml::slow"));
        drop(second);
        assert_eq!(id().as_deref(), Some("a.toml::quick"));
        drop(first);
        assert!(running.slowest().is_none());
    }

    #[test]
    fn the_time_of_loading_counts_and_only_for_their_case() {
        const DAY: Duration = Duration::from_hours(24);
        let running = Running::default();
        let first = running.begin(&"a.toml".into());
        let second = running.begin(&"b.toml".into());
        first.is_at("plain", Duration::ZERO);
        second.is_at("played", DAY);
        let (id, time) = running.slowest().expect("two are under way");
        assert!(id == "b.toml::played" && time >= DAY, "{id} {time:?}");
        second.is_at("", Duration::ZERO);
        let (id, time) = running.slowest().expect("two are under way");
        assert!(id == "a.toml::plain" && time < DAY, "{id} {time:?}");
    }
}
