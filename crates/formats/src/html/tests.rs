use super::*;

fn rendered(html: &str) -> String {
    markdown(&parse(html).unwrap().root())
}

fn mailed(html: &str) -> String {
    let mut page = Writer::new(100_000);
    let settings = Settings {
        level: 1,
        unseen: Unseen::LeftOut,
        preformatted: Preformatted::Mail,
        most_rows: None,
    };
    write(html, settings, &mut page);
    page.finish()
}

// proves: A6
#[test]
fn a_paragraph_reads_as_on_the_page() {
    let html = "<p>We asked <a href='x'>1,204\n adults</a>,&nbsp;<b>all</b> over.<br>Twice.</p>Then <img src=x alt='a chart'>.";
    assert_eq!(rendered(html), "We asked 1,204 adults, all over.\nTwice.\n\nThen a chart.");
    assert_eq!(rendered("<p>So.<br><br>He said <q>no</q>."), "So.\n\nHe said “no”.");
    assert_eq!(
        rendered("<p>Do&shy;nau\u{200b}dampf, می\u{200c}خواهم"),
        "Donaudampf, می\u{200c}خواهم"
    );
}

// proves: A6
#[test]
fn lists_quotes_code_and_headings_keep_their_shape() {
    let html = "<h2>Two <i>words</i></h2><ul><li>a<li>b<ol start=3><li>c<li>d</ol></ul><blockquote><p>q<br>r<blockquote>s</blockquote></blockquote><pre>x = 1\n\ny</pre>";
    assert_eq!(
        rendered(html),
        "## Two words\n\n- a\n- b\n  3. c\n  4. d\n\n> q\n> r\n\n> > s\n\n```\nx = 1\n\ny\n```"
    );
    assert_eq!(rendered("<ol><li value=4>a<li>b</ol>"), "4. a\n5. b");
}

// proves: A6
#[test]
fn definitions_stay_with_their_terms() {
    let html = "<dl><dt>gc.auto<dd><p>Packs.<p>Zero: never.<ul><li>a</ul><dt>-f<dt>--force<dd>Insists.<dd>Again.</dl><p>After.<dl><dt>alone</dl>";
    assert_eq!(
        rendered(html),
        "gc.auto\n: Packs.\n\n  Zero: never.\n\n  - a\n\n-f, --force\n: Insists.\n\n  Again.\n\nAfter.\n\nalone"
    );
    let held = "<dl><dt>a<dd><pre>x</pre><table><tr><th>h<th>i<tr><td>1<td>2</table></dl>";
    assert_eq!(rendered(held), "a\n\n  ```\nx\n```\n\n  | h | i |\n  | --- | --- |\n  | 1 | 2 |");
    let nested = "<dl><dt>a<dd>b<dl><dt>c<dd>d</dl></dl>";
    assert_eq!(rendered(nested), "a\n: b\n\n  c\n  : d");
    assert_eq!(rendered("<dl><dt>a<dd><dl><dt>b<dd>c</dl></dl>"), "a\n\n  b\n  : c");
    assert_eq!(rendered("<dl><dt>a<dd><dl><dt>b<dt>c</dl></dl>"), "a\n: b, c");
    assert_eq!(rendered("<ul><li><dl><dt>a<dd>b</dl><li>c</ul>"), "- a\n\n    b\n\n- c");
}

// proves: A6
#[test]
fn tables_of_data_are_tables_and_layout_is_not() {
    let html = "<table><tr><th>Drink<th>Share<tr><td>Tea | milk<td><p>54 %</table>";
    assert_eq!(rendered(html), "| Drink | Share |\n| --- | --- |\n| Tea \\| milk | 54 % |");
    for (layout, words) in [
        ("<table><tr><td><p>Menu<td><p>Words</table>", "Menu\n\nWords"),
        ("<table><tr><td>One<tr><td>Two</table>", "One\n\nTwo"),
        ("<table role=presentation><tr><th>a<th>b<tr><td>c<td>d</table>", "a\n\nb\n\nc\n\nd"),
        (
            "<table><tr><td>a<td><table><tr><th>Port<th>Metres<tr><td>Brest<td>6.9</table></table>",
            "a\n\n| Port | Metres |\n| --- | --- |\n| Brest | 6.9 |",
        ),
        ("<table><tr><td>a<td><ul><li>b</ul><tr><td>c<td>d</table>", "a\n\n- b\n\nc\n\nd"),
    ] {
        assert_eq!(rendered(layout), words, "{layout}");
    }
}

