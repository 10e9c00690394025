//! Every write to the store's disk takes long, or does not come to an end for a while.

use std::time::Duration;

use serde_json::json;

use crate::stream::{Begun, Stream};

crate::table::fault!("the disk is slow" on Unsteady);

fn make(stream: &mut Stream) -> String {
    stream.writes(2);
    stream.surface.machine().faults().disk_takes(Duration::from_millis(5));
    stream.goes_on();
    stream.surface.machine().faults().disk_takes(Duration::ZERO);

    let begun = stuck(stream);
    stream.surface.machine().faults().disk_stands_still(false);
    stream.wait(begun).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    stream.goes_on();

    let begun = stuck(stream);
    stream.session().cancel(begun.id);
    answers(stream, &begun);
    stream.surface.machine().faults().disk_stands_still(false);
    stream.give_up(&begun);
    stream.recovers();
    "waits and is whole; other calls are answered; a cancelled write is old or new".to_owned()
}

/// A write that cannot come to its end, and a server that answers others meanwhile.
fn stuck(stream: &mut Stream) -> Begun {
    let call = stream.prepare().unwrap_or_else(|refusal| panic!("{refusal:?}"));
    stream.surface.machine().faults().disk_stands_still(true);
    let begun = stream.begin(call);
    answers(stream, &begun);
    begun
}

fn answers(stream: &mut Stream, begun: &Begun) {
    let ping = stream.session().begin("ping", json!({}));
    assert_eq!(stream.session().wait(ping)["result"], json!({}));
    stream.read().unwrap_or_else(|refusal| panic!("{refusal:?}"));
    assert!(!stream.session().has_response(begun.id), "the disk was not needed");
}
