//! What the command line, the environment and the suite's `rulebook.toml` ask for together.
//!
//! Every flag has a variable, and those of `run` that make sense as a standing wish a key in the file. What is asked for
//! there is typed in at the end of the command line, where that leaves room for it: the command line beats the
//! environment, and the environment the file. So a value is understood in one way, wherever it comes from.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::num::ParseIntError;
use std::path::{Path, PathBuf};

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory as _, Error, FromArgMatches as _};
use rulebook::diagnostic::{Diagnostic, names};
use rulebook::root::Bounds;
use rulebook::scenario::Word;
use rulebook::source::Span;

use super::args::{self, Args, Run};
use super::files::Named;
use super::standing;

/// The arguments, and where each comes from.
#[derive(Debug)]
pub(crate) struct Settings {
    /// All of them.
    pub(crate) args: Args,
    /// Those of the subcommand.
    pub(crate) matches: ArgMatches,
    /// Where an argument comes from, by its id; the others are as typed, or not given at all.
    pub(crate) origins: BTreeMap<String, Origin>,
    /// Limits of what scenarios may name.
    pub(crate) bounds: Bounds,
}

/// Where an argument comes from that is not on the command line.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// The variable of this name.
    Environment(String),
    /// A key of the suite's file, which stands here.
    File(Span),
}

/// An argument that is asked for elsewhere than on the command line.
pub(crate) struct Wish {
    /// The argument's id.
    pub(crate) id: String,
    /// What would be typed for it.
    pub(crate) typed: Typed,
    /// Where it is asked for.
    pub(crate) origin: Origin,
}

/// What would be typed on the command line.
pub(crate) enum Typed {
    /// The flag without a value; `false` is the flag not given.
    Flag(bool),
    /// The flag with each of these values.
    Values(Vec<OsString>),
    /// The values behind all flags.
    Positional(Vec<OsString>),
}

/// Why there are no settings.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The command line is not understood, or asks for help.
    CommandLine(Box<Error>),
    /// What else is not understood.
    Faults(Vec<Diagnostic>),
}

impl From<Diagnostic> for Refusal {
    fn from(fault: Diagnostic) -> Self {
        Self::Faults(vec![fault])
    }
}

/// The settings of a command line, with the variables that `env` knows and the `rulebook.toml` above `folder`.
pub(crate) fn read(
    typed: &[OsString],
    env: impl Fn(&str) -> Option<OsString>,
    folder: &Path,
) -> Result<Settings, Refusal> {
    let mut command = Args::command();
    command.build();
    let parse = |line: &[OsString]| command.clone().try_get_matches_from(line);
    let matches =
        parse(typed).map_err(|error| Refusal::CommandLine(Box::new(with_variables_named(typed, error))))?;
    let (leaf, given) = leaf(&command, &matches);
    refuse_renamed(&env)?;
    let mut line =
        Line { typed: typed.to_vec(), origins: BTreeMap::new(), leaf, given: &given, parse: &parse };
    let wishes = line.open().map(|flag| in_environment(flag, &env)).collect::<Result<Vec<_>, _>>()?;
    line.add(wishes.into_iter().flatten().collect())?;
    let mut directory = None;
    if leaf.get_arguments().any(|arg| !arg.is_global_set() && is_flag(arg)) {
        let matches = parse(&line.typed).map_err(|error| Refusal::CommandLine(Box::new(error)))?;
        let args = Args::from_arg_matches(&matches).map_err(|error| Refusal::CommandLine(Box::new(error)))?;
        if !args.no_config
            && let Some(file) = standing::find(args.config.as_deref(), folder).map_err(Refusal::from)?
        {
            let mut wishes = standing::wishes(&file, &command).map_err(Refusal::Faults)?;
            wishes.retain(|wish| standing::holds_for(leaf, &wish.id));
            line.add(wishes)?;
            directory = Some(standing::directory(&file.0).to_owned());
        }
    }
    let matches = parse(&line.typed).map_err(|error| Refusal::CommandLine(Box::new(error)))?;
    let mut args = Args::from_arg_matches(&matches).map_err(|error| Refusal::CommandLine(Box::new(error)))?;
    let origins = line.origins;
    let (_, matches) = self::leaf(&command, &matches);
    let bounds = Bounds {
        settings: directory.as_ref().and_then(|directory| folder.join(directory).canonicalize().ok()),
        outside: args.allow_outside,
    };
    let directory = directory.unwrap_or_default();
    if let (Some(Origin::File(span)), true, None) =
        (origins.get("allow_outside"), args.allow_outside, &args.config)
    {
        let title = "`allow_outside` is not for a settings file that is found";
        let fault =
            Diagnostic::new("config::outside", title).label(span.clone(), "a suite cannot allow itself more");
        return Err(fault.help("give `--allow-outside`, or name the file with `--config`").into());
    }
    if let (Some(Origin::File(span)), Ok(Some(paths))) =
        (origins.get("paths"), matches.try_get_many::<PathBuf>("paths"))
    {
        standing::reached(paths, &directory, &bounds, span)?;
    }
    match &mut args.command {
        args::Command::Run(Run { suite, .. }) | args::Command::Check(suite) | args::Command::List(suite) => {
            suite.bounds = bounds.clone();
        }
        _ => {}
    }
    if let args::Command::Run(run) = &mut args.command {
        let place = |(id, path): (&str, &Path)| match origins.get(id) {
            Some(Origin::File(span)) => Some((path.to_owned(), span.clone())),
            Some(Origin::Environment(_)) | None => None,
        };
        run.named = Named { directory, places: run.outputs().into_iter().filter_map(place).collect() };
    }
    Ok(Settings { args, matches, origins, bounds })
}