// proves: A6
#[test]
fn a_value_stands_under_all_its_heads() {
    let html = "<table><caption>Sales</caption><thead><tr><th rowspan=2>Region<th colspan=2>2023<th colspan=2>2024<tr><th>Revenue<th>Cost<th>Revenue<th>Cost</thead>\
        <tr><th scope=row rowspan=2>North<td>1<td>2<td>3<td>4<tr><td>5<td colspan=2>6<td>7<tr><th colspan=5>All of the south<tr><th>South<td>8<td>9<td>10<td>11\
        <tfoot><tr><th>Sum<td>14<td>17<td>19<td>22</tfoot></table>";
    assert_eq!(
        rendered(html),
        "Sales\n\n\
         |  | Region | 2023 · Revenue | 2023 · Cost | 2024 · Revenue | 2024 · Cost |\n\
         | --- | --- | --- | --- | --- | --- |\n\
         |  | North | 1 | 2 | 3 | 4 |\n\
         |  | North | 5 | 6 | 6 | 7 |\n\
         | All of the south | South | 8 | 9 | 10 | 11 |\n\
         |  | Sum | 14 | 17 | 19 | 22 |"
    );
    // A line over the heads is the title, and a row of heads further down begins another part.
    let html = "<table><tr><th colspan=2>Ports<tr><th>Port<th>Metres<tr><td>Brest<td>6.9<tr><th>Port<th>Feet<tr><td>Hull<td>21</table>";
    assert_eq!(
        rendered(html),
        "Ports\n\n| Port | Metres |\n| --- | --- |\n| Brest | 6.9 |\n\n| Port | Feet |\n| --- | --- |\n| Hull | 21 |"
    );
}

// proves: A6
#[test]
fn rows_with_heads_of_their_own_have_no_head_above() {
    let html =
        "<table><tr><th colspan=2>Shaft pump<tr><th>Type<td>Pump<tr><th>Since<td>1911</table>";
    assert_eq!(
        rendered(html),
        "Shaft pump\n\n|  |  |\n| --- | --- |\n| Type | Pump |\n| Since | 1911 |"
    );
    let html = "<table><tr><td>Total<td> <td>5<tr><td>Tax<td><td>1</table>";
    assert_eq!(rendered(html), "|  |  |\n| --- | --- |\n| Total | 5 |\n| Tax | 1 |");
    // A form is none either, unless its first row is set off.
    let html = "<table><tr><td>Tenant<td>Mara Quint<tr><td>Landlord<td>Otto Fenn</table>";
    assert_eq!(
        rendered(html),
        "|  |  |\n| --- | --- |\n| Tenant | Mara Quint |\n| Landlord | Otto Fenn |"
    );
    let html =
        "<table><tr><td><p><b>Who</b><td><strong>Name</strong><tr><td>Tenant<td>Mara Quint</table>";
    assert_eq!(rendered(html), "| Who | Name |\n| --- | --- |\n| Tenant | Mara Quint |");
    let html = "<table><tr><td>Year<td>2023<td>2024<tr><td>Tea<td>5<td>6</table>";
    assert_eq!(rendered(html), "| Year | 2023 | 2024 |\n| --- | --- | --- |\n| Tea | 5 | 6 |");
}

// proves: A6
#[test]
fn a_line_over_the_table_names_the_rows_below_it() {
    let html = "<table><thead><tr><th>Age<th>Share</thead><tbody><tr><th colspan=2>Men<tr><td>18–24<td>54 %</tbody>\
        <tbody><tr><th colspan=2>Women<tr><td>18–24<td>56 %</tbody><tfoot><tr><td>Both<td>55 %</tfoot></table>";
    assert_eq!(
        rendered(html),
        "|  | Age | Share |\n| --- | --- | --- |\n| Men | 18–24 | 54 % |\n| Women | 18–24 | 56 % |\n|  | Both | 55 % |"
    );
    // Nothing stands below this one.
    let html =
        "<table><tr><th>Age<th>Share<tr><td>18–24<td>54 %<tr><td colspan=2>Of all asked</table>";
    assert_eq!(
        rendered(html),
        "| Age | Share |\n| --- | --- |\n| 18–24 | 54 % |\n| Of all asked |  |"
    );
}

