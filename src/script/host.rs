//! The interpreter that scripts run in: what they may do, and how they are called.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::mem::discriminant;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};

use rhai::module_resolvers::DummyModuleResolver;
use rhai::packages::{Package as _, StandardPackage};
use rhai::{
    AST, CallFnOptions, Dynamic, Engine, EvalAltResult, ImmutableString, NativeCallContext, Position, Scope,
};

use super::functions::{Function, Functions};
use super::game::Declared;
use super::import::{Imports, Modules, Neighbors};
use super::limits::Limits;
use super::sizes::Sizes;
use super::{answers, board, call, chance, compile, fault, natives, session, steps};
use crate::diagnostic::{Diagnostic, count};
use crate::engine::AnyEngine;
use crate::engines::Engines;
use crate::root::{Beyond, Bounds, Reach};
use crate::source::{self, Source};

/// The scripts of a run, each compiled once, for all workers.
#[derive(Default)]
pub struct Scripts {
    hosts: Mutex<HashMap<Limits, Arc<Host>>>,
    games: Mutex<HashMap<(PathBuf, Limits), Opened>>,
    engines: Engines,
    imports: Arc<Imports>,
    /// The paths that scenarios of a folder name.
    paths: Mutex<HashMap<(PathBuf, String), Result<PathBuf, Beyond>>>,
    reach: Reach,
    /// The directory of a scenario file that names each of these paths.
    named: Mutex<HashMap<PathBuf, PathBuf>>,
}

/// A game, or what is wrong with its script.
type Opened = Result<Arc<dyn AnyEngine>, Diagnostic>;

impl std::fmt::Debug for Scripts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scripts").finish_non_exhaustive()
    }
}

impl Scripts {
    /// Returns the scripts of a run whose suites reach files within `bounds`.
    pub fn within(bounds: Bounds) -> Self {
        Self { reach: Reach::new(bounds), ..Self::default() }
    }

    /// Returns the same for suites that may name `engines`.
    #[must_use]
    pub fn with(self, engines: Engines) -> Self {
        Self { engines, ..self }
    }

    /// Returns the engines that the suites of the run may name.
    pub fn engines(&self) -> &Engines {
        &self.engines
    }

    /// Returns what the suites of the run reach.
    pub fn reach(&self) -> &Reach {
        &self.reach
    }

    /// Returns the path that an author names in a file of `directory`, without detours where it is the same.
    ///
    /// # Errors
    /// When it is out of reach.
    pub fn beside(&self, directory: &Path, path: &str) -> Result<PathBuf, Beyond> {
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        paths
            .entry((directory.to_owned(), path.to_owned()))
            .or_insert_with(|| {
                let full = directory.join(path);
                self.reach.check(directory, &full)?;
                let path = straight(&full);
                let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
                named.insert(path.clone(), directory.to_owned());
                Ok(path)
            })
            .clone()
    }

    /// The script at `path`, to be run within `limits`.
    ///
    /// # Errors
    /// When it cannot be read, or is no rhai.
    pub fn open(&self, path: &Path, limits: &Limits) -> Result<Script, Diagnostic> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if !hosts.contains_key(limits) {
            let host = Host::new(limits.clone(), self.engines.clone(), Arc::clone(&self.imports));
            hosts.insert(limits.clone(), Arc::new(host));
        }
        let host = Arc::clone(&hosts[limits]);
        drop(hosts);
        let named = self.named.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        let file = || named.map_or_else(|| source::open(path), |directory| self.reach.open(&directory, path));
        host.open(path, file)
    }

    /// The scripts that the one at `path` has imported so far, and those that they have imported, whether there are such
    /// scripts or not.
    pub fn imported_by(&self, path: &Path) -> BTreeSet<PathBuf> {
        let imports = self.imports.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = BTreeSet::new();
        let mut open = vec![path];
        while let Some(path) = open.pop() {
            open.extend(
                imports
                    .get(path)
                    .into_iter()
                    .flatten()
                    .map(PathBuf::as_path)
                    .filter(|path| all.insert(path.to_path_buf())),
            );
        }
        all
    }

    /// The game that the script at `path` is.
    ///
    /// # Errors
    /// When it cannot be read, or does not say what it must say of a game.
    pub fn game(&self, path: &Path, limits: &Limits) -> Result<Arc<dyn AnyEngine>, Diagnostic> {
        let script = self.open(path, limits)?;
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        let declare = || {
            // All cases share what `game` says: what it prints belongs to none of them.
            let declared = Arc::new(call::unheard(|| Declared::new(&script, path))?);
            Ok(Arc::new(declared) as Arc<dyn AnyEngine>)
        };
        games.entry((path.to_owned(), limits.clone())).or_insert_with(declare).clone()
    }
}

/// The path without `..` where it leads to the same file.
fn straight(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if matches!(short.components().next_back(), Some(Component::Normal(_))) => {
                short.pop();
            }
            part => short.push(part),
        }
    }
    let same = short.canonicalize().is_ok_and(|short| path.canonicalize().is_ok_and(|path| path == short));
    if same { short } else { path.to_owned() }
}