/// The command line as people read of it: every flag with its variable.
pub(crate) fn documented() -> Command {
    fn with_variables(command: Command) -> Command {
        let command = command.mut_args(|arg| match variable(&arg) {
            Some(variable) if is_flag(&arg) => arg.env(variable).hide_env_values(true),
            _ => arg,
        });
        let names: Vec<_> = command.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
        names.into_iter().fold(command, |command, name| command.mut_subcommand(name, with_variables))
    }
    with_variables(Args::command())
}

/// Flags of earlier versions, each with its name now.
const RENAMED: [(&str, &str); 1] = [("select", "filter")];

/// Returns what the flag `old` of an earlier version is called now.
pub(crate) fn renamed(old: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(known, _)| *known == old).map(|(_, new)| *new)
}

/// Refuses the variables of flags of earlier versions.
fn refuse_renamed(env: &impl Fn(&str) -> Option<OsString>) -> Result<(), Diagnostic> {
    let set = |(old, new): &(&str, &str)| {
        let [old, new] = [old, new].map(|flag| variable_of(flag));
        env(&old).filter(|value| !value.is_empty()).map(|_| (old, new))
    };
    let Some((old, new)) = RENAMED.iter().find_map(set) else { return Ok(()) };
    let fault = Diagnostic::new("usage::variable", format!("`{old}` is not a variable any more"));
    Err(fault.help(format!("set `{new}`")))
}

/// Points at the new name of a flag that an earlier version had.
fn with_new_name(mut error: Error) -> Error {
    let typed = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(typed)) => typed.trim_start_matches('-').to_owned(),
        _ => return error,
    };
    if let (ErrorKind::UnknownArgument, Some(new)) = (error.kind(), renamed(&typed)) {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{new}")));
    }
    error
}

/// The variable of a flag.
pub(crate) fn variable(flag: &Arg) -> Option<String> {
    flag.get_long().map(variable_of)
}

fn variable_of(long: &str) -> String {
    format!("RULEBOOK_{}", long.replace('-', "_").to_uppercase())
}

/// Whether an argument asks for something that is not a word of help.
pub(crate) fn is_flag(arg: &Arg) -> bool {
    let helps = matches!(
        arg.get_action(),
        ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
    );
    !arg.is_positional() && !helps
}

/// Help names the variables; a fault of the command line has nothing to do with them.
fn with_variables_named(typed: &[OsString], error: Error) -> Error {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            documented().try_get_matches_from(typed).err().unwrap_or(error)
        }
        _ => with_new_name(error),
    }
}

/// The subcommand that was called, and what it was given.
fn leaf<'c>(command: &'c Command, matches: &ArgMatches) -> (&'c Command, ArgMatches) {
    match matches.subcommand() {
        Some((name, inner)) => {
            leaf(command.find_subcommand(name).expect("a subcommand that was parsed"), inner)
        }
        None => (command, matches.clone()),
    }
}

