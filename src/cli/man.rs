//! `man`: the manual pages.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use clap_mangen::Man;

use super::exit::{Exit, Trouble};
use super::files::unwritable;
use super::{output, settings};

/// Prints the page of the whole command, or writes it to `dir` with one page for each subcommand.
pub(crate) fn man(dir: Option<&Path>) -> Result<Exit, Trouble> {
    let command = settings::documented();
    if let Some(dir) = dir {
        let written = fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(command, dir));
        written.map_err(|error| unwritable(dir, &error))?;
        return Ok(Exit::Passed);
    }
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    let (mut out, _) = output::stdout();
    out.write_all(&page)?;
    out.flush()?;
    Ok(Exit::Passed)
}
