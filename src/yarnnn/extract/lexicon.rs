//! Closed classes of English, German and Portuguese words: what they do in a sentence, not what it
//! is about.
//!
//! One table for the three languages, because people mix them. A word may be in several classes.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Classes of a word, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Classes(u16);

impl Classes {
    /// Articles, pronouns, prepositions, auxiliaries: they say little.
    pub(super) const FUNCTION: Self = Self(1);
    /// Greetings, thanks, agreement, laughter.
    pub(super) const COURTESY: Self = Self(1 << 1);
    /// The listener.
    pub(super) const YOU: Self = Self(1 << 2);
    /// The speaker.
    pub(super) const ME: Self = Self(1 << 3);
    /// Duties, permissions and bans.
    pub(super) const DUTY: Self = Self(1 << 4);
    /// What joins clauses to a reason or a condition.
    pub(super) const CONNECTIVE: Self = Self(1 << 5);
    /// Days, months, spans of time.
    pub(super) const TIME: Self = Self(1 << 6);
    /// Numbers as words.
    pub(super) const NUMBER: Self = Self(1 << 7);
    /// What will happen, or was settled.
    pub(super) const FUTURE: Self = Self(1 << 8);
    /// Verbs that say how something is.
    pub(super) const STATE: Self = Self(1 << 9);
    /// Negations.
    pub(super) const NEGATION: Self = Self(1 << 10);
    /// Doubt and mood.
    pub(super) const MOOD: Self = Self(1 << 11);
    /// Questions.
    pub(super) const ASKING: Self = Self(1 << 12);

    /// Whether it is in one of these classes.
    pub(super) fn any(self, of: Self) -> bool {
        self.0 & of.0 != 0
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The classes of a word in lower case.
pub(super) fn classes(word: &str) -> Classes {
    CLASSES.get(word).copied().unwrap_or_default()
}

/// Whether a word is about something, rather than about the talk.
pub(super) fn is_content(word: &str) -> bool {
    !classes(word).any(Classes::FUNCTION.and(Classes::COURTESY))
}

/// Never walked through, so its order does not matter.
static CLASSES: LazyLock<HashMap<&'static str, Classes>> = LazyLock::new(|| {
    let mut classes: HashMap<&str, Classes> = HashMap::new();
    for (class, words) in TABLE {
        for word in words.split_whitespace() {
            let known = classes.entry(word).or_default();
            *known = known.and(*class);
        }
    }
    classes
});

