//! The call under way on this thread: what it has spent, and what it has printed.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use alloc_metrics::thread_metrics;
use rhai::{Dynamic, EvalAltResult, EvalContext, Position};

use super::functions::Trouble;
use super::limits::Limits;
use super::sizes::Sizes;

/// Operations between two looks at the clock: a single one may go through millions of elements.
const LOOK: u64 = 32;
/// Cells of boards that are gone through between two looks.
const CELLS: usize = 1 << 18;
/// Bytes that a call takes between two questions to the system for more.
const STRIDE: usize = 16 << 20;
/// Operations between two measurements of variables, beside one for every two values measured.
const MEASURE: u64 = 32;

/// A limit that ends a call between two of its operations.
#[derive(Clone, Copy, Debug)]
pub(super) enum Met {
    Milliseconds,
    Memory,
    /// The system has no more memory.
    System,
    /// A text would be too long.
    Text,
}

struct Call {
    deadline: Instant,
    /// Bytes that this thread may have allocated.
    memory: isize,
    /// Bytes that a function may take at a time.
    spare: usize,
    /// The limit that was met.
    met: Option<Met>,
    cells: usize,
    elements: usize,
    text: usize,
    /// Sizes of what the call was handed.
    handed: Sizes,
    /// House rules that the scenario sets.
    rules: Vec<String>,
    print: usize,
    printed: String,
    cut: bool,
}

thread_local! {
    static CALL: RefCell<Option<Call>> = const { RefCell::new(None) };
    /// What was printed, and whether some of it was left out.
    static PRINTED: RefCell<(String, bool)> = const { RefCell::new((String::new(), false)) };
    /// Whether the next operation looks, whatever its number.
    static DUE: Cell<bool> = const { Cell::new(false) };
    /// The cells touched since the last look.
    static TOUCHED: Cell<usize> = const { Cell::new(0) };
    /// Bytes that this thread may have allocated before the next look.
    static CEILING: Cell<isize> = const { Cell::new(0) };
    /// Operations of the call so far, those of calls within it counted too.
    static STEPS: Cell<u64> = const { Cell::new(0) };
    /// Operations at which variables are measured next.
    static MEASURED: Cell<u64> = const { Cell::new(0) };
}

impl Call {
    fn new(limits: &Limits, handed: Sizes, rules: &[String]) -> Self {
        Self {
            deadline: Instant::now() + Duration::from_millis(limits.milliseconds.into()),
            memory: allocated().saturating_add_unsigned(limits.bytes()),
            spare: limits.spare(),
            met: None,
            cells: limits.most_cells(),
            elements: limits.most_elements(),
            text: limits.most_text(),
            handed,
            rules: rules.to_vec(),
            print: limits.print as usize,
            printed: String::new(),
            cut: false,
        }
    }

    /// The limit of time or memory that is met now.
    fn look(&mut self) -> Option<Met> {
        if Instant::now() > self.deadline {
            return Some(Met::Milliseconds);
        }
        let now = allocated();
        if now > self.memory {
            return Some(Met::Memory);
        }
        if now > CEILING.get() {
            CEILING.set(self.memory.min(now.saturating_add_unsigned(STRIDE)));
            if Vec::<u8>::new().try_reserve_exact(self.spare).is_err() {
                return Some(Met::System);
            }
        }
        None
    }
}

/// Bytes that this thread has allocated, less those that it has freed.
fn allocated() -> isize {
    thread_metrics().allocated_bytes
}

/// Runs `work` whose memory belongs to no call.
pub(super) fn apart<R>(work: impl FnOnce() -> R) -> R {
    let before = allocated();
    let result = work();
    let kept = allocated() - before;
    CALL.with_borrow_mut(|call| {
        if let Some(call) = call {
            call.memory = call.memory.saturating_add(kept);
        }
    });
    CEILING.set(CEILING.get().saturating_add(kept));
    result
}

/// Runs `work`, which is handed values of these sizes, as a call within `limits`; a call within a call shares time,
/// memory and prints with the outer one.
pub(super) fn within<R>(limits: &Limits, handed: Sizes, rules: &[String], work: impl FnOnce() -> R) -> R {
    let outer =
        CALL.with_borrow_mut(|call| call.as_mut().map(|call| std::mem::replace(&mut call.handed, handed)));
    if let Some(outer) = outer {
        let result = work();
        CALL.with_borrow_mut(|call| call.iter_mut().for_each(|call| call.handed = outer));
        return result;
    }
    CALL.set(Some(Call::new(limits, handed, rules)));
    DUE.set(false);
    TOUCHED.set(0);
    let at_once = limits.spare() > STRIDE;
    CEILING.set(if at_once {
        isize::MIN
    } else {
        allocated().saturating_add_unsigned(STRIDE.min(limits.bytes()))
    });
    STEPS.set(0);
    MEASURED.set(0);
    let _over = Over;
    work()
}

