//! The words that identify kinds of questions and answers, in six languages. A phrase in a script without spaces may occur anywhere in a
//! text, any other only as whole words.

use std::sync::LazyLock;

use text::is_unspaced;

/// Words and phrases in lower case.
pub(super) struct Words {
    /// Each with a space around it.
    spaced: Vec<String>,
    unspaced: Vec<&'static str>,
}

impl Words {
    fn of(list: &'static str) -> Words {
        let (unspaced, spaced): (Vec<&str>, Vec<&str>) =
            list.split('|').partition(|phrase| phrase.chars().all(is_unspaced));
        Words { spaced: spaced.into_iter().map(|phrase| format!(" {phrase} ")).collect(), unspaced }
    }

    /// Returns whether any of them occurs in a text.
    pub(super) fn stand_in(&self, text: &Folded) -> bool {
        self.spaced.iter().any(|phrase| text.spaced.contains(phrase))
            || text.is_unspaced && self.unspaced.iter().any(|phrase| text.whole.contains(phrase))
    }

    /// Returns whether a text begins with one of them.
    pub(super) fn open(&self, text: &Folded) -> bool {
        self.spaced.iter().any(|phrase| text.spaced.starts_with(phrase.as_str()))
    }

    /// Returns those that occur in a text written with spaces.
    pub(super) fn found_in<'a>(&'a self, text: &Folded) -> impl Iterator<Item = &'a str> {
        self.spaced
            .iter()
            .filter(|phrase| text.spaced.contains(*phrase))
            .map(|phrase| phrase.trim())
    }

    /// Returns the phrases in scripts without spaces.
    pub(super) fn unspaced(&self) -> impl Iterator<Item = &'static str> {
        self.unspaced.iter().copied()
    }
}

/// A text prepared for the search for words.
pub(super) struct Folded {
    /// In lower case.
    pub(super) whole: String,
    /// Only its words, in lower case, each with a space around it.
    spaced: String,
    is_unspaced: bool,
}

impl Folded {
    pub(super) fn of(text: &str) -> Folded {
        let whole = text.to_lowercase().replace('’', "'");
        let mut spaced = String::with_capacity(whole.len() + 2);
        spaced.push(' ');
        for word in whole.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-') {
            if !word.is_empty() {
                spaced.push_str(word);
                spaced.push(' ');
            }
        }
        Folded { spaced, is_unspaced: whole.chars().any(is_unspaced), whole }
    }

    /// Returns its first words.
    pub(super) fn first(&self, count: usize) -> impl Iterator<Item = &str> {
        self.spaced.split_whitespace().take(count)
    }
}

macro_rules! words {
    ($list:literal) => {
        LazyLock::new(|| Words::of($list))
    };
}

/// A question about a default value.
pub(super) static ASKS_DEFAULT: LazyLock<Words> = words!(
    "default|by default|defaults|standardmäßig|standardwert|voreinstellung|voreingestellt|werkseinstellung|ab werk|\
     par défaut|por defecto|de fábrica|d'usine|predeterminado|predeterminada|默认|出厂|初期設定|既定|デフォルト|初期値|out of the box|\
     if i leave|if nobody changed|if i never set|if i do not set|if i don't set|unless i|wenn ich nichts|\
     wenn man nichts|si je ne|si no cambio|刚买|买来时|設定しないと|何も設定しない"
);

/// A question about a date or time.
pub(super) static ASKS_WHEN: LazyLock<Words> = words!(
    "when|what year|which year|what date|which date|what day|which day|what month|which month|what time|since when|\
     until when|by when|deadline|due date|wann|welchem jahr|welches jahr|welchem datum|welchem tag|seit wann|\
     um wie viel uhr|wie spät|quand|quelle année|quelle date|quel jour|quelle heure|depuis quand|cuándo|cuando|\
     qué año|qué fecha|qué día|a qué hora|desde cuándo|什么时候|何时|哪一年|哪年|几月|几号|哪天|几点|哪一天|什么时间|いつ|何年|何月|何日|何時|何曜日"
);

