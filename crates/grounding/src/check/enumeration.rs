//! Counts of items that the claim itself lists: "three duties: keep, tell and offer", "two stages, the first … and the second …".

use crate::quantity::{Number, Quantity, Reading};

/// Words that join the last item to a list.
const JOINTS: [&str; 14] = [
    " and ", " or ", " und ", " oder ", " et ", " ou ", " y ", " o ", " e ", " en ", " of ",
    " och ", " и ", "和",
];

/// Returns whether a number counts items that the claim then lists, and so adds nothing to the list.
pub(super) fn counts_its_own(claim: &str, quantity: &Quantity) -> bool {
    let Some(count) = quantity.readings.iter().find_map(counted) else { return false };
    let after = claim.get(quantity.at.end..).unwrap_or_default();
    ranks(after, count) || listed(after, count)
}

/// Returns the count that a reading gives, if a list may be that long.
fn counted(reading: &Reading) -> Option<usize> {
    const MOST: f64 = 12.0;
    match reading {
        Reading::Number(Number { value, unit: None, .. })
            if value.fract() == 0.0 && (2.0..=MOST).contains(value) =>
        {
            Some(*value as usize)
        }
        _ => None,
    }
}

/// Returns whether the rest names its items by rank, from the first to the last.
fn ranks(after: &str, count: usize) -> bool {
    let found: Vec<usize> = crate::quantity::scan(after)
        .iter()
        .filter(|quantity| {
            !after
                .get(quantity.at.clone())
                .unwrap_or_default()
                .starts_with(|c: char| c.is_ascii_digit())
        })
        .flat_map(|quantity| &quantity.readings)
        .filter_map(|reading| match reading {
            Reading::Number(number) if number.unit.is_none() && number.value.fract() == 0.0 => {
                Some(number.value as usize)
            }
            _ => None,
        })
        .collect();
    count <= 5 && (1..=count).all(|rank| found.contains(&rank))
}

/// Returns whether a list of `count` items follows: after a colon, or right after the number and its noun.
fn listed(after: &str, count: usize) -> bool {
    /// The most bytes between the number and the list.
    const REACH: usize = 80;
    let Some(start) = after.find([':', ',', '(']).filter(|start| *start <= REACH) else {
        return false;
    };
    let list = after.get(start + 1..).unwrap_or_default();
    let mut items = 0;
    for chunk in list.split([',', ';', '、', ')']) {
        let chunk = format!(" {} ", chunk.trim());
        let joined = JOINTS.iter().any(|joint| chunk.contains(joint));
        // A joint right after a comma joins only this item.
        let leads = JOINTS.iter().any(|joint| chunk.starts_with(joint));
        items += if joined && !leads { 2 } else { 1 };
        if joined || items > count {
            break;
        }
    }
    items == count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::scan;

    #[test]
    fn a_count_of_what_is_listed_right_behind_it_says_no_more_than_the_list() {
        let check = |claim: &str, counts: bool| {
            let found = scan(claim);
            assert_eq!(counts_its_own(claim, &found[0]), counts, "{claim:?}");
        };
        check("There are three duties: keep the notices, say so, and offer the source.", true);
        check(
            "three stretches: eleven days in 1973, all of 1987 and forty-six days in winter",
            true,
        );
        check("It filled in two stages, the first slow and the second sudden.", true);
        check("Which of the two, the start or the lunch, mattered", true);
        check("Two were high: the crash on start and the leak.", true);
        check("There are four duties: keep the notices, say so, and offer the source.", false);
        check("Three patients died in Poland.", false);
        check("Three patients died, most of them old and frail.", false);
        check("five cells swelled", false);
    }
}
