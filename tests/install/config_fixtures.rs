//! Config files as users have them: comments, tabs, CRLF, no final newline, empty; handwritten and
//! random.

use toolwright_testing::random::Random;

/// JSON that is there before; `LIST` stands for the key of the servers.
pub(crate) const JSON: &[&str] = &[
    "",
    "\n",
    "  \n\n",
    "// nothing yet",
    "// nothing yet\n",
    "/* nothing\n   yet */\r\n",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\r\n}\r\n",
    "{\n  // nothing yet\n}\n",
    "{ /* nothing */ }",
    "{ // nothing\n}",
    "\u{feff}{}\r\n",
    "\u{feff}",
    "{\"LIST\":{}}",
    "{\"LIST\": {}}\n",
    "{\"LIST\": { }}",
    "{\n  \"LIST\": {}\n}",
    "{\n  \"LIST\": { }\n}\n",
    "{\n\t\"LIST\": {}\n}\n",
    "{\r\n    \"LIST\": {}\r\n}",
    "{\n  \"LIST\": {\n  }\n}\n",
    "{\n  \"LIST\": {\n\n\n  },\n  \"z\": 1\n}\n",
    "{\n  \"LIST\": {\n    // none so far\n  }\n}\n",
    "{\n  \"LIST\": { // none so far \n  },\n}\n",
    "{\n  \"LIST\": {\n    // \"wink\": {},\n    /* , */ } }",
    "{\"a\":1}",
    "{\"a\": 1}",
    "{\"a\": 1,}",
    "{ \"a\": 1 }\n",
    "{\n  \"a\": 1\n}\n",
    "{\n  \"a\": 1,\n}\n",
    "{\n  \"a\": 1 // one\n}\n",
    "{\n  \"a\": 1, // one  \n  // the end\n}\n",
    "{\n  \"a\": 1 /* one */ , /* two\n lines */ // x\n\n}\n\n\n",
    "{\n  \"a\": 1\n  ,\n}",
    "{\"a\": 1 // one\n}",
    "{\"a\": {\n\"b\": 1\n}}",
    "{\r\n\t\"a\": 1,\r\n\t\"LIST\": {\r\n\t\t\"x\": {\"command\": \"x\"}, // first\r\n\t},\r\n}\r\n",
    "{\n \"LIST\": {\n  \"x\": {\"command\": \"}//{\\\"\"}\n }\n}",
    "{\"LIST\":{\"x\":{\"command\":\"x\",\"args\":[]}},\"theme\":\"dark\"}",
    "{\"LIST\": {\"x\": {}}, \"b\": [1, 2, 3,]}",
    "{\n  \"LIST\": {\n    \"x\": {\n      \"command\": \"x\"\n    }\n  },\n  \"z\": {\"LIST\": {}}\n}\n",
    "{\n  \"LIST\": {\"x\": {}}, // one line\n  \"z\": null\n}\n",
    "{\n  \"LIST\": {\n    \"x\": {}, \"y\": {}\n  }\n}   ",
    "{\n  \"LIST\": {\n    \"x\": {},\n\n    // last\n    \"y\": {}\n\n    // after\n  }\n}\n// end",
    "{\n  \"numbers\": [1e400, -0, 12345678901234567890123, 1.10],\n  \"ü\": \"\\u00e9\\/\"\n}\n",
    "{\n  \"LIST\": {},\n  \"LIST\": {\n    \"x\": {}\n  }\n}\n",
];

/// TOML that is there before.
pub(crate) const TOML: &[&str] = &[
    "",
    "\n",
    "# nothing yet",
    "# nothing yet\n",
    "\u{feff}model = \"x\"\r\n",
    "model = \"x\"",
    "model = \"x\"\n",
    "model = \"x\"\n\n\n",
    "model = \"x\" # why\r\n\r\n[tui]\r\ntheme = 'dark'\r\n",
    "[mcp_servers]\n",
    "[mcp_servers]\n\n# none\n",
    "mcp_servers = {}\n",
    "mcp_servers = { }",
    "mcp_servers = { x = { command = \"x\" } }\n[tui]\na = 1\n",
    "mcp_servers = { x.command = \"x\", x.args = [\"#\", \",\"] }\n",
    "[mcp_servers.x]\ncommand = \"x\"\nargs = [\n  \"a\", # b\n]\n\n[mcp_servers.x.env]\nA = \"1\"\n",
    "[mcp_servers.x]\ncommand = \"x\"",
    "[mcp_servers]\nx = { command = \"x\" }\ny.command = \"y\"\n",
    "mcp_servers.x.command = \"x\"\n",
    "[[hooks]]\na = 1\n\n[[hooks]]\na = 2\n",
    "[a]\nb = \"\"\"\n[mcp_servers.wink]\n\"\"\"\nd = 1979-05-27T07:32:00Z\n",
    "[mcp_servers.y]\ncommand = 'y'\n  # indented\n\n\t[projects.\"/a b\"]\n\ttrust_level = \"trusted\"\n\n",
];

/// The original for a client.
pub(crate) fn for_client(client: &str, original: &str) -> String {
    original.replace("LIST", if client == "vscode" { "servers" } else { "mcpServers" })
}

