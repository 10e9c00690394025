use super::*;

fn round(text: &str) -> String {
    compact(&parse(text).unwrap())
}

#[test]
fn floats_print_as_in_python() {
    for (source, python) in [
        ("1e16", "1e+16"),
        ("1e15", "1000000000000000.0"),
        ("0.00001", "1e-05"),
        ("0.0001", "0.0001"),
        ("0.5", "0.5"),
        ("12.50", "12.5"),
        ("1.5e300", "1.5e+300"),
        ("-0.0", "-0.0"),
        ("1E2", "100.0"),
        ("123456789012345678.0", "1.2345678901234568e+17"),
        ("0.1000000000000000055511151231257827", "0.1"),
        ("5e-324", "5e-324"),
        ("2155542103906238.25", "2155542103906238.2"),
        ("929135410319154.25", "929135410319154.2"),
    ] {
        assert_eq!(round(source), python, "{source}");
    }
}

#[test]
fn integers_keep_every_digit() {
    let long = "123456789012345678901234567890";
    assert_eq!(round(long), long);
    assert_eq!(round("-0"), "0");
    assert_eq!(round("1e999"), "1e999");
}

#[test]
fn strings_are_escaped_as_in_python() {
    assert_eq!(
        round(r#""\u007f\u0000/<é😀\ud83e\udd80\b\f\n\r\t\"\\""#),
        r#""\u007f\u0000/<\u00e9\ud83d\ude00\ud83e\udd80\b\f\n\r\t\"\\""#
    );
}

#[test]
fn unpaired_surrogates_survive_but_are_no_text() {
    let value = parse(r#"["a\ud800é", "\udc00\ud83e\udd80", "\ud800\u0041"]"#).unwrap();
    assert_eq!(compact(&value), r#"["a\ud800\u00e9","\udc00\ud83e\udd80","\ud800A"]"#);
    assert_eq!(value.as_array().unwrap()[0].as_str(), None);
}

#[test]
fn keys_sort_by_code_point_and_the_last_duplicate_wins() {
    assert_eq!(
        round(r#"{"é":1,"b":1,"\ud83e\udd80":1,"\uffff":1,"B":1,"b":2}"#),
        r#"{"B":1,"b":2,"\u00e9":1,"\uffff":1,"\ud83e\udd80":1}"#
    );
}

#[test]
fn pretty_keeps_empty_containers_on_one_line() {
    let value = parse(r#"{"a":[],"b":{},"c":[1,{"d":null}]}"#).unwrap();
    assert_eq!(
        pretty(&value),
        "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    {\n      \"d\": null\n    }\n  ]\n}\n"
    );
}

#[test]
fn errors_have_positions() {
    let error = parse("{\n  \"é\": tru\n}").unwrap_err();
    assert_eq!((error.line, error.column), (2, 8));
    for text in ["", "[1,]", "{\"a\":1,}", "01", "1.", "1e", "\"\\x\"", "\"\n\"", "[1] 2", "{a:1}"]
    {
        assert!(parse(text).is_err(), "{text}");
    }
    for word in ["NaN", "Infinity", "-Infinity"] {
        assert!(parse(word).unwrap_err().message.contains(word));
    }
    assert!(parse(&"[".repeat(100_000)).unwrap_err().message.contains("nested"));
}

#[test]
fn equality_with_an_integer_is_pythons() {
    for (text, equal) in
        [("1", true), ("1.0", true), ("true", true), ("\"1\"", false), ("2", false)]
    {
        assert_eq!(parse(text).unwrap().equals_integer(1), equal, "{text}");
    }
}
