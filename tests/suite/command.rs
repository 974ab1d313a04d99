//! The binary, called as users call it.

use std::fs;
use std::path::Path;

use snapbox::cmd::{Command, OutputAssert};

/// The project's root, where every command runs.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The binary in the project's root, without what the caller's environment says of colors.
pub(crate) fn rulebook() -> Command {
    Command::new(snapbox::cmd::cargo_bin!("rulebook"))
        .current_dir(root())
        .env_remove("CLICOLOR_FORCE")
        .env_remove("CI")
        .env_remove("GITHUB_ACTIONS")
        .env("NO_COLOR", "1")
        // What fails in a test is nothing for its caller to remember.
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
}

/// Standard output of a finished command.
pub(crate) fn stdout(assert: &OutputAssert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).expect("UTF-8")
}

/// Standard error of a finished command.
pub(crate) fn stderr(assert: &OutputAssert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).expect("UTF-8")
}

/// Copies a folder with all that is in it; `to` must not exist.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let to = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_folder(&path, &to);
        } else {
            fs::copy(&path, to).expect("a copy");
        }
    }
}
