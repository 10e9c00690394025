//! The `http.*` settings: limits of a server over HTTP.

use std::time::Duration;

use serde_json::Value;
use toolwright_runtime::server::{
    ForwardedHeader, HttpOptions, MetricsEndpoint, Network, Rate, ServeOptions, TrustedProxies,
};
use toolwright_runtime::settings::{Loaded, SettingProblem, Source};

use super::http;

const PREFIX: &str = "http.";

/// Reads them: what concerns calls into `options`, the rest into the result.
pub(super) fn read(
    loaded: &Loaded,
    options: &mut ServeOptions,
) -> Result<HttpOptions, SettingProblem> {
    let settings = Settings { loaded };
    let count = |key| settings.number(key);
    let seconds = |key| settings.number(key).map(|number| Duration::from_secs(number as u64));
    let default = HttpOptions::default();
    options.max_calls = count("max_calls").unwrap_or(options.max_calls);
    options.grace = seconds("grace").unwrap_or(options.grace);
    Ok(HttpOptions {
        rate: settings.parsed("rate", rate)?,
        guess_rate: settings.parsed("guess_rate", or_off(rate))?.unwrap_or(default.guess_rate),
        metrics: settings.parsed("metrics", metrics)?.unwrap_or_default(),
        proxies: TrustedProxies {
            networks: settings.networks()?,
            header: match settings.text("forwarded_header") {
                Some("forwarded") => ForwardedHeader::Forwarded,
                _ => ForwardedHeader::XForwardedFor,
            },
        },
        max_body_bytes: count("max_body").unwrap_or(default.max_body_bytes),
        max_connections: count("max_connections").unwrap_or(default.max_connections),
        max_connections_per_address: count("max_connections_per_address")
            .unwrap_or(default.max_connections_per_address),
        max_streams_per_caller: count("max_streams_per_caller")
            .unwrap_or(default.max_streams_per_caller),
        max_calls_per_caller: count("max_calls_per_caller"),
        max_waiting: count("max_waiting").unwrap_or(default.max_waiting),
        queue_timeout: seconds("queue_timeout").unwrap_or(default.queue_timeout),
        authenticate_timeout: seconds("authenticate_timeout")
            .unwrap_or(default.authenticate_timeout),
        head_timeout: seconds("head_timeout").unwrap_or(default.head_timeout),
        idle_timeout: seconds("idle_timeout").unwrap_or(default.idle_timeout),
        write_timeout: seconds("write_timeout").unwrap_or(default.write_timeout),
        body_timeout: seconds("body_timeout").unwrap_or(default.body_timeout),
        call_timeout: seconds("timeout").unwrap_or(default.call_timeout),
        stream_timeout: seconds("stream_timeout").unwrap_or(default.stream_timeout),
        ..default
    })
}

/// Refuses their flags on a command line that does not serve over HTTP. In a file or the environment
/// they may stand all the same.
pub(super) fn refuse_flags(loaded: &Loaded) -> Result<(), String> {
    let mut given = loaded.values.iter().filter(|(key, _)| key.starts_with(PREFIX));
    match given.find_map(|(_, found)| match found.source {
        Source::Flag(flag) => Some(flag),
        _ => None,
    }) {
        Some(flag) => Err(format!("{flag} is for serving over HTTP: add --http ADDRESS")),
        None => Ok(()),
    }
}

/// Whether a setting is one of these.
pub(super) fn is_one(key: &str) -> bool {
    key.starts_with(PREFIX)
}

struct Settings<'a> {
    loaded: &'a Loaded,
}

impl<'a> Settings<'a> {
    fn value(&self, key: &str) -> Option<&'a Value> {
        self.loaded.get(&format!("{PREFIX}{key}")).map(|found| &found.value)
    }

    fn number(&self, key: &str) -> Option<usize> {
        self.value(key)?.as_u64()?.try_into().ok()
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        self.value(key)?.as_str()
    }

    fn parsed<T>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, SettingProblem> {
        let parsed = self.text(key).map(parse).transpose();
        parsed.map_err(|message| self.problem(key, message))
    }

    fn networks(&self) -> Result<Vec<Network>, SettingProblem> {
        let key = "trusted_proxies";
        let items = self.value(key).and_then(Value::as_array).into_iter().flatten();
        let items = items.filter_map(Value::as_str).flat_map(|text| text.split(','));
        let parsed: Result<_, String> = items.map(|text| text.trim().parse()).collect();
        parsed.map_err(|message| self.problem(key, message))
    }

    fn problem(&self, key: &str, message: String) -> SettingProblem {
        let key = format!("{PREFIX}{key}");
        let source = self.loaded.get(&key).map(|found| found.source.clone());
        SettingProblem { key, source, message }
    }
}

fn or_off<T>(
    parse: impl Fn(&str) -> Result<T, String>,
) -> impl Fn(&str) -> Result<Option<T>, String> {
    move |text| if text == "off" { Ok(None) } else { parse(text).map(Some) }
}

fn rate(text: &str) -> Result<Rate, String> {
    let read = |number: &str| number.trim().parse().ok();
    let (per_second, burst) = text.split_once('/').unwrap_or((text, text));
    match (read(per_second), read(burst)) {
        (Some(per_second), Some(burst)) => Ok(Rate { per_second, burst }),
        _ => Err(format!("expected two numbers of at least 1, such as 10/30, not `{text}`")),
    }
}

fn metrics(text: &str) -> Result<MetricsEndpoint, String> {
    match text {
        "on" => Ok(MetricsEndpoint::Shared),
        "off" => Ok(MetricsEndpoint::Off),
        text => http::address(text)
            .map(MetricsEndpoint::Own)
            .map_err(|_| format!("expected `on`, `off`, or an address and a port, not `{text}`")),
    }
}
