//! The codes and names that documents give languages.

use super::{LANGUAGES, Language};

/// The codes of ISO 639-2 and earlier ones, and the English and own names, in lower case, between single spaces.
const NAMES: [(Language, &str); 32] = {
    use Language::*;
    [
        (English, "eng english"),
        (German, "deu ger german deutsch allemand"),
        (French, "fra fre french français francais"),
        (Spanish, "spa spanish español espanol castellano"),
        (Italian, "ita italian italiano"),
        (Portuguese, "por portuguese português portugues"),
        (Dutch, "nld dut dutch nederlands flemish"),
        (Russian, "rus russian русский"),
        (Swedish, "swe swedish svenska"),
        (Danish, "dan danish dansk"),
        (Norwegian, "nb nn nor nob nno norwegian norsk bokmål nynorsk"),
        (Finnish, "fin finnish suomi"),
        (Hungarian, "hun hungarian magyar"),
        (Romanian, "ron rum mo romanian română romana"),
        (Turkish, "tur turkish türkçe turkce"),
        (Greek, "ell gre greek ελληνικά"),
        (Arabic, "ara arb arabic العربية"),
        (Polish, "pol polish polski"),
        (Czech, "ces cze czech čeština cestina česky"),
        (Ukrainian, "ukr ukrainian українська"),
        (Bulgarian, "bul bulgarian български"),
        (Hebrew, "iw heb hebrew עברית"),
        (Persian, "fas per pes persian farsi فارسی"),
        (Urdu, "urd urdu اردو"),
        (Hindi, "hin hindi हिन्दी हिंदी"),
        (Bengali, "ben bengali bangla বাংলা"),
        (Vietnamese, "vie vietnamese tiếng"),
        (Indonesian, "in ind indonesian bahasa"),
        (Thai, "tha thai ไทย ภาษาไทย"),
        (Chinese, "zho chi cmn yue chinese mandarin 中文 汉语 漢語"),
        (Japanese, "jpn japanese 日本語"),
        (Korean, "kor korean 한국어"),
    ]
};

/// The codes of ISO 639-1 of all other languages.
const OTHERS: &str = "aa ab ae af ak am an as av ay az ba be bh bi bm bo br bs ca ce ch co cr cu cv cy dv dz ee eo et eu ff fj fo fy \
    ga gd gl gn gu gv ha ho hr ht hy hz ia ie ig ii ik io is iu jv ka kg ki kj kk kl km kn kr ks ku kv kw ky la lb lg li ln lo lt lu lv \
    mg mh mi mk ml mn mr ms mt my na nd ne ng nr nv ny oc oj om or os pa pi ps qu rm rn rw sa sc sd se sg si sk sl sm sn so sq sr ss st \
    su sw ta te tg ti tk tl tn to ts tt tw ty ug uz ve vo wa wo xh yi yo za zu";

/// Returns the language that a code or name says; `None` if it says none.
pub(super) fn named(said: &str) -> Option<Language> {
    let said = said.trim().to_lowercase();
    let first = said.split(|c: char| c.is_whitespace() || "-_,;/(.".contains(c)).next()?;
    let lists = |list: &str| list.split(' ').any(|one| one == first);
    let by_code = LANGUAGES.iter().find(|(_, code, _)| *code == first);
    let by_name = || NAMES.iter().find(|(_, names)| lists(names)).map(|(language, _)| *language);
    by_code
        .map(|(language, ..)| *language)
        .or_else(by_name)
        .or_else(|| OTHERS.split_whitespace().any(|one| one == first).then_some(Language::Other))
}
