//! Compiles a script, unless it is such that rhai would take too long over it.

use rhai::{AST, ASTNode, Engine, Expr, ParseError, ParseErrorType, Position, Stmt};

/// Most bytes of a script: rhai takes time by the square of the arms of a `switch` and of the variables of a block.
const LONGEST: usize = 1 << 17;
/// Most arguments of a call: rhai looks for a function of as many by the kinds of each.
const MOST_ARGUMENTS: usize = 64;

/// The script `text`, compiled.
///
/// # Errors
/// When it is no rhai, or larger than scripts may be.
pub(super) fn compile(engine: &Engine, text: &str) -> Result<AST, ParseError> {
    if text.len() > LONGEST {
        return Err(too_large("Length of script", LONGEST, Position::NONE));
    }
    let ast = engine.compile(text)?;
    let mut fault = None;
    ast.walk(&mut |path| {
        if let Some((count, position)) = path.last().and_then(arguments)
            && count > MOST_ARGUMENTS
        {
            fault = Some(too_large("Number of arguments", MOST_ARGUMENTS, position));
        }
        fault.is_none()
    });
    fault.map_or(Ok(ast), Err)
}

fn too_large(what: &str, most: usize, position: Position) -> ParseError {
    ParseError(Box::new(ParseErrorType::LiteralTooLarge(what.to_owned(), most)), position)
}

/// The number of arguments of a call, and its position.
fn arguments(node: &ASTNode<'_>) -> Option<(usize, Position)> {
    match node {
        ASTNode::Stmt(Stmt::FnCall(call, position))
        | ASTNode::Expr(Expr::FnCall(call, position) | Expr::MethodCall(call, position)) => {
            Some((call.args.len(), *position))
        }
        _ => None,
    }
}
