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
            Diagnostic::new("usage::shard", format!("`{typed}` is no part of a suite"))
                .help("expected I/N with I from 1 to N, such as `--shard 2/4`, or `auto`"),
        )
    })
}

/// A system that starts a process for each part, and the variables that say which.
struct System {
    name: &'static str,
    index: &'static str,
    count: &'static str,
    /// The index of the first part: a number, or the variable that holds it.
    first: First,
}

enum First {
    Number(u32),
    Variable(&'static str),
}

/// Kubernetes tells a pod its index and not how many there are: `JOB_COMPLETIONS` is for the manifest to set.
const SYSTEMS: [System; 5] = [
    System {
        name: "Slurm",
        index: "SLURM_ARRAY_TASK_ID",
        count: "SLURM_ARRAY_TASK_COUNT",
        first: First::Variable("SLURM_ARRAY_TASK_MIN"),
    },
    System {
        name: "Kubernetes",
        index: "JOB_COMPLETION_INDEX",
        count: "JOB_COMPLETIONS",
        first: First::Number(0),
    },
    System { name: "GitLab", index: "CI_NODE_INDEX", count: "CI_NODE_TOTAL", first: First::Number(1) },
    System {
        name: "CircleCI",
        index: "CIRCLE_NODE_INDEX",
        count: "CIRCLE_NODE_TOTAL",
        first: First::Number(0),
    },
    System {
        name: "Buildkite",
        index: "BUILDKITE_PARALLEL_JOB",
        count: "BUILDKITE_PARALLEL_JOB_COUNT",
        first: First::Number(0),
    },
];

fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Shard, Box<Diagnostic>> {
    let Some((system, typed)) = SYSTEMS.iter().find_map(|system| Some((system, variable(system.index)?)))
    else {
        let known: Vec<_> =
            SYSTEMS.iter().map(|system| format!("`{}` ({})", system.index, system.name)).collect();
        return Err(Box::new(
            Diagnostic::new("usage::shard", "nothing says which part of the suite this is")
                .note(format!("`--shard auto` looks for {}", known.join(", ")))
                .help("say it with `--shard I/N`"),
        ));
    };
    let System { name, index, count, first } = system;
    let number = |name: &str| {
        let text = variable(name).ok_or_else(|| format!("`{name}` is not set"))?;
        text.parse::<u32>().map_err(|_| format!("`{name}` is `{text}`, which is no number"))
    };
    let shard = || {
        let first = match first {
            First::Number(first) => *first,
            First::Variable(name) => number(name)?,
        };
        let (at, count) = (number(index)?, number(count)?);
        let part = at.checked_sub(first).and_then(|part| Shard::new(part.checked_add(1)?, count));
        part.ok_or_else(|| format!("`{index}` is {typed}, which is none of {count} parts from {first} on"))
    };
    shard().map_err(|why: String| {
        let fault =
            Diagnostic::new("usage::shard", format!("{name} does not say which part of the suite this is"));
        Box::new(fault.note(why).help(format!("`{index}` and `{count}` say it; or use `--shard I/N`")))
    })
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
    fn systems_say_which_part_it_is() {
        let slurm = |id| {
            [("SLURM_ARRAY_TASK_ID", id), ("SLURM_ARRAY_TASK_COUNT", "3"), ("SLURM_ARRAY_TASK_MIN", "10")]
        };
        assert_eq!(auto(&slurm("10")).as_deref(), Ok("1/3"));
        assert_eq!(auto(&slurm("12")).as_deref(), Ok("3/3"));
        assert_eq!(auto(&[("JOB_COMPLETION_INDEX", "0"), ("JOB_COMPLETIONS", "5")]).as_deref(), Ok("1/5"));
        assert_eq!(auto(&[("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "2")]).as_deref(), Ok("2/2"));
        assert_eq!(auto(&[("CIRCLE_NODE_INDEX", "1"), ("CIRCLE_NODE_TOTAL", "2")]).as_deref(), Ok("2/2"));
        let buildkite = [("BUILDKITE_PARALLEL_JOB", "3"), ("BUILDKITE_PARALLEL_JOB_COUNT", "4")];
        assert_eq!(auto(&buildkite).as_deref(), Ok("4/4"));
    }

    #[test]
    fn what_they_leave_out_is_said() {
        for (variables, says) in [
            (&[][..], "nothing says which part"),
            (&[("JOB_COMPLETION_INDEX", "0")], "`JOB_COMPLETIONS` is not set"),
            (&[("CI_NODE_INDEX", "x"), ("CI_NODE_TOTAL", "2")], "`CI_NODE_INDEX` is `x`, which is no number"),
            (&[("CI_NODE_INDEX", "0"), ("CI_NODE_TOTAL", "2")], "none of 2 parts from 1 on"),
            (&[("CIRCLE_NODE_INDEX", "2"), ("CIRCLE_NODE_TOTAL", "2")], "none of 2 parts from 0 on"),
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
