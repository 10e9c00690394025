fn main() {
    toolwright_codegen::build_script("specs", "generated");
}
