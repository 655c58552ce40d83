//! ECMAScript modules joined into one.
//!
//! What is known is what a module needs that is written for it, each at the beginning of a line:
//!
//! - `import { a, b as c } from "./other.js";`, on one line or several, and `import "./other.js";`;
//! - `export` before `function`, `async function`, `class` and `const` with one name.
//!
//! Everything else that begins so is an error: `export default`, `export let`, a list of exports, `import * as`, a package. Modules
//! may not import each other in a circle. Each module becomes a function that is called once, in the order in which a browser would
//! evaluate them, so names at the top of modules do not meet. Comments that have lines of their own are left out; so no line within a text
//! may begin with `//` or `/**`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::Error;

/// A module, read.
#[derive(Debug, Default)]
struct Module {
    /// Paths of modules, with what is taken from each as `(its name, name here)`.
    imports: Vec<(String, Vec<(String, String)>)>,
    exports: Vec<String>,
    /// Modules that it loads when they are needed.
    parts: Vec<String>,
    body: String,
}

/// Joins the module at `first` with what it imports, and each module that is loaded when it is needed with what that imports. `sources`
/// has the modules by their paths. Returns the joined modules by the paths of those that they begin with.
///
/// # Errors
///
/// Fails if a module is not there, has JavaScript that is not known, or imports itself by way of others; and if a part that is loaded when
/// it is needed imports what another part or the first has: it would be evaluated twice.
pub fn join(
    first: &str,
    sources: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, Error> {
    let mut joined = BTreeMap::new();
    let mut owners: BTreeMap<String, String> = BTreeMap::new();
    let mut open = vec![first.to_owned()];
    while let Some(begin) = open.pop() {
        if joined.contains_key(&begin) {
            continue;
        }
        let mut order = Order { sources, modules: vec![], done: BTreeSet::new(), path: vec![] };
        order.visit("index.html", &begin)?;
        let mut text = String::new();
        let is_first = begin == first;
        for (path, module) in &order.modules {
            if let Some(other) = owners.insert(path.clone(), begin.clone()) {
                return Err(Error::Twice { part: begin, path: path.clone(), other });
            }
            // The exports of a part are what it is loaded for.
            let is_part = !is_first && *path == begin;
            text.push_str(&wrap(path, module, is_part));
            open.extend(module.parts.iter().cloned());
        }
        joined.insert(begin, text);
    }
    Ok(joined)
}

/// Brings modules into the order in which they are evaluated.
struct Order<'a> {
    sources: &'a BTreeMap<String, String>,
    modules: Vec<(String, Module)>,
    done: BTreeSet<String>,
    path: Vec<String>,
}

impl Order<'_> {
    fn visit(&mut self, from: &str, path: &str) -> Result<(), Error> {
        if let Some(at) = self.path.iter().position(|known| known == path) {
            let mut circle = self.path.split_off(at);
            circle.push(path.to_owned());
            return Err(Error::Circle { circle });
        }
        if !self.done.insert(path.to_owned()) {
            return Ok(());
        }
        let missing = || Error::Missing { from: from.to_owned(), path: path.to_owned() };
        let module = read(path, self.sources.get(path).ok_or_else(missing)?)?;
        self.path.push(path.to_owned());
        for (imported, _) in &module.imports {
            self.visit(path, imported)?;
        }
        self.path.pop();
        self.modules.push((path.to_owned(), module));
        Ok(())
    }
}

fn read(path: &str, text: &str) -> Result<Module, Error> {
    let mut module = Module::default();
    let mut is_comment = false;
    let mut lines = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        let is_left_out = is_comment || line.starts_with("/**") || line.starts_with("//");
        if is_comment || line.starts_with("/**") {
            is_comment = !line.contains("*/");
        }
        // What stands behind a comment is none.
        !is_left_out || line.starts_with("/**") && !line.ends_with("*/") && line.contains("*/")
    });
    while let Some((index, line)) = lines.next() {
        let unknown = |what: &str| Error::Module {
            path: path.to_owned(),
            line: index + 1,
            what: what.to_owned(),
        };
        if line.starts_with("import ") || line.starts_with("import{") {
            let mut statement = line.to_owned();
            while !statement.trim_end().ends_with(';') {
                let (_, more) = lines.next().ok_or_else(|| unknown("the import has no end"))?;
                statement.push(' ');
                statement.push_str(more.trim());
            }
            let known = "only `import { names } from \"./module.js\";` is known";
            module.imports.push(import(path, &statement).ok_or_else(|| unknown(known))?);
            continue;
        }
        let rest = match line.strip_prefix("export ") {
            Some(rest) => {
                let known = "only functions, classes and constants with a name can be exported";
                module.exports.push(exported(rest).ok_or_else(|| unknown(known))?);
                rest
            }
            None => line,
        };
        module.parts.extend(loaded(path, rest));
        module.body.push_str(rest);
        module.body.push('\n');
    }
    Ok(module)
}

