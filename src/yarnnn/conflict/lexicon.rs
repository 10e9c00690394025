//! The closed lists of English words that the rules know. Plain tables, no logic: the words of a
//! row are parted by spaces and given in their base form.

/// Words that are not stemmed, because another word has the same stem: an engineer is no engine.
pub(super) const WHOLE: &str = "container designer developer engineer expensive insurer internal \
     international maintainer manager objective personal positive provider";

/// Base form and the forms that the endings do not give away.
pub(super) const IRREGULAR: &[(&str, &str)] = &[
    ("agree", "agreement agreements"),
    ("use", "used using uses"),
    ("choose", "chose chosen"),
    ("build", "built rebuilt rebuild"),
    ("pay", "paid payment payments"),
    ("keep", "kept"),
    ("send", "sent"),
    ("run", "ran"),
    ("lead", "led"),
    ("hold", "held"),
    ("sell", "sold"),
    ("buy", "bought"),
    ("make", "made"),
    ("take", "took taken"),
    ("write", "wrote written rewritten"),
    ("meet", "met"),
    ("go", "went gone goes going"),
    ("give", "gave given"),
    ("grow", "grew grown"),
    ("fall", "fell fallen"),
    ("rise", "rose risen"),
    ("spend", "spent"),
    ("lose", "lost"),
    ("win", "won"),
    ("find", "found"),
    ("begin", "began begun"),
    ("think", "thought"),
    ("say", "said"),
    ("see", "saw seen"),
    ("do", "did done does doing"),
    ("have", "has had having"),
    ("be", "is are was were been being am"),
    ("cancel", "cancelled cancelling"),
    ("control", "controlled controlling"),
    ("person", "people persons"),
    ("forbid", "forbade forbidden"),
    ("need", "needed"),
    ("feed", "fed"),
    ("speak", "spoke spoken"),
    ("lend", "lent"),
    ("teach", "taught"),
    ("bring", "brought"),
    ("drive", "drove driven"),
    ("fly", "flew flown"),
    ("eat", "ate eaten"),
    ("drink", "drank drunk"),
    ("wear", "wore worn"),
    ("sing", "sang sung"),
    ("throw", "threw thrown"),
    ("wash", "washed washing"),
    ("leave", "left leaving"),
    ("hide", "hid hidden"),
    ("break", "broke broken"),
    ("freeze", "froze frozen"),
    ("set", "setting"),
    ("cut", "cutting"),
    ("tie", "tied"),
];

/// Words that say the same here. The first stands for its row.
pub(super) const SAME: &[&str] = &[
    "use utilise utilize leverage employ adopt",
    "database db",
    "kubernetes k8s",
    "postgresql postgres",
    "configuration config",
    "authentication auth",
    "repository repo",
    "production prod",
    "documentation docs doc",
    "application app",
    "cost price charge fee",
    "keep retain retention",
    "buy purchase",
    "employee staff",
    "vacation holiday pto",
    "answer respond reply response",
    "company firm",
    "customer client",
    "engineer developer dev programmer",
    "delete remove erase",
    "deploy rollout",
    "email mail",
    "approve approval",
    "lead head",
    "choose pick select opt",
    "hire recruit",
    "big large",
    "fast quick rapid",
    "bug defect",
    "licence license",
    "colour color",
    "organisation organization",
    "standardise standardize",
    "move migrate switch",
    "show display",
    "finish complete",
    "javascript js",
    "typescript ts",
    "laptop notebook",
    "limit cap quota ceiling",
    "salary wage compensation",
    "maximum max",
    "minimum min",
    "fix repair",
    "launch release",
    "office bureau",
    "vendor supplier",
    "budget funding",
    "support offer",
    "expire lapse",
    "goal target objective",
    "nearest closest",
    "pupil student",
    "rubbish garbage trash waste",
    "surgery operation operate",
    "doctor physician",
    "kid child children",
    "car vehicle",
    "ship freight consignment shipment",
    "begin start commence",
];

