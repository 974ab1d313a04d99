//! The reports that a command writes beside what it tells people.

use std::env;
use std::io::{self, Write};
use std::mem;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rulebook::diagnostic::Diagnostic;
use rulebook::report::github::Github;
use rulebook::report::html::Html;
use rulebook::report::jsonl::JsonLines;
use rulebook::report::junit::Junit;
use rulebook::report::markdown::Markdown;
use rulebook::report::record::Record;
use rulebook::report::signature::Signature;
use rulebook::report::tap::Tap;
use rulebook::report::{End, Format, Head};
use rulebook::runner::Details;
use rulebook::source;
use rulebook::verdict::Summary;

use super::args::{ReportFormat, ReportWish};
use super::exit::Trouble;
use super::files::Files;
use super::output::{self, Leavable};
use super::resume::Rest;

/// Size of what is gathered before it is written, in bytes. Whole cases are written at once, but the system may stop a
/// killed run in the middle of one.
const GATHERED: usize = 64 << 10;

/// How long it is gathered at the most, while cases end.
const LONGEST: Duration = Duration::from_secs(1);

/// All reports of a command. Each is written as far as it can be: one that cannot is no reason to stop another.
#[derive(Default)]
pub(crate) struct Reports {
    outputs: Vec<Output>,
    /// Whether one of them has standard output.
    stdout: bool,
    facts: bool,
    signature: Option<Signature>,
}

struct Output {
    /// The file, if it is one.
    file: Option<PathBuf>,
    format: Box<dyn Format + Send>,
    to: Leavable<Box<dyn Write + Send>>,
    gathered: Vec<u8>,
    flushed: Instant,
    trouble: Option<io::Error>,
    /// Whether it has its end already.
    is_whole: bool,
}

impl Reports {
    /// Opens every file, before anything is run and none of those in use, and begins when all outputs are known to be
    /// writable; on GitHub's machines annotations are written without being asked for.
    pub(crate) fn open(asked: &[ReportWish], head: &Head, files: &mut Files) -> Result<Self, Trouble> {
        if asked.iter().filter(|report| report.file.is_none()).count() > 1 {
            let fault = Diagnostic::new("usage::one-output", "two reports go to standard output");
            let fault = fault.help("give all but one a file, as in `--report junit=report.xml`");
            return Err(Trouble::Usage(fault));
        }
        let mut reports = Self { signature: head.signature.then(Signature::default), ..Self::default() };
        for ReportWish { format, file } in asked {
            reports.facts |= *format == ReportFormat::Jsonl;
            reports.stdout |= file.is_none();
            let format = make(*format);
            let to: Box<dyn Write + Send> = match file {
                Some(path) => Box::new(files.create(path, &[format.opening()])?),
                None => Box::new(io::stdout()),
            };
            reports.outputs.push(Output::new(file.clone(), format, to));
        }
        let by_hand = asked.iter().any(|report| report.format == ReportFormat::Github);
        if !by_hand && env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
            // Beside what people read; GitHub looks for annotations in both streams.
            let to: Box<dyn Write + Send> =
                if reports.stdout { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
            reports.outputs.push(Output::new(None, make(ReportFormat::Github), to));
        }
        files.empty()?;
        for output in &mut reports.outputs {
            output.write(|format, out| format.begin(head, out));
            output.flush();
        }
        Ok(reports)
    }

    /// Continues the report at `path` with `rest`: from its header on, if `head` is given; it may be whole as it is.
    pub(crate) fn go_on(&mut self, path: PathBuf, rest: Rest, head: Option<&Head>, is_whole: bool) {
        self.facts = true;
        let mut output = Output::new(Some(path), make(ReportFormat::Jsonl), Box::new(rest));
        output.is_whole = is_whole;
        if let Some(head) = head {
            output.write(|format, out| format.begin(head, out));
            output.flush();
        }
        self.outputs.push(output);
    }

    /// Leaves all reports as they are.
    pub(crate) fn abandon(&mut self) {
        self.outputs.clear();
    }

    /// What they need to know of cases.
    pub(crate) fn details(&self) -> Details {
        Details { facts: self.facts, outcomes: self.signature.is_some(), ..Details::default() }
    }

