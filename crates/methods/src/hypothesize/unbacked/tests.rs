use super::*;
use crate::hypothesize::candidates::Reader;
use proptest::prelude::*;
use run::Mode;

/// Each names a source.
const NAMED: [&str; 56] = [
    "Swarms follow the moon (Smith et al., 2019).",
    "Swarms follow the moon (Smith, 2019).",
    "Swarms follow the moon (Smith 2019).",
    "Swarms follow the moon (Smith & Lee, 2020).",
    "Swarms follow the moon (see Smith and Lee, 2020; Müller, 2018).",
    "Swarms follow the moon (e.g., O'Brien, 1999a).",
    "Swarms follow the moon (Smith, in press).",
    "Swarms follow the moon (Smith, n.d.).",
    "Swarms follow the moon (WHO, 2021).",
    "Swarms follow the moon (J. Smith, personal communication).",
    "Smith and Lee (2020) measured it.",
    "This follows Smith (2019, p. 5).",
    "As Müller (2018) showed, it rises.",
    "In van der Berg (2011), it rises.",
    "IPCC (2021) says so.",
    "Smith, J., & Lee, K. (2019) measured it.",
    "Smith's (2019) model explains it.",
    "Smith et al. found it.",
    "Smith et al.'s model explains it.",
    "García-López et al (2007) found it.",
    "Smith and colleagues found it.",
    "Smith and her co-workers found it.",
    "It rises [Smith 2019].",
    "It rises [Smi19].",
    "It rises [Smith2019].",
    "It rises [SLM+19].",
    "Smith and Lee, 2020, measured it.",
    "See doi:10.1038/171737a0 for it.",
    "See 10.1126/science.aaa8415.",
    "See https://doi.org/10.1000/182.",
    "It is in arXiv:1706.03762.",
    "It is in arXiv 1706.03762v2.",
    "It is in hep-th/9711200.",
    "It is in bioRxiv 2020.01.01.123456.",
    "It is in ISBN 978-3-16-148410-0.",
    "It is in PMID: 12345678.",
    "It is in PMC3531190.",
    "The data stand at http://example.org/data.",
    "The data stand at www.example.com.",
    "The data stand at ncbi.nlm.nih.gov.",
    "The data stand at zenodo.eu/record/5.",
    "It was seen in Nature 521, 436 (2015).",
    "It was seen in Nature 521, 436–444.",
    "It was seen in Phys. Rev. Lett. 116, 061102.",
    "It was seen in Science 2015;349:1234.",
    "It was seen in J. Hydrol. 12(3):45–67.",
    "It was seen in the proceedings, pp. 12–34.",
    "It was seen in PNAS 113, 4567.",
    "A 2019 study by a large team found it.",
    "The 2020 randomised meta-analysis found it.",
    "A study by Smith found it.",
    "According to Smith, it rises.",
    "According to the World Health Organization it rises.",
    "As Watson and Crick proposed, it rises.",
    "A paper entitled \"On tides\" found it.",
    "It is so (Ref. 12).",
];

/// None names a source.
const UNNAMED: [&str; 56] = [
    "It has risen since 1990.",
    "It rose in 1990, 1995 and 2001.",
    "The years 1990–2020 (30 years) were warm.",
    "H2 (2 K) is cold.",
    "The gulls (and the terns) feed at night.",
    "BRCA1 and TP53 (p53) are repaired.",
    "GaAs (100) grows at 300 K.",
    "YBa2Cu3O7 (YBCO) conducts below 93 K.",
    "Figure 2 shows the flow.",
    "Fig. 2 (left) shows the flow.",
    "Table 3, 4 (2015) lists them.",
    "It was measured in vivo and in vitro.",
    "Let x = 3 (y + 2).",
    "E = mc^2 holds, with c = 299792458 m/s.",
    "The ratio is 10.5/2 and 3:1.",
    "The dose was 10.1234/5 of it.",
    "The interval [0, 1] is closed.",
    "C60 [fullerene] conducts.",
    "The complex [Fe(CN)6] binds.",
    "[13C]glucose was fed.",
    "In March (2019) it froze.",
    "The eruption of Pinatubo (1991) cooled the air.",
    "The Paris agreement (2015) holds.",
    "In Europe (1990) and Asia (2000) it rose.",
    "It froze (March 2019).",
    "It froze (in Germany since 1990).",
    "According to H1, the tide drives it.",
    "According to Figure 2, it rises.",
    "According to Fick's law it spreads.",
    "According to Langmuir kinetics it saturates.",
    "According to the Arrhenius equation it slows.",
    "According to our model, it slows.",
    "Since 1990 studies have multiplied.",
    "A study by Western blot would tell.",
    "The study by design leaves that open.",
    "Bayes' theorem gives the odds.",
    "Darwin's finches differ.",
    "Drosophila and Arabidopsis were compared.",
    "Escherichia coli grows at 37 °C.",
    "Doctors and colleagues were asked.",
    "The Navier-Stokes equations hold.",
    "As Figure 2 shows, it rises.",
    "As shown, the flow rises.",
    "The Gibbs energy (ΔG) falls.",
    "COVID-19 (2020) closed the schools.",
    "A dose of 5, 10 (20) mg was given.",
    "The control group (n = 2019) was larger.",
    "The Earth (and Mars) have dust.",
    "Node.js and e.g. others run there.",
    "It is so, i.e. it rises.",
    "Step 1. Measure at 5, 10 and 20 K.",
    "Cells divide at 2000 rpm (5 min).",
    "The 2019 season was dry.",
    "Hurricane Katrina (2005) drove it.",
    "The reference electrode is Ag/AgCl.",
    "The Cold Period (1972-1976) was long.",
];