/// A question about an amount.
pub(super) static ASKS_NUMBER: LazyLock<Words> = words!(
    "how many|how much|how long|how old|how far|how fast|how tall|how big|how large|how deep|how high|how often|\
     how wide|how heavy|how hot|what percentage|what number|what size|what price|what is the price|what temperature|\
     maximum|minimum|max|wie viel|wieviel|wie viele|wie lange|wie lang|wie hoch|wie teuer|wie groß|wie alt|wie weit|\
     wie oft|wie schwer|wie schnell|wie tief|wie breit|wie warm|combien|quelle hauteur|quelle longueur|quel âge|\
     quelle température|quel prix|cuánto|cuánta|cuántos|cuántas|qué altura|qué temperatura|多少|几个|几人|几次|几公里|几米|多长|多高|\
     多大|多久|多远|多重|多深|多宽|几|いくら|いくつ|何人|何匹|何メートル|何キロ|どのくらい|どれくらい|どれぐらい|どのぐらい|何分|何グラム|何度|何回|何本|何円|何歳|何個|何冊|何日間|how thick|\
     how small|limit|at most|at least|wie dick|wie kalt|höchstens|maximal|mindestens|quelle taille|quelle profondeur|\
     quelle distance|quelle superficie|au maximum|máximo|mínimo|qué distancia|qué profundidad|qué tamaño|\
     qué porcentaje|最大|最多|最少|最高|最低|几岁|几层|几本|何枚|何階|何羽|何頭"
);

/// A question about a person.
pub(super) static ASKS_WHO: LazyLock<Words> = words!(
    "who|whom|whose|which person|wer|wen|wem|wessen|qui|quién|quien|quiénes|谁|哪位|什么人|誰|だれ|どなた"
);

/// A question about a place.
pub(super) static ASKS_WHERE: LazyLock<Words> = words!(
    "where|which directory|which file|what file|which folder|which place|wo|wohin|woher|où|dónde|donde|adónde|哪里|哪儿|\
     在哪|何处|什么地方|どこ|何処"
);

/// A question about a reason.
pub(super) static ASKS_WHY: LazyLock<Words> = words!(
    "why|what reason|what for|how come|what is the reason|warum|weshalb|wieso|wozu|aus welchem grund|pourquoi|\
     por qué|para qué|为什么|为何|怎么会|なぜ|どうして|なんで|何のため|理由は"
);

/// A question about a way to do something.
pub(super) static ASKS_HOW: LazyLock<Words> = words!(
    "how|what command|which command|which option|what option|way to|what should|what must|what do i do|wie|womit|\
     comment|cómo|como|怎么|如何|怎样|怎么样|怎么办|どうやって|どうすれば|どのように|どう|方法"
);

/// A question about what something is.
pub(super) static ASKS_WHAT_IT_IS: LazyLock<Words> = words!(
    "what is|what are|what's|what does|define|meaning of|mean|meant|definition of|was ist|was sind|\
     was bedeutet|was heißt|was versteht man unter|gemeint|definiere|definition von|bedeutung von|qu'est-ce que|\
     qu'est-ce qu'un|qu'est-ce qu'une|c'est quoi|que signifie|que veut dire|définition de|définis|qué es|qué son|qué significa|qué quiere decir|\
     definición de|significado de|是什么|什么是|什么叫|什么意思|とは|って何"
);

/// A question about a name or thing.
pub(super) static ASKS_WHICH: LazyLock<Words> = words!(
    "which|what|name|list|welche|welcher|welches|welchen|welchem|was|quel|quelle|quels|quelles|que|qué|cuál|cuáles|\
     哪些|哪个|什么|哪|どの|どれ|何"
);