/// Reads a statement that imports.
fn import(path: &str, statement: &str) -> Option<(String, Vec<(String, String)>)> {
    let rest = statement.strip_prefix("import")?.trim().strip_suffix(';')?.trim();
    let (names, from) = match rest.split_once(" from ") {
        Some((names, from)) => (names.trim().strip_prefix('{')?.strip_suffix('}')?, from.trim()),
        None => ("", rest),
    };
    let from = resolve(path, from.strip_prefix('"')?.strip_suffix('"')?)?;
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(|name| {
        let (there, here) = name.split_once(" as ").unwrap_or((name, name));
        (is_name(there) && is_name(here)).then(|| (there.to_owned(), here.to_owned()))
    });
    Some((from, names.collect::<Option<_>>()?))
}

/// Returns the name that a declaration exports.
fn exported(declaration: &str) -> Option<String> {
    let rest = declaration.strip_prefix("async ").unwrap_or(declaration);
    let (_, rest) = ["function* ", "function ", "class ", "const "]
        .iter()
        .find_map(|keyword| Some((keyword, rest.strip_prefix(keyword)?)))?;
    let end = rest.find(|sign: char| !is_part_of_name(sign)).unwrap_or(rest.len());
    let (name, _) = rest.split_at(end);
    is_name(name).then(|| name.to_owned())
}