// proves: C4, H3
#[test]
fn sentences_that_name_a_source_are_told_from_those_that_do_not() {
    let missed: Vec<&str> = NAMED.into_iter().filter(|it| !names_a_source(it)).collect();
    let accused: Vec<&str> = UNNAMED.into_iter().filter(|it| names_a_source(it)).collect();
    assert!(missed.is_empty() && accused.is_empty(), "missed {missed:#?}\naccused {accused:#?}");
}

// proves: C4, H3
#[test]
fn what_names_a_source_without_a_mark_is_marked_once() {
    let text = "Swarms follow the moon (Smith, 2019). They rise [1] (Lee, 2020). So it is.\n\n- See doi:10.1000/xyz\n- None. Smith et al. agree. [2] As it is";
    let expected = "Swarms follow the moon (Smith, 2019). [unsupported] They rise [1] (Lee, 2020). So it is.\n\n- See doi:10.1000/xyz [unsupported]\n- None. Smith et al. agree. [2] As it is";
    assert_eq!(marked(text), (expected.to_owned(), 2));
    assert_eq!(marked(expected), (expected.to_owned(), 0));
    let (page, count) = marked("It is so. [unsupported] Smith et al. agree. [3](http://x.org)");
    assert_eq!(count, 1, "{page}");
    assert!(page.ends_with("[unsupported]"));
    let (page, count) = marked("[unsupported] Smith et al. agree.");
    assert_eq!((page.as_str(), count), ("[unsupported] Smith et al. agree. [unsupported]", 1));
    for sentence in NAMED {
        let (page, _) = marked(sentence);
        assert!(page.contains("[unsupported]"), "{sentence}");
    }
}