// proves: A6
#[test]
fn huge_spans_end_within_bounds() {
    let cell = "<td colspan=1000 rowspan=60000>x".repeat(200);
    let rows = format!("<tr>{cell}").repeat(200);
    assert!(rendered(&format!("<table>{rows}</table>")).len() < 8 << 20);
    let long = format!("<tr>{}", "<td>x".repeat(20_000));
    let short = "<tr><td>a<td>b".repeat(20_000);
    assert!(rendered(&format!("<table>{long}{short}</table>")).len() < 1 << 20);
    // A cell does not reach out of its part, nor do units over all columns get lost.
    assert_eq!(
        rendered(
            "<table><thead><tr><th rowspan=2>A<th>B</thead><tbody><tr><td>1<td>2</tbody></table>"
        ),
        "| A | B |\n| --- | --- |\n| 1 | 2 |"
    );
    assert_eq!(
        rendered(
            "<table><thead><tr><th>Year<th>Revenue<tr><th colspan=2>in EUR</thead><tr><td>1999<td>5</table>"
        ),
        "| Year · in EUR | Revenue · in EUR |\n| --- | --- |\n| 1999 | 5 |"
    );
    assert_eq!(
        rendered("<table><tr><th>A<th>B<tr><td rowspan=0>1<td>2<tr><td>3</table>"),
        "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 1 | 3 |"
    );
    assert_eq!(
        rendered("<table><tr><th colspan=-1 rowspan=x>a<th>b<tr><td>1<td>2</table>"),
        "| a | b |\n| --- | --- |\n| 1 | 2 |"
    );
}

// proves: A6
#[test]
fn a_raised_digit_is_no_digit_of_the_number_before() {
    for (html, words) in [
        ("10<sup>6</sup> J and 5 m<sup>2</sup>", "10⁶ J and 5 m²"),
        ("H<sub>2</sub>O on the 4<sup>th</sup>", "H2O on the 4th"),
        ("in 1911<sup><a href='#n3'>3</a></sup>", "in 1911[3]"),
        ("tea<a href='#fn1'><sup>1</sup></a>", "tea[1]"),
        ("tea<sup class=reference><a href='#c'>[12]</a></sup> and", "tea[12] and"),
        ("tea<a epub:type='noteref' href='n.xhtml#1'>1</a>", "tea[1]"),
    ] {
        assert_eq!(rendered(html), words, "{html}");
    }
}

// proves: A6
#[test]
fn a_formula_comes_once() {
    let math = "<math><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><annotation encoding='application/x-tex'>x^2</annotation></semantics></math>";
    for html in [
        format!("so {math}."),
        format!(
            "so <span class=katex><span class=katex-mathml>{math}</span><span class=katex-html aria-hidden=true><span>x</span><span>2</span></span></span>."
        ),
        format!(
            "so <span class=mwe><span style='display:none'>{math}</span><img alt='{{\\displaystyle x^2}}'></span>."
        ),
    ] {
        assert_eq!(rendered(&html), "so x^2.", "{html}");
    }
    let letters = "<math><msup><mi>e</mi><mrow><mi>k</mi><mi>t</mi></mrow></msup><mo>/</mo><mfrac><mn>1</mn><mrow><mn>2</mn><mi>a</mi></mrow></mfrac></math>";
    assert_eq!(rendered(letters), "e^(kt)/1/(2a)");
    let drawn = "<math><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mi>b</mi></mfrac><mo>=</mo><msqrt><msup><mi>c</mi><mn>3</mn></msup></msqrt></math>";
    assert_eq!(rendered(drawn), "(a + 1)/b = √(c³)");
}

// proves: A6
#[test]
fn code_has_no_numbers_of_lines() {
    let beside = "<table class=highlighttable><tr><td class=linenos><div><pre>1\n2</pre></div><td class=code><div><pre>let a;\nlet b;</pre></div></table>";
    let within = "<pre><span class=linenos>1</span>let a;<button>Copy</button>\n<span class=linenos>2</span>let b;</pre>";
    let lines = "<pre><ol><li>let a;<li>let b;</ol></pre>";
    let blob =
        "<table><tr><td data-line-number=1><td>let a;<tr><td data-line-number=2><td>let b;</table>";
    for html in [beside, within, lines, blob, "<pre>let a;<br>let b;</pre>"] {
        assert_eq!(rendered(html), "```\nlet a;\nlet b;\n```", "{html}");
    }
}