/// A yes-or-no question, by its beginning.
pub(super) static ASKS_WHETHER: LazyLock<Words> = words!(
    "is|are|was|were|does|do|did|can|could|may|must|should|will|would|has|have|ist|sind|darf|dürfen|kann|kann man|\
     können|muss|müssen|hat|haben|gibt|wird|war|soll|est-ce|peut-on|faut-il|puis-je|doit-on|a-t-on|y|se|hay|es|puedo|\
     está|tiene|son|debe|能不能|可不可以|是否|有没有|是不是|可以|吗|ますか|ですか|せんか|でしょうか"
);

/// A question about money.
pub(super) static WANTS_MONEY: LazyLock<Words> = words!(
    "cost|costs|price|prices|fee|fees|charge|charged|charges|pay|paid|paying|budget|spend|spent|cheap|expensive|rent|\
     fine|deposit|kostet|kosten|teuer|preis|gebühr|gebühren|beitrag|bezahlen|zahlen|zahle|zahlt|miete|kaution|coûte|\
     coûter|coûterait|coût|prix|tarif|tarifs|payer|cotisation|frais|amende|cuesta|costaría|coste|precio|tarifa|cuota|\
     pagar|pago|paga|pagaría|cobran|multa|fianza|多少钱|价格|费用|收费|票价|学费|押金|罚款|いくら|料金|値段|費用|会費|家賃|運賃"
);

/// A question about a length of time.
pub(super) static WANTS_DURATION: LazyLock<Words> = words!(
    "how long|how many seconds|how many minutes|how many hours|how many days|how many weeks|how many months|\
     how many years|how old|how soon|timeout|time limit|notice period|wie lange|wie viele sekunden|wie viele minuten|\
     wie viele stunden|wie viele tage|wie viele wochen|wie viele monate|wie viele jahre|wie alt|wie langer zeit|\
     frist|combien de temps|combien d'années|combien de jours|combien d'heures|combien de minutes|combien de mois|\
     combien de semaines|quelle durée|quel âge|cuánto tiempo|cuántos días|cuántas horas|cuántos minutos|cuántos años|\
     cuántos meses|cuántas semanas|cuánto dura|cuánto tarda|qué edad|多久|多长时间|几天|几小时|几年|几分钟|几个月|几个小时|多少天|多少年|多少分钟|\
     多少小时|何時間|何分|何日間|何年間|何か月|何ヶ月|何歳|どのくらいの期間|どれくらいの時間|どのくらいの時間|何秒"
);

/// A question about a time of day.
pub(super) static WANTS_TIME: LazyLock<Words> = words!(
    "what time|at what time|opening hours|opening time|how late|how early|um wie viel uhr|wie spät|bis wann|ab wann|\
     öffnungszeiten|quelle heure|jusqu'à quand|heures d'ouverture|qué hora|hasta cuándo|horario|几点|什么时间|营业时间|何時|営業時間"
);

/// A question about a share.
pub(super) static WANTS_SHARE: LazyLock<Words> = words!(
    "percent|percentage|per cent|what share|proportion|fraction|prozent|anteil|wie viel prozent|pourcentage|pourcent|\
     pour cent|porcentaje|por ciento|proporción|百分之|比例|パーセント|割合|何割"
);

/// A question about a size in bytes.
pub(super) static WANTS_DATA: LazyLock<Words> = words!(
    "bytes|bits|kilobytes|megabytes|gigabytes|kb|mb|gb|memory|buffer|disk space|payload|page size|file size|how big|\
     how large|speicher|mémoire|taille|memoria|tamaño|内存|容量|メモリ"
);

