//! `--shard`: which part of a suite this process runs.

use rulebook::diagnostic::Diagnostic;
use rulebook::scenario::Shard;

use super::exit::Trouble;

/// The part that `I/N` names, or, for `auto`, that the system which started this process says.
pub(crate) fn read(typed: &str) -> Result<Shard, Trouble> {
    let shard =
        if typed == "auto" { from_environment(|name| std::env::var(name).ok()) } else { parse(typed) };
    shard.map_err(|fault| Trouble::Usage(*fault))
}

fn parse(typed: &str) -> Result<Shard, Box<Diagnostic>> {
    let parts =
        typed.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    parts.and_then(|(index, count)| Shard::new(index, count)).ok_or_else(|| {
        Box::new(
            Diagnostic::new("usage::shard", format!("invalid shard `{typed}`"))
                .help("expected I/N with I from 1 to N, such as `--shard 2/4`, or `auto`"),
        )
    })
}

/// A system that starts a process for each part, and the variables that say which.
struct System {
    name: &'static str,
    index: &'static str,
    count: &'static str,
    /// The index of the first part.
    first: Number,
    /// The distance from one index to the next.
    step: Number,
}

/// A number that is the same everywhere, or the variable that holds it, if it is set.
enum Number {
    Always(u32),
    Variable(&'static str),
}

/// Kubernetes tells a pod its index and not how many there are: `JOB_COMPLETIONS` is for the manifest to set.
const SYSTEMS: [System; 5] = [
    System {
        name: "Slurm",
        index: "SLURM_ARRAY_TASK_ID",
        count: "SLURM_ARRAY_TASK_COUNT",
        first: Number::Variable("SLURM_ARRAY_TASK_MIN"),
        step: Number::Variable("SLURM_ARRAY_TASK_STEP"),
    },
    System {
        name: "Kubernetes",
        index: "JOB_COMPLETION_INDEX",
        count: "JOB_COMPLETIONS",
        first: Number::Always(0),
        step: Number::Always(1),
    },
    System {
        name: "GitLab",
        index: "CI_NODE_INDEX",
        count: "CI_NODE_TOTAL",
        first: Number::Always(1),
        step: Number::Always(1),
    },
    System {
        name: "CircleCI",
        index: "CIRCLE_NODE_INDEX",
        count: "CIRCLE_NODE_TOTAL",
        first: Number::Always(0),
        step: Number::Always(1),
    },
    System {
        name: "Buildkite",
        index: "BUILDKITE_PARALLEL_JOB",
        count: "BUILDKITE_PARALLEL_JOB_COUNT",
        first: Number::Always(0),
        step: Number::Always(1),
    },
];

fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Shard, Box<Diagnostic>> {
    // A job that is not split may have a count alone.
    let is_whole = |system: &System| variable(system.count).is_some_and(|count| count == "1");
    let Some(system) = SYSTEMS.iter().find(|system| variable(system.index).is_some() || is_whole(system))
    else {
        let known: Vec<_> =
            SYSTEMS.iter().map(|system| format!("`{}` ({})", system.index, system.name)).collect();
        return Err(Box::new(
            Diagnostic::new("usage::shard", "unknown shard: no variable of a CI system or scheduler is set")
                .note(format!("`--shard auto` looks for {}", known.join(", ")))
                .help("give it as `--shard I/N`"),
        ));
    };
    system.shard(&variable).map_err(|why| {
        let System { name, index, count, .. } = system;
        let fault = Diagnostic::new("usage::shard", format!("unknown shard of this {name} job"));
        Box::new(fault.note(why).help(format!("set `{index}` and `{count}`, or give `--shard I/N`")))
    })
}

impl System {
    /// Returns the shard that the variables tell, or why they tell none.
    fn shard(&self, variable: &impl Fn(&str) -> Option<String>) -> Result<Shard, String> {
        let read = |name: &str, text: &str| {
            text.parse::<u32>().map_err(|_| format!("`{name}` is `{text}`, which is not a whole number"))
        };
        let number = |name: &str| read(name, &variable(name).ok_or_else(|| format!("`{name}` is not set"))?);
        let given = |number: &Number, default: u32| match number {
            Number::Always(number) => Ok(*number),
            Number::Variable(name) => variable(name).map_or(Ok(default), |text| read(name, &text)),
        };
        let count = number(self.count)?;
        if count == 1 {
            return Shard::new(1, 1).ok_or_else(String::new);
        }
        let (at, first, step) = (number(self.index)?, given(&self.first, 0)?, given(&self.step, 1)?);
        let distance = at.checked_sub(first).filter(|distance| step > 0 && distance % step == 0);
        let part = distance.and_then(|distance| Shard::new((distance / step).checked_add(1)?, count));
        part.ok_or_else(|| {
            let by = if step == 1 { String::new() } else { format!(" in steps of {step}") };
            format!("`{}` is {at}, expected one of {count} indices from {first}{by}", self.index)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(variables: &[(&str, &str)]) -> Result<String, String> {
        let variable =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).to_owned());
        from_environment(variable).map(|shard| shard.to_string()).map_err(|fault| fault.draw(false))
    }

    #[test]
    fn systems_tell_the_shard() {
        for (first, step, count) in [(0, 1, 3), (1, 1, 1), (10, 1, 3), (1, 3, 4), (7, 5, 2), (0, 4, 3)] {
            for part in 0..count {
                let numbers = [first + part * step, count, first, step].map(|number: u32| number.to_string());
                let names = ["ID", "COUNT", "MIN", "STEP"].map(|name| format!("SLURM_ARRAY_TASK_{name}"));
                let variables: Vec<_> =
                    names.iter().map(String::as_str).zip(numbers.iter().map(String::as_str)).collect();
                assert_eq!(auto(&variables), Ok(format!("{}/{count}", part + 1)), "{variables:?}");
            }
        }
        for (variables, shard) in [
            (&[("JOB_COMPLETION_INDEX", "0"), ("JOB_COMPLETIONS", "5")][..], "1/5"),
            (&[("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "2")], "2/2"),
            (&[("CI_NODE_TOTAL", "1")], "1/1"),
            (&[("CIRCLE_NODE_INDEX", "1"), ("CIRCLE_NODE_TOTAL", "2")], "2/2"),
            (&[("CIRCLE_NODE_INDEX", "0"), ("CIRCLE_NODE_TOTAL", "1")], "1/1"),
            (&[("BUILDKITE_PARALLEL_JOB", "3"), ("BUILDKITE_PARALLEL_JOB_COUNT", "4")], "4/4"),
        ] {
            assert_eq!(auto(variables).as_deref(), Ok(shard), "{variables:?}");
        }
    }

    #[test]
    fn variables_that_tell_no_shard_are_faults() {
        let slurm = |id, step| {
            [
                ("SLURM_ARRAY_TASK_ID", id),
                ("SLURM_ARRAY_TASK_COUNT", "3"),
                ("SLURM_ARRAY_TASK_MIN", "1"),
                ("SLURM_ARRAY_TASK_STEP", step),
            ]
        };
        for (variables, says) in [
            (&[][..], "no variable of a CI system"),
            (&[("JOB_COMPLETION_INDEX", "0")], "`JOB_COMPLETIONS` is not set"),
            (&[("CI_NODE_TOTAL", "2")], "no variable of a CI system"),
            (
                &[("CI_NODE_INDEX", "x"), ("CI_NODE_TOTAL", "2")],
                "`CI_NODE_INDEX` is `x`, which is not a whole",
            ),
            (&[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "2")], "expected one of 2 indices from 1"),
            (&[("CIRCLE_NODE_INDEX", "2"), ("CIRCLE_NODE_TOTAL", "2")], "expected one of 2 indices from 0"),
            (&slurm("3", "3"), "expected one of 3 indices from 1 in steps of 3"),
            (&slurm("10", "3"), "`SLURM_ARRAY_TASK_ID` is 10, expected one of 3"),
            (&slurm("1", "0"), "in steps of 0"),
        ] {
            let drawing = auto(variables).expect_err("a fault");
            assert!(drawing.contains(says), "{drawing}");
        }
    }

    #[test]
    fn parts_are_typed_from_one() {
        assert_eq!(parse("2/4").map(|shard| shard.to_string()).ok().as_deref(), Some("2/4"));
        for typed in ["0/4", "5/4", "1/0", "1", "a/b", "1/2/3", "-1/2", ""] {
            assert!(parse(typed).is_err(), "{typed}");
        }
    }
}