/// Each holds what looks like a reference mark and is none.
const ALIKE: &[&str] = &[
    "Mites weaken bees [evidence 1].",
    "Mites weaken bees [Evidence 1, 2].",
    "Mites weaken bees [evidence: 1].",
    "Mites weaken bees [Evidence #3].",
    "Mites weaken bees [evidence1].",
    "Mites weaken bees [evidence one].",
    "Mites weaken bees [evidence no. 1].",
    "Mites weaken bees [evidence 1, lines 3 to 4, of the second hive].",
    "Mites weaken bees [see evidence 1: the hive].",
    "Mites weaken bees [E 1].",
    "Evidence 1 shows that mites weaken bees.",
    "According to evidence 3, mites weaken bees.",
    "Mites weaken bees, as evidence 1 and 2 suggest.",
    "Mites weaken bees [source 2].",
    "Mites weaken bees [sources 1 and 2].",
    "Mites weaken bees [Ref. 1].",
    "Mites weaken bees [Refs. 1–3].",
    "Mites weaken bees [see 1].",
    "Mites weaken bees [passage 4].",
    "Mites weaken bees [study 4].",
    "Mites weaken bees [ref].",
    "Mites weaken bees [1 and 2].",
    "Mites weaken bees [1 to 3].",
    "Mites weaken bees [1 & 2].",
    "Mites weaken bees [1a].",
    "Mites weaken bees [1a, 2b].",
    "Mites weaken bees [1, p. 3].",
    "Mites weaken bees [1, Fig. 2].",
    "Mites weaken bees [p. 3].",
    "Mites weaken bees [1/2].",
    "Mites weaken bees [1|2].",
    "Mites weaken bees [1:2].",
    "Mites weaken bees [1.].",
    "Mites weaken bees [1?].",
    "Mites weaken bees [#1].",
    "Mites weaken bees [03].",
    "Mites weaken bees [1-100].",
    "Mites weaken bees [1--3].",
    "Mites weaken bees [E1].",
    "Mites weaken bees [E1, E2].",
    "Mites weaken bees [S1–S3].",
    "Mites weaken bees [E-1].",
    "Mites weaken bees [¹].",
    "Mites weaken bees [١].",
    "Mites weaken bees 【evidence 1】.",
    "Mites weaken bees 【1†】.",
    "Mites weaken bees ［１ａ］.",
    "Mites weaken bees [1a], and ants.",
    "Mites [evidence 1] weaken bees.",
    "Mites weaken bees (1).",
    "Mites weaken bees (1, 2).",
    "Mites weaken bees (1; 2).",
    "Mites weaken bees (1–3).",
    "Mites weaken bees(1).",
    "Mites weaken bees (1)",
    "Mites weaken bees （１）.",
    "Mites weaken bees (evidence 1).",
    "Mites weaken bees (see evidence 1 and 2), and ants.",
    "Mites weaken bees (source 2).",
    "Mites weaken bees (Ref. 2).",
    "Mites weaken bees {1}.",
    "Mites weaken bees {1, 2}.",
    "Mites weaken bees {evidence 1}.",
    "Mites weaken bees <1>.",
    "Mites weaken bees <evidence 1>.",
    "Mites weaken bees<sup>1,2</sup>.",
    "Mites weaken bees<ref>Smith</ref>.",
    "Mites weaken bees¹.",
    "Mites weaken bees¹².",
    "Mites weaken bees¹,².",
    "Mites weaken bees.¹",
    "Mites weaken bees,² and ants.",
    "Mites weaken bees ¹.",
    "Mites weaken bees^1.",
    "Mites weaken bees, ibid.",
    "Ibid., it is so.",
    "Mites weaken bees (op. cit.).",
    "Mites weaken bees, loc. cit.",
];

/// None holds what looks like a reference mark.
const UNLIKE: &[&str] = &[
    "Mites weaken bees [sic].",
    "Mites weaken them [the bees].",
    "Mites weaken [two] bees.",
    "The level of [Ca2+] rises.",
    "The ratio [Na+]/[K+] falls.",
    "The level of [H2] and [O2] rises.",
    "The complex [Fe(CN)6]4- binds.",
    "The complex [Co(NH3)6]3+ binds.",
    "[13C]glucose and [3H]thymidine were fed.",
    "The tracer [18F]FDG binds.",
    "It lies in the interval [0, 1].",
    "It lies in [0, 10] and [0,1;2].",
    "It lies in [-1, 1].",
    "It lies in [−5, 5].",
    "It lies in [0.5, 1.5].",
    "It lies in [0, ∞).",
    "The vector [1, 0, 0] is a base.",
    "The odds were 2.3 [95% CI 1.2–3.4].",
    "It rose by half [5 mg].",
    "It was warm [1990–2020].",
    "The [2+2] cycloaddition is allowed.",
    "Bicyclo[2.2.1]heptane was added.",
    "Benzo[a]pyrene was added.",
    "It was cold (2 K).",
    "It was seen often (n = 12).",
    "It was seen in water (H2O).",
    "H2O freezes.",
    "There are 10⁵ cells.",
    "The area is 5 m².",
    "The flow is 5 m³ s⁻¹.",
    "The rate is 3 cm² per day.",
    "The fit has R² = 0.9 and χ² = 3.",
    "E = mc².",
    "The sum of sin² x and cos² x is one.",
    "The level of Ca²⁺ and SO₄²⁻ rises.",
    "The bond is sp³.",
    "The isotope ¹³C and ²H are stable.",
    "It covers five metres².",
    "It follows from (1).",
    "It follows from Equation (1).",
    "Its mean was 45 (12).",
    "It grows as f(2).",
    "It is made of iron, as in step (2).",
    "Either (1) mites or (2) moths weaken bees.",
    "It was measured on GaAs (100).",
    "It was found in the year (2019).",
    "It holds for x_{1} and x^{2}.",
    "It is \\frac{1}{2}.",
    "It lies in the set {1, 2}.",
    "It holds where 3 < x and x > 2.",
    "It grows along <100>.",
    "It goes as x^2.",
    "It goes as (x + 1)^2 and (x + 1)².",
    "H1 and H2 differ [H1].",
    "An array a[i] is read.",
    "The evidence of 12 hives is thin.",
    "There was no evidence 3 months later.",
    "It is well known (cited 12 times).",
    "It was taken from wells (source: 3 wells).",
    "They were fed [in one of two hives].",
    "It was tested in two ways (study one).",
    "It is [unsupported elsewhere].",
];

