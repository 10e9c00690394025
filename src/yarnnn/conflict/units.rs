//! Words of units: periods, number words, magnitudes, currencies, measures, in English, German and
//! Portuguese. Tables only.

use super::quantity::Unit;

/// Times per year of a word such as `daily`.
pub(super) fn adverb(word: &str) -> Option<f64> {
    Some(match word {
        "hourly" | "stündlich" => 8766.0,
        "daily" | "nightly" | "täglich" | "diariamente" => 365.25,
        "weekly" | "wöchentlich" | "semanalmente" | "semanal" => 52.18,
        "biweekly" | "fortnightly" => 26.09,
        "monthly" | "monatlich" | "mensalmente" | "mensal" => 12.0,
        "quarterly" | "vierteljährlich" => 4.0,
        "yearly" | "annually" | "jährlich" | "anualmente" | "anual" => 1.0,
        _ => return None,
    })
}

/// How many such periods make a year.
pub(super) fn per_year(word: &str) -> Option<f64> {
    Some(match word {
        "second" | "seconds" | "sec" | "s" | "sekunde" | "segundo" => 31_557_600.0,
        "minute" | "minutes" | "min" | "minuto" => 525_960.0,
        "hour" | "hours" | "h" | "hr" | "stunde" | "hora" => 8766.0,
        "day" | "days" | "night" | "nights" | "morning" | "evening" | "tag" | "dia" => 365.25,
        "week" | "weeks" | "woche" | "semana" => 52.18,
        "fortnight" => 26.09,
        "month" | "months" | "monat" | "mês" => 12.0,
        "quarter" | "quarters" | "quartal" | "trimestre" => 4.0,
        "semester" | "term" | "semestre" => 2.0,
        "year" | "years" | "annum" | "season" | "jahr" | "ano" => 1.0,
        _ => return None,
    })
}

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const KLEIN: [&str; 20] = [
    "null",
    "eins",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
    "dreizehn",
    "vierzehn",
    "fünfzehn",
    "sechzehn",
    "siebzehn",
    "achtzehn",
    "neunzehn",
];
const PEQUENO: [&str; 20] = [
    "zero",
    "um",
    "dois",
    "três",
    "quatro",
    "cinco",
    "seis",
    "sete",
    "oito",
    "nove",
    "dez",
    "onze",
    "doze",
    "treze",
    "catorze",
    "quinze",
    "dezasseis",
    "dezassete",
    "dezoito",
    "dezanove",
];

/// A number word.
pub(super) fn word_number(word: &str) -> Option<f64> {
    for list in [&SMALL, &KLEIN, &PEQUENO] {
        if let Some(value) = list.iter().position(|name| *name == word)
            && word != "um"
        {
            return u32::try_from(value).ok().map(f64::from);
        }
    }
    tens(word).or_else(|| composed(word)).or(match word {
        "duas" => Some(2.0),
        "hundred" | "hundert" | "cem" | "cento" => Some(100.0),
        "thousand" | "tausend" | "mil" => Some(1000.0),
        "dozen" | "dutzend" | "dúzia" => Some(12.0),
        _ => None,
    })
}

/// `twenty`, which another digit may follow.
pub(super) fn tens(word: &str) -> Option<f64> {
    Some(match word {
        "twenty" | "zwanzig" | "vinte" => 20.0,
        "thirty" | "dreißig" | "trinta" => 30.0,
        "forty" | "vierzig" | "quarenta" => 40.0,
        "fifty" | "fünfzig" | "cinquenta" => 50.0,
        "sixty" | "sechzig" | "sessenta" => 60.0,
        "seventy" | "siebzig" | "setenta" => 70.0,
        "eighty" | "achtzig" | "oitenta" => 80.0,
        "ninety" | "neunzig" | "noventa" => 90.0,
        _ => return None,
    })
}

/// `vierundzwanzig`, `vierzehntausend`: German writes a number as one word.
fn composed(word: &str) -> Option<f64> {
    if let Some((ones, rest)) = word.split_once("und")
        && let (Some(ones), Some(tens)) = (one(ones), tens(rest))
    {
        return Some(ones + tens);
    }
    for (ending, by) in [("tausend", 1000.0), ("hundert", 100.0)] {
        if let Some(many) = word.strip_suffix(ending).filter(|many| !many.is_empty()) {
            return Some(one(many).or_else(|| tens(many))? * by);
        }
    }
    None
}

fn one(word: &str) -> Option<f64> {
    let at = KLEIN.iter().position(|name| *name == word || word == "ein" && *name == "eins")?;
    u32::try_from(at).ok().map(f64::from)
}

/// The share that a word such as `third` stands for, after `a`, `one` or a number.
pub(super) fn fraction(word: &str) -> Option<f64> {
    Some(match word {
        "half" | "halves" | "hälfte" | "metade" => 0.5,
        "third" | "thirds" | "drittel" => 1.0 / 3.0,
        "quarter" | "quarters" | "viertel" => 0.25,
        "fifth" | "fifths" | "fünftel" => 0.2,
        "sixth" => 1.0 / 6.0,
        "eighth" | "eighths" | "achtel" => 0.125,
        "tenth" | "tenths" | "zehntel" => 0.1,
        _ => return None,
    })
}

