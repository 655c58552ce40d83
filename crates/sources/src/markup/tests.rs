use proptest::prelude::*;

use super::{line, one_line, plain};

#[test]
fn paragraphs_section_titles_and_list_items_stand_apart() {
    let jats = "<jats:title>Abstract</jats:title>\n  <jats:sec>\n    <jats:title>Background</jats:title>\n    <jats:p>Gulls feed\n      often.</jats:p>\n  </jats:sec>\n<jats:p>They <jats:italic>rest</jats:italic> too.</jats:p>";
    assert_eq!(plain(jats), "Abstract\n\nBackground\n\nGulls feed often.\n\nThey rest too.");
    assert_eq!(plain("<ul><li>one</li><li>two</li></ul>three"), "one\ntwo\n\nthree");
    assert_eq!(plain("one<br/>two<br><br>three"), "one\ntwo\n\nthree");
    assert_eq!(plain("<p class=\"x\">one</p><P>two</P>"), "one\n\ntwo");
}

#[test]
fn signs_that_belong_to_the_text_stay() {
    for text in [
        "p < 0.05 and x > 3",
        "a <b and c> d",
        "List<String> and <UNK>",
        "AT&T, R&D, ?a=1&copy=2",
        "x<y, y>z",
        "if a<b then",
        "5 </ 6",
        "<",
        "<!-- never closed",
        "&;&#;&#x;&nosuch;",
    ] {
        assert_eq!(plain(text), text);
    }
}

#[test]
fn references_are_decoded_however_often_they_were_escaped() {
    for (text, said) in [
        ("p &lt; 0.05", "p < 0.05"),
        ("p &amp;lt; 0.05", "p < 0.05"),
        ("Big Data &amp; Society", "Big Data & Society"),
        ("Big Data &amp;amp;amp; Society", "Big Data & Society"),
        ("caf&eacute; &#233; &#xE9;", "café é é"),
        ("&lt;p&gt;One.&lt;/p&gt;&lt;p&gt;Two.&lt;/p&gt;", "One.\n\nTwo."),
        ("&amp;lt;i&amp;gt;E. coli&amp;lt;/i&amp;gt;", "E. coli"),
        ("<p>one</p><p>&lt;b&gt;two&lt;/b&gt;</p>", "one\n\ntwo"),
        ("&lt;UNK&gt;", "<UNK>"),
        ("a&nbsp;b\u{a0}c", "a b c"),
    ] {
        assert_eq!(plain(text), said, "{text}");
    }
}

#[test]
fn scripts_stay_readable() {
    for (text, said) in [
        ("95 km<jats:sup>2</jats:sup>.", "95 km²."),
        ("10<sup>-6</sup> CO<sub>2</sub>", "10⁻⁶ CO₂"),
        ("2<sup>n</sup>, e<sup>-x</sup>", "2ⁿ, e^-x"),
        ("the 19<sup>th</sup> V<sub>max</sub>", "the 19th V_max"),
        ("PM<sub>2.5</sub>", "PM2.5"),
        ("<sup>13</sup>C", "¹³C"),
        ("<sup>never closed", "never closed"),
        ("x<sup></sup>y", "xy"),
    ] {
        assert_eq!(plain(text), said, "{text}");
    }
}

#[test]
fn a_mark_within_a_line_puts_no_space_where_none_was_deposited() {
    assert_eq!(line("gulls: an<scp>R</scp>package"), "gulls: anRpackage");
    assert_eq!(line("gulls: an <scp>R</scp> package"), "gulls: an R package");
}