/// Opposites: either side of a row speaks against the other. A word is in one row only.
pub(super) const OPPOSITES: &[(&str, &str)] = &[
    ("increase raise grow rise expand", "decrease reduce lower cut shrink drop fall decline"),
    ("public", "private confidential"),
    ("internal", "external"),
    ("sync synchronous", "async asynchronous"),
    ("enable activate", "disable deactivate"),
    ("open unlocked", "close closed shut locked"),
    ("manual", "automatic automated automate"),
    ("include cover insure", "exclude omit"),
    ("online", "offline"),
    ("free", "pay"),
    ("permanent", "temporary"),
    ("centralised centralized", "decentralised decentralized"),
    ("cheap inexpensive", "expensive costly"),
    ("fast", "slow"),
    ("early earlier", "late later"),
    ("high higher highest", "low lowest"),
    ("best better improve", "worst worse worsen"),
    ("more", "fewer less"),
    ("faster", "slower"),
    ("bigger larger", "smaller"),
    ("accept approve", "reject"),
    ("succeed success successful pass", "fail failure"),
    ("stateless", "stateful"),
    ("mutable", "immutable"),
    ("static", "dynamic"),
    ("strict", "lenient loose"),
    ("light", "dark"),
    ("weekday", "weekend"),
    ("junior", "senior"),
    ("inbound", "outbound"),
    ("monolith monolithic", "microservice"),
    ("local", "global"),
    ("plaintext", "encrypted"),
    ("visible", "hidden invisible"),
    ("push", "pull"),
    ("remote", "onsite"),
    ("simple", "complex"),
    ("sufficient enough", "insufficient"),
    ("win", "lose"),
    ("above", "below"),
    ("fixed", "variable flexible"),
    ("ahead", "behind"),
    ("single", "multiple"),
    ("hire", "fire"),
    ("safe harmless", "dangerous unsafe hazardous"),
    ("works functional funciona", "broken defective avariada kaputt"),
    ("raw uncooked", "cooked"),
    ("older eldest", "younger youngest"),
    ("keep", "discard shred destroy"),
    ("offene offen geöffnet aberto aberta", "geschlossen zu fechado fechada"),
    ("ganhou gewonnen", "perdeu verloren"),
    ("quente heiß warm hot", "frio kalt cold"),
    ("quiet silent", "loud noisy"),
    ("vacant", "occupied"),
    ("crowded busy", "deserted"),
    ("alive", "dead"),
    ("clockwise", "anticlockwise counterclockwise"),
    ("satisfied", "dissatisfied"),
    ("full", "partial"),
    ("active", "inactive"),
    ("valid", "invalid"),
    ("compatible", "incompatible"),
    ("strong", "weak"),
    ("positive", "negative"),
    ("majority", "minority"),
    ("shared", "dedicated"),
    ("wide", "narrow"),
    ("batch", "streaming realtime"),
    ("final", "preliminary"),
    ("profit profitable", "loss"),
    ("agree", "disagree"),
    ("inhouse", "outsourced outsource"),
];

/// Words that say nothing of the subject.
pub(super) const STOP: &str = "a an the this that these those it its we us our ours you your i me \
     my he she they them their his her who whom which what when where why how if then than and or \
     so as at by for from in into of on onto to up with within about over under out per via there \
     here be is are was were been being am do does did will would shall should can could may might \
     must let lets also too both either each every all any some most many much such very really \
     quite just now currently already still yet again soon today ever always never not no nor \
     neither none cannot only own same other another well like fully completely entirely \
     simply actually basically generally usually often sometimes normally mainly mostly instead \
     rather but however while whereas although though because since until till unless except \
     during between through across against among around off down please maybe perhaps probably \
     likely everyone everybody anyone anybody nobody someone whoever whatever \
     last next one once twice longer anymore exactly roughly approximately approx least \
     nearly almost upon toward towards s t re ve ll d themselves itself ourselves himself herself \
     etc e.g i.e fact thing way lot moment said long able ago further solely exclusively \
     day days week weeks month months year years hour hours minute minutes seconds";

/// Words that set two things of a kind apart and weigh nothing else.
pub(super) const WHICH: &str = "new old former previous existing first second third fourth";

/// Verbs that frame a statement or carry none of its weight.
pub(super) const LIGHT: &str = "use have get make take give go come set put see say think believe \
     want wish plan decide agree propose suggest recommend consider expect intend hope aim try \
     need require include contain provide support offer allow permit let keep stay remain become \
     seem happen occur exist run work reach equal mean know tell talk discuss note mention state \
     confirm announce do be hold stand sit amount total come feel look choose deliver get like \
     forbid prohibit ban disallow handle perform cover apply do would always never start begin";

