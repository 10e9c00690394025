//! Words of the calendar in English, German and Portuguese. Tables only.

use super::super::token::Token;

const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "jänner", "janeiro"],
    &["february", "feb", "februar", "fevereiro"],
    &["march", "mar", "märz", "março"],
    &["april", "apr", "abril"],
    &["may", "mai", "maio"],
    &["june", "jun", "juni", "junho"],
    &["july", "jul", "juli", "julho"],
    &["august", "aug", "agosto"],
    &["september", "sep", "sept", "setembro"],
    &["october", "oct", "oktober", "okt", "outubro"],
    &["november", "nov", "novembro"],
    &["december", "dec", "dezember", "dez", "dezembro"],
];
const WEEKDAYS: [&[&str]; 7] = [
    &["monday", "mon", "montag", "segunda", "mondays"],
    &["tuesday", "tue", "tues", "dienstag", "terça"],
    &["wednesday", "wed", "mittwoch", "quarta"],
    &["thursday", "thu", "thurs", "donnerstag", "quinta"],
    &["friday", "fri", "freitag", "sexta"],
    &["saturday", "sat", "samstag", "sonnabend", "sábado"],
    &["sunday", "sun", "sonntag", "domingo"],
];
const WORKING: u8 = 0b001_1111;
const WEEKEND: u8 = 0b110_0000;

/// The number of a month.
pub(super) fn month(word: &str) -> Option<u32> {
    let word = word.strip_suffix("'s").unwrap_or(word);
    let at = MONTHS.iter().position(|names| names.contains(&word))?;
    u32::try_from(at + 1).ok()
}

/// Whether the month's name is a common word as well.
pub(super) fn doubtful(token: &Token) -> bool {
    token.any(&["may", "march", "mar", "sep", "dec", "jan", "jun", "dez", "mai"])
}

/// The months of a season.
pub(super) fn season(word: &str) -> Option<(u32, u32)> {
    Some(match word {
        "spring" | "frühling" | "frühjahr" | "primavera" => (3, 5),
        "summer" | "sommer" | "verão" => (6, 8),
        "autumn" | "herbst" | "outono" => (9, 11),
        _ => return None,
    })
}

/// The quarter of a year: `q1`.
pub(super) fn quarter(word: &str) -> Option<u32> {
    let quarter = word.strip_prefix('q')?.parse().ok()?;
    (1..=4).contains(&quarter).then_some(quarter)
}

/// The place of a weekday in the week, from 0.
fn weekday(word: &str) -> Option<usize> {
    let short = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let single = match word.strip_suffix('s') {
        Some(single) if !short.contains(&single) => single,
        _ => word,
    };
    WEEKDAYS.iter().position(|names| names.contains(&single))
}

/// The days of the week that are named from `at` on, a bit for each, and the token after.
/// "Sat" and "sun" count in a list or beside "on" only, "segunda" after "à" or before "feira".
pub(super) fn weekdays(tokens: &[Token], at: usize) -> Option<(u8, usize)> {
    let (first, mut end) = day(tokens, at)?;
    let mut days = first;
    while let Some(mark) = tokens.get(end) {
        let range = mark.any(&["to", "-", "–", "through", "till", "until", "bis", "a"]);
        let list = mark.any(&[",", "and", "or", "/", "&", "und", "oder", "e", "ou", "+"]);
        let next = if list
            && tokens.get(end + 1).is_some_and(|word| word.any(&["and", "on", "às", "aos"]))
        {
            end + 2
        } else {
            end + 1
        };
        let Some((more, after)) = day(tokens, next).filter(|_| range || list) else { break };
        if range {
            let (from, to) = (days.trailing_zeros(), more.trailing_zeros());
            for place in from..=to.max(from) {
                days |= 1 << place;
            }
        }
        days |= more;
        end = after;
    }
    Some((days, end))
}

fn day(tokens: &[Token], at: usize) -> Option<(u8, usize)> {
    let token = tokens.get(at)?;
    let word = token.lower.as_str();
    let next = tokens.get(at + 1);
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    match word {
        "weekday" | "weekdays" | "workday" | "workdays" | "werktags" | "werktag" => {
            return Some((WORKING, at + 1));
        }
        "wochentags" => return Some((WORKING, at + 1)),
        "weekend" | "weekends" | "wochenende" | "wochenenden" => {
            return Some((WEEKEND, at + 1));
        }
        _ => {}
    }
    let phrase = |words: [&str; 3]| {
        words
            .iter()
            .enumerate()
            .all(|(place, word)| tokens.get(at + place).is_some_and(|token| token.is(word)))
    };
    if phrase(["unter", "der", "woche"]) || phrase(["durante", "a", "semana"]) {
        return Some((WORKING, at + 3));
    }
    if phrase(["fim", "de", "semana"]) || phrase(["fins", "de", "semana"]) {
        return Some((WEEKEND, at + 3));
    }
    let place = weekday(word)?;
    let mut end = at + 1;
    if next.is_some_and(|next| next.is("-")) && tokens.get(at + 2).is_some_and(feira) {
        end = at + 3;
    } else if next.is_some_and(feira) {
        end = at + 2;
    }
    let led = before.is_some_and(|before| {
        before.any(&["à", "às", "na", "nas", "da", "on", "every", "no", "from", "e", ",", "uma"])
    });
    let doubtful = matches!(
        word,
        "sat"
            | "sun"
            | "wed"
            | "mon"
            | "segunda"
            | "quarta"
            | "quinta"
            | "sexta"
            | "terça"
            | "segundas"
            | "quartas"
            | "quintas"
            | "sextas"
    );
    (!doubtful || led || end > at + 1).then_some((1 << place, end))
}

fn feira(token: &Token) -> bool {
    token.any(&["feira", "feiras"])
}

/// From when to when a part of the day lasts, in minutes after midnight.
pub(super) fn part_of_day(word: &str) -> Option<(u32, u32)> {
    // The afternoon begins when the morning is over.
    let hours = |from: u32, to: u32| Some((from * 60, (to * 60 - u32::from(from < to))));
    match word.strip_suffix('s').unwrap_or(word) {
        "morning" | "vormittag" | "manhã" => hours(5, 12),
        "noon" | "midday" | "mittag" => hours(12, 12),
        "afternoon" | "nachmittag" => hours(12, 18),
        "evening" | "abend" => hours(17, 24),
        "midnight" => hours(24, 24),
        _ => None,
    }
}
