//! `TABLE.md`: faults × surfaces, and how each ends. Every cell has a test, and every test a cell.
//!
//! Each test holds what it has seen against its cell; with `INSTA_UPDATE=always` it writes the cell
//! instead. Knows no fault and no surface by name.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::FAULTS;
use crate::machine::MachineKind;
use crate::stream::Stream;
use crate::surfaces::Column;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/TABLE.md");

const HEAD: &str = "# Faults and how they end

What a client is told while a fault lasts, and what is true after it. `tests/faults` makes every fault for
every surface, with the real program on a real store, and holds what it sees against this table;
`INSTA_UPDATE=always cargo test --test faults` writes it.

In all cells: whatever is refused is refused with a code that the tool declares and that says what to do;
afterwards the store holds every acknowledged write once and whole, no refused one, and those that nobody
has heard of wholly or not at all. \"goes on\" is the same process, without a restart.
";

/// A row.
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// What it needs to be made on.
    pub(crate) machine: MachineKind,
    /// Makes it and tells how it ended.
    pub(crate) make: fn(&mut Stream) -> String,
}

/// Makes `FAULT` and a test for each of its cells.
macro_rules! fault {
    ($name:literal on $machine:ident) => {
        pub(crate) const FAULT: $crate::table::Fault = $crate::table::Fault {
            name: $name,
            machine: $crate::machine::MachineKind::$machine,
            make,
        };
        $crate::table::fault!(cells wink Wink agentpack Agentpack wa Wa
            yarnnn_sqlite YarnnnSqlite yarnnn_postgres YarnnnPostgres
            worldforge_sqlite WorldforgeSqlite worldforge_mongodb WorldforgeMongodb);
    };
    (cells $($test:ident $column:ident)+) => {
        $(#[test]
        fn $test() {
            $crate::table::hold(&FAULT, $crate::surfaces::Column::$column);
        })+
    };
}
pub(crate) use fault;

type Cells = BTreeMap<(String, String), String>;

/// Makes the fault for one surface and compares the outcome with the table.
pub(crate) fn hold(fault: &Fault, column: Column) {
    let Some(mut stream) = Stream::open(column, fault.machine) else { return };
    let outcome = (fault.make)(&mut stream);
    let cell = (fault.name.to_owned(), column.name().to_owned());
    if toolwright_testing::expected::is_blessing() {
        static WRITING: Mutex<()> = Mutex::new(());
        let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut cells = read().unwrap_or_default();
        cells.insert(cell, outcome);
        std::fs::write(FILE, render(&cells)).expect("the table can be written");
        return;
    }
    let cells = read().expect("the table can be read");
    assert_eq!(cells.get(&cell), Some(&outcome), "{} × {}", fault.name, column.name());
}

fn words(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    inner.split(" | ").map(|word| word.trim().to_owned()).collect()
}

/// The cells of the file; None where it is not a table.
fn read() -> Option<Cells> {
    let text = std::fs::read_to_string(FILE).ok()?;
    let mut lines = text.lines().filter(|line| line.starts_with('|')).map(words);
    let columns = lines.next()?;
    let mut cells = Cells::new();
    for line in lines.skip(1) {
        for (column, cell) in columns.iter().zip(&line).skip(1) {
            cells.insert((line[0].clone(), column.clone()), cell.clone());
        }
    }
    Some(cells)
}

fn render(cells: &Cells) -> String {
    let columns = Column::ALL.map(Column::name);
    let mut text = format!(
        "{HEAD}\n| fault | {} |\n|---{}|\n",
        columns.join(" | "),
        "|---".repeat(columns.len())
    );
    for fault in FAULTS {
        let cell = |column: &&str| {
            cells.get(&(fault.name.to_owned(), (*column).to_owned())).cloned().unwrap_or_default()
        };
        let line: Vec<String> = columns.iter().map(cell).collect();
        text += &format!("| {} | {} |\n", fault.name, line.join(" | "));
    }
    text
}

#[test]
fn the_table_has_a_cell_for_every_test_and_no_other() {
    let cells = read().expect("the table can be read");
    let filled = cells.iter().filter(|(_, outcome)| !outcome.is_empty()).count();
    assert_eq!(filled, FAULTS.len() * Column::ALL.len(), "a cell is empty or too many");
    // Rows and columns are those of the tests, in their order.
    assert_eq!(std::fs::read_to_string(FILE).expect("readable"), render(&cells));
}