/// Verbs that carry weight.
pub(super) const VERBS: &str = "add answer approve archive ask assign attend authenticate bill \
     block book break build buy cache call cancel change charge check close collect commit compute \
     connect convert copy cost create cut delete deploy deprecate design develop disable enable \
     encrypt enforce escalate expand expire export fail fall fetch file fill fix follow freeze \
     generate grow handle head hire host implement import improve increase decrease index install \
     integrate introduce invest invite invoice issue join launch lead leave limit link load log \
     lose maintain manage measure meet merge migrate monitor move notify onboard open order own \
     pay process produce promote publish purchase push pull raise read receive record reduce \
     refund reject release remove rename renew rent replace report request resolve restart restore \
     retire retry return review rewrite rotate save scale schedule sell send serve share ship show \
     sign split spend standardise stop store survive switch sync test track train travel trigger \
     update upgrade upload validate verify visit wait win write accept reach rely live base locate \
     end finish depend sit open sponsor sunset drop run hit target kick handle rise grow shrink decline conduct teach own ingest retain";

/// What a name is one of. Names of one row exclude each other where one is chosen.
pub(super) const FAMILIES: &[(&str, &str)] = &[
    (
        "database",
        "postgresql mysql mariadb sqlite mongodb dynamodb oracle cockroachdb cassandra firestore \
         supabase planetscale clickhouse snowflake bigquery redshift",
    ),
    ("cloud", "aws gcp azure heroku vercel netlify hetzner digitalocean cloudflare google"),
    (
        "language",
        "rust golang python java kotlin swift typescript javascript ruby elixir scala php c# c++ \
         clojure haskell zig",
    ),
    ("queue", "kafka rabbitmq sqs nats pulsar kinesis"),
    ("cache", "redis memcached valkey"),
    ("ci", "jenkins circleci buildkite travis teamcity github gitlab bitbucket"),
    ("frontend", "react vue svelte angular ember solid htmx"),
    ("chat", "slack discord mattermost zulip teams"),
    ("tracker", "jira linear asana trello shortcut clickup basecamp"),
    ("payment", "stripe adyen braintree paypal mollie klarna paddle"),
    ("monitoring", "datadog grafana prometheus newrelic honeycomb sentry splunk"),
    ("search", "elasticsearch opensearch algolia meilisearch typesense solr"),
    ("crm", "salesforce hubspot pipedrive zoho"),
    ("orchestration", "kubernetes nomad swarm ecs"),
    ("protocol", "rest graphql grpc soap"),
    ("format", "json xml yaml csv parquet avro protobuf pdf html markdown"),
    ("identity", "okta auth0 keycloak cognito"),
    ("colour", "red green blue yellow orange purple black white grey pink"),
    ("currency", "euro dollar pound yen franc"),
    ("video", "zoom meet webex"),
];

/// Kinds of the same thing: one named on either side means two subjects.
pub(super) const SIBLINGS: &[&str] = &[
    "free basic starter pro team business enterprise premium plus",
    "ios android web desktop mobile",
    "staging production development sandbox",
    "frontend backend",
    "eu us uk apac emea",
    "hot cold",
    "read write",
    "new old former previous existing",
    "first second third fourth",
    "gross net",
    "minimum maximum",
    "average median p50 p95 p99",
    "input output",
    "domestic international",
    "morning afternoon evening night noon midday",
    "vormittag nachmittag abend nacht mittag",
    "manhã tarde noite",
    "summer winter spring autumn",
    "sommer winter frühling frühjahr herbst",
    "verão inverno primavera outono",
    "front back rear side",
    "mother father brother sister son daughter uncle aunt cousin grandmother grandfather",
    "mutter vater bruder schwester sohn tochter onkel tante oma opa",
    "mãe pai irmão irmã filho filha tio tia avó avô",
    "upper lower middle",
    "inner outer",
    "north south east west",
    "northern southern eastern western",
    "written oral practical",
    "opening closing",
    "breakfast lunch dinner supper",
    "child adult student pensioner",
    "ground basement attic cellar",
    "starter main dessert",
    "erste zweite dritte vierte",
    "primeiro segundo terceiro quarto",
    "door window roof floor wall ceiling",
];

/// Words that make a statement unsure.
pub(super) const HEDGES: &str = "maybe perhaps might could possibly probably likely apparently seems guess unsure tentative \
     tentatively considering";