// proves: A6
#[test]
fn what_is_an_ornament_is_left_out() {
    for (html, words) in [
        ("<h2>Tea<a class=anchor aria-hidden=true href='#tea'>#</a></h2>", "## Tea"),
        ("<p><i aria-hidden=true>home</i> Start", "Start"),
        (
            "<p><span class=off>$12.99</span><span aria-hidden=true>$12<sup>99</sup></span>",
            "$12.99",
        ),
        ("<p><span aria-hidden=true>Said only here.</span>", "Said only here."),
        (
            "<p><ruby>漢<rt>かん</rt></ruby><ruby>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>です",
            "漢字(かんじ)です",
        ),
        ("<img data-src=x><noscript><img alt='A map'></noscript>", "A map"),
        ("<img alt=a1.png>b", "b"),
        ("<p hidden>no</p><p>yes", "yes"),
        ("<p>3<sup>1</sup>/<sub>4</sub> cups of x<sup>2</sup>/2", "3 1/4 cups of x²/2"),
        ("<p>The rent is <s>500</s> 900 crowns.", "The rent is ~~500~~ 900 crowns."),
        (
            "<p>The rent is <span style='COLOR: red; text-decoration: underline line-through'>500 <b>or <s>600</s></b></span> 900 crowns.",
            "The rent is ~~500 or 600~~ 900 crowns.",
        ),
        (
            "<ul><li style='text-decoration-line:line-through'>Tea<li>Milk</ul><div style='text-decoration:line-through'><p>No.<p>Nor this.</div>",
            "- ~~Tea~~\n- Milk\n\n~~No.~~\n\n~~Nor this.~~",
        ),
        (
            "<table><tr><th>Item<th>Price<tr><td>Tea<td style='text-decoration:line-through'>5 m<sup>2</sup><tr><td>Milk<td>4</table>",
            "| Item | Price |\n| --- | --- |\n| Tea | ~~5 m²~~ |\n| Milk | 4 |",
        ),
        ("<del><p>It is 44.</p></del><p>It is 45.", "It is 45."),
        ("<p><span aria-hidden=true>1</span> <span>of 10</span>", "1 of 10"),
        (
            "<form><label>Name <input value=Ann></label><input type=hidden value=x></form>",
            "Name Ann",
        ),
        ("<details><summary>Why?</summary>So.</details>", "Why?\n\nSo."),
        (
            "<figure><img alt='The shaft'><figcaption>In May.</figcaption></figure>",
            "The shaft\n\nIn May.",
        ),
    ] {
        assert_eq!(rendered(html), words, "{html}");
    }
}

// proves: A6
#[test]
fn a_drawing_gives_its_labels_and_an_icon_nothing() {
    let chart = "<svg><title>Chart</title><style>p{}</style><text>Tea</text><g><text>54 <tspan>%</tspan></text></g></svg>";
    assert_eq!(
        rendered(&format!("<p>Shares:{chart}So it is.")),
        "Shares:\n\nTea 54 %\n\nSo it is."
    );
    let icon = "<svg><title>Share</title><path d='M0 0'/></svg>";
    assert_eq!(rendered(&format!("<p>Tea {icon} is drunk.")), "Tea is drunk.");
}

#[test]
fn text_that_looks_like_markdown_stays_text() {
    assert_eq!(
        rendered("<p># no heading<br>---<p>&lt;!-- no comment"),
        "\\# no heading\n\\---\n\n\\<!-- no comment"
    );
    assert_eq!(rendered("<p>Say ``tea'' or `tea`."), "Say \\`\\`tea'' or `tea`.");
}

// proves: A6
#[test]
fn what_a_reader_of_mail_sees_is_written_as_blocks() {
    assert_eq!(
        mailed(
            "<html><head><title>x</title><style>p{}</style></head><body><div style='display:none'>pre<div>view</div></div><h1>Tides &amp; Moon</h1><p>They come<br>twice <b>a</b> day.<br><br>See <a href='u'>the table</a>.</p><ul><li>one<li><p>two</p><ol start=3><li>x</ol></ul><blockquote>He <i>said</i>.<blockquote>So.</blockquote></blockquote><img src=x alt='A map'><img alt=a1.png><script>a<b</script><!-- c --> end"
        ),
        "## Tides & Moon\n\nThey come\ntwice a day.\n\nSee the table.\n\n- one\n- two\n  3. x\n\n> He said.\n\n> > So.\n\nA map end"
    );
    assert_eq!(
        mailed(
            "<table><tr><td><p>Dear Ann,</p><table><tr><th>Port<th>Metres<tr><td>Brest<td>6.9</table></td><td></td></tr></table>"
        ),
        "Dear Ann,\n\n| Port | Metres |\n| --- | --- |\n| Brest | 6.9 |"
    );
    assert_eq!(mailed("<table><tr><td>One<td>Two</table>"), "One\n\nTwo");
    assert_eq!(mailed("<pre>a\n\n- b\n- c</pre>"), "a\n\n- b\n- c");
}

// proves: A6
#[test]
fn html_without_a_tree_keeps_its_words() {
    let deep = format!("<p>First.<script>no</script>{}<p>Tea &amp; milk.", "<div>".repeat(5000));
    assert_eq!(mailed(&deep), "First.\n\nTea & milk.");
    assert_eq!(words(&deep), "First. Tea & milk.");
    assert_eq!(
        words("<jats:title>Aim</jats:title><jats:p>To <jats:italic>s</jats:italic>ee."),
        "Aim To see."
    );
}