/// Plain JSON: comments and trailing commas become blanks.
pub(crate) fn strict(text: &str) -> String {
    let text: Vec<char> = text.chars().collect();
    let mut out: Vec<char> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        match rest {
            ['"', ..] => {
                let mut end = 1;
                while rest[end] != '"' {
                    end += if rest[end] == '\\' { 2 } else { 1 };
                }
                out.extend(&rest[..=end]);
                at += end + 1;
            }
            ['/', '/', ..] => at += rest.iter().position(|c| *c == '\n').unwrap_or(rest.len()),
            ['/', '*', ..] => {
                at += rest.windows(2).skip(2).position(|two| two == ['*', '/']).unwrap() + 4;
            }
            [closing @ ('}' | ']'), ..] => {
                let last = out.iter().rposition(|c| !c.is_whitespace()).unwrap();
                if out[last] == ',' {
                    out[last] = ' ';
                }
                out.push(*closing);
                at += 1;
            }
            [other, ..] => {
                out.push(*other);
                at += 1;
            }
            [] => {}
        }
    }
    out.into_iter().collect()
}

/// JSON with comments that nobody wrote, which may have a list of servers.
pub(crate) fn random_json(random: &mut Random, list: &str) -> String {
    let writer = Writer { newline: if random.yes() { "\n" } else { "\r\n" }, list };
    let mut text = String::new();
    if random.below(6) == 0 {
        text.push('\u{feff}');
    }
    writer.gap(random, &mut text);
    writer.object(random, &mut text, 0, true);
    writer.gap(random, &mut text);
    text
}

struct Writer<'a> {
    newline: &'a str,
    list: &'a str,
}

impl Writer<'_> {
    fn gap(&self, random: &mut Random, text: &mut String) {
        for _ in 0..random.below(4) {
            match random.below(9) {
                0 => *text += &format!("// , {{ \" note  {}", self.newline),
                1 => *text += "/* } ,*/",
                2 => *text += &format!("/*{}//*/", self.newline),
                3 => *text += "\t",
                4..=5 => *text += " ",
                _ => *text += self.newline,
            }
        }
    }

    fn object(&self, random: &mut Random, text: &mut String, depth: usize, root: bool) {
        text.push('{');
        self.gap(random, text);
        let count = random.below(4);
        let place = random.below(count + 2);
        let names = (0..count).map(|index| format!("k{index} \\\"}}{{,//é"));
        let mut names: Vec<String> = names.collect();
        if root && place <= count {
            names.insert(place, self.list.to_owned());
        }
        for (index, name) in names.iter().enumerate() {
            *text += &format!("\"{name}\"");
            self.gap(random, text);
            text.push(':');
            self.gap(random, text);
            if name == self.list {
                self.object(random, text, depth + 1, false);
            } else {
                self.value(random, text, depth + 1);
            }
            self.gap(random, text);
            if index + 1 < names.len() || random.below(3) == 0 {
                text.push(',');
                self.gap(random, text);
            }
        }
        text.push('}');
    }

    fn value(&self, random: &mut Random, text: &mut String, depth: usize) {
        match random.below(if depth > 3 { 5 } else { 8 }) {
            0 => *text += "null",
            1 => *text += "-1.50e+3",
            2 => *text += "\"/* \\\" , } // \\\\\"",
            3 => *text += "true",
            4 => *text += "\"\"",
            5 => {
                text.push('[');
                self.gap(random, text);
                self.value(random, text, depth + 1);
                self.gap(random, text);
                text.push(']');
            }
            _ => self.object(random, text, depth, false),
        }
    }
}

/// TOML that nobody wrote, which may have a list of servers.
pub(crate) fn random_toml(random: &mut Random) -> String {
    let newline = if random.yes() { "\n" } else { "\r\n" };
    let mut lines: Vec<String> = Vec::new();
    let noise = |random: &mut Random, lines: &mut Vec<String>| {
        for _ in 0..random.below(3) {
            lines.push((*random.pick(&["", "  ", "# [mcp_servers.wink]", "\t# é"])).to_owned());
        }
    };
    noise(random, &mut lines);
    for index in 0..random.below(3) {
        lines.push(format!("key{index} = {} # note", random.pick(&["1", "'a'", "[ 1, # x\n 2]"])));
        noise(random, &mut lines);
    }
    match random.below(6) {
        0 => {
            lines.push("mcp_servers = { x = { command = 'x' }, y.command = \"y\" } # s".to_owned())
        }
        1 => lines.push("mcp_servers.x.command = 'x'".to_owned()),
        2 => lines.push("  [mcp_servers] # list\nx.command = 'x'".to_owned()),
        _ => {}
    }
    for index in 0..random.below(4) {
        noise(random, &mut lines);
        let header =
            [format!("[t{index}]"), format!("[[a{index}]]"), format!("[mcp_servers.s{index}]")];
        let last = if lines.iter().any(|line| line.starts_with("mcp_servers = ")) { 2 } else { 3 };
        lines.push(header[random.below(last)].clone());
        lines.push(format!("command = {}", random.pick(&["''", "\"\"\"\n[x]\n\"\"\"", "'''a'''"])));
    }
    noise(random, &mut lines);
    let text = lines.join("\n").replace('\n', newline);
    if random.yes() && !text.is_empty() { text + newline } else { text }
}