/// An interpreter with its limits.
pub(super) struct Host {
    engine: Engine,
    /// The same once more, noting its steps: slower.
    stepping: OnceLock<Engine>,
    pub(super) limits: Limits,
    pub(super) functions: Vec<Function>,
    pub(super) engines: Engines,
    imports: Arc<Imports>,
    programs: Mutex<HashMap<PathBuf, Result<Arc<Program>, Diagnostic>>>,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// A compiled script.
pub(super) struct Program {
    source: Arc<Source>,
    pub(super) ast: AST,
    /// Its functions and their numbers of parameters.
    functions: Vec<(String, usize)>,
}

impl Program {
    pub(super) fn source(&self) -> &Arc<Source> {
        &self.source
    }
}

/// A script that can be called.
#[derive(Clone)]
pub struct Script {
    host: Arc<Host>,
    program: Arc<Program>,
    /// The house rules that are set where it is called.
    rules: Vec<String>,
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Script").field(&self.program.source.name()).finish()
    }
}

impl Script {
    /// Returns the script as it is called for a scenario that sets these house rules.
    #[must_use]
    pub fn under(self, rules: Vec<String>) -> Self {
        Self { rules, ..self }
    }

    /// Its text.
    pub fn source(&self) -> &Arc<Source> {
        &self.program.source
    }

    /// Whether it has a function of that name with so many parameters.
    pub fn has(&self, name: &str, parameters: usize) -> bool {
        self.program.functions.iter().any(|(known, count)| known == name && *count == parameters)
    }

    /// Whether it has what is asked of it.
    ///
    /// # Errors
    /// When it lacks the function.
    pub(super) fn needs(&self, name: &str, parameters: usize) -> Result<(), Diagnostic> {
        if self.has(name, parameters) { Ok(()) } else { Err(self.lacks(name, parameters)) }
    }

    /// Calls the function `name` with the arguments that `arguments` makes, anew each time that it is asked.
    ///
    /// # Errors
    /// When there is none, it fails, or it meets a limit.
    pub(super) fn call(
        &self,
        name: &str,
        arguments: impl Fn() -> Vec<Dynamic>,
    ) -> Result<Dynamic, Diagnostic> {
        let call = |engine: &Engine, limits: &Limits, arguments: Vec<Dynamic>| {
            let modules = Modules::of(self.program.source.name());
            let options = CallFnOptions::new().eval_ast(true).rewind_scope(false).with_tag(modules);
            let ast = &self.program.ast;
            let mut handed = Sizes::default();
            for argument in &arguments {
                handed.add(argument);
            }
            call::within(limits, handed, &self.rules, || -> Result<_, Box<EvalAltResult>> {
                let mut scope = Scope::new();
                let returned: Dynamic =
                    engine.call_fn_with_options(options, &mut scope, ast, name, arguments)?;
                for value in scope.iter_raw().map(|(_, _, value)| value).chain([&returned]) {
                    Sizes::hold(handed, value, engine)?;
                }
                call::is_within()?;
                Ok(returned)
            })
        };
        let first = arguments();
        self.needs(name, first.len())?;
        call(&self.host.engine, &self.host.limits, first).map_err(|error| {
            // rhai forgets where a limit was met; the same call, step by step, comes there again.
            let step = if steps::leads_to(&error) {
                let untimed = Limits { milliseconds: u32::MAX, ..self.host.limits.clone() };
                let again = || call(self.host.stepping(), &untimed, arguments());
                steps::last(again).filter(|(_, end)| discriminant(&**end) == discriminant(&*error))
            } else {
                None
            };
            let step = step.map(|(step, _)| step);
            fault::failed(*error, name, step, &self.program, &self.host)
        })
    }

    fn lacks(&self, name: &str, parameters: usize) -> Diagnostic {
        let path = self.program.source.name();
        let list = match name {
            "generate" => "rng, index, args",
            "choose" => "state, rng, args",
            "step" => "state, move",
            "setup" => "doc",
            _ if parameters == 0 => "",
            _ => "state",
        };
        let fault = Diagnostic::new("script::no-function", format!("`{path}` has no function `{name}`"));
        let other = self.program.ast.iter_functions().find(|f| f.name == name);
        match other {
            Some(other) => {
                fault.note(format!("its `{name}` takes {}", count(other.params.len() as u64, "parameter")))
            }
            None => fault,
        }
        .help(format!("write `fn {name}({list}) {{ … }}`"))
    }
}

impl Host {
    fn new(limits: Limits, engines: Engines, imports: Arc<Imports>) -> Self {
        static SEED: Once = Once::new();
        // The names of functions without a name hold a hash: let it be the same in every run.
        SEED.call_once(|| {
            // It can be set once only; whoever did so before did it for the same reason.
            let _ = rhai::config::hashing::set_hashing_seed(Some([1, 2, 3, 4]));
        });
        let (engine, functions) = interpreter(&limits, &engines, &imports);
        let (stepping, programs) = (OnceLock::new(), Mutex::default());
        Self { engine, stepping, limits, functions, engines, imports, programs }
    }

