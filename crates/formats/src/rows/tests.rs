use super::*;

/// Returns a row of cells: `<` is covered by the cell at its left, `^` by the one above.
fn row(cells: &[&str]) -> Vec<Slot> {
    let slot = |cell: &&str| match *cell {
        "<" => Slot::Left,
        "^" => Slot::Above,
        words => Slot::Own(words.to_owned()),
    };
    cells.iter().map(slot).collect()
}

fn check(table: &[&[&str]], expected: &str) {
    let mut rows = Rows::default();
    for cells in table {
        rows.push(row(cells), Mark::Plain);
    }
    let mut text = Writer::new(10_000);
    rows.write(&mut text);
    assert_eq!(text.finish().replace("| --- ", "").replace("|\n|\n", "|\n"), expected);
}

// proves: A6
#[test]
fn a_merged_cell_counts_for_what_it_covers() {
    check(
        &[
            &["Port", "Tide", "<"],
            &["^", "High", "Low"],
            &["Brest", "6.9", "1.2"],
            &["^", "7.0", "1.1"],
        ],
        "| Port | Tide High | Tide Low |\n| Brest | 6.9 | 1.2 |\n| Brest | 7.0 | 1.1 |",
    );
    check(
        &[&["Drink", "Share", "<"], &["Tea", "54 %", "60 %"]],
        "| Drink | Share | Share |\n| Tea | 54 % | 60 % |",
    );
    // Years name columns.
    check(
        &[&["", "Cups", "<"], &["", "2024", "2025"], &["Tea", "3", "4"]],
        "|  | Cups 2024 | Cups 2025 |\n| Tea | 3 | 4 |",
    );
    check(
        &[&["Port", "Height"], &["^", "(metres)"], &["Brest", "6.9"]],
        "| Port | Height (metres) |\n| Brest | 6.9 |",
    );
}

// proves: A6
#[test]
fn a_title_stands_above_and_rows_without_a_head_stay_rows() {
    check(
        &[&["Table 1. Tides", "<", "<"], &["Port", "High", "Low"], &["Brest", "6.9", "1.2"]],
        "Table 1. Tides\n\n| Port | High | Low |\n| Brest | 6.9 | 1.2 |",
    );
    check(
        &[&["Tea", "green"], &["^", "black"], &["Milk", "whole"]],
        "| Tea | green |\n| Tea | black |\n| Milk | whole |",
    );
    check(&[&["Tea", "<"]], "|  |\n| Tea |");
}

// proves: A6
#[test]
fn rows_have_the_name_of_their_group_in_every_piece() {
    let mut rows = Rows::default();
    let head = ["Age", "Share", "Count"];
    rows.push(row(&head), Mark::SetOff);
    for cells in [["Men", "<", "<"], ["18–24", "54 %", "61"], ["25–", "50 %", "70"]] {
        rows.push(row(&cells), Mark::Plain);
    }
    let (_, taken) = rows.take();
    assert_eq!(
        taken,
        [
            ["", "Age", "Share", "Count"],
            ["Men", "18–24", "54 %", "61"],
            ["Men", "25–", "50 %", "70"]
        ]
    );
    for cells in [["unknown", "9 %", "3"], ["Women", "<", "<"], ["18–24", "56 %", "60"]] {
        rows.push(row(&cells), Mark::Plain);
    }
    let (_, taken) = rows.take();
    assert_eq!(
        taken,
        [
            ["", "Age", "Share", "Count"],
            ["Men", "unknown", "9 %", "3"],
            ["Women", "18–24", "56 %", "60"]
        ]
    );
}

// proves: A6
#[test]
fn a_form_has_a_head_only_if_it_is_marked() {
    let form = [["Tenant", "Mara Quint"], ["Landlord", "Otto Fenn"]];
    check(&[&form[0], &form[1]], "|  |  |\n| Tenant | Mara Quint |\n| Landlord | Otto Fenn |");
    for (marks, is_head) in [
        ([Mark::Head, Mark::Plain], true),
        ([Mark::SetOff, Mark::Plain], true),
        ([Mark::SetOff, Mark::SetOff], false),
    ] {
        let mut rows = Rows::default();
        for (cells, mark) in form.iter().zip(marks) {
            rows.push(row(cells), mark);
        }
        let (_, taken) = rows.take();
        assert_eq!(taken.len(), if is_head { 2 } else { 3 }, "{marks:?}");
    }
}

// proves: A6
#[test]
fn a_table_whose_rows_are_all_marked_as_heads_keeps_them() {
    let mut rows = Rows::default();
    for cells in [["Town", "Ships"], ["Marsh", "33"], ["Hill", "0"]] {
        rows.push(row(&cells), Mark::Head);
    }
    let (_, taken) = rows.take();
    assert_eq!(taken, [["Town", "Ships"], ["Marsh", "33"], ["Hill", "0"]]);
}
