//! Mends claims that do not hold: one turn of their writer, then their statement instead, or nothing.

use std::fmt::Write as _;

use grounding::prose::Prose as Read;
use run::ledger::Verdict;
use run::material::{Material, Place};
use run::{Call, Result, Run, Stop};

use super::binding::{self, Side, Site, standing_around};
use super::entry::{Entry, Form, Instead, Kind};
use super::printing::words_of;
use super::prose::Prose;
use super::reading;
use super::{Subject, counted};

/// Has the writer mend what does not hold; what then holds replaces it.
pub(super) async fn mend<'c>(
    run: &Run,
    question: &str,
    call: &(dyn Fn() -> Call<'c> + Sync),
    entries: &mut [Entry],
    material: &Material<'_>,
) -> Result<()> {
    let failed: Vec<usize> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.fails() && entry.verdict != Verdict::Unread)
        .map(|(index, _)| index)
        .collect();
    if failed.is_empty() {
        return Ok(());
    }
    let count = failed.len();
    let failing = counted(count, "sentence fails", "sentences fail");
    run.say(format!("{failing} the check; asking the writer once more"));
    let told = listed(&failed, entries);
    let again = call()
        .again("Sentences of your answer that do not hold, each with the reason", told)
        .reply::<Prose>()
        .await;
    let mended = match again {
        Ok(mended) => mended,
        Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
            run.warn(format!("could not ask the writer again: {stop}"));
            return Ok(());
        }
        Err(stop) => return Err(stop),
    };
    // The new claims are appended to the existing ones: a conclusion may rest on any of them.
    let before = entries.len();
    let mut all = entries.to_vec();
    let mut written: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
    for (number, text) in numbered(&mended.text, count) {
        let Some(index) = failed.get(number - 1).copied() else { continue };
        let prose = Prose { text, quotes: mended.quotes.clone(), ..Prose::default() };
        let piece = Read::of(&prose.text, &prose.citation_spans());
        let basis = entries.get(index).map(|entry| entry.basis.clone()).unwrap_or_default();
        let start = all.len();
        // A cell keeps its row and column.
        let cell = entries.get(index).filter(|entry| entry.form.is_cell());
        let row =
            cell.and_then(|entry| Some((entry.claim.strip_suffix(&entry.words)?, entry.form)));
        let is_conclusion = entries.get(index).is_some_and(|entry| entry.kind == Kind::Conclusion);
        for mut entry in binding::bind(&piece, &prose, material, question) {
            if entry.kind == Kind::Heading {
                continue;
            }
            entry.basis.clone_from(&basis);
            // What is concluded from claims stays a conclusion, whatever statement is near to it.
            if is_conclusion && entry.kind == Kind::Uncited {
                entry.kind = Kind::Conclusion;
                entry.places.clear();
                entry.faults.clear();
            }
            if let Some((row, form)) = row {
                entry.claim.insert_str(0, row);
                entry.form = form;
                if !entry.places.is_empty() {
                    entry.verdict = Verdict::default();
                    entry.faults.clear();
                    binding::hold_against(&mut entry, material, question);
                }
            }
            all.push(entry);
        }
        written.push((index, start..all.len()));
    }
    let reading = run.scope("mended");
    reading::read(&reading, &mut all, before, material, question).await?;
    let mut taken = 0;
    for (index, range) in written {
        let claims = all.get(range).unwrap_or_default();
        if let Some(entry) = entries.get_mut(index)
            && !claims.is_empty()
            && claims.iter().all(Entry::holds)
        {
            entry.instead = Some(Instead::Mended(claims.to_vec()));
            taken += 1;
        }
    }
    run.say(format!("the writer corrected {taken} of {count}"));
    Ok(())
}

/// Lists what does not hold, each with the reasons and, if it is prose, the sentence before it.
pub(super) fn listed(failed: &[usize], entries: &[Entry]) -> String {
    let mut page = String::new();
    for (number, entry) in failed.iter().filter_map(|index| entries.get(*index)).enumerate() {
        let what = if entry.form.is_cell() { " (a table cell; return the cell alone)" } else { "" };
        let faults: Vec<String> = entry.faults.iter().map(ToString::to_string).collect();
        let cited: Vec<String> = entry.places.iter().map(|place| place.address()).collect();
        let cited =
            if cited.is_empty() { String::new() } else { format!(" [{}]", cited.join(", ")) };
        let arrow = if entry.kind == Kind::Conclusion { "→ " } else { "" };
        let _ = writeln!(
            page,
            "{}. {arrow}{}{cited}{what}\n   Why: {}",
            number + 1,
            as_written(entry),
            faults.join("; ")
        );
        // What "it" and "this" refer to.
        if let Some(before) = find_preceding(entry, entries) {
            let _ = writeln!(page, "   It stood behind: {before}");
        }
    }
    page
}

/// Returns a sentence with its code and emphasis, so that the writer keeps them; a cell with its row and column.
fn as_written(entry: &Entry) -> &str {
    if entry.form == Form::Sentence && !entry.written.is_empty() {
        &entry.written
    } else {
        &entry.claim
    }
}

/// Returns the sentence before `entry`, if neither is a cell, code or a heading.
fn find_preceding<'e>(entry: &Entry, entries: &'e [Entry]) -> Option<&'e str> {
    let is_sentence = |one: &&Entry| one.kind != Kind::Heading && one.form == Form::Sentence;
    let before = entries.iter().rfind(|one| one.piece < entry.piece);
    before.filter(|one| is_sentence(&entry) && is_sentence(one)).map(|one| one.claim.as_str())
}

