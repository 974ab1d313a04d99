//! `config`: the settings of a run, and where each comes from.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write as _;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, CommandFactory as _};
use rulebook::source::Span;
use rulebook::trace::Table;
use rulebook::visible;

use super::args::Args;
use super::exit::{Exit, Trouble};
use super::settings::Origin;
use super::{output, standing};

/// Prints the settings as a `rulebook.toml`.
pub(crate) fn config(matches: &ArgMatches, origins: &BTreeMap<String, Origin>) -> Result<Exit, Trouble> {
    let mut command = Args::command();
    command.build();
    let rows =
        standing::keys(&command).into_iter().map(|(key, arg)| row(&key, arg, matches, origins)).collect();
    let table = Table { head: vec![String::new(); 2], rows };
    let (mut out, _) = output::stdout();
    // The first line is the empty head's.
    for line in table.lines().iter().skip(1) {
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()?;
    Ok(Exit::Passed)
}

/// A key with its value, and behind it as a comment where that comes from.
fn row(key: &str, arg: &Arg, matches: &ArgMatches, origins: &BTreeMap<String, Origin>) -> Vec<String> {
    let id = arg.get_id().as_str();
    let origin = match (origins.get(id), matches.value_source(id)) {
        (Some(Origin::Environment(variable)), _) => variable.clone(),
        (Some(Origin::File(span)), _) => place(span),
        (None, Some(ValueSource::CommandLine)) => "command line".to_owned(),
        (None, _) => "default".to_owned(),
    };
    let setting = match value(arg, matches) {
        Some(value) => format!("{key} = {value}"),
        None => format!("# {key} is not set"),
    };
    vec![setting, format!("# {origin}")]
}

/// The value as TOML; `None` where there is none.
fn value(arg: &Arg, matches: &ArgMatches) -> Option<String> {
    let id = arg.get_id().as_str();
    if let ArgAction::SetTrue = arg.get_action() {
        return Some(matches.get_flag(id).to_string());
    }
    let raw: Vec<_> = matches.get_raw(id).into_iter().flatten().map(OsStr::to_string_lossy).collect();
    let quoted = |text: &str| match text.parse::<i64>() {
        Ok(number) if number.to_string() == text => text.to_owned(),
        _ => visible::quoted(text),
    };
    match arg.get_action() {
        ArgAction::Append => {
            let items: Vec<_> = raw.iter().map(|text| visible::quoted(text)).collect();
            Some(format!("[{}]", items.join(", ")))
        }
        _ => raw.first().map(|text| quoted(text)),
    }
}

/// `FILE:LINE`.
fn place(span: &Span) -> String {
    visible::visible(&format!("{}:{}", span.source.name(), span.line()))
}