/// A question about a length, a weight, a temperature.
pub(super) static WANTS_MEASURE: LazyLock<Words> = words!(
    "how tall|how far|how deep|how high|how wide|how heavy|how hot|how warm|how cold|how fast|how thick|temperature|\
     height|length|depth|width|weight|distance|speed|area|wie hoch|wie weit|wie tief|wie breit|wie schwer|wie warm|\
     wie heiß|wie kalt|wie schnell|wie dick|wie lang|wie groß|temperatur|gewicht|höhe|länge|entfernung|\
     quelle hauteur|quelle longueur|quelle température|quelle profondeur|quelle distance|quel poids|quelle vitesse|\
     hauteur|poids|altura|longitud|temperatura|profundidad|distancia|peso|velocidad|多高|多长|多重|多深|多宽|多远|多大|几度|几公里|几米|\
     温度|高度|长度|面积|重量|何メートル|何キロ|何グラム|何度|高さ|長さ|重さ|距離|面積|何センチ"
);

/// A question about a phone number or an address.
pub(super) static WANTS_CONTACT: LazyLock<Words> = words!(
    "phone|phone number|telephone|mobile|number to call|ring|call|e-mail|email|mail address|address|website|url|link|\
     mailing list|contact|reach|telefon|telefonnummer|handynummer|e-mail-adresse|adresse|anrufen|erreiche|webseite|\
     téléphone|numéro|numéro de téléphone|courriel|joindre|contacter|teléfono|número de teléfono|correo|dirección|\
     contactar|llamar|电话|电话号码|邮箱|地址|网址|联系|電話|電話番号|メール|住所|連絡先|連絡"
);

/// A question about something to type.
pub(super) static WANTS_CODE: LazyLock<Words> = words!(
    "command|option|flag|switch|variable|environment variable|setting|parameter|function|method|module|keyword|\
     directive|type|class|clause|hook|signal|exit code|exit status|header|field|statement|decorator|extension|\
     operator|attribute|exception|api|macro|befehl|einstellung|schalter|funktion|commande|paramètre|réglage|comando|\
     opción|ajuste|parámetro|命令|选项|参数|设置|变量|コマンド|オプション|設定|変数"
);

/// A question about several things.
pub(super) static WANTS_SEVERAL: LazyLock<Words> = words!(
    "which ones|what kinds|which kinds|what types|which types|what are|list|name the|all the|which of|what else|\
     ingredients|requirements|welche sind|zutaten|quels sont|quelles sont|ingrédients|cuáles son|ingredientes|哪些|哪几|\
     有什么|材料|どんなもの|何がありますか"
);

/// Words that give a reason.
pub(super) static REASONS: LazyLock<Words> = words!(
    "because|so that|in order to|due to|therefore|reason|thus|otherwise|to avoid|to prevent|avoids|prevents|weil|\
     denn|damit|wegen|sonst|deshalb|daher|parce qu|afin|grâce|sinon|puisqu|porque|ya que|debido|pues|gracias|因为|由于|\
     为了|所以|因此|以免|ため|ので|car|since|so|da|um|pour|para"
);

/// Words that give a place.
pub(super) static PLACES: LazyLock<Words> = words!(
    "in|at|near|on|under|below|next to|behind|between|directory|file|located|im|am|an|bei|neben|hinter|unter|auf|\
     dans|à|au|près|chez|sous|sur|en|junto|detrás|bajo|sobre|在|位于|にある|に位置|で|に"
);

/// Words that allow, forbid, or assert something.
pub(super) static RULES: LazyLock<Words> = words!(
    "can|cannot|can't|may|must|not|never|always|only|allowed|forbidden|no|yes|supported|should|required|will|does|is|\
     are|darf|dürfen|kann|können|nicht|kein|muss|verboten|erlaubt|nur|nie|peut|peuvent|pas|interdit|autoris|doit|\
     jamais|seul|aucun|puede|prohib|permit|debe|nunca|sólo|solo|不|可以|禁止|必须|可|能|ません|できます|可能|ください|ない"
);

/// Words that deny or forbid.
pub(super) static DENIALS: LazyLock<Words> = words!(
    "not|no|never|cannot|can't|don't|doesn't|won't|without|neither|nor|none|forbidden|unsupported|impossible|refuses|\
     nicht|kein|keine|keinen|keiner|nie|niemals|verboten|untersagt|ohne|pas|ne|jamais|aucun|aucune|interdit|\
     interdite|sans|nunca|jamás|ningún|ninguna|prohibido|prohibida|sin|不|没|没有|禁止|勿|ない|ません"
);

