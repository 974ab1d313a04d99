//! What went wrong in a script, at its place there.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rhai::{EvalAltResult, ParseError, Position};

use super::board::TooLarge;
use super::call::Met;
use super::functions::Function;
use super::host::{Host, Program};
use super::import::{self, Refused, Why};
use super::steps::Step;
use crate::diagnostic::{CodeSpec, Diagnostic, nearest};
use crate::source::{Source, Span};

/// The faults of scripts.
pub const CODES: &[CodeSpec] = &[
    CodeSpec { code: "script::unreadable", about: "a script cannot be read" },
    CodeSpec { code: "script::syntax", about: "a syntax error in a script" },
    CodeSpec { code: "script::no-function", about: "a script lacks the function that it is asked for" },
    CodeSpec { code: "script::failed", about: "a script fails while it runs" },
    CodeSpec { code: "script::thrown", about: "a script throws, or hands a function what it cannot take" },
    CodeSpec { code: "script::limit", about: "a script meets one of its limits" },
    CodeSpec { code: "script::import", about: "a script cannot import what it names" },
    CodeSpec { code: "script::wrong-shape", about: "a function returns what it must not return" },
    CodeSpec { code: "script::given-twice", about: "a generator gives a key that the scenario gives" },
    CodeSpec { code: "script::no-moves", about: "a policy given for a game without moves" },
    CodeSpec { code: "script::illegal-move", about: "a policy chooses what is no move" },
    CodeSpec { code: "script::checker", about: "a checker says that something is wrong" },
    CodeSpec { code: "script::game", about: "a game in rhai does not say what it must say of itself" },
    CodeSpec { code: "script::refused", about: "a game in rhai refuses its start or a move" },
    CodeSpec { code: "script::setting", about: "an invalid script setting" },
];

/// Whether a fault with this code shows that a script is broken, and not only the case that it made or played.
pub fn is_broken(code: &str) -> bool {
    const BROKEN: [&str; 11] = [
        "script::unreadable",
        "script::syntax",
        "script::no-function",
        "script::failed",
        "script::thrown",
        "script::limit",
        "script::import",
        "script::wrong-shape",
        "script::illegal-move",
        "script::given-twice",
        "script::game",
    ];
    BROKEN.contains(&code)
}

/// The bytes of the word that stands at a position.
fn word(source: &Source, position: Position) -> Option<Range<usize>> {
    let (line, column) = (position.line()?, position.position().unwrap_or(1));
    let start: usize = source.text().split_inclusive('\n').take(line - 1).map(str::len).sum();
    let text = source.text()[start..].split('\n').next()?;
    let start = start + text.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum::<usize>();
    let rest = &source.text()[start..];
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let length: usize = rest.chars().take_while(is_word).map(char::len_utf8).sum();
    let first = rest.chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
    Some(start..start + length.max(first))
}

/// A text of a script, its end left out if it is long.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 300;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns whether the text that does not parse between `before` and `after` is a number with a fraction or an exponent.
fn is_float(before: &str, after: &str) -> bool {
    let ends = |text: &str| text.ends_with(|c: char| c.is_ascii_digit());
    let begins = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let whole = before.trim_end().strip_suffix('.').is_some_and(ends);
    let exponent = after.strip_prefix(['e', 'E']).map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
    whole || ends(before) && exponent.is_some_and(begins) || after.strip_prefix('.').is_some_and(begins)
}

/// The fault of a text that does not parse.
pub(super) fn syntax(error: &ParseError, source: &Arc<Source>) -> Diagnostic {
    let fault = Diagnostic::new(
        "script::syntax",
        format!("syntax error: {}", shortened(&error.err_type().to_string())),
    );
    match word(source, error.position()) {
        Some(range) => {
            let (before, after) = source.text().split_at(range.start);
            let is_float = is_float(before, after);
            let fault = fault.label(Span::new(source, range), "here");
            if is_float { fault.help("scripts have no floats: write whole numbers") } else { fault }
        }
        None => fault.label(Span::new(source, 0..0), "in this script"),
    }
}

