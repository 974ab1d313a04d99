//! Work in parallel, results in order.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use crate::script::STACK;

/// The system has no room for a single worker, for this reason.
#[derive(Debug)]
pub struct NoWorker(pub io::Error);

impl fmt::Display for NoWorker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no room for a worker thread")
    }
}

impl Error for NoWorker {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

/// How many jobs a worker may be ahead of the slowest one.
const WINDOW: usize = 8;

/// Jobs not yet taken. To wait for the next one keeps other workers from it, and nobody else.
struct Queue<I> {
    jobs: I,
    taken: usize,
}

/// How far the results are.
#[derive(Default)]
struct Results {
    delivered: usize,
    stopped: bool,
}

/// Stops the queue when the thread that it was made on is done with it, however that comes about: no worker waits
/// for somebody who is gone.
struct Stop<'q> {
    results: &'q Mutex<Results>,
    moved: &'q Condvar,
}

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        lock(self.results).stopped = true;
        self.moved.notify_all();
    }
}

/// Nothing panics while a lock is held but a job iterator; its state is not used after that.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work`, which must not panic, on every job with `threads` workers and hands the results to `each`, on the
/// calling thread, in the order of the jobs, each without waiting for a further job. Jobs are pulled as workers become
/// free; only so many are under way that memory does not grow with their number. Ends early when `each` breaks. Every
/// worker has the stack that scripts need; fewer work where the system has no room for all.
///
/// # Errors
/// When it has no room for a single one.
pub(super) fn in_order<J, R>(
    jobs: impl Iterator<Item = J> + Send,
    threads: usize,
    work: impl Fn(J) -> R + Sync,
    each: impl FnMut(R) -> ControlFlow<()>,
) -> Result<(), NoWorker>
where
    R: Send,
{
    with_stacks(STACK, jobs, threads, work, each)
}

/// Does the work of [`in_order`] with workers that each have a stack of `stack` bytes.
fn with_stacks<J, R>(
    stack: usize,
    jobs: impl Iterator<Item = J> + Send,
    threads: usize,
    work: impl Fn(J) -> R + Sync,
    mut each: impl FnMut(R) -> ControlFlow<()>,
) -> Result<(), NoWorker>
where
    R: Send,
{
    let window = threads * WINDOW;
    let queue = Mutex::new(Queue { jobs, taken: 0 });
    let progress = Mutex::new(Results::default());
    let moved = Condvar::new();
    let take = || {
        let mut queue = lock(&queue);
        let busy = |results: &mut Results| !results.stopped && queue.taken - results.delivered >= window;
        let results = moved.wait_while(lock(&progress), busy).unwrap_or_else(PoisonError::into_inner);
        if results.stopped {
            return None;
        }
        drop(results);
        let job = queue.jobs.next()?;
        queue.taken += 1;
        Some((queue.taken - 1, job))
    };
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        let _stop = Stop { results: &progress, moved: &moved };
        for number in 0..threads {
            let sender = sender.clone();
            let (take, work) = (&take, &work);
            let worker = move || {
                while let Some((index, job)) = take() {
                    if sender.send((index, work(job))).is_err() {
                        break;
                    }
                }
            };
            match thread::Builder::new().stack_size(stack).spawn_scoped(scope, worker) {
                Ok(_) => {}
                Err(error) if number == 0 => return Err(NoWorker(error)),
                // Those that there are do the work.
                Err(_) => break,
            }
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut next = 0;
        for (index, result) in results {
            early.insert(index, result);
            while let Some(result) = early.remove(&next) {
                next += 1;
                let flow = each(result);
                let mut progress = lock(&progress);
                progress.delivered = next;
                progress.stopped |= flow.is_break();
                moved.notify_all();
                if progress.stopped {
                    return Ok(());
                }
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        for threads in [1, 2, 5] {
            let mut seen = Vec::new();
            let slow_first = |job: u64| {
                thread::sleep(std::time::Duration::from_micros(if job.is_multiple_of(7) { 300 } else { 1 }));
                job
            };
            let ran = in_order(0..200, threads, slow_first, |result| {
                seen.push(result);
                ControlFlow::Continue(())
            });
            assert!(ran.is_ok());
            assert_eq!(seen, (0..200).collect::<Vec<_>>());
        }
    }

    #[test]
    fn without_room_for_a_worker_nothing_is_done() {
        // No system has so much.
        let ran =
            with_stacks(1 << 46, 0..200, 3, |_| unreachable!("no worker"), |()| unreachable!("no result"));
        assert!(ran.is_err());
    }

    #[test]
    fn a_result_does_not_wait_for_a_further_job() {
        for threads in [1, 2, 5] {
            let (answers, next) = mpsc::channel();
            // A job is there only when the one before it was answered.
            let jobs = (0..50).inspect(move |&job| assert!(job == 0 || next.recv() == Ok(job - 1)));
            let mut seen = 0;
            let ran = in_order(
                jobs,
                threads,
                |job| job,
                |result| {
                    seen += 1;
                    // After the last one nobody listens.
                    let _ = answers.send(result);
                    ControlFlow::Continue(())
                },
            );
            assert!(ran.is_ok());
            assert_eq!(seen, 50);
        }
    }

    #[test]
    fn a_panic_of_the_listener_ends_the_work() {
        let listen = |result| if result == 10 { panic!("enough") } else { ControlFlow::Continue(()) };
        let run = || in_order(0..u64::MAX, 3, |job| job, listen);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    }

    #[test]
    fn a_break_ends_the_work() {
        for threads in [1, 3] {
            let mut seen = 0;
            let ran = in_order(
                0..u64::MAX,
                threads,
                |job| job,
                |_| {
                    seen += 1;
                    if seen == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            assert!(ran.is_ok());
            assert_eq!(seen, 10);
        }
    }
}