/// Ends the call under way, even if its work panics.
struct Over;

impl Drop for Over {
    fn drop(&mut self) {
        let Some(call) = CALL.take() else { return };
        PRINTED.with_borrow_mut(|printed| {
            let room = call.print.saturating_sub(printed.0.len());
            printed.0.push_str(&call.printed[..call.printed.floor_char_boundary(room)]);
            printed.1 |= call.cut || room < call.printed.len();
        });
    }
}

/// Counts an operation, and returns the limit that stops the call there, if one does.
pub(super) fn spent() -> Option<Met> {
    let steps = STEPS.get() + 1;
    STEPS.set(steps);
    if !steps.is_multiple_of(LOOK) && !DUE.get() && allocated() <= CEILING.get() {
        return None;
    }
    CALL.with_borrow_mut(|call| {
        let call = call.as_mut()?;
        if call.met.is_none() {
            call.met = call.look();
        }
        // Some of rhai's functions, sorting for one, go on after an error: then every further operation is one.
        DUE.set(call.met.is_some());
        call.met
    })
}

/// Stops the call at a limit, even where rhai goes on after an error, as it does in a text with values in it.
pub(super) fn stopped(limit: Met) -> Trouble {
    CALL.with_borrow_mut(|call| call.iter_mut().for_each(|call| call.met = Some(limit)));
    DUE.set(true);
    EvalAltResult::ErrorTerminated(Dynamic::from(limit), Position::NONE).into()
}

/// Fails if a limit was met that nothing has stopped at.
pub(super) fn is_within() -> Result<(), Trouble> {
    let met = CALL.with_borrow(|call| call.as_ref().and_then(|call| call.met));
    met.map_or(Ok(()), |limit| Err(stopped(limit)))
}

/// Holds the variables of the function under way against the limits of sizes, if it is time to.
pub(super) fn measure(context: &EvalContext<'_, '_, '_, '_, '_, '_>) -> Result<(), Trouble> {
    let steps = STEPS.get();
    if steps < MEASURED.get() {
        return Ok(());
    }
    let handed = CALL.with_borrow(|call| call.as_ref().map(|call| call.handed)).unwrap_or_default();
    let mut seen = 0;
    for value in context.scope().iter_raw().map(|(_, _, value)| value).chain(context.this_ptr()) {
        seen += Sizes::hold(handed, value, context.engine())?;
    }
    MEASURED.set(steps + MEASURE + seen as u64 / 2);
    Ok(())
}

/// Notes that so many cells of a board were gone through or copied.
pub(super) fn touch(cells: usize) {
    let sum = TOUCHED.get().saturating_add(cells);
    if sum >= CELLS {
        DUE.set(true);
        TOUCHED.set(0);
    } else {
        TOUCHED.set(sum);
    }
}

/// The most cells that a board may have.
pub(super) fn most_cells() -> usize {
    CALL.with_borrow(|call| call.as_ref().map_or(usize::MAX, |call| call.cells))
}

/// The most elements that an array may have.
pub(super) fn most_elements() -> usize {
    CALL.with_borrow(|call| call.as_ref().map_or(usize::MAX, |call| call.elements))
}

/// The most bytes that a text may have.
pub(super) fn most_text() -> usize {
    CALL.with_borrow(|call| call.as_ref().map_or(usize::MAX, |call| call.text))
}

/// Returns the first of `rules` that the scenario sets for which the call is made.
pub(super) fn set_rule(rules: &[&'static str]) -> Option<&'static str> {
    let is_set = |rule: &&&str| {
        CALL.with_borrow(|call| call.as_ref().is_some_and(|call| call.rules.iter().any(|set| set == **rule)))
    };
    rules.iter().find(is_set).copied()
}

/// Keeps what a script prints.
pub(super) fn print(line: &str) {
    CALL.with_borrow_mut(|call| {
        let Some(call) = call else { return };
        if call.printed.len() + line.len() < call.print {
            call.printed.push_str(line);
            call.printed.push('\n');
        } else {
            call.cut = true;
        }
    });
}

/// Runs `work` and forgets what its scripts print.
pub(super) fn unheard<R>(work: impl FnOnce() -> R) -> R {
    let before = PRINTED.take();
    let result = work();
    PRINTED.set(before);
    result
}

/// What the scripts of this thread have printed since it was last asked.
pub fn printed() -> String {
    let (mut printed, cut) = PRINTED.take();
    if cut {
        printed.push_str("… (the rest of what was printed is left out)\n");
    }
    printed
}
