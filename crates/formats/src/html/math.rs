//! A formula of a page as a line of text.
//!
//! Pages give a formula as TeX beside the elements that draw it; then the TeX is taken. Otherwise powers, indices, fractions and roots
//! are written as on a line.

use dom_query::NodeRef;

use crate::script::{factor, goes_on, power};
use crate::tidy;

/// Signs with a space on both sides.
const BETWEEN: &str = "=<>≤≥≠≈≡∼±+−×→⇒∈";

/// Returns the formula in a `math` element, once.
pub(super) fn line(math: &NodeRef) -> String {
    let tex = |it: &NodeRef| {
        it.has_name("annotation")
            && it.attr("encoding").is_some_and(|it| it.to_ascii_lowercase().contains("tex"))
    };
    if let Some(annotation) = math.descendants_it().find(tex) {
        return plain(&annotation.text());
    }
    let alternative = plain(&math.attr_or("alttext", ""));
    if !alternative.is_empty() {
        return alternative;
    }
    let mut words = String::new();
    write(math, &mut words);
    tidy(&words)
}

/// Returns whether two formulas are the same TeX.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let signs =
        |tex: &str| -> String { plain(tex).chars().filter(|c| !c.is_whitespace()).collect() };
    signs(one) == signs(other)
}

/// Returns TeX without the wrapping that says only how large it is drawn.
fn plain(tex: &str) -> String {
    let tex = tex.trim().trim_matches('$').trim();
    let inner = tex.strip_prefix('{').and_then(|it| it.strip_suffix('}')).unwrap_or(tex);
    let styles = ["\\displaystyle", "\\textstyle", "\\scriptstyle"];
    let styled = styles.iter().find_map(|style| inner.trim_start().strip_prefix(style));
    tidy(styled.unwrap_or(tex))
}

fn write(node: &NodeRef, words: &mut String) {
    if node.is_text() {
        return words.push_str(&node.text());
    }
    let name = node.node_name();
    let parts: Vec<NodeRef> = node.children_it(false).filter(NodeRef::is_element).collect();
    match (name.as_deref().unwrap_or_default(), parts.as_slice()) {
        ("annotation" | "annotation-xml", _) => {}
        ("msup", [base, raised]) => {
            write(base, words);
            words.push_str(&power(&read(raised)));
        }
        ("msub" | "munder", [base, index]) => {
            write(base, words);
            words.push('_');
            words.push_str(&grouped(index));
        }
        ("msubsup" | "munderover", [base, index, raised]) => {
            write(base, words);
            words.push('_');
            words.push_str(&grouped(index));
            words.push_str(&power(&read(raised)));
        }
        ("mfrac", [over, under]) => {
            words.push_str(&grouped(over));
            words.push('/');
            words.push_str(&factor(&read(under)));
        }
        ("msqrt", _) => {
            let inner: String = parts.iter().map(read).collect();
            words.push_str(&format!("√({inner})"));
        }
        ("mroot", [base, degree]) => {
            words.push_str(&power(&read(degree)));
            words.push_str(&format!("√({})", read(base)));
        }
        ("mtr", _) => {
            let cells: Vec<String> = parts.iter().map(read).collect();
            words.push_str(&cells.join(" "));
            words.push_str("; ");
        }
        ("mo", _) => {
            let sign = node.text();
            let sign = sign.trim();
            // Invisible signs of multiplication and application are left out.
            if BETWEEN.contains(sign) && !sign.is_empty() {
                words.push_str(&format!(" {sign} "));
            } else if !matches!(sign, "\u{2061}" | "\u{2062}" | "\u{2063}" | "\u{2064}") {
                words.push_str(sign);
            }
        }
        ("mtext", _) => words.push_str(&node.text()),
        ("mi" | "mn" | "ms", _) => {
            let text = node.text();
            words.push_str(if goes_on(words, text.trim()) { " " } else { "" });
            words.push_str(text.trim());
        }
        _ => parts.iter().for_each(|part| write(part, words)),
    }
}

fn read(node: &NodeRef) -> String {
    let mut words = String::new();
    write(node, &mut words);
    words.trim().to_owned()
}

/// Returns a part of a formula, in parentheses if it has several signs.
fn grouped(node: &NodeRef) -> String {
    let words = read(node);
    let is_one = words.chars().all(char::is_alphanumeric);
    if is_one { words } else { format!("({words})") }
}
