//! Which scenarios are wanted, and which of their cases.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::filter::Filter;
use super::pattern::Pattern;
use super::shard::Shard;
use super::target::Named;
use crate::identity::{Id, Key, Name, spelling};
use crate::root::Bounds;

/// A scenario, as far as a selection looks at it.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The file, as the user wrote its path.
    pub file: &'a str,
    /// The scenario's name.
    pub name: &'a Name,
    /// The line that it begins on, from 1.
    pub line: usize,
    /// The name of its engine, if that is known.
    pub engine: Option<&'a str>,
    /// Its tags, the file's first.
    pub tags: &'a [String],
}

/// A choice of scenarios, and what is wanted of them beyond the file's own wishes; the default is all, and nothing.
#[derive(Clone, Debug, Default)]
pub struct Select {
    /// In files of which only some scenarios are named: those.
    pub places: Arc<HashMap<String, Named>>,
    /// Parts of `FILE::NAME`, or globs of names: any of them; none are no restriction.
    pub names: Vec<Pattern>,
    /// A text that stands in `FILE::NAME`.
    pub name: Option<String>,
    /// A filter.
    pub filter: Option<Filter>,
    /// The name of the engine.
    pub engine: Option<String>,
    /// One of the tags.
    pub tag: Option<String>,
    /// Of the cases that scripts make: those with these indices.
    pub indices: Option<Range<u64>>,
    /// Only these cases.
    pub only: Option<Arc<Cases>>,
    /// All but these cases.
    pub except: Option<Arc<Cases>>,
    /// The cases whose verdicts an earlier run has left: they are handed out, but not loaded any further.
    pub known: Option<Arc<Known>>,
    /// Whether the hash of each scenario is wanted.
    pub hashes: bool,
    /// The part of the suite.
    pub shard: Option<Shard>,
    /// Facts whose spread is shown, where an engine has them.
    pub summary: Vec<String>,
    /// Whether scenarios are loaded only: no policy makes moves, and no game is played.
    pub load_only: bool,
    /// Whether the scenario is wanted as TOML, too.
    pub text: bool,
    /// Limits of what scenarios may name.
    pub bounds: Bounds,
}

impl Select {
    /// Returns whether it selects every case of the files that are run.
    pub fn is_all(&self) -> bool {
        let Self { places, names, name, filter, engine, tag, indices, only, except, shard, .. } = self;
        places.is_empty()
            && names.is_empty()
            && name.is_none()
            && filter.is_none()
            && engine.is_none()
            && tag.is_none()
            && indices.is_none()
            && only.is_none()
            && except.is_none()
            && shard.is_none()
    }

    /// Whether a scenario is wanted that is one case.
    pub fn wants(&self, candidate: &Candidate<'_>) -> bool {
        self.wants_scenario(candidate) && self.wants_case(candidate.file, candidate.name, None, false)
    }

    /// Whether some case may be wanted of a scenario.
    pub fn wants_scenario(&self, candidate: &Candidate<'_>) -> bool {
        let Candidate { file, name, line, engine, tags } = *candidate;
        let place = self.places.get(file).is_none_or(|named| named.takes(name, line));
        let id = LazyCell::new(|| Id { file, name, index: None }.to_string());
        let called =
            self.names.is_empty() || self.names.iter().any(|pattern| pattern.is_in(&id, &name.text()));
        let named = self.name.as_ref().is_none_or(|text| id.contains(text));
        let filter = self.filter.as_ref().is_none_or(|filter| filter.takes(candidate));
        let played = self.engine.as_ref().is_none_or(|wanted| engine == Some(wanted));
        let tagged = self.tag.as_ref().is_none_or(|tag| tags.contains(tag));
        let listed = self.only.as_ref().is_none_or(|only| only.of(file, name).is_some());
        place && called && named && filter && played && tagged && listed
    }

    /// Whether a case of a scenario that is wanted is wanted itself; or, if its cases only say something together, all
    /// of them.
    pub fn wants_case(&self, file: &str, name: &Name, index: Option<u64>, together: bool) -> bool {
        let has = |cases: &Cases| {
            if together { cases.of(file, name).is_some() } else { cases.has(file, name, index) }
        };
        self.only.as_deref().is_none_or(has)
            && !self.except.as_deref().is_some_and(has)
            && self.shard.is_none_or(|shard| shard.has(file, &name.text(), index))
    }

    /// Returns whether the verdict of a case is known.
    pub fn knows(&self, id: Id<'_>, line: usize) -> bool {
        self.known.as_deref().is_some_and(|known| known.cases.contains(&Key::new(id, line)))
    }

