//! Which words may stand for each other where a claim retells its quote, and which must not.

/// Function words that tell how things are joined; the other ones are passed over.
pub(super) const TELLING: &[&str] = &[
    "with without despite against during before after until till since unlike like because unless except instead through",
    "above below under over inside outside within between among up down only",
];

/// Words that oppose each other at one place, beside the directions.
pub(super) const OPPOSITES: [(&[&str], &[&str]); 19] = [
    (
        &["despite without regardless notwithstanding unlike except against unless"],
        &["with for because through like via due after during under"],
    ),
    (&["before until till"], &["after since during within"]),
    (&["during"], &["after"]),
    (
        &["cause causes caused source origin"],
        &[
            "consequence consequences effect effects result results outcome outcomes symptom symptoms marker markers sign signs",
        ],
    ),
    (
        &["human humans people patient patients participants women men adults children"],
        &[
            "animal animals mouse mice rat rats rodent rodents monkeys rabbits pigs dogs cats flies worms zebrafish cells vitro",
        ],
    ),
    (&["adult adults"], &["child children infants"]),
    (&["mother mothers"], &["father fathers"]),
    (
        &["independent independently unrelated"],
        &["dependent explained mediated driven attributable due caused related"],
    ),
    (&["risk risks harm harms cost costs"], &["benefit benefits"]),
    (
        &["advantage advantages strength strengths"],
        &["disadvantage disadvantages drawback weakness weaknesses"],
    ),
    (
        &["treated treatment intervention exposed cases"],
        &["control controls placebo untreated unexposed"],
    ),
    (&["acute"], &["chronic"]),
    (&["primary"], &["secondary"]),
    (&["first"], &["last second third"]),
    (&["day days"], &["night nights"]),
    (&["summer"], &["winter"]),
    (&["urban"], &["rural"]),
    (&["association associated correlation correlated"], &["causation causal caused"]),
    (
        &["significant significantly"],
        &["nonsignificant insignificant nominal nominally marginal marginally"],
    ),
];

/// Rows of words of which one may stand for another.
pub(super) const SAME: &[&str] = &[
    "associated association linked link related relation relationship tied connected connection correlated correlation",
    "said say says stated states called calls told tells reported reports noted notes wrote writes described describes put puts",
    "found finds showed shows shown show observed observes saw reported revealed reveals detected noted demonstrated demonstrates identified",
    "study studies trial trials survey surveys analysis analyses investigation research cohort paper review article work",
    "began begins begun started starts start opened",
    "lasts lasted takes took continued",
    "people persons individuals",
    "participants subjects volunteers people individuals persons respondents",
    "patients people individuals participants subjects",
    "chance probability likelihood odds",
    "illness disease disorder condition",
    "kids children",
    "big large great huge sizeable",
    "small little tiny minor",
    "quick quickly fast rapid rapidly swift swiftly",
    "build builds built constructed erected made",
    "use uses used using employed employs applied applies utilised utilized",
    "method technique approach procedure",
    "important key crucial essential vital",
    "main chief primary principal",
    "near close nearby",
    "holds contains has stores includes comprises",
    "gives provides supplies offers yields produces",
    "gave provided supplied offered yielded produced",
    "lives inhabits dwells occurs found",
    "happens happened occurs occurred took",
    "bought purchased acquired",
    "obtained acquired got received",
    "removed taken",
    "finished completed done ended",
    "ship vessel boat",
    "city town",
    "physician doctor",
    "fever pyrexia",
    "greatly strongly markedly substantially considerably",
    "drug medicine medication treatment",
    "roughly about approximately around",
    "feeds eats ate fed eat feed consume consumes consumed",
    "prefer prefers preferred favour favours favoured favor favors favored",
    "process processes handle handles",
    "maps mapped plotted plots",
    "fled left leave",
    "relieved relieves reduced reduces eased eases",
    "appeared appear found seen",
    "stayed remained remain remains stay stays",
    "got became become becomes grew",
    "movie film",
    "height heights high tall",
    "length long",
    "width wide broad",
    "depth deep",
    "weight weighs weigh weighed heavy",
    "age aged old",
    "needs requires need require needed required",
    "helps aids assists",
    "permits allows lets enables",
];

/// Words that add nothing of their own where a claim retells its quote.
pub(super) const NEUTRAL: &[&str] = &[
    "study studies trial trials survey analysis research researchers authors author paper article report reports results result",
    "findings finding found showed shows reported observed stated says said according data evidence",
    "use used using intake consumption exposure level levels rate rates number numbers amount value values group groups",
    "case cases event events kind type form degree case way part parts process time period",
    "also additionally moreover thus overall respectively about approximately roughly around",
];
