//! `replay`: a scenario's run, frame by frame.

use std::io::{self, Write as _};
use std::ops::{ControlFlow, RangeInclusive};

use rulebook::diagnostic::Diagnostic;
use rulebook::replay::terminal;
use rulebook::root::Bounds;
use rulebook::scenario::suite::Pieces;
use rulebook::scenario::{Case, Select, load};
use rulebook::trace::{self, Frame};
use rulebook::visible;

use super::exit::{Exit, Trouble};
use super::output;

/// Shows the frames of `steps`.
pub(crate) fn replay(
    scenario: &str,
    index: Option<u64>,
    steps: RangeInclusive<u64>,
    json: bool,
    bounds: &Bounds,
) -> Result<Exit, Trouble> {
    let case = find(scenario, index, bounds)?;
    if let Some(reason) = case.skip {
        let title = format!("`{}` is skipped: {reason}", case.name);
        let fault = Diagnostic::new("usage::skipped", title);
        return Err(Trouble::Usage(fault.help("remove its `skip` to replay it")));
    }
    let plan = case.plan.map_err(Trouble::Faults)?;
    let game = plan.game.map_err(Trouble::Faults)?;
    let step = case.engine.as_ref().map_or("step", |engine| engine.step());
    let (mut out, color) = output::stdout();
    if json {
        let head = serde_json::json!({
            "format": trace::FORMAT,
            "engine": case.engine.as_ref().map(|engine| engine.name()),
            "scenario": case.name.text(),
            "step": step,
        });
        visible::write_json(&mut out, &head)?;
        writeln!(out)?;
    }
    let mut write = |frame: &Frame| -> io::Result<()> {
        if json {
            visible::write_json(&mut out, frame)?;
            writeln!(out)
        } else {
            out.write_all(terminal::frame(frame, step, color).as_bytes())
        }
    };
    let mut result = Ok(());
    let mut shown = 0_u64;
    game.replay(steps.clone(), &mut |frame| {
        shown += 1;
        result = write(&frame);
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    result?;
    out.flush()?;
    if shown == 0 {
        let title = match (*steps.start(), *steps.end()) {
            (from, u64::MAX) => format!("the run has no {step} from {from} on"),
            (from, to) if from > to => format!("{step} {from} does not come before {step} {to}"),
            (from, to) if from == to => format!("the run has no {step} {from}"),
            (from, to) => format!("the run has no {step} from {from} to {to}"),
        };
        return Err(Trouble::Usage(Diagnostic::new("usage::no-such-step", title)));
    }
    Ok(Exit::Passed)
}

/// The one scenario that `FILE` or `FILE::NAME` means.
fn find(scenario: &str, index: Option<u64>, bounds: &Bounds) -> Result<Case, Trouble> {
    let (files, select) = output::scenarios(scenario, bounds);
    let indices = index.map(|index| index..index.saturating_add(1));
    let select = Select { indices, ..select };
    let mut cases = Vec::new();
    for piece in Pieces::new(files, select.indices.clone()).within(bounds.clone()) {
        let flow = load(&piece.content.map_err(|fault| *fault)?, &piece.file, &select, &mut |case| {
            cases.push(case);
            if cases.len() > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if flow.is_break() {
            break;
        }
    }
    let (file, name) = scenario.split_once("::").map_or((scenario, None), |(file, name)| (file, Some(name)));
    match (cases.len(), name) {
        (1, _) => Ok(cases.remove(0)),
        (0, Some(name)) => {
            let fault =
                Diagnostic::new("usage::no-such-scenario", format!("`{file}` has no scenario `{name}`"));
            Err(Trouble::Usage(fault.help(format!("`rulebook list {file}` shows those that it has"))))
        }
        (0, None) => Err(Trouble::Usage(Diagnostic::new(
            "usage::no-such-scenario",
            format!("`{file}` has no scenario"),
        ))),
        _ if cases[0].made.is_some() => {
            let title = format!("a script makes several cases of `{}`", cases[0].name);
            let fault = Diagnostic::new("usage::which-scenario", title);
            Err(Trouble::Usage(fault.help("choose one by its index, as in `--index 0`")))
        }
        _ => {
            let fault = Diagnostic::new("usage::which-scenario", format!("`{file}` has several scenarios"));
            let help =
                format!("name one, as in `{file}::{}`; `rulebook list {file}` shows them", cases[0].name);
            Err(Trouble::Usage(fault.help(help)))
        }
    }
}
