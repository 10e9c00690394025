//! Entries in JSON with comments and trailing commas.

pub(super) mod update;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use super::braces::{Braces, Comments, Layout};
use super::{CreatedParts, EditError, Leaf, Members, trailing_block};

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The whole document as a value; null if it is empty.
pub(super) fn document(text: &str) -> Result<Value, EditError> {
    Ok(parse(text)?.map_or(Value::Null, |root| plain(&root)))
}

/// See [`super::insert`].
pub(super) fn insert(
    text: &str,
    list: &str,
    name: &str,
    members: &Members,
) -> Result<(String, CreatedParts), EditError> {
    let layout = Layout::of(text);
    let entry = |indent: Option<&str>| {
        let fields =
            members.iter().map(|(key, value)| (key.as_str(), inline(value, layout.spaced)));
        let fields: Vec<(&str, String)> = fields.collect();
        member(name, &object(&fields, indent, &layout), &layout)
    };
    let whole_list = |indent: Option<&str>| {
        let inner = indent.map(|indent| format!("{indent}{}", layout.unit));
        let value = braced(&[entry(inner.as_deref())], indent, &layout);
        member(list, &value, &layout)
    };
    let Some(root) = parse(text)? else {
        let block = braced(&[whole_list(Some(&layout.unit))], Some(""), &layout);
        let new = trailing_block::append(text, &block, layout.newline, false);
        return Ok((new, CreatedParts { document: true, list: true, ..CreatedParts::default() }));
    };
    let root = as_object(text, &root, "the document")?;
    Ok(match property(root, list) {
        Some(found) => {
            let found = as_object(text, &found.value, &format!("`{list}`"))?;
            let inserted = braces(found).insert(text, &layout, &entry);
            (inserted.text, CreatedParts { list_lines: inserted.spread, ..CreatedParts::default() })
        }
        None => {
            let inserted = braces(root).insert(text, &layout, &whole_list);
            let created = CreatedParts {
                list: true,
                document_lines: inserted.spread,
                ..CreatedParts::default()
            };
            (inserted.text, created)
        }
    })
}

/// See [`super::remove`].
pub(super) fn remove(
    text: &str,
    list: &str,
    name: &str,
    mut created: CreatedParts,
) -> Result<(String, CreatedParts), EditError> {
    let mut text = text.to_owned();
    // Remove duplicate names too.
    while let Some(shorter) = without(&text, list, name)? {
        text = shorter;
    }
    let Some(root) = parse(&text)? else { return Ok((text, CreatedParts::default())) };
    let Some(found) = root.as_object().and_then(|root| property(root, list)?.value.as_object())
    else {
        return Ok((text, CreatedParts::default()));
    };
    let inner = braces(found).inner;
    if !found.properties.is_empty() || !text[inner.clone()].trim().is_empty() {
        return Ok((text, created));
    }
    if created.list_lines && !created.list {
        created.list_lines = false;
        text.replace_range(inner, "");
        return Ok((text, created));
    }
    if !created.list {
        return Ok((text, created));
    }
    (created.list, created.list_lines) = (false, false);
    let Some(shorter) = without_list(&text, list)? else { return Ok((text, created)) };
    text = shorter;
    let Some(root) = parse(&text)? else { return Ok((text, CreatedParts::default())) };
    let Some(found) = root.as_object() else { return Ok((text, created)) };
    let inner = braces(found).inner;
    if found.properties.is_empty() && text[inner.clone()].trim().is_empty() {
        if created.document {
            let range = found.range();
            text = trailing_block::cut(&text, range.start..range.end, false);
        } else if created.document_lines {
            text.replace_range(inner, "");
        }
        created = CreatedParts::default();
    }
    Ok((text, created))
}

/// The text without the entry, if it is present.
fn without(text: &str, list: &str, name: &str) -> Result<Option<String>, EditError> {
    let Some(root) = parse(text)? else { return Ok(None) };
    let found = root.as_object().and_then(|root| property(root, list)?.value.as_object());
    Ok(found.and_then(|found| Some(braces(found).remove(text, index(found, name)?))))
}

fn without_list(text: &str, list: &str) -> Result<Option<String>, EditError> {
    let Some(root) = parse(text)? else { return Ok(None) };
    let root = root.as_object();
    Ok(root.and_then(|root| Some(braces(root).remove(text, index(root, list)?))))
}

/// See [`super::leaves`].
pub(super) fn leaves(text: &str) -> Result<Vec<Leaf>, EditError> {
    let mut found = Vec::new();
    if let Some(root) = parse(text)? {
        collect(&root, &[], None, &mut found);
    }
    Ok(found)
}

