//! Scripts that scripts import: compiled once, and evaluated anew by each call that imports them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rhai::{
    AST, Dynamic, Engine, EvalAltResult, GlobalRuntimeState, Module, ModuleResolver, Position, Scope, Shared,
};

use super::{call, compile};
use crate::source::Source;

/// Maximum import depth: scripts that import one another in a row.
pub(super) const DEEPEST: usize = 16;

/// The scripts that each script imports or tries to import.
pub(super) type Imports = Mutex<BTreeMap<PathBuf, BTreeSet<PathBuf>>>;

/// The modules of one call, which no other call sees: they may hold what changes, such as a generator of random numbers.
#[derive(Clone)]
pub(super) struct Modules(Arc<Mutex<Evaluated>>);

#[derive(Default)]
struct Evaluated {
    ready: BTreeMap<PathBuf, Shared<Module>>,
    /// The script that is called, and those whose import is under way, each imported by the one before.
    chain: Vec<PathBuf>,
}

impl Modules {
    /// Those of a call of the script at `path`.
    pub(super) fn of(path: &str) -> Self {
        Self(Arc::new(Mutex::new(Evaluated { chain: vec![path.into()], ..Evaluated::default() })))
    }

    fn lock(&self) -> MutexGuard<'_, Evaluated> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Thrown where a script cannot be imported.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    pub(super) name: String,
    pub(super) why: Why,
}

/// The reason why a script cannot be imported.
#[derive(Clone, Debug)]
pub(super) enum Why {
    /// The name is not a bare one.
    Name,
    /// There is no such file.
    Missing(PathBuf),
    /// It is not a file of the directory, but a directory or a link to elsewhere.
    Elsewhere(PathBuf),
    /// It cannot be read, for this reason.
    Unreadable(PathBuf, String),
    /// It imports itself, by way of these scripts; of itself alone if it does so directly.
    Circular(Vec<PathBuf>),
    /// It is imported by too many others in a row.
    Deep,
}

/// A script that was imported, compiled.
struct Compiled {
    path: PathBuf,
    ast: AST,
}

/// Finds imported scripts: `name` is `name.rhai` in the directory of the script that imports it, and nothing else.
pub(super) struct Neighbors {
    /// By the script that imports, and the name that it gives.
    compiled: Mutex<HashMap<(String, String), Arc<Compiled>>>,
    imports: Arc<Imports>,
}

impl Neighbors {
    pub(super) fn new(imports: &Arc<Imports>) -> Self {
        Self { compiled: Mutex::default(), imports: Arc::clone(imports) }
    }

    /// The script that `importer` calls `name`.
    fn open(
        &self,
        engine: &Engine,
        importer: &str,
        name: &str,
        position: Position,
    ) -> Result<Arc<Compiled>, Box<EvalAltResult>> {
        let key = (importer.to_owned(), name.to_owned());
        let known = self.compiled.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let importer = Path::new(importer);
        let path = neighbor(importer, name).map_err(|why| refused(name, why, position))?;
        let mut imports = self.imports.lock().unwrap_or_else(PoisonError::into_inner);
        imports.entry(importer.to_owned()).or_default().insert(path.clone());
        drop(imports);
        let text = read(&path).map_err(|why| refused(name, why, position))?;
        // It is kept for all calls, whichever comes first.
        let compiled = call::apart(|| compile::compile(engine, text.text()));
        let mut ast = compiled.map_err(|error| {
            let parsing = EvalAltResult::ErrorParsing(error.err_type().clone(), error.position());
            EvalAltResult::ErrorInModule(path.display().to_string(), parsing.into(), position)
        })?;
        ast.set_source(path.display().to_string());
        let compiled = Arc::new(Compiled { path, ast });
        let mut all = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(all.entry(key).or_insert(compiled)))
    }
}

impl ModuleResolver for Neighbors {
    fn resolve(
        &self,
        _: &Engine,
        _: Option<&str>,
        name: &str,
        position: Position,
    ) -> Result<Shared<Module>, Box<EvalAltResult>> {
        // Modules belong to a call, and a call resolves with its state.
        Err(EvalAltResult::ErrorModuleNotFound(name.to_owned(), position).into())
    }

    fn resolve_raw(
        &self,
        engine: &Engine,
        global: &mut GlobalRuntimeState,
        _: &mut Scope<'_>,
        name: &str,
        position: Position,
    ) -> Result<Shared<Module>, Box<EvalAltResult>> {
        let modules = global.tag.read_lock::<Modules>().map(|modules| modules.clone());
        let (Some(modules), Some(importer)) = (modules, global.source()) else {
            return self.resolve(engine, None, name, position);
        };
        let compiled = self.open(engine, importer, name, position)?;
        let path = &compiled.path;
        if let Some(ready) = modules.lock().ready.get(path) {
            return Ok(Shared::clone(ready));
        }
        modules.lock().enter(path).map_err(|why| refused(name, why, position))?;
        // The module sees nothing of its importer, and spends what its importer may spend.
        let mut inner = engine.new_global_runtime_state();
        inner.tag = global.tag.clone();
        inner.level = global.level;
        inner.num_operations = global.num_operations;
        inner.num_modules_loaded = global.num_modules_loaded;
        let module = Module::eval_ast_as_new_raw(engine, &mut Scope::new(), &mut inner, &compiled.ast);
        global.num_operations = inner.num_operations;
        global.num_modules_loaded = inner.num_modules_loaded;
        modules.lock().chain.pop();
        let module = module
            .map_err(|error| EvalAltResult::ErrorInModule(path.display().to_string(), error, position))?;
        let module = Shared::new(module);
        modules.lock().ready.insert(path.clone(), Shared::clone(&module));
        Ok(module)
    }
}

impl Evaluated {
    /// Notes that the import of the script at `path` is under way, if it may be.
    fn enter(&mut self, path: &Path) -> Result<(), Why> {
        if let Some(first) = self.chain.iter().position(|above| above == path) {
            return Err(Why::Circular(self.chain[first..].to_vec()));
        }
        if self.chain.len() > DEEPEST {
            return Err(Why::Deep);
        }
        self.chain.push(path.to_owned());
        Ok(())
    }
}

fn refused(name: &str, why: Why, position: Position) -> Box<EvalAltResult> {
    let thrown = Dynamic::from(Refused { name: name.to_owned(), why });
    EvalAltResult::ErrorRuntime(thrown, position).into()
}

/// The path that the script `name` has beside the script `importer`.
fn neighbor(importer: &Path, name: &str) -> Result<PathBuf, Why> {
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || !name.chars().all(plain) {
        return Err(Why::Name);
    }
    Ok(importer.with_file_name(name).with_extension("rhai"))
}

/// The script at `path`, unless it is a link to elsewhere.
fn read(path: &Path) -> Result<Arc<Source>, Why> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new(".")).canonicalize();
    let Ok(real) = path.canonicalize() else { return Err(Why::Missing(path.to_owned())) };
    let lies_here = directory.is_ok_and(|directory| real.parent() == Some(&*directory));
    if !real.is_file() || !lies_here {
        return Err(Why::Elsewhere(path.to_owned()));
    }
    Source::read(path).map_err(|reason| Why::Unreadable(path.to_owned(), reason))
}
