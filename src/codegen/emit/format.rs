//! The text of the module: sections, blank lines between items, prettyplease for each item.

use proc_macro2::TokenStream;
use syn::{File, Item, ItemMod};

/// The growing text of a generated file.
pub(crate) struct Text {
    text: String,
}

impl Text {
    /// Starts with the lines that open the file.
    pub(crate) fn new(head: String) -> Self {
        Self { text: head }
    }

    /// A comment that opens a group of items.
    pub(crate) fn section(&mut self, title: &str) {
        let rule = "-".repeat(96_usize.saturating_sub(title.chars().count()).max(4));
        self.text.push_str(&format!("\n// {title} {rule}\n"));
    }

    /// Items written with `quote!`.
    pub(crate) fn tokens(&mut self, tokens: TokenStream) -> Result<(), String> {
        let file: File = syn::parse2(tokens).map_err(|error| error.to_string())?;
        self.items(file.items);
        Ok(())
    }

    /// Parsed items, each after a blank line.
    pub(crate) fn items(&mut self, items: Vec<Item>) {
        for item in items {
            self.raw(&item_text(item));
        }
    }

    /// The `use` items, without blank lines between them.
    pub(crate) fn imports(&mut self, tokens: TokenStream) -> Result<(), String> {
        let file: File = syn::parse2(tokens).map_err(|error| error.to_string())?;
        self.raw(&prettyplease::unparse(&file));
        Ok(())
    }

    /// Items that are text already, each after a blank line.
    pub(crate) fn raws(&mut self, items: &[String]) {
        items.iter().for_each(|item| self.raw(item));
    }

    /// An item that is text already.
    pub(crate) fn raw(&mut self, item: &str) {
        self.text.push('\n');
        self.text.push_str(item);
    }

    /// A module of items that are text already.
    pub(crate) fn module(&mut self, doc: &str, name: &str, items: &[String]) {
        let body = indented(&items.join("\n"));
        self.raw(&format!("{doc}\nmod {name} {{\n{body}}}\n"));
    }

    /// The whole text.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// The text of an item.
pub(crate) fn item_text(item: Item) -> String {
    match item {
        Item::Mod(ItemMod {
            content: Some((brace, items)),
            attrs,
            vis,
            unsafety,
            mod_token,
            ident,
            semi,
        }) => {
            // prettyplease puts no blank lines between items, so the body is laid out here.
            let body: Vec<String> = items.into_iter().map(item_text).collect();
            let shell = Item::Mod(ItemMod {
                content: Some((brace, Vec::new())),
                attrs,
                vis,
                unsafety,
                mod_token,
                ident,
                semi,
            });
            let shell = pretty(shell);
            let head = shell.trim_end().trim_end_matches('}');
            format!("{head}\n{}}}\n", indented(&body.join("\n")))
        }
        Item::Impl(_) => spaced_functions(&pretty(item)),
        item => pretty(item),
    }
}

fn pretty(item: Item) -> String {
    prettyplease::unparse(&File {
        shebang: None,
        frontmatter: None,
        attrs: Vec::new(),
        items: vec![item],
    })
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") })
        .collect()
}

/// A blank line after each function of an `impl` that another member follows.
fn spaced_functions(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        spaced.push_str(line);
        spaced.push('\n');
        if line == "    }" && lines.peek().is_some_and(|next| *next != "}") {
            spaced.push('\n');
        }
    }
    spaced
}