// proves: C4, H3
#[test]
fn what_looks_like_a_mark_is_told_from_brackets_that_do_not() {
    let count = |text: &str| marked(text).1;
    let missed: Vec<_> = ALIKE.iter().filter(|it| count(it) != 1).map(|it| marked(it)).collect();
    let accused: Vec<_> = UNLIKE.iter().filter(|it| count(it) != 0).map(|it| marked(it)).collect();
    assert!(missed.is_empty() && accused.is_empty(), "missed {missed:#?}\naccused {accused:#?}");
    for text in ALIKE {
        let padded = format!("So it is. {text} Then it stops.");
        assert!(marked(&padded).0.starts_with("So it is. M") || !text.starts_with('M'), "{padded}");
    }
}

// proves: C4
#[test]
fn a_forged_mark_does_not_hide_a_named_source() {
    let reader = Reader { evidence: &[], mode: Mode::Model };
    for mark in ["[1; 2]", "[1,\n2]", "[1]", "【1】", "[１]", "[1—2]"] {
        let said = format!(
            "Ninety trials by Smith et al. (2019) proved that mites weaken bees {mark}. So it is."
        );
        assert_eq!(
            reader.text(&said),
            "Ninety trials by Smith et al. (2019) proved that mites weaken bees. [unsupported] So it is."
        );
    }
}

/// In quadratic time these would take minutes.
// proves: C4
#[test]
fn hostile_texts_are_searched_in_linear_time() {
    let n = 20_000;
    for text in [
        "[1,".repeat(n),
        "[".repeat(4 * n),
        "(1".repeat(n),
        "bees¹".repeat(n),
        "¹".repeat(n),
        " ¹".repeat(n),
        "a. [1 ".repeat(n / 2),
        "{1<1^1".repeat(n / 2),
        "(1)".repeat(n / 2),
        " ".repeat(n) + &"(1) ".repeat(n / 4),
    ] {
        let (once, _) = marked(&text);
        assert_eq!(marked(&once), (once.clone(), 0));
        assert_eq!(marks(&Reader { evidence: &[], mode: Mode::Model }.text(&text)), []);
    }
}

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(&NAMED[..]).prop_map(str::to_owned),
        proptest::sample::select(&UNNAMED[..]).prop_map(str::to_owned),
        proptest::sample::select(ALIKE).prop_map(str::to_owned),
        proptest::sample::select(UNLIKE).prop_map(str::to_owned),
        "[\\[\\](){}<>【】0-3,;¹²^–. \n]{0,12}",
        Just("。".to_owned()),
        Just(" [unsupported] ".to_owned()),
        Just("[1]".to_owned()),
        Just("\n- ".to_owned()),
        Just("\n\n".to_owned()),
        Just("| ".to_owned()),
        Just("\n```\n".to_owned()),
        "(?s).{0,8}",
        "[A-Z][a-z]{2,5} \\((19|20)[0-9]{2}\\)[.!?\")]{0,2} ?",
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn marking_any_text_twice_is_marking_it_once(text in texts()) {
        let (once, count) = marked(&text);
        prop_assert_eq!(once.len(), text.len() + count as usize * " [unsupported]".len());
        prop_assert_eq!(marked(&once), (once, 0));
    }

    // proves: C4
    #[test]
    fn no_mark_is_left_in_free_text(text in texts()) {
        for mode in [Mode::Model, Mode::Offline] {
            let read = Reader { evidence: &[], mode }.text(&text);
            prop_assert_eq!(marks(&read), vec![], "{:?}", read);
        }
    }

    #[test]
    fn text_without_a_reference_comes_back_unchanged(text in "[a-z0-9 ,.!?\n#*-]{0,80}", more in proptest::sample::subsequence(UNNAMED.to_vec(), 0..4)) {
        let text = more.join("\n\n") + "\n\n" + &text.replace('.', ". ");
        prop_assert_eq!(marked(&text), (text.clone(), 0));
    }
}