/// Words that state a default.
pub(super) static DEFAULTS: LazyLock<Words> = words!(
    "default|defaults|defaults to|by default|default value|default is|initially|out of the box|preset|\
     if not specified|if unset|if omitted|if not given|standard|standardmäßig|voreingestellt|voreinstellung|\
     werkseinstellung|ab werk|défaut|par défaut|usine|d'usine|por defecto|de fábrica|predeterminado|predeterminada|\
     默认|出厂|初期|既定|デフォルト|標準"
);

/// Words that define something.
pub(super) static DEFINES: LazyLock<Words> = words!(
    "is|are|means|refers|stands for|is called|known as|denotes|ist|sind|bedeutet|heißt|nennt|est|sont|signifie|\
     désigne|s'appelle|es|son|significa|se llama|是|指|叫|とは|です|である|という"
);

/// Verbs that begin an instruction.
pub(super) static STEPS: LazyLock<Words> = words!(
    "use|run|set|add|press|type|call|pass|specify|enter|choose|select|open|click|create|edit|remove|install|start|\
     stop|turn|hold|put|take|give|write|make|do|pull|push|check|apply|define|configure|invoke|try|send|keep|wait|\
     insert|drücken|wählen|öffnen|setzen|geben|drehen|halten|stellen|appuyez|lancez|ouvrez|tapez|ajoutez|tournez|\
     maintenez|pulse|abra|ejecute|escriba|añada|mantenga|gire"
);

/// Words that tell the reader what to do.
pub(super) static INSTRUCTS: LazyLock<Words> = words!(
    "you can|you may|you must|you should|you need to|to do this|please|man|muss|müssen|sollte|vous pouvez|il faut|\
     il suffit|on peut|se puede|hay que|debe|basta con|请|先|按|应|需|ください|してから|場合は|押"
);

/// Words that stand before or after a person's name.
pub(super) static AUTHORS: LazyLock<Words> = words!(
    "by|von|par|por|mr|mrs|ms|dr|herr|frau|mme|monsieur|madame|señor|señora|don|doña|committee|maintainer|team|先生|女士|\
     老师|さん|氏|君"
);

/// Months, except the one that is also another word.
pub(super) static MONTHS: LazyLock<Words> = words!(
    "january|february|march|april|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|\
     sep|sept|oct|nov|dec|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|\
     août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|\
     noviembre|diciembre"
);

/// Days of the week.
pub(super) static DAYS: LazyLock<Words> = words!(
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|wed|thu|fri|sat|sun|mondays|tuesdays|\
     wednesdays|thursdays|fridays|saturdays|sundays|weekend|montag|dienstag|mittwoch|donnerstag|freitag|samstag|\
     sonntag|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags|werktags|lundi|mardi|mercredi|jeudi|\
     vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|星期|周一|周二|周三|周四|周五|周六|周日|周末|月曜|火曜|\
     水曜|木曜|金曜|土曜|日曜|平日"
);

/// Question particles in scripts without spaces, which are not part of the topic.
pub(super) static PARTICLES: LazyLock<Words> = words!(
    "ましたか|でしたか|ますか|ですか|せんか|でしょうか|してください|ください|是|的|了|吗|呢|请问|有|请|要|は|が|を|に|の|で|と|も|か|から|まで"
);

/// Words that stand between the asking words.
pub(super) static FILLING: LazyLock<Words> = words!(
    "exactly|actually|really|normally|eigentlich|genau|denn|exactement|exactamente|au juste"
);

/// Titles of a list of changes.
pub(super) static NEWS: LazyLock<Words> =
    words!("release|releases|release notes|changes in|changelog|what's new|history of");