/// The fault of a call of `function` that failed, in its last `step` if that is known.
pub(super) fn failed(
    error: EvalAltResult,
    function: &str,
    step: Option<Step>,
    program: &Program,
    host: &Host,
) -> Diagnostic {
    if let Some(Step { function, path, position }) = step {
        return fault(&error, &function, host, position, program, path.as_deref());
    }
    let mut function = function.to_owned();
    let mut path = None;
    let mut error = error;
    let mut position = error.position();
    loop {
        error = match error {
            EvalAltResult::ErrorInFunctionCall(name, source, inner, at) => {
                function = name;
                if !source.is_empty() {
                    path = Some(source);
                }
                position = if inner.position().is_none() { at } else { inner.position() };
                *inner
            }
            EvalAltResult::ErrorInModule(source, inner, at) => {
                if !source.is_empty() {
                    path = Some(source);
                }
                position = if inner.position().is_none() { at } else { inner.position() };
                *inner
            }
            error => break fault(&error, &function, host, position, program, path.as_deref()),
        };
    }
}

/// The fault of a call that failed for a reason of rhai's own.
fn failure(other: &EvalAltResult, called: &str, program: &Program) -> Diagnostic {
    let text = other.to_string();
    let text = text.split(" (line ").next().unwrap_or_default();
    let fault = Diagnostic::new("script::failed", format!("{called} fails: {}", shortened(text)));
    match other {
        EvalAltResult::ErrorVariableNotFound(name, _)
            if program.ast.iter_literal_variables(true, false).any(|(constant, ..)| constant == name) =>
        {
            fault.help(format!("in a function, a constant of the script is `global::{name}`"))
        }
        EvalAltResult::ErrorVariableNotFound(..) => {
            fault.help("functions and closures cannot see outer variables")
        }
        _ => fault,
    }
}

fn fault(
    error: &EvalAltResult,
    function: &str,
    host: &Host,
    position: Position,
    program: &Program,
    path: Option<&str>,
) -> Diagnostic {
    let limits = &host.limits;
    let called = match function.strip_prefix("anon$") {
        Some(_) => "a function without a name".to_owned(),
        None => format!("`{function}`"),
    };
    let limit = |what: &str, key: &str, most: u64| {
        Diagnostic::new("script::limit", format!("{called} {what}"))
            .help(format!("`limits.script.{key}` is {most}; raise it if the script is to go so far"))
    };
    let size = |what: &str, key: &str, most: u32, fitting: usize| {
        within_memory(limit(what, key, most.into()), key, most, fitting, limits.memory)
    };
    let fault = match error {
        EvalAltResult::ErrorTooManyOperations(_) => {
            limit("takes too many steps", "operations", limits.operations.into())
        }
        EvalAltResult::ErrorStackOverflow(_) => limit("calls too deep", "calls", limits.calls.into()),
        EvalAltResult::ErrorTooManyVariables(_) => {
            limit("has too many variables", "variables", limits.variables.into())
        }
        EvalAltResult::ErrorDataTooLarge(what, _) => {
            let what = what.to_lowercase();
            if what.contains("string") {
                size("makes too long a text", "string", limits.string, limits.most_text())
            } else if what.contains("map") {
                size("makes too large a map", "map", limits.map, limits.most_keys())
            } else {
                size("makes too large an array", "array", limits.array, limits.most_elements())
            }
        }
        EvalAltResult::ErrorTerminated(token, _) => match token.clone().try_cast::<Met>() {
            Some(Met::Text) => size("makes too long a text", "string", limits.string, limits.most_text()),
            Some(Met::Memory) => limit("takes too much memory", "memory", limits.memory.into()),
            Some(Met::System) => {
                Diagnostic::new("script::limit", format!("{called} takes more memory than the system has"))
                    .help("lower `limits.script.memory`, or run fewer cases at once with `--jobs`")
            }
            Some(Met::Milliseconds) | None => {
                limit("takes too long", "milliseconds", limits.milliseconds.into())
            }
        },
        EvalAltResult::ErrorTooManyModules(_) => {
            Diagnostic::new("script::import", format!("{called} imports too many scripts"))
        }
        EvalAltResult::ErrorModuleNotFound(name, _) => {
            Diagnostic::new("script::import", format!("unknown module `{}`", shortened(name)))
                .suggest(name, host.engines.names())
                .help(format!(
                    "`import \"name\" as {};` at the top of the script makes it one",
                    shortened(name)
                ))
        }
        EvalAltResult::ErrorRuntime(value, _) if value.is::<Refused>() => {
            not_imported(&value.clone().cast::<Refused>())
        }
        EvalAltResult::ErrorParsing(kind, _) => {
            Diagnostic::new("script::syntax", format!("syntax error: {}", shortened(&kind.to_string())))
        }
        EvalAltResult::ErrorRuntime(value, _) if value.is::<TooLarge>() => {
            let cells = value.clone().cast::<TooLarge>().0;
            size(&format!("makes a board of {cells} cells"), "cells", limits.cells, limits.most_cells())
        }
        EvalAltResult::ErrorRuntime(value, _) if value.is_unit() => {
            Diagnostic::new("script::thrown", format!("{called} threw"))
        }
        EvalAltResult::ErrorRuntime(value, _) => {
            Diagnostic::new("script::thrown", format!("{called} says: {}", shortened(&value.to_string())))
        }
        EvalAltResult::ErrorFunctionNotFound(signature, _) => {
            let name = signature.split([' ', '(']).next().unwrap_or_default();
            let fault =
                Diagnostic::new("script::failed", format!("there is no function `{}`", shortened(signature)));
            let known = || host.functions.iter().map(Function::name);
            if known().any(|known| known == name) {
                fault.help(format!("`{name}` takes other arguments; `rulebook engines --script` shows which"))
            } else {
                match nearest(name, known()) {
                    Some(near) => fault.help(format!("did you mean `{near}`?")),
                    None => fault.help("`rulebook engines --script` lists the functions that there are"),
                }
            }
        }
        other => failure(other, &called, program),
    };
    let source = source_of(path, program);
    // Limits have no place of their own: rhai says that of the call, and the host's call has none.
    let place =
        word(&source, position).map_or_else(|| heading(&source, function), |range| Span::new(&source, range));
    fault.label(place, format!("in {called}"))
}