/// Reads a numbered list: the number and the text of each item. If only one sentence was sent, a reply without numbers is about that one.
fn numbered(text: &str, count: usize) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for line in text.lines() {
        let bare = line.trim_start().trim_start_matches(['*', '-', ' ']);
        let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
        let number = bare.get(..digits).and_then(|digits| digits.parse::<usize>().ok());
        let rest = bare.get(digits..).and_then(|rest| rest.strip_prefix(['.', ')', ':']));
        match (number.filter(|number| (1..=count).contains(number)), rest) {
            (Some(number), Some(rest)) if rest.is_empty() || rest.starts_with([' ', '*']) => {
                found.push((number, rest.trim().trim_start_matches("**").trim().to_owned()));
            }
            _ => {
                // A sentence may span several lines.
                if let Some((_, text)) = found.last_mut().filter(|_| !line.trim().is_empty()) {
                    text.push('\n');
                    text.push_str(line.trim());
                }
            }
        }
    }
    if found.is_empty() && count == 1 && !text.trim().is_empty() {
        found.push((1, text.trim().to_owned()));
    }
    // Of two with the same number the first counts.
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|(number, text)| seen.insert(*number) && text.chars().any(char::is_alphanumeric));
    found
}

/// Replaces a sentence that does not hold by one of its statements, if that speaks to the question and is not in the answer yet.
pub(super) fn replace_by_quotes(
    subject: &Subject<'_>,
    entries: &mut [Entry],
    material: &Material<'_>,
) {
    let mut known: Vec<Place> = entries
        .iter()
        .filter(|entry| entry.holds())
        .flat_map(|entry| entry.places.iter().copied())
        .collect();
    for entry in entries.iter_mut().filter(|entry| entry.fails() && entry.kind != Kind::Conclusion)
    {
        let is_sentence = entry.form == Form::Sentence;
        let fitting = entry.places.iter().copied().find(|place| {
            is_sentence
                && material.is_sentences(*place)
                && !known.contains(place)
                && (subject.answers)(&material.with_headings(*place))
        });
        if let Some(place) = fitting {
            known.push(place);
            entry.instead = Some(Instead::Quoted(place));
        }
    }
}

/// Has headings that did not hold read once more, if what stands below them was replaced since.
pub(super) async fn read_headings_again(
    subject: &Subject<'_>,
    read: &Read,
    entries: &mut [Entry],
    material: &Material<'_>,
) -> Result<()> {
    let is_refused =
        |entry: &Entry| entry.kind == Kind::Heading && entry.verdict == Verdict::Unsupported;
    let has_instead = |entry: &Entry| entry.instead.is_some();
    if !entries.iter().any(is_refused) || !entries.iter().any(has_instead) {
        return Ok(());
    }
    let site = |entry: &Entry| read.pieces.get(entry.piece).map(Site::of);
    let sites: Vec<(usize, Site)> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.kind != Kind::Heading)
        .filter(|(_, entry)| entry.holds() || has_instead(entry))
        .filter_map(|(index, entry)| Some((index, site(entry)?)))
        .collect();
    // Replacements are appended to the existing entries.
    let mut all = entries.to_vec();
    let mut stands: Vec<Vec<usize>> = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let start = all.len();
        match &entry.instead {
            Some(Instead::Mended(written)) => all.extend(written.iter().cloned()),
            Some(Instead::Quoted(place)) => all.push(quoting(*place, material)),
            None => {}
        }
        stands.push(if all.len() > start { (start..all.len()).collect() } else { vec![index] });
    }
    let before = all.len();
    let mut again: Vec<usize> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let Some(own) = site(entry).filter(|_| is_refused(entry)) else { continue };
        let below = standing_around(Side::Heading(index), own, &sites);
        let is_mended = |below: &usize| entries.get(*below).is_some_and(has_instead);
        if !below.iter().any(is_mended) {
            continue;
        }
        let basis = below.iter().filter_map(|below| stands.get(*below)).flatten().copied();
        let (verdict, faults) = (Verdict::default(), vec![]);
        all.push(Entry { basis: basis.collect(), verdict, faults, ..entry.clone() });
        again.push(index);
    }
    if again.is_empty() {
        return Ok(());
    }
    let run = subject.run.scope("headings");
    reading::read(&run, &mut all, before, material, subject.question).await?;
    for (index, read) in again.into_iter().zip(all.into_iter().skip(before)) {
        if let Some(entry) = entries.get_mut(index) {
            (entry.verdict, entry.faults) = (read.verdict, read.faults);
            entry.derivations = read.derivations;
        }
    }
    Ok(())
}

/// Returns an entry that quotes a statement.
fn quoting(place: Place, material: &Material<'_>) -> Entry {
    let claim = words_of(&[place], material);
    Entry { claim, places: vec![place], verdict: Verdict::Quoted, ..Entry::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mended_is_read_by_its_numbers() {
        let pairs = |text: &str, count| numbered(text, count);
        let of = |number: usize, text: &str| (number, text.to_owned());
        assert_eq!(
            pairs("1. It rose [1.2].\n2) It fell\n   far [1.3].", 2),
            [of(1, "It rose [1.2]."), of(2, "It fell\nfar [1.3]."),]
        );
        assert_eq!(pairs("Here:\n\n**3.** It rose.\n3. Again.\n9. No.", 3), [of(3, "It rose.")]);
        assert_eq!(pairs("It rose [1.2].", 1), [of(1, "It rose [1.2].")]);
        assert_eq!(pairs("It rose [1.2].", 2), []);
        assert_eq!(pairs("1. –\n2. 3.5 m high.", 2), [of(2, "3.5 m high.")]);
    }
}