/// What a variable asks for, if it is set.
fn in_environment(flag: &Arg, env: &impl Fn(&str) -> Option<OsString>) -> Result<Option<Wish>, Diagnostic> {
    let Some(variable) = variable(flag) else { return Ok(None) };
    let Some(value) = env(&variable).filter(|value| !value.is_empty()) else { return Ok(None) };
    let typed = match flag.get_action() {
        ArgAction::SetTrue => Typed::Flag(truth(&value).ok_or_else(|| {
            let title = format!("`{variable}` is `{}`", value.to_string_lossy());
            Diagnostic::new("usage::variable", title).help("expected `1` or `0`, `true` or `false`")
        })?),
        ArgAction::Append => {
            // A list in one variable; a value that is no text is a single one.
            let several = value.to_str().map(|text| text.split(',').map(OsString::from).collect());
            Typed::Values(several.unwrap_or_else(|| vec![value]))
        }
        _ => Typed::Values(vec![value]),
    };
    Ok(Some(Wish { id: flag.get_id().to_string(), typed, origin: Origin::Environment(variable) }))
}

fn truth(value: &OsStr) -> Option<bool> {
    match value.to_str()?.to_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// A command line that grows at its end.
struct Line<'a> {
    typed: Vec<OsString>,
    origins: BTreeMap<String, Origin>,
    /// The subcommand.
    leaf: &'a Command,
    /// What it was given on the command line itself.
    given: &'a ArgMatches,
    parse: &'a dyn Fn(&[OsString]) -> Result<ArgMatches, Error>,
}

impl<'a> Line<'a> {
    /// The flags that may still be asked for.
    fn open(&self) -> impl Iterator<Item = &'a Arg> {
        self.leaf.get_arguments().filter(|arg| is_flag(arg) && !self.is_given(arg))
    }

    fn is_given(&self, arg: &Arg) -> bool {
        let id = arg.get_id().as_str();
        let is_typed = self.given.value_source(id) == Some(clap::parser::ValueSource::CommandLine);
        // Parts of names say nothing of where scenarios are.
        let are_names = ["run", "check", "list"].contains(&self.leaf.get_name())
            && id == "paths"
            && self
                .given
                .get_many::<PathBuf>(id)
                .is_some_and(|mut words| words.all(|word| matches!(Word::read(word), Word::Name(_))));
        self.origins.contains_key(id) || is_typed && !are_names
    }

    /// Adds what is asked for in one place, where what was asked for before leaves room for it.
    fn add(&mut self, wishes: Vec<Wish>) -> Result<(), Refusal> {
        let above = self.typed.clone();
        let mut faults = Vec::new();
        let mut taken: Vec<Wish> = Vec::new();
        let mut waiting = wishes;
        loop {
            let before = waiting.len();
            let mut later = Vec::new();
            for wish in waiting {
                let Some(arg) = self.leaf.get_arguments().find(|arg| arg.get_id().as_str() == wish.id) else {
                    continue;
                };
                if self.is_given(arg) {
                    continue;
                }
                let words = wish.typed.words(arg);
                let refused = |line: &[OsString]| (self.parse)(&with(line, &words)).err();
                let mut goes_with_another = false;
                match refused(&above) {
                    // Whoever asked before wants something else.
                    Some(error) if error.kind() == ErrorKind::ArgumentConflict => continue,
                    Some(error) if error.kind() == ErrorKind::MissingRequiredArgument => {
                        // It goes with another flag, which may still come.
                        goes_with_another = true;
                    }
                    Some(error) => {
                        faults.push(not_understood(&wish, arg, &error));
                        continue;
                    }
                    None => {}
                }
                if goes_with_another && refused(&self.typed).is_some() {
                    later.push(wish);
                    continue;
                }
                if refused(&self.typed).is_some() {
                    let other = taken.iter().find(|other| {
                        let arg = self.leaf.get_arguments().find(|arg| arg.get_id().as_str() == other.id);
                        arg.is_some_and(|arg| refused(&with(&above, &other.typed.words(arg))).is_some())
                    });
                    faults.push(clash(&wish, other));
                    continue;
                }
                self.typed = with(&self.typed, &words);
                self.origins.insert(wish.id.clone(), wish.origin.clone());
                taken.push(wish);
            }
            if later.is_empty() || later.len() == before {
                break;
            }
            waiting = later;
        }
        if faults.is_empty() { Ok(()) } else { Err(Refusal::Faults(faults)) }
    }
}

impl Typed {
    /// The words of the command line.
    fn words(&self, arg: &Arg) -> Vec<OsString> {
        let flag = || OsString::from(format!("--{}", arg.get_long().unwrap_or_default()));
        match self {
            Self::Flag(false) => Vec::new(),
            Self::Flag(true) => vec![flag()],
            Self::Values(values) => values
                .iter()
                .map(|value| {
                    let mut word = flag();
                    word.push("=");
                    word.push(value);
                    word
                })
                .collect(),
            Self::Positional(values) => values.clone(),
        }
    }
}

