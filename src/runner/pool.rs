//! Work in parallel, results in order.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, PoisonError, mpsc};
use std::thread;

use crate::script::STACK;

/// How many jobs a worker may be ahead of the slowest one.
const WINDOW: usize = 8;

/// Jobs not yet taken, and how far the results are.
struct Queue<I> {
    jobs: I,
    taken: usize,
    delivered: usize,
    stopped: bool,
}

/// Stops the queue when the thread that it was made on is done with it, however that comes about: no worker waits
/// for somebody who is gone.
struct Stop<'q, I> {
    queue: &'q Mutex<Queue<I>>,
    moved: &'q Condvar,
}

impl<I> Drop for Stop<'_, I> {
    fn drop(&mut self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).stopped = true;
        self.moved.notify_all();
    }
}

/// Runs `work`, which must not panic, on every job with `threads` workers and hands the results to `each`, on the
/// calling thread, in the order of the jobs. Jobs are pulled as workers become free; only so many are under way that
/// memory does not grow with their number. Ends early when `each` breaks.
pub(super) fn in_order<J, R>(
    jobs: impl Iterator<Item = J> + Send,
    threads: usize,
    work: impl Fn(J) -> R + Sync,
    mut each: impl FnMut(R) -> ControlFlow<()>,
) where
    R: Send,
{
    if threads <= 1 {
        let _ = jobs.map(work).try_for_each(each);
        return;
    }
    let window = threads * WINDOW;
    let queue = Mutex::new(Queue { jobs, taken: 0, delivered: 0, stopped: false });
    let moved = Condvar::new();
    // Nothing panics while the lock is held but a job iterator; its state is not used after that.
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let take = || {
        let busy = |queue: &mut Queue<_>| !queue.stopped && queue.taken - queue.delivered >= window;
        let mut queue = moved.wait_while(lock(), busy).unwrap_or_else(PoisonError::into_inner);
        if queue.stopped {
            return None;
        }
        let job = queue.jobs.next()?;
        queue.taken += 1;
        Some((queue.taken - 1, job))
    };
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        let _stop = Stop { queue: &queue, moved: &moved };
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
            let thread = thread::Builder::new().stack_size(STACK);
            if let Err(error) = thread.spawn_scoped(scope, worker) {
                // Those that there are do the work as well; without any nobody would.
                assert!(number > 0, "the system has no room for a thread: {error}");
                break;
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
                let mut queue = lock();
                queue.delivered = next;
                queue.stopped |= flow.is_break();
                moved.notify_all();
                if queue.stopped {
                    return;
                }
            }
        }
    });
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
            in_order(0..200, threads, slow_first, |result| {
                seen.push(result);
                ControlFlow::Continue(())
            });
            assert_eq!(seen, (0..200).collect::<Vec<_>>());
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
            in_order(
                0..u64::MAX,
                threads,
                |job| job,
                |_| {
                    seen += 1;
                    if seen == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            assert_eq!(seen, 10);
        }
    }
}
