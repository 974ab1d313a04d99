//! Where a script was when it was stopped: the last step of a call.

use std::cell::RefCell;

use rhai::debugger::{DebuggerCommand, DebuggerEvent};
use rhai::{Engine, EvalAltResult, ImmutableString, Position};

/// A step of a script.
#[derive(Debug)]
pub(super) struct Step {
    /// The function that is being run.
    pub(super) function: String,
    /// The script that holds it, if it is not the one that was called.
    pub(super) path: Option<String>,
    pub(super) position: Position,
}

/// [`Step`], in texts that are cheap to copy.
type Noted = (ImmutableString, Option<ImmutableString>, Position);

thread_local! {
    static LAST: RefCell<Option<Noted>> = const { RefCell::new(None) };
}

/// Whether steps lead to this error again and again, and lose nothing on the way: a limit that time has no part in.
pub(super) fn leads_to(error: &EvalAltResult) -> bool {
    error.is_system_exception() && !matches!(error, EvalAltResult::ErrorTerminated(..))
}

/// Makes an interpreter note its steps.
#[expect(deprecated, reason = "marked so for being volatile, not for being on its way out")]
pub(super) fn note(engine: &mut Engine) {
    engine.register_debugger(
        |_, debugger| debugger,
        |context, event, _, source, position| {
            let leaves = matches!(
                event,
                DebuggerEvent::FunctionExitWithValue(_) | DebuggerEvent::FunctionExitWithError(_)
            );
            if let (Some(frame), false, false) = (
                context.debugger().and_then(|debugger| debugger.call_stack().last()),
                leaves,
                position.is_none(),
            ) {
                LAST.set(Some((frame.fn_name.clone(), source.map(Into::into), position)));
            }
            Ok(DebuggerCommand::StepInto)
        },
    );
}

/// The last step of a call that an interpreter makes which notes them, and its error; nothing if it comes to an end.
pub(super) fn last<T>(
    call: impl FnOnce() -> Result<T, Box<EvalAltResult>>,
) -> Option<(Step, Box<EvalAltResult>)> {
    LAST.set(None);
    let error = call().err()?;
    let (function, path, position) = LAST.take()?;
    let path = path.map(|path: ImmutableString| path.to_string());
    Some((Step { function: function.to_string(), path, position }, error))
}