/// The line with more words at the end of its flags.
fn with(line: &[OsString], words: &[OsString]) -> Vec<OsString> {
    let end = line.iter().position(|word| word == "--").unwrap_or(line.len());
    [&line[..end], words, &line[end..]].concat()
}

impl Wish {
    /// What asks for it, as messages name it.
    fn name(&self) -> String {
        match &self.origin {
            Origin::Environment(variable) => variable.clone(),
            Origin::File(_) => self.id.clone(),
        }
    }

    /// A fault that points at where it is asked for.
    fn fault(&self, code: &'static str, title: String, label: String) -> Diagnostic {
        let fault = Diagnostic::new(code, title);
        match &self.origin {
            Origin::Environment(_) => fault.note(label),
            Origin::File(span) => fault.label(span.clone(), label),
        }
    }
}

fn not_understood(wish: &Wish, arg: &Arg, error: &Error) -> Diagnostic {
    let value = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) => value.clone(),
        _ => String::new(),
    };
    let (code, title) = match wish.origin {
        Origin::Environment(_) => ("usage::variable", format!("`{}` is `{value}`", wish.name())),
        Origin::File(_) => ("config::value", format!("`{}` cannot be `{value}`", wish.name())),
    };
    let known: Vec<_> = arg.get_possible_values().iter().map(|known| known.get_name().to_owned()).collect();
    if known.is_empty() {
        let reason = match error.source() {
            Some(reason) if reason.is::<ParseIntError>() && !is_number(&value) => {
                "expected a whole number, 0 or more".to_owned()
            }
            Some(reason) => reason.to_string(),
            None => plain(&error.render()),
        };
        wish.fault(code, title, reason)
    } else {
        wish.fault(code, title, format!("expected one of {}", names(&known)))
            .suggest(&value, known.iter().map(String::as_str))
    }
}

/// Whether it is a number, if perhaps too large a one.
fn is_number(typed: &str) -> bool {
    !typed.is_empty() && typed.bytes().all(|byte| byte.is_ascii_digit())
}

/// The first line of what clap says.
fn plain(text: &StyledStr) -> String {
    let text = text.to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

fn clash(wish: &Wish, other: Option<&Wish>) -> Diagnostic {
    let title = match other {
        Some(other) => format!("`{}` and `{}` exclude each other", other.name(), wish.name()),
        None => format!("`{}` conflicts with another setting", wish.name()),
    };
    let code = match wish.origin {
        Origin::Environment(_) => "usage::variable",
        Origin::File(_) => "config::value",
    };
    let fault = wish.fault(code, title, "set one of the two only".to_owned());
    match other.map(|other| &other.origin) {
        Some(Origin::File(span)) => fault.label(span.clone(), "the other"),
        _ => fault,
    }
}

/// Whether the values of `arg` are of one of these types.
pub(crate) fn takes(arg: &Arg, types: &[TypeId]) -> bool {
    types.iter().any(|of| arg.get_value_parser().type_id() == *of)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every flag of a command, and those of its subcommands.
    fn walk(command: &Command, each: &mut dyn FnMut(&Command, &Arg)) {
        command.get_arguments().filter(|arg| is_flag(arg)).for_each(|arg| each(command, arg));
        command.get_subcommands().for_each(|inner| walk(inner, each));
    }

    #[test]
    fn every_flag_has_a_variable() {
        let mut flags = 0;
        walk(&documented(), &mut |command, arg| {
            flags += 1;
            let name = command.get_name();
            let env = arg.get_env().unwrap_or_else(|| panic!("`{arg}` of `{name}` has no variable"));
            assert_eq!(Some(env), variable(arg).as_deref().map(OsStr::new));
            // What is asked for elsewhere is typed in: these are the ways that the typing knows.
            let known = matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::Set | ArgAction::Append);
            assert!(known, "`{arg}` of `{name}` is neither a switch nor takes a value");
        });
        assert!(flags > 20, "{flags} flags were found");
    }

    #[test]
    fn a_variable_is_understood_as_its_flag_would_be() {
        let typed = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let env = |variable: &str| match variable {
            "RULEBOOK_SUMMARY" => Some("score,turn".into()),
            "RULEBOOK_FAIL_FAST" => Some("yes".into()),
            _ => None,
        };
        let settings = |words: &[&str]| read(&typed(words), env, Path::new("/")).unwrap().args;
        let by_variables = format!("{:?}", settings(&["rulebook", "run"]).command);
        let flags = ["rulebook", "run", "--fail-fast", "--summary", "score", "--summary=turn"];
        assert_eq!(by_variables, format!("{:?}", settings(&flags).command));
    }
}