fn collect(value: &ast::Value<'_>, path: &[String], before: Option<&str>, found: &mut Vec<Leaf>) {
    let mut leaf = |value: &str, range: &jsonc_parser::common::Range| {
        let (path, before) = (path.to_vec(), before.map(str::to_owned));
        found.push(Leaf { path, before, value: value.to_owned(), range: range.start..range.end });
    };
    match value {
        ast::Value::StringLit(text) => leaf(&text.value, &text.range),
        ast::Value::NumberLit(number) => leaf(number.value, &number.range),
        ast::Value::Array(array) => {
            let mut before = None;
            for element in &array.elements {
                collect(element, path, before, found);
                before = element.as_string_lit().map(|text| &*text.value);
            }
        }
        ast::Value::Object(object) => {
            for property in &object.properties {
                let path = [path, &[property.name.as_str().to_owned()]].concat();
                collect(&property.value, &path, None, found);
            }
        }
        ast::Value::BooleanLit(_) | ast::Value::NullKeyword(_) => {}
    }
}

fn parse(text: &str) -> Result<Option<ast::Value<'_>>, EditError> {
    match parse_to_ast(text, &CollectOptions::default(), &OPTIONS) {
        Ok(parsed) => Ok(parsed.value),
        Err(error) => Err(EditError::at(text, error.range().start, error.kind().to_string())),
    }
}

fn as_object<'a, 'b>(
    text: &str,
    value: &'b ast::Value<'a>,
    what: &str,
) -> Result<&'b ast::Object<'a>, EditError> {
    let not_one = || EditError::at(text, value.range().start, format!("{what} is not an object"));
    value.as_object().ok_or_else(not_one)
}

/// The effective property: the last of its name.
fn property<'a, 'b>(object: &'b ast::Object<'a>, name: &str) -> Option<&'b ast::ObjectProp<'a>> {
    object.properties.get(index(object, name)?)
}

fn index(object: &ast::Object<'_>, name: &str) -> Option<usize> {
    object.properties.iter().rposition(|property| property.name.as_str() == name)
}

fn braces(object: &ast::Object<'_>) -> Braces {
    let range = object.range();
    Braces {
        inner: range.start + 1..range.end - 1,
        members: object
            .properties
            .iter()
            .map(|property| property.start()..property.end())
            .collect(),
        comments: Comments::Slashes,
    }
}

fn plain(value: &ast::Value<'_>) -> Value {
    match value {
        ast::Value::StringLit(text) => Value::String(text.value.clone().into_owned()),
        ast::Value::NumberLit(number) => {
            serde_json::from_str(number.value).unwrap_or_else(|_| Value::from(number.value))
        }
        ast::Value::BooleanLit(flag) => Value::Bool(flag.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(array) => array.elements.iter().map(plain).collect(),
        ast::Value::Object(object) => {
            let pair = |property: &ast::ObjectProp<'_>| {
                (property.name.as_str().to_owned(), plain(&property.value))
            };
            Value::Object(object.properties.iter().map(pair).collect::<Map<_, _>>())
        }
    }
}

fn member(name: &str, value: &str, layout: &Layout) -> String {
    format!("{}:{}{value}", Value::from(name), if layout.spaced { " " } else { "" })
}

fn object(fields: &[(&str, String)], indent: Option<&str>, layout: &Layout) -> String {
    let members = fields.iter().map(|(name, value)| member(name, value, layout));
    braced(&members.collect::<Vec<_>>(), indent, layout)
}

/// Members between braces, each on a line of its own where there is an indentation.
fn braced(members: &[String], indent: Option<&str>, layout: &Layout) -> String {
    let Some(indent) = indent else {
        return format!("{{{}}}", members.join(if layout.spaced { ", " } else { "," }));
    };
    let (newline, unit) = (layout.newline, &layout.unit);
    let lines: Vec<String> =
        members.iter().map(|member| format!("{newline}{indent}{unit}{member}")).collect();
    format!("{{{}{newline}{indent}}}", lines.join(","))
}

/// A value on one line.
fn inline(value: &Value, spaced: bool) -> String {
    let (comma, colon) = if spaced { (", ", ": ") } else { (",", ":") };
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| inline(item, spaced)).collect();
            format!("[{}]", items.join(comma))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| {
                    format!("{}{colon}{}", Value::from(name.as_str()), inline(value, spaced))
                })
                .collect();
            format!("{{{}}}", members.join(comma))
        }
        other => other.to_string(),
    }
}