    fn stepping(&self) -> &Engine {
        self.stepping.get_or_init(|| {
            let (mut engine, _) = interpreter(&self.limits, &self.engines, &self.imports);
            // What is printed has been printed.
            engine.on_print(|_| ()).on_debug(|_, _, _| ());
            steps::note(&mut engine);
            engine
        })
    }
    /// Returns the script at `path`, which `file` opens.
    fn open(
        self: &Arc<Self>,
        path: &Path,
        file: impl FnOnce() -> io::Result<File>,
    ) -> Result<Script, Diagnostic> {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        let program =
            programs.entry(path.to_owned()).or_insert_with(|| self.compile(path, file()).map(Arc::new));
        program.clone().map(|program| Script { host: Arc::clone(self), program, rules: Vec::new() })
    }

    fn compile(&self, path: &Path, file: io::Result<File>) -> Result<Program, Diagnostic> {
        let unreadable = |reason: String| {
            let title = format!("the script `{}` cannot be read", path.display());
            Diagnostic::new("script::unreadable", title).note(reason)
        };
        let text = source::text(file.and_then(source::bytes)).map_err(unreadable)?;
        let source = Source::new(path.display().to_string(), text);
        let mut ast =
            compile::compile(&self.engine, source.text()).map_err(|error| fault::syntax(&error, &source))?;
        ast.set_source(source.name());
        let functions = ast.iter_functions().map(|f| (f.name.to_owned(), f.params.len())).collect();
        Ok(Program { source, ast, functions })
    }
}

/// An interpreter, and the functions that it has beyond rhai's own.
fn interpreter(limits: &Limits, engines: &Engines, imports: &Arc<Imports>) -> (Engine, Vec<Function>) {
    let mut engine = Engine::new_raw();
    StandardPackage::new().register_into_engine(&mut engine);
    let functions = given(&mut engine, engines);
    engine
        .set_max_operations(limits.operations.into())
        .set_max_call_levels(limits.calls.into())
        .set_max_variables(limits.variables.into())
        .set_max_array_size(limits.most_elements())
        .set_max_map_size(limits.most_keys())
        .set_max_string_size(limits.most_text())
        .set_max_functions(500)
        .set_max_modules(50)
        .set_max_expr_depths(64, 32)
        .on_print(call::print)
        .on_debug(|text, _, _| call::print(text))
        .on_progress(|_| call::spent().map(Dynamic::from));
    #[expect(deprecated, reason = "marked so for being volatile, not for being on its way out")]
    engine.on_var(|_, _, context| call::measure(&context).map(|()| None));
    engine.set_module_resolver(Neighbors::new(imports));
    (engine, functions)
}

/// Everything that scripts are given beyond rhai's own.
fn given(engine: &mut Engine, engines: &Engines) -> Vec<Function> {
    engine.disable_symbol("eval");
    // A function that holds a function that holds a function and so on cannot be dropped on any stack.
    engine.disable_symbol("curry");
    bounded_replace(engine);
    // A host does not wait for anybody.
    engine.register_fn("sleep", |_: i64| -> Result<(), Box<EvalAltResult>> {
        Err("`sleep` is not for scripts: they have no time".into())
    });
    let mut functions = Functions::new(engine);
    board::register(&mut functions);
    chance::register(&mut functions);
    natives::register(&mut functions, engines);
    session::register(&mut functions);
    answers::register(&mut functions);
    functions.list()
}

/// Instead of rhai's own, which make a text first and ask then whether it is too long.
fn bounded_replace(engine: &mut Engine) {
    fn replaced(
        context: &NativeCallContext<'_>,
        text: &mut ImmutableString,
        old: &str,
        new: &str,
    ) -> Result<(), Box<EvalAltResult>> {
        let found = text.matches(old).count();
        let longer = found.saturating_mul(new.len().saturating_sub(old.len()));
        if text.len().saturating_add(longer) > context.engine().max_string_size() {
            let what = "Length of string".to_owned();
            return Err(EvalAltResult::ErrorDataTooLarge(what, Position::NONE).into());
        }
        *text = text.replace(old, new).into();
        Ok(())
    }
    engine.register_fn(
        "replace",
        |context: NativeCallContext<'_>, text: &mut ImmutableString, old: &str, new: &str| {
            replaced(&context, text, old, new)
        },
    );
    engine.register_fn(
        "replace",
        |context: NativeCallContext<'_>, text: &mut ImmutableString, old: char, new: &str| {
            replaced(&context, text, old.encode_utf8(&mut [0; 4]), new)
        },
    );
}

/// The functions that scripts are given beyond rhai's own, by what they belong to.
pub fn functions() -> Vec<Function> {
    let mut engine = Engine::new_raw();
    engine.set_module_resolver(DummyModuleResolver::new());
    given(&mut engine, &Engines::builtin())
}

/// What the expression `text` comes to, by the default limits, for documents.
///
/// # Errors
/// Why it comes to nothing.
pub fn evaluate(text: &str) -> Result<String, String> {
    let host = Host::new(Limits::default(), Engines::builtin(), Arc::default());
    let value = call::within(&host.limits, Sizes::default(), &[], || host.engine.eval::<Dynamic>(text));
    value.map(|value| value.to_string()).map_err(|error| error.to_string())
}
