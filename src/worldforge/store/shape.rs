//! The fields of stored documents, and the defaults for missing ones.
//!
//! Other programs write to the same MongoDB collections. Their documents lack fields, have unknown
//! fields, and have known fields in other forms. This table defines how each known field is read;
//! `served` reads by it, and both stores write by it.

/// A known field.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) if_missing: IfMissing,
}

/// What a field holds.
#[derive(Debug)]
pub(super) enum Kind {
    /// 24 hexadecimal digits.
    Id,
    /// Ids, at most so many.
    Ids(usize),
    /// Any text, served with at most so many characters.
    Text(usize),
    /// A text with at least one and at most so many characters.
    Label(usize),
    /// Texts.
    Texts,
    /// A whole number of at least this.
    Whole(u64),
    /// A moment, served as epoch milliseconds.
    Moment,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Some of these words; others are left out.
    Choices(&'static [&'static str]),
    /// An object whose members are free.
    Free,
    /// Any value.
    Any,
    /// An object with these members.
    Object(&'static [Field]),
    /// A list of objects.
    List(&'static Items),
}

/// Objects of a list.
#[derive(Debug)]
pub(super) struct Items {
    /// Always [`Kind::Object`].
    pub(super) kind: Kind,
    /// Members that identify an element, the closest match first.
    pub(super) keys: &'static [&'static [&'static str]],
}

impl Items {
    pub(super) fn fields(&'static self) -> &'static [Field] {
        match self.kind {
            Kind::Object(fields) => fields,
            _ => &[],
        }
    }
}

/// How a missing or null field is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfMissing {
    /// Nothing can: the document cannot be read.
    Refused,
    /// The empty value of its kind. One of another type makes the document unreadable.
    Empty,
    /// This word; also for what cannot be read.
    Word(&'static str),
    /// The empty value of its kind; also for what cannot be read.
    Forgiven,
    /// Nothing: the field is optional. What cannot be read is not served.
    Absent,
}

/// As long as it is.
const ANY: usize = usize::MAX;

const fn field(name: &'static str, kind: Kind, if_missing: IfMissing) -> Field {
    Field { name, kind, if_missing }
}

const fn need(name: &'static str, kind: Kind) -> Field {
    field(name, kind, IfMissing::Refused)
}

const fn full(name: &'static str, kind: Kind) -> Field {
    field(name, kind, IfMissing::Empty)
}

const fn soft(name: &'static str, kind: Kind) -> Field {
    field(name, kind, IfMissing::Forgiven)
}

const fn may(name: &'static str, kind: Kind) -> Field {
    field(name, kind, IfMissing::Absent)
}

pub(super) const TENANT: &[Field] =
    &[need("_id", Kind::Id), full("name", Kind::Text(ANY)), soft("createdAt", Kind::Moment)];

pub(super) const USER: &[Field] = &[
    need("_id", Kind::Id),
    need("tenantId", Kind::Id),
    full("email", Kind::Text(ANY)),
    soft("roles", Kind::Choices(&["ADMIN", "WRITER", "EDITOR"])),
    soft("createdAt", Kind::Moment),
];

pub(super) const PROJECT: &[Field] = &[
    need("_id", Kind::Id),
    need("tenantId", Kind::Id),
    full("title", Kind::Text(ANY)),
    full("logline", Kind::Text(ANY)),
    full("styleBible", Kind::Free),
    soft("createdAt", Kind::Moment),
];

const VERSION: &[Field] = &[
    field("status", Kind::Choice(&["DRAFT", "PUBLISHED"]), IfMissing::Word("DRAFT")),
    soft("number", Kind::Whole(1)),
];

const AUDIT: &[Field] = &[
    soft("createdBy", Kind::Text(ANY)),
    soft("updatedBy", Kind::Text(ANY)),
    soft("updatedAt", Kind::Moment),
    soft("revision", Kind::Whole(0)),
];

const RELATIONSHIPS: Items = Items {
    kind: Kind::Object(&[
        need("toEntityId", Kind::Id),
        need("relType", Kind::Label(64)),
        may("note", Kind::Text(2000)),
    ]),
    keys: &[&["toEntityId", "relType"]],
};

pub(super) const ENTITY: &[Field] = &[
    need("_id", Kind::Id),
    need("tenantId", Kind::Id),
    need("projectId", Kind::Id),
    need("type", Kind::Choice(&["CHARACTER", "LOCATION", "FACTION", "ITEM", "RULE", "LORE"])),
    full("name", Kind::Text(ANY)),
    full("summary", Kind::Text(ANY)),
    full("tags", Kind::Texts),
    full("attributes", Kind::Free),
    full("relationships", Kind::List(&RELATIONSHIPS)),
    soft("version", Kind::Object(VERSION)),
    soft("audit", Kind::Object(AUDIT)),
];

const GOALS: &[Field] = &[
    full("dramaticGoal", Kind::Text(ANY)),
    full("conflict", Kind::Text(ANY)),
    full("turn", Kind::Text(ANY)),
];

const HOOKS: &[Field] = &[
    full("hook", Kind::Text(ANY)),
    full("foreshadow", Kind::Texts),
    full("payoffTargets", Kind::Texts),
];

const TIME: &[Field] = &[may("inWorldDate", Kind::Text(ANY)), full("order", Kind::Whole(0))];

const PARTICIPANTS: Items = Items {
    kind: Kind::Object(&[
        need("entityId", Kind::Id),
        need("role", Kind::Choice(&["PROTAGONIST", "ANTAGONIST", "SUPPORT"])),
    ]),
    keys: &[&["entityId"]],
};

const DELTAS: Items = Items {
    kind: Kind::Object(&[
        need("key", Kind::Text(ANY)),
        need("op", Kind::Choice(&["SET", "INC", "DEC", "ADD", "REMOVE"])),
        full("value", Kind::Any),
    ]),
    keys: &[&["key", "op"]],
};

const REQUIREMENTS: Items = Items {
    kind: Kind::Object(&[need("entityId", Kind::Id), need("knows", Kind::Label(200))]),
    keys: &[&["entityId", "knows"]],
};

const WAIVERS: Items = Items {
    kind: Kind::Object(&[
        need("code", Kind::Label(64)),
        may("entityIds", Kind::Ids(64)),
        need("reason", Kind::Label(2000)),
    ]),
    keys: &[&["code", "entityIds"], &["code"]],
};

pub(super) const NODE: &[Field] = &[
    need("_id", Kind::Id),
    need("tenantId", Kind::Id),
    need("projectId", Kind::Id),
    need("nodeType", Kind::Choice(&["BEAT", "SCENE", "CHAPTER"])),
    full("title", Kind::Text(ANY)),
    full("synopsis", Kind::Text(ANY)),
    full("goals", Kind::Object(GOALS)),
    full("hooks", Kind::Object(HOOKS)),
    full("time", Kind::Object(TIME)),
    full("participants", Kind::List(&PARTICIPANTS)),
    full("locations", Kind::Ids(ANY)),
    full("worldStateDelta", Kind::List(&DELTAS)),
    may("chapterNodeId", Kind::Id),
    may("requires", Kind::List(&REQUIREMENTS)),
    may("cinematicSettings", Kind::Free),
    may("waivers", Kind::List(&WAIVERS)),
    soft("version", Kind::Object(VERSION)),
    soft("audit", Kind::Object(AUDIT)),
];

pub(super) const EDGE: &[Field] = &[
    need("_id", Kind::Id),
    need("tenantId", Kind::Id),
    need("projectId", Kind::Id),
    need("fromNodeId", Kind::Id),
    need("toNodeId", Kind::Id),
    need("edgeType", Kind::Choice(&["LINEAR", "BRANCH", "CHOICE", "FLASHBACK", "TIMEJUMP"])),
    full("conditions", Kind::Texts),
    full("notes", Kind::Text(ANY)),
    soft("audit", Kind::Object(AUDIT)),
];

const SHOTS: Items = Items {
    kind: Kind::Object(&[
        full("shotId", Kind::Text(ANY)),
        field("variant", Kind::Choice(&["A", "B"]), IfMissing::Word("A")),
        full("prompt", Kind::Text(ANY)),
        soft("negative", Kind::Texts),
        soft("refs", Kind::Texts),
    ]),
    keys: &[&["shotId", "variant"]],
};

pub(super) const PACK: &[Field] = &[
    need("_id", Kind::Id),
    need("tenantId", Kind::Id),
    need("projectId", Kind::Id),
    need("nodeId", Kind::Id),
    full("target", Kind::Text(ANY)),
    full("template", Kind::Text(ANY)),
    soft("templateRevision", Kind::Whole(1)),
    full("inputHash", Kind::Text(ANY)),
    full("shots", Kind::List(&SHOTS)),
    soft("continuityNotes", Kind::Texts),
    soft("createdAt", Kind::Moment),
    soft("createdBy", Kind::Text(ANY)),
];

/// The field of this name.
pub(super) fn find(fields: &'static [Field], name: &str) -> Option<&'static Field> {
    fields.iter().find(|field| field.name == name)
}