/// What a number is multiplied by.
pub(super) fn magnitude(word: &str) -> Option<f64> {
    Some(match word {
        "k" | "thousand" | "tausend" | "mil" => 1e3,
        "m" | "mn" | "mio" | "million" | "millionen" | "milhões" => 1e6,
        "bn" | "b" | "billion" => 1e9,
        "hundred" => 100.0,
        "dozen" | "dutzend" => 12.0,
        _ => return None,
    })
}

/// The code of a currency.
pub(super) fn currency(word: &str) -> Option<&'static str> {
    Some(match word {
        "$" | "usd" | "dollar" | "dollars" | "bucks" => "USD",
        "€" | "eur" | "euro" | "euros" => "EUR",
        "£" | "gbp" | "pounds" | "quid" => "GBP",
        "¥" | "yen" | "jpy" => "JPY",
        "chf" | "francs" | "franken" => "CHF",
        "zł" | "pln" | "zloty" => "PLN",
        _ => return None,
    })
}

/// A unit of measure and what one of it is worth.
pub(super) fn measure(word: &str) -> Option<(Unit, f64)> {
    let data = |power: i32| Some((Unit::Data, 1000_f64.powi(power)));
    let time = |seconds: f64| Some((Unit::Time, seconds));
    let of = |name: &'static str, by: f64| Some((Unit::Of(name), by));
    match word {
        "%" | "percent" | "pct" | "prozent" => Some((Unit::Percent, 1.0)),
        "ms" | "millisecond" | "milliseconds" => time(1e-3),
        "s" | "sec" | "secs" | "second" | "seconds" | "sekunden" | "segundos" => time(1.0),
        "min" | "mins" | "minute" | "minutes" | "minuten" | "minutos" => time(60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" | "stunde" | "stunden" | "hora" | "horas" => {
            time(3600.0)
        }
        "d" | "day" | "days" | "night" | "nights" | "tag" | "tage" | "tagen" | "dia" | "dias" => {
            time(86_400.0)
        }
        "week" | "weeks" | "woche" | "wochen" | "semana" | "semanas" => time(604_800.0),
        "fortnight" | "fortnights" => time(1_209_600.0),
        "month" | "months" | "monat" | "monate" | "monaten" | "mês" | "meses" => time(2_629_800.0),
        "quarter" | "quarters" => time(7_889_400.0),
        "year" | "years" | "jahr" | "jahre" | "jahren" | "ano" | "anos" => time(31_557_600.0),
        "kb" | "kib" | "kilobytes" => data(1),
        "mb" | "mib" | "megabytes" => data(2),
        "gb" | "gib" | "gigabytes" => data(3),
        "tb" | "tib" | "terabytes" => data(4),
        "mcg" | "µg" | "μg" | "microgram" | "micrograms" => of("mass", 1e-6),
        "mg" | "milligram" | "milligrams" => of("mass", 1e-3),
        "g" | "gram" | "grams" | "gramm" | "gramas" => of("mass", 1.0),
        "kg" | "kilo" | "kilos" | "kilogram" | "kilograms" | "quilo" | "quilos" => of("mass", 1e3),
        "tonne" | "tonnes" | "ton" | "tons" | "tonnen" | "toneladas" | "t" => of("mass", 1e6),
        "oz" | "ounce" | "ounces" => of("mass", 28.35),
        "lb" | "lbs" => of("mass", 453.6),
        "mm" | "millimetre" | "millimetres" | "millimeters" => of("length", 1e-3),
        "cm" | "centimetre" | "centimetres" | "centimeters" | "zentimeter" => of("length", 1e-2),
        "metre" | "metres" | "meter" | "meters" | "metern" | "metro" | "metros" => {
            of("length", 1.0)
        }
        "km" | "kilometre" | "kilometres" | "kilometer" | "kilometers" | "quilómetros"
        | "quilômetros" => of("length", 1e3),
        "inch" | "inches" => of("length", 0.0254),
        "foot" | "feet" | "ft" => of("length", 0.3048),
        "yard" | "yards" => of("length", 0.9144),
        "mile" | "miles" => of("length", 1609.3),
        "ml" | "millilitre" | "millilitres" => of("volume", 1e-3),
        "cl" => of("volume", 1e-2),
        "dl" => of("volume", 0.1),
        "l" | "litre" | "litres" | "liter" | "liters" | "litern" | "litro" | "litros" => {
            of("volume", 1.0)
        }
        "gallon" | "gallons" => of("volume", 3.785),
        "pint" | "pints" => of("volume", 0.568),
        "m³" | "m3" => of("volume", 1e3),
        "m²" | "m2" | "sqm" => of("area", 1.0),
        "acre" | "acres" => of("area", 4047.0),
        "hectare" | "hectares" | "ha" => of("area", 1e4),
        "°" | "degree" | "degrees" | "celsius" | "grad" | "graus" => of("temperature", 1.0),
        "bar" => of("pressure", 1.0),
        "psi" => of("pressure", 0.0689),
        "w" | "watt" | "watts" => of("power", 1.0),
        "kw" | "kilowatt" | "kilowatts" => of("power", 1e3),
        "kwh" => of("energy", 1.0),
        "mwh" => of("energy", 1e3),
        "v" | "volt" | "volts" => of("voltage", 1.0),
        "mbps" | "mbit" => of("bandwidth", 1.0),
        "gbps" | "gbit" => of("bandwidth", 1e3),
        "hz" => of("frequency", 1.0),
        "khz" => of("frequency", 1e3),
        "mhz" => of("frequency", 1e6),
        _ => None,
    }
}
