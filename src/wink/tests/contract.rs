//! The states that wink's examples are `given`: folders made from the golden files.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use toolwright_platform::lock::FileLock;
use toolwright_runtime::contract::SurfaceInfo;
use wink::generated::SURFACE;

use toolwright_testing::contract::{self as kit, State, StateSettings};
use toolwright_testing::namespace::MOUNTS;
use toolwright_testing::{Person, ServerHome, files};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/wink");
const FILE: &str = "demo.app/code-review/latest.json";

/// wink's states.
pub(crate) struct States;

impl kit::States for States {
    fn surface(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn make(&self, given: Option<&str>) -> State {
        let given = given.expect("every example of wink is given a state");
        let setup = Setup::new();
        match given {
            "golden" => setup.descriptors("descriptors.json").file("v2").open(),
            "described" => setup.descriptors("descriptors.json").open(),
            "stale" => setup.descriptors("descriptors-edited.json").file("v2").open(),
            "seeded" => setup.file("seed-v2").open(),
            "bare" => setup.open(),
            "single" => setup.descriptors("descriptors.json").text(&single()).open(),
            "malformed" => setup.descriptors("descriptors.json").text("{\"version\": 2,").open(),
            "foreign_header" => {
                let text = golden("v2").replace("\"demo.app\"", "\"other.app\"");
                setup.descriptors("descriptors.json").text(&text).open()
            }
            "future_format" => {
                let text = golden("v2").replace("\"version\": 2", "\"version\": 3");
                setup.descriptors("descriptors.json").text(&text).open()
            }
            "declining_user" => setup.file("v2").with_user(Person::Declines),
            "no_root" => setup.without_root(),
            "symlink_out" => setup.descriptors("descriptors.json").link_out().open(),
            "broken_export" => setup.export("{").open(),
            "lying_export" => setup.lying_export().open(),
            "failing_command" => {
                setup.flag("descriptor_command", "sh,-c,echo broken >&2; exit 3").open()
            }
            "lock_held" => setup.descriptors("descriptors.json").file("v2").locked(),
            "file_in_the_way" => {
                let setup = setup.descriptors("descriptors.json");
                std::fs::write(setup.overrides().join("demo.app"), "").expect("writable");
                setup.open()
            }
            "read_only" => setup.on_tmpfs("mount -o remount,ro \"$DISK\""),
            // What `head` cannot write any more, the server cannot either.
            "disk_full" => setup.on_tmpfs("head -c 1m /dev/zero > \"$DISK/fill\" || true"),
            other => panic!("no state is called `{other}`; make it here"),
        }
    }
}

fn golden(name: &str) -> String {
    std::fs::read_to_string(Path::new(GOLDEN).join(name).join(FILE)).expect("a golden file")
}

/// A file with one override only.
fn single() -> String {
    let mut file: serde_json::Value = serde_json::from_str(&golden("v2")).expect("JSON");
    file["tools"] = serde_json::json!({});
    let sections = file["sections"].as_object_mut().expect("sections");
    sections.retain(|path, _| path == "system");
    file.to_string()
}

/// A folder on its way to becoming a state.
struct Setup {
    home: ServerHome,
    settings: StateSettings,
}

impl Setup {
    fn new() -> Self {
        let home = ServerHome::of("wink");
        std::fs::create_dir(home.path("overrides")).expect("writable");
        let overrides = home.path("overrides").display().to_string();
        let setup = Self { home, settings: StateSettings::of(&SURFACE) };
        // Generous, for a busy machine.
        setup.flag("overrides_dir", &overrides).flag("lock_timeout_ms", "30000")
    }

    fn overrides(&self) -> PathBuf {
        self.home.path("overrides")
    }

    fn flag(mut self, key: &str, text: &str) -> Self {
        self.settings.set(key, text);
        self
    }

    fn descriptors(self, name: &str) -> Self {
        self.home.copy(&Path::new(GOLDEN).join(name), "descriptors.json");
        let path = self.home.path("descriptors.json").display().to_string();
        self.flag("descriptors", &path)
    }

    fn export(self, text: &str) -> Self {
        let path = self.home.write("descriptors.json", text).display().to_string();
        self.flag("descriptors", &path)
    }

    /// An export whose text does not match its hash.
    fn lying_export(self) -> Self {
        let text = std::fs::read_to_string(Path::new(GOLDEN).join("descriptors.json"));
        let text = text.expect("a golden file").replace("You review code", "You reviewed code");
        self.export(&text)
    }

    fn file(self, name: &str) -> Self {
        let text = golden(name);
        self.text(&text)
    }

    fn text(self, text: &str) -> Self {
        files::write(&self.overrides().join(FILE), text);
        self
    }

    fn link_out(self) -> Self {
        self.home.write("elsewhere/code-review/latest.json", golden("v2"));
        let link = self.overrides().join("demo.app");
        std::os::unix::fs::symlink(self.home.path("elsewhere"), link).expect("writable");
        self
    }

    fn open(self) -> State {
        let dispatch = (wink::entry().open)(&self.settings.load(), None).expect("wink opens");
        State::in_process(dispatch, self.overrides(), vec![Box::new(self.home)])
    }

    /// A server outside any project and without settings.
    fn without_root(self) -> State {
        let mut command = self.home.server();
        command.current_dir("/");
        self.over_stdio(command)
    }

    /// A client whose user does this about every question.
    fn with_user(self, person: Person) -> State {
        let home = self.home.clone().path_env("WINK_OVERRIDES_DIR", "overrides");
        let folder = self.overrides();
        State::before(person, &SURFACE, home.server(), folder, vec![Box::new(self.home)])
    }

    /// Another process holds the lock.
    fn locked(self) -> State {
        let holder = std::fs::File::open(self.overrides()).expect("the overrides directory");
        let holder = FileLock::acquire(holder, Duration::ZERO).expect("a lock");
        let mut state = self.flag("lock_timeout_ms", "50").open();
        state.keep.push(Box::new(holder));
        state
    }

    /// A real disk of 64 KiB, prepared by `script`, in a mount namespace of the server's own.
    fn on_tmpfs(self, script: &str) -> State {
        let setup = self.descriptors("descriptors.json");
        let home = setup.home.clone().with_path();
        let command = home
            .path_env("DISK", "overrides")
            .path_env("WINK_OVERRIDES_DIR", "overrides")
            .path_env("WINK_DESCRIPTORS", "descriptors.json")
            .unshared(&MOUNTS, &format!("mount -t tmpfs -o size=64k none \"$DISK\"\n{script}"));
        setup.over_stdio(command)
    }

    fn over_stdio(self, command: Command) -> State {
        State::over_stdio(&SURFACE, command, self.overrides(), vec![Box::new(self.home)])
    }
}
