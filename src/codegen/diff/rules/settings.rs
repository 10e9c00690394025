//! Rules about settings: what operators write into files, environments and command lines.

use super::rules;

rules! {
    SETTING_ADDED "setting-added" Policy Adds
    "Nobody set it before."
    "nothing to do for operators"

    SETTING_REMOVED "setting-removed" Policy Breaks
    "What operators set no longer counts."
    "keep it, or keep its name under `aliases` of what replaces it"

    SETTING_RENAMED "setting-renamed" Policy Breaks
    "The old key in the file no longer counts."
    "add the old key under `aliases`"

    SETTING_RENAMED_WITH_ALIAS "setting-renamed-with-alias" Policy Adds
    "The old key still counts."
    "nothing to do for operators"

    SETTING_TYPE_CHANGED "setting-type-changed" Policy Breaks
    "What operators wrote is read as something else."
    "add another setting of the new type"

    SETTING_DEFAULT_CHANGED "setting-default-changed" Policy Breaks
    "Servers that do not set it behave in another way."
    "keep the default"

    SETTING_CHOICES_NARROWED "setting-choices-narrowed" Policy Breaks
    "Servers with a value that is gone do not start."
    "keep the value"

    SETTING_CHOICES_WIDENED "setting-choices-widened" Policy Adds
    "All values that were taken are still taken."
    "nothing to do for operators"

    SETTING_RANGE_TIGHTENED "setting-range-tightened" Policy Breaks
    "Servers with a value between the old and the new bound do not start."
    "keep the bound"

    SETTING_RANGE_LOOSENED "setting-range-loosened" Policy Adds
    "All values that were taken are still taken."
    "nothing to do for operators"

    SETTING_ENV_ADDED "setting-env-added" Policy Adds
    "One more way to set it."
    "nothing to do for operators"

    SETTING_ENV_CHANGED "setting-env-changed" Policy Breaks
    "The old environment variable no longer counts."
    "keep `env`"

    SETTING_FLAG_ADDED "setting-flag-added" Policy Adds
    "One more way to set it."
    "nothing to do for operators"

    SETTING_FLAG_CHANGED "setting-flag-changed" Policy Breaks
    "Command lines with the old flag fail."
    "keep `flag`"

    SETTING_ALIAS_ADDED "setting-alias-added" Policy Adds
    "One more key is taken."
    "nothing to do for operators"

    SETTING_ALIAS_REMOVED "setting-alias-removed" Policy Breaks
    "Files with the old key no longer count."
    "keep the alias"

    SECRET_GAINED "secret-gained" Policy Adds
    "The value is no longer shown."
    "nothing to do for operators"

    SECRET_LOST "secret-lost" Policy Breaks
    "The value is shown where it was hidden."
    "keep `secret: true`"

    CONFIG_ADDED "config-added" Policy Adds
    "A settings file is read where there was none."
    "nothing to do for operators"

    CONFIG_CHANGED "config-changed" Policy Breaks
    "The settings file that operators wrote is not found where it was."
    "keep `config`"
}