const TABLE: &[(Classes, &str)] = &[
    (
        Classes::FUNCTION,
        "a about all also am an and any anyone anything are as at be been being both but by can \
         could did do does doing done each either else even ever few for from get go going got \
         had has have having he her here hers him his how however i i'd i'll i'm i've if in into \
         is isn't it it'd it'll it's its itself just know let let's like lot made make many me \
         mine more most much my myself no not now of off on one ones only onto or other others our \
         ours out over own quite really said same say see she should so some something still such \
         take than that that's the their them then there there's these they they'd they'll they're \
         they've thing things think this those though through to too under up us very want was \
         wasn't way we we'd we'll we're we've well were what what's when where which while who why \
         will with would yet you you'd you'll you're you've your yours \
         aber ab als also am an andere anderen auch auf aus bei beim bin bis da dabei dafür dahin \
         damit dann daran darauf das dass dazu dein deine dem den denn der des dich die dies diese \
         diesem diesen dieser dieses dir doch dort du durch eben ein eine einem einen einer eines \
         einfach er es etwa etwas euch euer eure für gar geben gehen geht gerade gibt haben hab \
         habe hat hatte hatten her hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer \
         in ins ist ja jede jeden jeder jetzt kann kannst könnte können lassen macht machen mal \
         man mehr mein meine meinem meinen meiner mich mir mit nach nicht noch nun nur ob oder \
         ohne schon sehr sein seine seinem seinen seiner seit selbst sich sie sind so soll sollen \
         sollte sonst sowas um und uns unser unsere unseren unter über viel viele vom von vor war \
         waren warum was wegen weil weiter welche wenn wer werden wie wieder will wir wird wo \
         worden wurde würde wäre zu zum zur zwar \
         a ao aos aquela aquele aqui as até aí cada cá com como da daí das de dela dele deles \
         depois dessa desse desta deste dizer do dos e ela elas ele eles em entre então era essa \
         essas esse esses esta estamos estar estas estava este estes estou está estão eu faz fazer \
         foi for foram há ir isso isto já la lhe lo lá mais mas me mesma mesmo meu meus minha \
         minhas muita muito na nas nem nessa nesse nesta neste no nos nossa nosso num numa não nós \
         o onde os ou outra outro para pela pelas pelo pelos pode pois por porque pra pro quais \
         qual quando que quem se seja sem sempre ser seu seus sim sobre sou sua suas são só também \
         te tem temos tenho ter teu tinha tive toda todas todo todos tu tua tudo tá têm tô um uma \
         umas uns vai vão vez você vocês vos vou à às é",
    ),
    (
        Classes::COURTESY,
        "absolutely afternoon ah aha alright amazing apologies awesome aww bless brilliant \
         bye bye-bye cheers congrats congratulations cool correct course cute dear definitely \
         enjoy evening exactly excellent fab fabulous fair fantastic fine fun fyi glad good \
         goodbye goodnight gosh grand great greetings ha hah haha hahaha hahahaha happy hear hehe \
         hello hey hi hiya hm hmm hmmm hooray hopefully hurray indeed interesting jeez kidding \
         legend lmao lol love lovely luck mate mm morning na nah neat nice night nope noted oh ok \
         okay okey omg oops ouch perfect perfectly phew please pleased pleasure pls plz pray quick \
         right rofl rude seriously sigh sorry sounds splendid sup super sure sweet ta terrific tfw \
         thank thanks thanx thx true truly ty ugh uh um understood wait welcome whoa wonderful wow \
         wtf x xo xx xxx yay yeah yep yes yikes yo yup \
         ach aha alles also bis bitte bestens cool danke dankeschön echt einverstanden freut fein \
         ganz genau gern gerne geschlagen glückwunsch gruß grüß grüße guten gut gute haha hallo \
         herzlich herzlichen hi hm hmm hoffentlich hui huhu jawohl ja jep jo joa juhu klar klasse \
         krass leider liebe lieben lieber mahlzeit moin morgen na naja nee nein nö oh oha ok okay \
         passt perfekt prima prost richtig schade schön schönen schönes servus spitze stimmt super \
         tag tja toll top tschau tschüss tut uff ui verstanden vielen wow wunderbar \
         abraço abraços adeus ah ahah ahahah alô aff amor bacana beijinho beijinhos beijo beijos \
         beleza bem blz boa bom bons boas caramba certo claro combinado credo desculpa desculpe \
         dia eita enfim entendi entendido exato fechou fixe força gente graças haha isso joia \
         kk kkk kkkk kkkkk kkkkkk legal maravilha nossa noite oba obg obrigada obrigado oi oie oii \
         oiii ok olá opa ora ótima ótimo óptimo parabéns perfeito pois ponto pronto prazer puxa \
         putz rs rsrs saudade saudades sim tarde tchau tranquilo tá valeu vale vixe viva vlw",
    ),
    (
        Classes::YOU,
        "u ur you you'd you'll you're you've your yours yourself du dich dir dein deine deinem \
         deinen deiner euch euer eure ihr ihnen você vocês vc vcs tu te ti teu teus tua tuas \
         contigo",
    ),
    (
        Classes::ME,
        "i i'd i'll i'm i've ill im ive me mine my myself ich mich mir mein meine meinem meinen \
         meiner eu me mim meu meus minha minhas comigo",
    ),
    (
        Classes::DUTY,
        "allowed aren't can't cannot couldn't don't forbidden have has must mustn't need needed \
         needs never only permitted prohibited required requires shall shan't should shouldn't \
         unless until doesn't won't \
         bedarf brauchen braucht darf dürfen erforderlich erlaubt frühestens höchstens maximal \
         mindestens muss musst müssen müsst müsste nie niemals nötig nur pflicht sollen sollte \
         spätestens untersagt verboten vorgeschrieben zulässig \
         deve devem devemos dever exige exigem máximo mínimo nunca obrigatória obrigatório pode \
         podem precisa precisam precisamos preciso proibida proibido somente apenas só",
    ),
    (
        Classes::CONNECTIVE,
        "although as because but else except hence if instead otherwise rather since so than \
         therefore though thus till unless until when whereas whether which while without \
         aber bevor da dadurch daher damit darum denn deshalb deswegen falls indem jedoch nachdem \
         obwohl ohne sobald sodass solange sondern sonst statt stattdessen trotz trotzdem wegen \
         weil wenn während wodurch \
         apesar antes caso conforme contudo desde embora enquanto entretanto logo mas pois porque \
         porém quando sem senão portanto se",
    ),
    (
        Classes::TIME,
        "afternoon annual annually april august autumn daily day days december evening evenings \
         february fortnight friday fridays hour hourly hours hr hrs january july june march min \
         mins minute minutes monday mondays month monthly months morning mornings night nightly \
         nights november october overnight quarter quarterly saturday saturdays september spring \
         summer sunday sundays thursday thursdays today tomorrow tonight tuesday tuesdays wednesday \
         wednesdays week weekday weekdays weekend weekends weekly weeks winter year yearly years \
         yesterday am pm ago deadline \
         abends april august dezember dienstag dienstags donnerstag donnerstags februar freitag \
         freitags frühling frühjahr gestern herbst heute jahr jahre jahren jahres januar juli juni \
         jährlich minuten mittags mittwoch mittwochs monat monate monaten monatlich montag montags \
         morgens märz mai nacht nachts november oktober quartal samstag samstags september sommer \
         sonntag sonntags stunde stunden tage tagen täglich uhr vormittags nachmittags winter woche \
         wochen wochenende wöchentlich vorgestern übermorgen vergangenen letzten letztes letzte \
         nächste nächsten nächster \
         abril agosto amanhã ano anos anual dezembro diariamente dias domingo domingos fevereiro \
         fim hoje hora horas janeiro julho junho madrugada maio manhã manhãs março mensal mensais \
         meses minutos mês noites novembro ontem outono outubro primavera prazo quarta quarta-feira \
         quinta quinta-feira quinzena sábado sábados segunda segunda-feira semana semanas semanal \
         setembro sexta sexta-feira terça terça-feira trimestre verão inverno",
    ),
    (
        Classes::NUMBER,
        "billion both couple dozen dozens double eight eighteen eighty eleven fifteen fifth fifty \
         first five forty four fourteen fourth half hundred hundreds million nine nineteen ninety \
         once pair per percent second seven seventeen seventy single six sixteen sixty ten tenth \
         third third thirteen thirty thousand thousands three tonnes triple twelve twenty twice two \
         acht achte achtzehn beide beiden doppelt drei dreimal dreißig dritte dritten dutzend \
         einmal einzige elf erste ersten fünf fünfte fünfzehn fünfzig halb halbe halben hundert je \
         millionen neun paar pro prozent sechs sechzig sieben tausend vier vierte vierzehn vierzig \
         viertel zehn zwanzig zwei zweimal zweite zweiten zwölf \
         ambos cem cento cinco cinquenta dez dezena dois doze dobro duas duzentos dúzia meia meio \
         metade mil milhão milhões nove oito onze par primeira primeiro quarenta quatro quinze \
         segundo seis sessenta sete terceira terceiro terço três trinta única único vinte",
    ),
    (
        Classes::FUTURE,
        "agreed agrees approved approve booked chose chosen choose decide decided decides finalised \
         finalized going gonna i'll he'll she'll they'll we'll it'll ill let's lets instead keep \
         keeps leave moved moves move planned plan plans pick picked postponed replace replaced \
         scheduled send settled start starts starting stop stops switch switched take takes will \
         won't \
         ab abgelehnt beschließen beschließt beschlossen bestellen bestellt bleiben bleibt einigen \
         einigten entscheiden entschieden festgelegt genehmigt gewählt kümmere kümmert mache macht \
         machen nehme nehmen nimmt plane planen rufe schicke schickt schicken schreibe stelle \
         stimmen übernehme übernimmt vereinbart verschoben verschieben werde werden wird zugesagt \
         aprovada aprovado acertado combinado combinamos compro comprar decidi decidida decidido \
         decidiram decidimos deixa deixar fica ficam ficamos ficar ficou fico mando manda mandar \
         marcada marcado marcar passa passar trocar vai vamos vou vão irá farei faço levo pago \
         resolvido resolvemos adiada adiado",
    ),
    (
        Classes::STATE,
        "are aren't broke broken came comes contains cost costs doesn't ends gets gives goes got \
         had has hasn't have haven't hurts includes is isn't it's keeps lasts lives lost means \
         measured needs opens closes owns pays runs said sells shows stays takes tastes that's \
         there's uses wants was wasn't were weighs works worked \
         bekommt beträgt braucht bringt dauert enthält funktioniert führt gehört geht gilt hat \
         hatte hatten heißt ist kam kommt kostet kosten lag läuft liegt nimmt reicht sagt sind \
         steht war waren wiegt wurde wurden zahlt zahlen \
         abre acaba chega custa custam custou dura deu entrega é era eram está estão fecha foi \
         foram fica funciona ganha há leva mede mora paga pagam pagou pesa precisa quer rende são \
         sobe subiu tem tenho têm tinha tá usa usam vale veio vem vence",
    ),
    (
        Classes::NEGATION,
        "ain't aren't can't cannot couldn't didn't doesn't don't hadn't hasn't haven't isn't neither \
         never no nobody none nor not nothing shouldn't wasn't weren't without won't wouldn't \
         kein keine keinem keinen keiner keinerlei nicht nichts nie niemals niemand nirgends ohne \
         weder \
         jamais nada nem nenhum nenhuma ninguém nunca não sem",
    ),
    (
        Classes::MOOD,
        "actually bet dunno feel feels glad guess hmm honestly hope hoped hopefully hoping imagine \
         kinda maybe perhaps probably promise seriously silly suppose sorta think thought wish \
         wonder wondering basically literally anyway anyways \
         denke eigentlich ehrlich fühle glaube hoffe hoffentlich irgendwie vermutlich vielleicht \
         wahrscheinlich wohl wünsche überlege \
         acho adoro achei creio espero imagina juro parece pena sei talvez tomara",
    ),
    (
        Classes::ASKING,
        "anyone can could did do does had has have how how's hows is are may shall should was were \
         what what's whats when where where's which who who's whose why will would any \
         bist braucht darf habt hast hat ist kann kannst könnt könnten könntest magst möchten \
         möchtest sind soll sollen warum was wann welche welchen welcher welches wem wen wer weshalb \
         wie wieso wieviel wo wofür woher wohin wollen wollt \
         cadê como consegue consegues onde podem pode podes por quais qual quando quanta quantas \
         quanto quantos que quem quer queres será tem tens você",
    ),
];
