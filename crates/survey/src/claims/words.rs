//! Words that say nothing of what a sentence is about.
//!
//! Whatever a sentence says beside the words of its questions, labels and studies is said in these, or not at all. Those that tell more than
//! grammar does have a rule in a module of their own, which decides wherever they stand.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Who answers.
pub(super) const PEOPLE: &str = "respondents respondent participants participant people persons person adults adult customers customer \
    consumers consumer women men woman man females males female male users user passenger passengers rider riders \
    traveller travellers traveler travelers commuter commuters member members visitor visitors employee employees \
    reader readers individual individuals resident residents inhabitant inhabitants interviewee interviewees";

/// How many, where a rule of numbers or of comparisons reads it; the others are of [`super::majorities`] and [`super::unions`].
pub(super) const QUANTITIES: &str =
    "nor overall more less least fewer half halves group groups popular total neither zero";

/// What is counted in; units of one question are words of it.
pub(super) const UNITS: &str = "per percent cent point points percents pts";

/// Grammar, and the words of anybody who reports a survey.
pub(super) const PLAIN: &str = "regarding concerning a an the and or but so yet of in on at by to for from with into onto over under above below between among \
    amongst across than that this these those there here it its they them their we our us you your yours i he she \
    his her who whom whose which what when where how why is are was were be been being am has have had do does did \
    not no also as if while whereas although though however meanwhile other others another same say says said \
    saying state states stated report reports reported reporting show shows showed shown indicate indicates \
    indicated give gives gave given giving tell tells told mention mentions mentioned mentioning name names named \
    naming cite cites cited citing choose chose chosen select selected selecting answer answers answered respond \
    responds sample survey surveys study studies wave waves tracker data figure figures result results finding \
    findings share shares proportion percentage level levels score scores scored scoring rate rates rating ratings \
    rated mean median average averages averaged standard deviation base bases effective \
    confidence interall interval margin error significant significantly significance statistically statistical \
    difference differences different differ differs differed gap gaps compare higher highest lower lowest high low \
    greater greatest larger largest smaller smallest bigger biggest top bottom box lead leads leading led ahead \
    behind trail trails lag lags rose risen rise rises rising increase increased increases increasing grew grown \
    grow grows growing growth climb climbs climbed gain gains gained improve improved improvement jumped jump fell \
    fallen fall falls falling decline declined declines declining decrease decreased decreases drop dropped drops \
    slipped down up change changed changes unchanged stable steady flat double doubled doubles twice triple \
    tripled halved third quarter times time reach reaches reached reaching hold holds held come comes came coming \
    go goes went going move moves moved around about roughly approximately nearly almost well far slightly \
    somewhat clearly markedly notably strongly considerably sharply directionally respectively segment segments \
    subgroup subgroups category categories part parts one two three four five six seven eight nine ten twelve \
    follow followed follows following common commonly often frequently frequent reason reasons option options list \
    rank ranks ranked place puts put make makes made asked asking ask question questions like net count counts \
    counted account accounts accounted accounting n p set note noted get gets got found find finds see sees saw \
    seen seem appears appear turn turns turned ci nps promoter promoters detractors index aged age ages old older \
    younger young region regions gender genders way ways farther similar similarly alike equal equally term terms \
    case cases sampled interviewed interview interviews surveyed polled felt feel feels feeling think thinks \
    thought expressing declare declares declared claim claims claimed admit admits according accordingly hardly \
    barely scarcely circa close closely short shy thirds quarters fifth fifths tenth tenths fourth sixth based \
    usual use uses using rests unremarkable remarkable notable noteworthy likely number matter matters mattered \
    youngest oldest identical near nearby steadily widened widen widens narrowed narrows spread divide split \
    breakdown profile likewise conversely additionally moreover furthermore finally summary overview view views \
    line top-line headline nets sum tested test tests insignificant insignificantly chance errors sampling random \
    indistinguishable tied tie boxes placed placing directional pattern lies lie sit sits range \
    ranges ranging plus minus new record fully quite rather very such because due driven drives caused cause \
    recorded records post posts posted register registers registered express expressed expresses describe \
    describes described agree consider widest narrow wide slim small clear strong stronger weak weaker good better best \
    worse worst big little bit sizeable substantial outnumber exceed exceeds exceeded outperform outscore \
    outscores degree degrees olds living live lives extent equals corresponds translates amounts amount represents \
    representing representative";

/// Tells whether a word says nothing of what a sentence is about.
pub(super) fn plain(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let all = [PEOPLE, QUANTITIES, UNITS, PLAIN];
        all.into_iter().flat_map(str::split_whitespace).collect()
    });
    WORDS.contains(word)
        || super::directions::compares(word)
        || super::directions::reads(word)
        || super::ranks::ranking(word)
        || super::orders::reads(word)
        || super::majorities::reads(word)
        || super::unions::reads(word)
        || super::negations::reads(word)
        || super::ages::reads(word)
        || super::modes::reads(word)
        || super::measures::reads(word)
        || super::bounds::reads(word)
        || super::times::reads(word)
}

/// Tells whether a word says who answers.
pub(super) fn people(word: &str) -> bool {
    PEOPLE.split_whitespace().any(|known| known == word)
}
