# A project of wink.
cp -r "$ROOT/tests/golden/wink/v2" overrides
cp "$ROOT/tests/golden/wink/descriptors.json" .
export WINK_OVERRIDES_DIR="$PWD/overrides" WINK_DESCRIPTORS="$PWD/descriptors.json"