/// The fault of an import.
fn not_imported(Refused { name, why }: &Refused) -> Diagnostic {
    const PLACE: &str =
        "`import \"name\" as n;` takes `name.rhai` from the directory of the script that says so";
    let fault = |reason: &str| {
        Diagnostic::new("script::import", format!("cannot import `{}`: {reason}", shortened(name)))
    };
    match why {
        Why::Name => fault("not a bare name").help(PLACE),
        Why::Missing(path) => fault(&format!("`{}` is missing", path.display())).help(PLACE),
        Why::Elsewhere(path) => {
            fault(&format!("`{}` is not a regular file of this directory", path.display())).help(PLACE)
        }
        Why::Unreadable(path, reason) => fault(&format!("cannot read `{}`", path.display())).note(reason),
        Why::Circular(paths) => match paths.as_slice() {
            [_] => fault("a script cannot import itself")
                .help(format!("call its functions without `{}::`", shortened(name))),
            paths => {
                let paths: Vec<_> =
                    paths.iter().chain(paths.first()).map(|path| format!("`{}`", path.display())).collect();
                fault("circular import")
                    .note(paths.join(" imports "))
                    .help("move what the scripts share to a script of its own")
            }
        },
        Why::Deep => fault(&format!("the maximum import depth is {}", import::DEEPEST)),
    }
}

/// The script at `path`, or that of `program` if there is none.
fn source_of(path: Option<&str>, program: &Program) -> Arc<Source> {
    match path {
        Some(path) if path != program.source().name() => {
            Source::read(Path::new(path)).unwrap_or_else(|_| Arc::clone(program.source()))
        }
        _ => Arc::clone(program.source()),
    }
}

/// The fault of a value above its limit, which is `most`, or `fitting` where that much alone goes into the memory.
fn within_memory(fault: Diagnostic, key: &str, most: u32, fitting: usize, memory: u32) -> Diagnostic {
    if fitting == most as usize {
        return fault;
    }
    let help = format!("`limits.script.memory` is {memory}, and with it `{key}` is at most {fitting}");
    Diagnostic { help: vec![help], ..fault }
}

/// Where a function of a script begins: its name.
pub(super) fn heading(source: &Arc<Source>, function: &str) -> Span {
    let heads = source.text().match_indices("fn ").map(|(at, head)| at + head.len());
    let mut heads = heads.filter(|&start| {
        let name = source.text()[start..].strip_prefix(function);
        name.is_some_and(|rest| rest.trim_start().starts_with('('))
    });
    let range = heads.next().map_or(0..0, |start| start..start + function.len());
    Span::new(source, range)
}
