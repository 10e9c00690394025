//! The wall clock jumps by days, forwards and backwards, between calls and in the middle of a write.

use std::process::Command;
use std::time::UNIX_EPOCH;

use crate::machine::Machine;
use crate::stream::Stream;

/// In seconds.
const DAY: i64 = 86_400;

crate::table::fault!("the clock jumps by days" on Unsteady);

fn make(stream: &mut Stream) -> String {
    let mut stale = None;
    stream.writes(2);
    for days in [3, -3, 0, -3, 3, 0] {
        // What was reviewed before the jump may be too old after it.
        let call = stream.prepare().unwrap_or_else(|refusal| panic!("{refusal:?}"));
        stream.surface.machine().faults().clock_is_off_by(days);
        assert!(is_off_by(stream.surface.machine(), days), "the clock does not jump");
        let begun = stream.begin(call);
        if let Err(refusal) = stream.wait(begun) {
            stale = Some(refusal.code);
        }
        stream.goes_on();
    }
    // In the middle of a write.
    for days in [3, -3] {
        let call = stream.prepare().unwrap_or_else(|refusal| panic!("{refusal:?}"));
        stream.surface.machine().faults().disk_stands_still(true);
        let begun = stream.begin(call);
        stream.surface.machine().faults().clock_is_off_by(days);
        stream.surface.machine().faults().disk_stands_still(false);
        stream.wait(begun).unwrap_or_else(|refusal| panic!("{refusal:?}"));
        stream.goes_on();
    }
    stream.recovers();
    match stale {
        Some(code) => format!("goes on; a plan reviewed before a jump is `{code}`"),
        None => "goes on".to_owned(),
    }
}

/// Whether that is what a process on this ground sees, give or take half a day.
fn is_off_by(machine: &Machine, days: i64) -> bool {
    let mut date = Command::new("date");
    let output = machine.command(date.arg("+%s")).output().expect("date runs");
    let seen: i64 = String::from_utf8_lossy(&output.stdout).trim().parse().expect("seconds");
    let now = UNIX_EPOCH.elapsed().expect("a clock after 1970").as_secs();
    let off = seen - i64::try_from(now).expect("not that late");
    (off - days * DAY).abs() < DAY / 2
}