/// Returns the modules that a line loads when they are needed.
fn loaded(path: &str, line: &str) -> Vec<String> {
    let named = line.split("import(\"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0));
    // What others made is no module of ours.
    let ours = named.filter_map(|named| resolve(path, named)).filter(|path| crate::is_module(path));
    ours.collect()
}

/// Returns the path that `named` leads to from the module at `path`; `None` for what is not relative or leads out.
fn resolve(path: &str, named: &str) -> Option<String> {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    if !named.starts_with("./") && !named.starts_with("../") {
        return None;
    }
    for part in named.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn is_part_of_name(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '_' | '$')
}

fn is_name(name: &str) -> bool {
    name.starts_with(|sign: char| is_part_of_name(sign) && !sign.is_ascii_digit())
        && name.chars().all(is_part_of_name)
}

/// What a module's exports are held by: no name of a module's own begins so.
fn holder(path: &str) -> String {
    path.chars()
        .map(|sign| if sign.is_ascii_alphanumeric() { sign } else { '_' })
        .fold("$$".to_owned(), |name, sign| name + &sign.to_string())
}

fn wrap(path: &str, module: &Module, is_part: bool) -> String {
    let mut text = format!("// {path}\n");
    let exports = module.exports.join(", ");
    let _ = match module.exports.is_empty() {
        true => writeln!(text, "(() => {{"),
        false if is_part => writeln!(text, "export const {{ {exports} }} = (() => {{"),
        false => writeln!(text, "const {} = (() => {{", holder(path)),
    };
    for (imported, names) in module.imports.iter().filter(|(_, names)| !names.is_empty()) {
        let names: Vec<String> = names
            .iter()
            .map(|(there, here)| match there == here {
                true => there.clone(),
                false => format!("{there}: {here}"),
            })
            .collect();
        let _ = writeln!(text, "const {{ {} }} = {};", names.join(", "), holder(imported));
    }
    text.push_str(&module.body);
    if !module.exports.is_empty() {
        let _ = writeln!(text, "return {{ {exports} }};");
    }
    text.push_str("})();\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join_all(sources: &[(&str, &str)]) -> Result<BTreeMap<String, String>, Error> {
        let sources = sources.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        join("js/main.js", &sources.collect())
    }

    fn refused(sources: &[(&str, &str)]) -> String {
        join_all(sources).unwrap_err().to_string()
    }

    #[test]
    fn modules_become_functions_in_the_order_of_their_evaluation() {
        let joined = join_all(&[
            (
                "js/main.js",
                "/** Begins. */\nimport { b } from \"./b.js\";\nimport {\n  a,\n  shown as first,\n} from \"./a.js\";\nimport \"./c.js\";\n\nb(a, first);\n",
            ),
            (
                "js/b.js",
                "import { a } from \"./a.js\";\nexport async function b() {\n  a();\n}\nexport class Held {}\n",
            ),
            (
                "js/a.js",
                "/** @param {import(\"./b.js\").Held} of */\nexport const a = (of) => of;\nexport function shown() {}\nconst own = `\nimported\n`;\n",
            ),
            ("js/c.js", "addEventListener(\"load\", () => {});\n"),
        ])
        .unwrap();
        assert_eq!(joined.len(), 1);
        assert_eq!(
            joined["js/main.js"],
            r#"// js/a.js
const $$js_a_js = (() => {
const a = (of) => of;
function shown() {}
const own = `
imported
`;
return { a, shown };
})();
// js/b.js
const $$js_b_js = (() => {
const { a } = $$js_a_js;
async function b() {
  a();
}
class Held {}
return { b, Held };
})();
// js/c.js
(() => {
addEventListener("load", () => {});
})();
// js/main.js
(() => {
const { b } = $$js_b_js;
const { a, shown: first } = $$js_a_js;

b(a, first);
})();
"#
        );
    }

    #[test]
    fn what_is_loaded_when_it_is_needed_is_a_part_of_its_own() {
        let joined = join_all(&[
            ("js/main.js", "const load = () => import(\"./part.js\");\nconst other = import(\"../vendor/x.mjs\");\n"),
            ("js/part.js", "import { held } from \"./held.js\";\nexport const words = held;\n"),
            ("js/held.js", "export const held = 1;\n"),
        ])
        .unwrap();
        assert_eq!(joined.keys().collect::<Vec<_>>(), ["js/main.js", "js/part.js"]);
        assert!(joined["js/part.js"].ends_with(
            "export const { words } = (() => {\nconst { held } = $$js_held_js;\nconst words = held;\nreturn { words };\n})();\n"
        ));
    }

    #[test]
    fn comments_with_lines_of_their_own_are_left_out_and_code_is_not() {
        let text = "/**\n * Long.\n * import(\"./gone.js\")\n */\n  // short\n/** @type {number} */ const a = 1;\na(); // kept\n  /** one */\nb(\"/** no comment\");\n";
        let joined = &join_all(&[("js/main.js", text)]).unwrap()["js/main.js"];
        assert_eq!(
            joined,
            "// js/main.js\n(() => {\n/** @type {number} */ const a = 1;\na(); // kept\nb(\"/** no comment\");\n})();\n"
        );
    }

    #[test]
    fn what_is_not_known_is_refused_where_it_stands() {
        for (line, told) in [
            (
                "export default 1;",
                "only functions, classes and constants with a name can be exported",
            ),
            (
                "export let a = 1;",
                "only functions, classes and constants with a name can be exported",
            ),
            ("export { a };", "only functions, classes and constants with a name can be exported"),
            (
                "export const { a } = b;",
                "only functions, classes and constants with a name can be exported",
            ),
            (
                "import * as a from \"./a.js\";",
                "only `import { names } from \"./module.js\";` is known",
            ),
            ("import a from \"./a.js\";", "only `import { names } from \"./module.js\";` is known"),
            (
                "import { a } from \"package\";",
                "only `import { names } from \"./module.js\";` is known",
            ),
            (
                "import { a } from \"../../a.js\";",
                "only `import { names } from \"./module.js\";` is known",
            ),
            ("import { a", "the import has no end"),
        ] {
            assert_eq!(
                refused(&[("js/main.js", &format!("a();\n{line}"))]),
                format!("js/main.js, line 2: {told}")
            );
        }
    }

    #[test]
    fn circles_doubles_and_gaps_are_refused() {
        let a = ("js/a.js", "import { b } from \"./b.js\";\nexport const a = b;\n");
        let b = ("js/b.js", "import { a } from \"./a.js\";\nexport const b = a;\n");
        let main = ("js/main.js", "import { a } from \"./a.js\";\n");
        assert_eq!(
            refused(&[main, a, b]),
            "modules import each other in a circle: js/a.js -> js/b.js -> js/a.js"
        );
        assert_eq!(refused(&[main]), "js/main.js names js/a.js, which is not there");
        let c = ("js/c.js", "export const c = 1;\n");
        let loads = ("js/main.js", "import { c } from \"./c.js\";\nimport(\"./part.js\");\n");
        let part = ("js/part.js", "import { c } from \"./c.js\";\nexport const d = c;\n");
        assert_eq!(
            refused(&[loads, part, c]),
            "js/part.js is loaded when it is needed, and needs js/c.js, which js/main.js has: it would be there twice"
        );
    }
}
