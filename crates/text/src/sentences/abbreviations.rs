//! Abbreviations of many languages, by what may follow them. Each list is lower case, its words between single spaces.

/// Never end a sentence.
const LEADING: &str = " dr mr mrs ms prof st fig figs eq eqs vs cf e.g i.e approx ca mio mrd viz gen rep sen gov capt rev mt bzw vgl \
    z.b d.h u.a sog bspw mme mlle sra eds sp spp \
    bzgl dipl evtl ggf hrsg hg inkl exkl insb kath evang zzgl zzt zit lfd phil \
    mgr mlles mmes env éd tél réf av \
    srta dra lic ing aprox ej ee avda núm pág págs gral ud uds exmo exma ilmo profª \
    sig sig.ra sig.na dott dott.ssa prof.ssa avv amm psicol geom \
    dhr mevr drs bijv blz \
    np tzn tzw m.in ul św ks inż hab godz płk \
    např tzv tzn nám \
    doç yrd sn sok bkz örn \
    jl tgl yth bpk ths pgs gs tp \
    skt f.eks t.ex bl.a s.k \
    гг ул просп пл пер кв корп стр им проф акад доц чл тов гр рис табл см ср напр пгт обл св изд ред сост тыс млн млрд \
    вул див стор вид журн ім тис рр буд пров \
    δρ καθ δηλ βλ σελ αρ οδ λεωφ κα \
    ดร डॉ प्रो श्री पं डा कु ডা ড অধ্যা মো ";

/// Never end a sentence if they are written with a capital: `Me` of a French lawyer.
const TITLES: &str = " Me Hon Str Cad Mah Arch Dir Ir TS ThS PGS ";

/// Never end a sentence after another word.
const AFTER: [(&str, &str); 9] = [
    ("ad", "es"),
    ("p.", "es"),
    ("par", "ex"),
    ("p.", "ex"),
    ("por", "ex"),
    ("dr.", "med"),
    ("rer.", "nat"),
    ("dr.", "h.c"),
    ("dr.", "jur"),
];

/// Abbreviations if a number follows; otherwise ordinary words.
const NUMBERED: &str = " no nos nr art ch col ed p pp ref refs sec vol \
    abs ziff rn kap bd tab anm anl abb aufl jg hs str tel chap cap pag rys hal tr kl par poz ust sect st č čl n.º nº n° \
    рис гл п ст ч разд пп пункт с ул вул кв буд оф กม ";

/// Abbreviations that may also end a sentence.
const TRAILING: &str = " al etc inc ltd corp co jr sr dept univ est jan feb mar apr jun jul aug sep sept oct nov dec usw max min \
    usf uu ecc enz itp itd atd osv dll dsb dkk vb cia hab \
    др пр т.д т.п руб коп грн год хв κλπ κ.λπ ";

/// What may follow an abbreviation within its sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    /// Anything.
    Anything,
    /// A number.
    Number,
    /// Anything but a function word, which begins a sentence.
    Content,
}

/// Returns what may follow a word with its stop within the sentence; `None` if the word is no abbreviation. `previous` is the word before
/// it.
pub(super) fn abbreviation(previous: &str, word: &str) -> Option<Follows> {
    let lower = word.to_lowercase();
    let listed = |list: &str, word: &str| {
        !word.is_empty() && !word.contains(' ') && list.contains(&format!(" {word} "))
    };
    let elided = lower.rsplit(['\'', '’']).next().unwrap_or_default();
    let previous = previous.to_lowercase();
    if listed(LEADING, &lower)
        || listed(LEADING, elided)
        || listed(TITLES, word)
        || AFTER.contains(&(previous.as_str(), lower.as_str()))
    {
        return Some(Follows::Anything);
    }
    // A capital by itself is an initial.
    let is_initial = word.chars().count() == 1 && word.starts_with(char::is_uppercase);
    let is_numbered = listed(NUMBERED, &lower) || listed(NUMBERED, elided);
    if is_numbered && !is_initial || lower.ends_with("str") {
        return Some(Follows::Number);
    }
    listed(TRAILING, &lower).then_some(Follows::Content)
}