    /// Returns whether a case cannot be: an earlier run has gone on after the others of its scenario.
    pub(super) fn is_past(&self, id: Id<'_>, line: usize) -> bool {
        let Some(known) = &self.known else { return false };
        known.closed.contains(&Key::new(Id { index: None, ..id }, line)) && !self.knows(id, line)
    }

    /// Returns whether a case is loaded: not if its verdict is known, unless something that comes after it needs it.
    pub(super) fn loads(&self, id: Id<'_>, line: usize, together: bool) -> bool {
        let Some(known) = &self.known else { return true };
        let key = Key::new(id, line);
        let open = |scenario| together && scenario == Key::new(Id { index: None, ..id }, line);
        !known.cases.contains(&key) || known.last == Some(key) || known.open.is_some_and(open)
    }

    /// Those of the cases that are wanted for their indices.
    pub fn indices(&self, cases: Range<u64>) -> Range<u64> {
        match &self.indices {
            None => cases,
            Some(wanted) => cases.start.max(wanted.start)..cases.end.min(wanted.end),
        }
    }
}

/// The cases whose verdicts an earlier run has left.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// All of them.
    pub cases: HashSet<Key>,
    /// The last one: it may have shown that its scenario has no further case.
    pub last: Option<Key>,
    /// The scenario of the last one, whose other cases may be missing.
    pub open: Option<Key>,
    /// The scenarios whose cases a script made, up to the last one: none is missing.
    pub closed: HashSet<Key>,
}

/// A set of cases, known by their files, scenarios and indices. Without an index it is all cases of a scenario, and
/// without a scenario's name all of a file. A file is one however its path is spelled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cases(HashMap<String, HashMap<Name, HashSet<Option<u64>>>>);

impl Cases {
    /// Adds a case; whether it is new.
    pub fn insert(&mut self, file: &str, name: &Name, index: Option<u64>) -> bool {
        let file = &*spelling(file);
        // Most are there already, or few: the texts are copied for new ones only.
        if !self.0.contains_key(file) {
            self.0.insert(file.to_owned(), HashMap::new());
        }
        let Some(scenarios) = self.0.get_mut(file) else { return false };
        match scenarios.get_mut(name) {
            Some(indices) => indices.insert(index),
            None => scenarios.insert(name.clone(), HashSet::from([index])).is_none(),
        }
    }

    /// Takes a case out; whether it was there.
    pub fn remove(&mut self, file: &str, name: &Name, index: Option<u64>) -> bool {
        self.0
            .get_mut(&*spelling(file))
            .and_then(|scenarios| scenarios.get_mut(name))
            .is_some_and(|all| all.remove(&index))
    }

    /// Removes all cases of a file.
    pub fn remove_file(&mut self, file: &str) {
        self.0.remove(&*spelling(file));
    }

    /// Keeps the cases of those files alone for which `keep` returns true.
    pub fn retain_files(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.0.retain(|file, _| keep(file));
    }

    /// Returns their number; all of a scenario count as one, and so do all of a file.
    pub fn len(&self) -> usize {
        self.0.values().flat_map(HashMap::values).map(HashSet::len).sum()
    }

    /// Whether a case is among them: by itself, or with all of its scenario or of its file.
    pub fn has(&self, file: &str, name: &Name, index: Option<u64>) -> bool {
        self.of(file, name).is_some_and(|indices| indices.contains(&index) || indices.contains(&None))
    }

    /// Whether just this is among them.
    pub fn holds(&self, file: &str, name: &Name, index: Option<u64>) -> bool {
        self.0
            .get(&*spelling(file))
            .and_then(|all| all.get(name))
            .is_some_and(|indices| indices.contains(&index))
    }

    /// The cases of a scenario; those of a file as such, if there are any, stand for all of its scenarios.
    fn of(&self, file: &str, name: &Name) -> Option<&HashSet<Option<u64>>> {
        let scenarios = self.0.get(&*spelling(file))?;
        let of = |name: &Name| scenarios.get(name).filter(|indices| !indices.is_empty());
        of(&Name::File).or_else(|| of(name))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.values().flat_map(HashMap::values).all(HashSet::is_empty)
    }

    /// All of them, by file, name and index.
    pub fn sorted(&self) -> Vec<(&str, &Name, Option<u64>)> {
        let mut cases = Vec::new();
        for (file, scenarios) in &self.0 {
            for (name, indices) in scenarios {
                cases.extend(indices.iter().map(|index| (file.as_str(), name, *index)));
            }
        }
        cases.sort_unstable();
        cases
    }
}