    /// The stream for what people read, and whether it is colored.
    pub(crate) fn output_for_people(&self) -> (io::BufWriter<Leavable<Box<dyn Write + Send>>>, bool) {
        output::for_people(self.stdout)
    }

    /// The hash of all facts of all cases so far, if it is wanted.
    pub(crate) fn signature(&self) -> Option<String> {
        self.signature.map(|signature| signature.to_string())
    }

    /// Whether anybody wants to hear of cases.
    pub(crate) fn listen(&self) -> bool {
        !self.outputs.is_empty() || self.signature.is_some()
    }

    /// Writes a case down.
    pub(crate) fn case(&mut self, record: &Record<'_>) {
        if let Some(signature) = &mut self.signature {
            signature.add(record);
        }
        for output in &mut self.outputs {
            output.is_whole = false;
            output.write(|format, out| format.case(record, out));
            let waited = || output.flushed.elapsed() >= LONGEST;
            if record.verdict.is_bad() || output.gathered.len() >= GATHERED || waited() {
                output.flush();
            }
        }
    }

    /// Writes out what was gathered.
    pub(crate) fn flush(&mut self) {
        self.outputs.iter_mut().for_each(Output::flush);
    }

    /// Ends every report with what all came to.
    pub(crate) fn end(&mut self, summary: &Summary, elapsed: Duration) {
        let signature = self.signature();
        let end = End { summary: *summary, seconds: elapsed.as_secs_f64(), signature };
        for output in self.outputs.iter_mut().filter(|output| !output.is_whole) {
            output.write(|format, out| format.end(&end, out));
            output.flush();
        }
    }

    /// What kept reports from being written, if anything did.
    pub(crate) fn trouble(&mut self) -> Result<(), Trouble> {
        let faults: Vec<_> = self.outputs.iter_mut().filter_map(Output::fault).collect();
        if faults.is_empty() { Ok(()) } else { Err(Trouble::Faults(faults)) }
    }
}

impl Output {
    fn new(file: Option<PathBuf>, format: Box<dyn Format + Send>, to: Box<dyn Write + Send>) -> Self {
        let to = Leavable(to);
        Self {
            file,
            format,
            to,
            gathered: Vec::new(),
            flushed: Instant::now(),
            trouble: None,
            is_whole: false,
        }
    }

    fn write(&mut self, write: impl FnOnce(&mut dyn Format, &mut dyn Write) -> io::Result<()>) {
        if self.trouble.is_none() {
            self.trouble = write(&mut *self.format, &mut self.gathered).err();
        }
    }

    fn flush(&mut self) {
        let gathered = mem::take(&mut self.gathered);
        if self.trouble.is_none() && !gathered.is_empty() {
            self.trouble = self.to.write_all(&gathered).and_then(|()| self.to.flush()).err();
        }
        self.gathered = gathered;
        self.gathered.clear();
        self.flushed = Instant::now();
    }

    fn fault(&mut self) -> Option<Diagnostic> {
        let error = self.trouble.take()?;
        let title = match &self.file {
            None => "the report on standard output is not whole".to_owned(),
            Some(path) => format!("the report `{}` is not whole", path.display()),
        };
        Some(Diagnostic::new("report::not-whole", title).note(source::reason(&error)))
    }
}

fn make(format: ReportFormat) -> Box<dyn Format + Send> {
    match format {
        ReportFormat::Jsonl => Box::new(JsonLines::default()),
        ReportFormat::Junit => Box::new(Junit::default()),
        ReportFormat::Tap => Box::new(Tap::default()),
        ReportFormat::Github => Box::new(Github::new(folder_in_repository().unwrap_or_default())),
        ReportFormat::Html => Box::new(Html::default()),
        ReportFormat::Markdown => Box::new(Markdown::default()),
    }
}

/// The working folder as seen from the root of the repository on GitHub's machines.
fn folder_in_repository() -> Option<String> {
    let root = env::var_os("GITHUB_WORKSPACE")?;
    let folder = env::current_dir().ok()?;
    Some(folder.strip_prefix(root).ok()?.display().to_string())
}