#[test]
fn formulas_are_said_once() {
    let math = "<mml:math>\n <mml:msup>\n <mml:mi>x</mml:mi>\n <mml:mn>2</mml:mn></mml:msup><mml:mo>&lt;</mml:mo><mml:mfrac><mml:mrow><mml:mi>a</mml:mi><mml:mo>+</mml:mo><mml:mn>1</mml:mn></mml:mrow><mml:msub><mml:mi>b</mml:mi><mml:mi>k</mml:mi></mml:msub></mml:mfrac></mml:math>";
    assert_eq!(plain(math), "x²<(a+1)/(b_k)");
    let tex =
        "<tex-math>\\documentclass{minimal}\\begin{document}$$x^2$$\\end{document}</tex-math>";
    let once = |inner: String| {
        plain(&format!(
            "<p>if <inline-formula><alternatives>{inner}</alternatives></inline-formula> holds</p>"
        ))
    };
    assert_eq!(once(format!("{tex}{math}")), "if $$x^2$$ holds");
    assert_eq!(once(format!("{math}{tex}")), "if $$x^2$$ holds");
    let twice =
        "<math><semantics><mi>x</mi><annotation encoding=\"TeX\">x</annotation></semantics></math>";
    assert_eq!(plain(twice), "x");
}

#[test]
fn how_the_source_was_laid_out_leaves_no_trace() {
    let title = "Panel for\n      <i>KRAS</i>\n      /\n   <i>MET</i>\n   mutations (\n  <i>PIK3CA</i>\n  ), now";
    assert_eq!(line(title), "Panel for KRAS / MET mutations (PIK3CA), now");
    assert_eq!(plain("one\n\ntwo\nthree"), "one\n\ntwo three");
    assert_eq!(one_line(" a\u{0}\tb\n\n c "), "a b c");
    assert_eq!(plain("a\u{0}b\u{85}c <![CDATA[d < e]]> <!-- f --> <?g h?>"), "ab c d < e");
    assert_eq!(plain("hy\u{ad}phen \u{feff}"), "hyphen");
    assert_eq!(plain("<script>alert(1)</script>text<style>p{}</style>"), "text");
}

#[test]
fn hostile_fragments_take_time_in_proportion_to_their_length() {
    for piece in [
        "<!--",
        "<![CDATA[",
        "<?",
        "<p",
        "<p a='",
        "<p a=b ",
        "&amp;",
        "&",
        "<sup>",
        "<mrow>",
        "</mi>",
        "<script>",
        "<math><msup><mi>",
        "&lt;",
        "&lt;!--",
        "<alternatives><math>",
        "\n",
        "<br>",
        "&#38;#38;",
    ] {
        let text = format!("{}</mrow></sup></msup>", piece.repeat(200_000 / piece.len()));
        assert!(plain(&text).len() <= 2 * text.len(), "{piece}");
    }
}

proptest! {
    #[test]
    fn no_fragment_breaks_it_and_none_gives_white_space_beside_the_text(
        parts in proptest::collection::vec(prop_oneof![
            "[ -~\\n]{0,12}",
            "\\PC{0,6}",
            prop_oneof![
                Just("<p>"), Just("</p>"), Just("<sup>"), Just("</sup>"), Just("<sub>"), Just("</sub>"), Just("<mml:math>"),
                Just("</mml:math>"), Just("<mfrac>"), Just("</mfrac>"), Just("<mi>"), Just("</mi>"), Just("<br/>"), Just("&lt;"),
                Just("&amp;"), Just("<alternatives>"), Just("</alternatives>"), Just("<tex-math>"), Just("</tex-math>"),
                Just("\\begin{document}"), Just("<script>"), Just("</script>"), Just("<li>"), Just("\u{7}"), Just("\u{301}"),
            ].prop_map(str::to_owned),
        ], 0..40)
    ) {
        let said = plain(&parts.concat());
        prop_assert_eq!(said.trim(), &said);
        prop_assert!(!said.contains("\n\n\n") && !said.contains("  "));
        prop_assert!(!said.contains(|c: char| c.is_control() && c != '\n'));
        prop_assert!(!line(&said).contains('\n'));
    }

    #[test]
    fn words_without_marks_come_through_as_they_are(words in proptest::collection::vec("[^\\s<&\\p{C}]{1,8}", 0..20)) {
        prop_assert_eq!(plain(&words.join(" \t")), words.join(" "));
        prop_assert_eq!(plain(&format!("<p>{}</p>", words.join("</p>\n<p>"))), words.join("\n\n"));
    }
}
