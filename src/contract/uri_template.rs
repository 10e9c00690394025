//! URIs with variables, such as `worldforge://{projectId}/nodes/{nodeId}`: how they are written, and which
//! URIs they match.
//!
//! A variable is a whole segment of the path. Compiler and server share these rules; neither what a
//! variable means nor where its value goes is known here.

/// A URI of a contract, in segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriTemplate<'a> {
    scheme: &'a str,
    segments: Vec<Segment<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Segment<'a> {
    Word(&'a str),
    Variable(&'a str),
}

/// Why a URI is not a template that is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateFault<'a> {
    /// There is no `://` in it.
    NoScheme,
    /// Braces that are not around a whole segment.
    PartOfSegment(&'a str),
    /// Not the name of a variable.
    BadName(&'a str),
    /// A variable that is there twice.
    Twice(&'a str),
    /// A segment that others write for a variable: `:id`, `<id>`, `*`.
    OtherNotation(&'a str),
}

impl<'a> UriTemplate<'a> {
    /// Reads the URI of a contract; one without variables too.
    pub fn parse(uri: &'a str) -> Result<Self, TemplateFault<'a>> {
        let (scheme, path) = uri.split_once("://").ok_or(TemplateFault::NoScheme)?;
        let segments = path.split('/').map(segment).collect::<Result<Vec<_>, _>>()?;
        let template = Self { scheme, segments };
        let names: Vec<&str> = template.variables().collect();
        let twice = names.iter().enumerate().find(|(at, name)| names[..*at].contains(*name));
        match twice {
            Some((_, name)) => Err(TemplateFault::Twice(name)),
            None => Ok(template),
        }
    }

    /// Names of the variables, in the order of the path.
    pub fn variables(&self) -> impl Iterator<Item = &'a str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Variable(name) => Some(*name),
            Segment::Word(_) => None,
        })
    }

    /// The decoded values of the variables, in their order, if `uri` matches; it has neither query nor
    /// fragment.
    ///
    /// Every segment counts: one more, one less or an empty one is another URI. A `%2F` is part of a
    /// value, never a separator. What is not valid percent-encoding of UTF-8 matches nothing.
    pub fn matches(&self, uri: &str) -> Option<Vec<String>> {
        let (scheme, path) = uri.split_once("://")?;
        let given: Vec<&str> = path.split('/').collect();
        if scheme != self.scheme || given.len() != self.segments.len() {
            return None;
        }
        let mut values = Vec::new();
        for (segment, text) in self.segments.iter().zip(given) {
            match segment {
                Segment::Word(word) if *word == text => {}
                Segment::Word(_) => return None,
                Segment::Variable(_) => values.push(decode(text)?),
            }
        }
        Some(values)
    }

    /// Whether some URI matches both.
    pub fn overlaps(&self, other: &UriTemplate<'_>) -> bool {
        let same = |pair: (&Segment<'_>, &Segment<'_>)| match pair {
            (Segment::Word(one), Segment::Word(two)) => one == two,
            (Segment::Word(word), _) | (_, Segment::Word(word)) => !word.is_empty(),
            _ => true,
        };
        self.scheme == other.scheme
            && self.segments.len() == other.segments.len()
            && self.segments.iter().zip(&other.segments).all(same)
    }
}

fn segment(text: &str) -> Result<Segment<'_>, TemplateFault<'_>> {
    if let Some(name) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        let named = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        return match named {
            true => Ok(Segment::Variable(name)),
            false => Err(TemplateFault::BadName(text)),
        };
    }
    let wrapped = |open, close| text.starts_with(open) && text.ends_with(close) && text.len() > 1;
    if text.starts_with(':') || text.contains('*') || text.starts_with('$') || wrapped('<', '>') {
        Err(TemplateFault::OtherNotation(text))
    } else if text.contains(['{', '}']) {
        Err(TemplateFault::PartOfSegment(text))
    } else {
        Ok(Segment::Word(text))
    }
}

/// The text of a segment, which is not empty.
fn decode(segment: &str) -> Option<String> {
    if segment.is_empty() || segment.contains(['?', '#']) {
        return None;
    }
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => hex(rest.next()?)? * 16 + hex(rest.next()?)?,
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(template: &str, uri: &str) -> Option<Vec<String>> {
        UriTemplate::parse(template).ok()?.matches(uri)
    }

    #[test]
    fn a_uri_matches_segment_by_segment() {
        let nodes = "forge://{project}/nodes/{node}";
        let of = |uri| values(nodes, uri);
        assert_eq!(of("forge://p/nodes/n"), Some(vec!["p".to_owned(), "n".to_owned()]));
        assert_eq!(of("forge://p/nodes/"), None, "an empty segment");
        assert_eq!(of("forge:///nodes/n"), None, "an empty first segment");
        assert_eq!(of("forge://p/nodes/n/"), None, "a slash at the end");
        assert_eq!(of("forge://p/nodes/n/more"), None, "a segment more");
        assert_eq!(of("forge://p/nodes"), None, "a segment less");
        assert_eq!(of("forge://p/node/n"), None, "another word");
        assert_eq!(of("forge://p/%6eodes/n"), None, "words are not decoded");
        assert_eq!(of("other://p/nodes/n"), None, "another scheme");
        assert_eq!(of("forge:p/nodes/n"), None);
        assert_eq!(of("forge://p/nodes/n#part"), None, "a fragment");
        assert_eq!(values("forge://plain", "forge://plain"), Some(Vec::new()));
    }

    #[test]
    fn values_are_decoded_strictly() {
        let of = |text: &str| values("a://{v}", &format!("a://{text}"))?.pop();
        assert_eq!(of("a%20b%C3%A9").as_deref(), Some("a bé"));
        assert_eq!(of("a%2Fb").as_deref(), Some("a/b"), "an encoded slash is part of the value");
        assert_eq!(of("a%2fb%25").as_deref(), Some("a/b%"));
        assert_eq!(of("a+b").as_deref(), Some("a+b"), "a plus is a plus");
        for broken in ["%", "%2", "%zz", "%ff", "%+1", "%c3%28"] {
            assert_eq!(of(broken), None, "{broken}");
        }
    }

    #[test]
    fn what_only_looks_like_a_template_is_refused() {
        let fault = |uri: &'static str| UriTemplate::parse(uri).expect_err(uri);
        assert_eq!(fault("things"), TemplateFault::NoScheme);
        assert_eq!(fault("a://b-{c}"), TemplateFault::PartOfSegment("b-{c}"));
        assert_eq!(fault("a://{b"), TemplateFault::PartOfSegment("{b"));
        assert_eq!(fault("a://{}"), TemplateFault::BadName("{}"));
        assert_eq!(fault("a://{+b}"), TemplateFault::BadName("{+b}"));
        assert_eq!(fault("a://{b}/{b}"), TemplateFault::Twice("b"));
        for (uri, part) in
            [("a://:b", ":b"), ("a://<b>", "<b>"), ("a://*", "*"), ("a://${b}", "${b}")]
        {
            assert_eq!(fault(uri), TemplateFault::OtherNotation(part));
        }
    }

    #[test]
    fn templates_overlap_where_a_uri_fits_both() {
        let overlap = |one, two| {
            let (one, two) = (UriTemplate::parse(one), UriTemplate::parse(two));
            one.expect("a template").overlaps(&two.expect("a template"))
        };
        assert!(overlap("a://{b}/c", "a://{d}/c"));
        assert!(overlap("a://{b}/c", "a://x/{d}"));
        assert!(!overlap("a://{b}/c", "a://{b}/d"));
        assert!(!overlap("a://{b}/c", "a://{b}"));
        assert!(!overlap("a://{b}", "c://{b}"));
    }
}
