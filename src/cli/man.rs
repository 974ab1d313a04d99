//! `man`: the manual pages.

use std::io::{self, Write as _};
use std::path::Path;

use clap::Command;
use clap_mangen::Man;

use super::exit::{Exit, Trouble};
use super::files::{Files, Named, unwritable};
use super::{output, settings};

/// What a page begins with.
const OPENING: &str = ".ie \\n(.g .ds Aq";

/// Prints the page of the whole command, or writes it to `dir` with one page for each subcommand.
pub(crate) fn man(dir: Option<&Path>) -> Result<Exit, Trouble> {
    let mut command = settings::documented();
    if let Some(dir) = dir {
        command = command.disable_help_subcommand(true);
        command.build();
        let mut pages = Vec::new();
        render(&command, &mut pages)?;
        let mut files = Files::new(&Named::default(), false);
        let open = |(name, page): (String, Vec<u8>)| {
            let path = dir.join(name);
            Ok((files.create(&path, &[OPENING])?, path, page))
        };
        let opened = pages.into_iter().map(open).collect::<Result<Vec<_>, Trouble>>()?;
        files.empty()?;
        for (mut file, path, page) in opened {
            file.write_all(&page).map_err(|error| unwritable(&path, &error))?;
        }
        return Ok(Exit::Passed);
    }
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    let (mut out, _) = output::stdout();
    out.write_all(&page)?;
    out.flush()?;
    Ok(Exit::Passed)
}

/// Renders the page of `command` and those of its subcommands, each with the name of its file.
fn render(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let page = Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    pages.push((page.get_filename(), text));
    command.get_subcommands().filter(|inner| !inner.is_hide_set()).try_for_each(|inner| render(inner, pages))
}
