//! A diagram (SmartArt) as the list of its texts.

use std::collections::{HashMap, HashSet};

use crate::Writer;
use crate::xml::Element;

/// Writes the texts in the data part of a diagram, each as an item under the one it belongs to.
pub(crate) fn write(part: &Element, text: &mut Writer) {
    let points = part.child("ptLst").into_iter().flat_map(Element::elements);
    let mut order = Vec::new();
    let mut known: HashMap<&str, (String, bool)> = HashMap::new();
    for point in points {
        let Some(id) = point.attribute("modelId") else { continue };
        let shown = matches!(point.attribute("type"), None | Some("node" | "asst"));
        order.push(id);
        known.insert(id, (point.child("t").map(words).unwrap_or_default(), shown));
    }
    let mut below: HashMap<&str, Vec<(u64, &str)>> = HashMap::new();
    for link in part.child("cxnLst").into_iter().flat_map(Element::elements) {
        let ends = (link.attribute("srcId"), link.attribute("destId"));
        if let ((Some(from), Some(to)), None | Some("parOf")) = (ends, link.attribute("type")) {
            let place = link.attribute("srcOrd").and_then(|at| at.parse().ok()).unwrap_or(0);
            below.entry(from).or_default().push((place, to));
        }
    }
    for links in below.values_mut() {
        links.sort_unstable();
    }
    let under: HashSet<&str> = below.values().flatten().map(|(_, to)| *to).collect();
    // What belongs to nothing comes first, then what only a loop holds together.
    let (tops, rest): (Vec<&str>, Vec<&str>) = order.iter().partition(|id| !under.contains(*id));
    let mut seen = HashSet::new();
    for top in tops.into_iter().chain(rest) {
        let mut open = vec![(top, 0)];
        while let Some((id, depth)) = open.pop() {
            if !seen.insert(id) || text.is_full() {
                continue;
            }
            let mut inner = depth;
            if let Some((words, true)) = known.get(id)
                && !words.trim().is_empty()
            {
                text.item(depth, "-", words);
                inner += 1;
            }
            let links = below.get(id).into_iter().flatten().rev();
            open.extend(links.map(|(_, to)| (*to, inner)));
        }
    }
}

fn words(rich: &Element) -> String {
    let paragraphs = rich.all("p").into_iter();
    let lines: Vec<String> = paragraphs
        .map(|paragraph| paragraph.all("t").into_iter().map(Element::text).collect())
        .collect();
    lines.join(" ")
}
