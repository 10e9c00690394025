//! The visual style of a scene: its own settings override the project's style bible.

use serde::Serialize;
use serde_json::{Map, Value};

use super::facts::{first_of, phrase, phrases};
use super::text::{cut, distinct};

/// Longest setting, so that a camera line always fits.
const SETTING: usize = 48;
/// The light if neither scene nor style defines one.
const PRACTICAL: &str = "motivated practical light";
/// Most negatives taken over from the style bible.
const NEGATIVES: usize = 16;

/// Look of a scene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct VisualStyle {
    /// Angle of the camera.
    pub(super) angle: Option<String>,
    /// Framing of the first shot.
    pub(super) framing: Option<String>,
    /// Depth of focus.
    pub(super) focus: Option<String>,
    /// What it is shot with.
    pub(super) camera: Option<String>,
    /// The scene's own focal length.
    pub(super) lens: Option<u32>,
    /// Focal lengths that the style allows.
    pub(super) lenses: Vec<u32>,
    /// Phrases about light, colour, grain and format.
    pub(super) light: Vec<String>,
    /// Inside or outside.
    pub(super) location_type: Option<String>,
    /// Time of day, weather and atmosphere of the scene.
    pub(super) time_of_day: Option<String>,
    /// Weather of the scene.
    pub(super) weather: Option<String>,
    /// Atmosphere of the scene.
    pub(super) atmosphere: Option<String>,
    /// Face of the protagonist.
    pub(super) expression: Option<String>,
    /// Bearing of the protagonist.
    pub(super) pose: Option<String>,
    /// What the style never wants.
    pub(super) negative: Vec<String>,
}

impl VisualStyle {
    /// Reads settings and style.
    pub(super) fn of(settings: &Map<String, Value>, style: &Map<String, Value>) -> Self {
        let own = |key: &str| first_of(settings, &[key]).map(short);
        let general = |key: &str| first_of(style, &[key]);
        let camera = style.get("cameraDefaults").and_then(Value::as_object);
        let lenses = camera.and_then(|camera| camera.get("lenses")).or_else(|| style.get("lenses"));
        let mut lenses: Vec<u32> =
            lenses.map(phrases).unwrap_or_default().iter().filter_map(|text| focal(text)).collect();
        lenses.sort_unstable();
        lenses.dedup();
        Self {
            angle: own("shotAngle"),
            framing: own("shotFraming"),
            focus: own("focusDepth"),
            camera: own("cameraType"),
            lens: own("lens").as_deref().and_then(focal),
            lenses,
            light: light(settings, &own, &general),
            location_type: own("locationType"),
            time_of_day: own("timeOfDay"),
            weather: own("weather"),
            atmosphere: own("atmosphere"),
            expression: own("expression"),
            pose: own("pose"),
            negative: style
                .get("negative")
                .map(phrases)
                .unwrap_or_default()
                .into_iter()
                .take(NEGATIVES)
                .collect(),
        }
    }
}

fn light(
    settings: &Map<String, Value>,
    own: &dyn Fn(&str) -> Option<String>,
    general: &dyn Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut phrases: Vec<String> = ["lightingType", "lightingDirection", "lightingQuality"]
        .iter()
        .filter_map(|key| settings.get(*key).and_then(phrase).map(short))
        .collect();
    if phrases.is_empty() {
        phrases.push(general("lighting").unwrap_or_else(|| PRACTICAL.to_owned()));
    }
    phrases.extend(own("colorPalette").or_else(|| general("palette")));
    phrases.extend(own("visualStyle").or_else(|| general("visualStyle")));
    phrases.extend(
        own("filmGrain").or_else(|| general("filmGrain")).map(|grain| named(grain, "grain")),
    );
    phrases.extend(own("imperfection"));
    phrases.extend(general("aspectRatio").map(|ratio| named(ratio, "aspect ratio")));
    phrases.extend(general("fps").map(|rate| named(rate, "fps")));
    distinct(phrases)
}

/// `fine` is `fine grain`, `fine grain` stays.
fn named(value: String, what: &str) -> String {
    if value.to_lowercase().contains(what) { value } else { format!("{value} {what}") }
}

fn short(text: String) -> String {
    cut(&text, SETTING).to_owned()
}

/// The first number of `35mm`, `Zeiss 50 mm`, `85`; 1 to 2000.
fn focal(text: &str) -> Option<u32> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty())?;
    digits.parse().ok().filter(|lens| (1..=2000).contains(lens))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn visual_style(settings: Value, style: Value) -> VisualStyle {
        let map = |value: Value| value.as_object().cloned().unwrap_or_default();
        VisualStyle::of(&map(settings), &map(style))
    }

    #[test]
    fn the_default_style_is_practical_light() {
        let style = visual_style(json!({}), json!({}));
        assert_eq!(style.light, [PRACTICAL]);
        assert_eq!((style.lens, style.lenses.len(), style.negative.len()), (None, 0, 0));
    }

    #[test]
    fn the_scene_wins_over_the_style() {
        let style = json!({
            "lighting": "overcast", "palette": ["slate", "brass"], "filmGrain": "fine",
            "aspectRatio": "2.39:1", "fps": 24, "negative": ["lens flare", 7, {"x": 1}],
            "cameraDefaults": {"lenses": ["32mm", 75, "anamorphic"]},
        });
        let plain = visual_style(json!({}), style.clone());
        assert_eq!(
            plain.light,
            ["overcast", "slate, brass", "fine grain", "2.39:1 aspect ratio", "24 fps"]
        );
        assert_eq!(plain.lenses, [32, 75]);
        assert_eq!(plain.negative, ["lens flare", "7"]);
        let settings = json!({
            "lightingType": "lamp", "lightingQuality": "hard", "colorPalette": "sodium",
            "filmGrain": "heavy grain", "lens": "Zeiss 50 mm", "shotAngle": "low angle",
        });
        let own = visual_style(settings, style);
        assert_eq!(own.light[..4], ["lamp", "hard", "sodium", "heavy grain"]);
        assert_eq!((own.lens, own.angle.as_deref()), (Some(50), Some("low angle")));
    }

    #[test]
    fn objects_and_nonsense_are_left_out() {
        let style = visual_style(
            json!({"lens": "0", "shotAngle": {"a": 1}, "weather": "x".repeat(99)}),
            json!({"lighting": {"a": 1}, "lenses": "99999"}),
        );
        assert_eq!((style.lens, style.angle), (None, None));
        assert_eq!(style.light, [PRACTICAL]);
        assert_eq!(style.weather.map(|text| text.len()), Some(SETTING));
        assert!(style.lenses.is_empty());
    }
}
