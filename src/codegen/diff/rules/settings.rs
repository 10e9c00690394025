//! Rules about settings, which operators set in files, environment variables and flags.

use super::rules;

rules! {
    SETTING_ADDED "setting-added" Policy Adds
    "No server sets it yet."
    "nothing to do for operators"

    SETTING_REMOVED "setting-removed" Policy Breaks
    "The value that operators set is ignored."
    "keep it, or list its name under `aliases` of its replacement"

    SETTING_RENAMED "setting-renamed" Policy Breaks
    "The old key in the settings file is ignored."
    "add the old key under `aliases`"

    SETTING_RENAMED_WITH_ALIAS "setting-renamed-with-alias" Policy Adds
    "The old key still works."
    "nothing to do for operators"

    SETTING_TYPE_CHANGED "setting-type-changed" Policy Breaks
    "Existing values are interpreted differently."
    "add another setting of the new type"

    SETTING_DEFAULT_CHANGED "setting-default-changed" Policy Breaks
    "Servers without the setting behave differently."
    "keep the default"

    SETTING_CHOICES_NARROWED "setting-choices-narrowed" Policy Breaks
    "Servers with a removed value do not start."
    "keep the value"

    SETTING_CHOICES_WIDENED "setting-choices-widened" Policy Adds
    "All previously accepted values are still accepted."
    "nothing to do for operators"

    SETTING_RANGE_TIGHTENED "setting-range-tightened" Policy Breaks
    "Servers with a value between the old and the new bound do not start."
    "keep the bound"

    SETTING_RANGE_LOOSENED "setting-range-loosened" Policy Adds
    "All previously accepted values are still accepted."
    "nothing to do for operators"

    SETTING_ENV_ADDED "setting-env-added" Policy Adds
    "One more way to set it."
    "nothing to do for operators"

    SETTING_ENV_CHANGED "setting-env-changed" Policy Breaks
    "The old environment variable is ignored."
    "keep `env`"

    SETTING_FLAG_ADDED "setting-flag-added" Policy Adds
    "One more way to set it."
    "nothing to do for operators"

    SETTING_FLAG_CHANGED "setting-flag-changed" Policy Breaks
    "Command lines with the old flag fail."
    "keep `flag`"

    SETTING_ALIAS_ADDED "setting-alias-added" Policy Adds
    "One more key is accepted."
    "nothing to do for operators"

    SETTING_ALIAS_REMOVED "setting-alias-removed" Policy Breaks
    "The old key in settings files is ignored."
    "keep the alias"

    SECRET_GAINED "secret-gained" Policy Adds
    "The value is no longer shown."
    "nothing to do for operators"

    SECRET_LOST "secret-lost" Policy Breaks
    "A value that was hidden is shown."
    "keep `secret: true`"

    CONFIG_ADDED "config-added" Policy Adds
    "The server now reads a settings file."
    "nothing to do for operators"

    CONFIG_CHANGED "config-changed" Policy Breaks
    "Existing settings files are no longer found."
    "keep `config`"
}
