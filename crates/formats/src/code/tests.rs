use super::*;

fn check(name: &str, text: &str, expected: &str) {
    assert_eq!(parse(text, name, &Bounds::default()).unwrap().text, expected, "{text}");
}

// proves: A6
#[test]
fn python_has_docstrings_before_the_code() {
    check(
        "tides.py",
        "#!/usr/bin/env python\n# Copyright 2024 Lee\n\"\"\"All about tides.\n\nMore.\n\"\"\"\nimport sys\n\nclass Sea(object):\n    \"\"\"A sea.\"\"\"\n\n    # How deep it is.\n    @property\n    def deep(self, x,\n             y):\n        \"\"\"Return the depth.\n\n        >>> deep(1)\n        2\n        \"\"\"\n        def inner():\n            return 1\n        return inner()\n",
        "Copyright 2024 Lee\n\nAll about tides.\n\nMore.\n\n```python\nimport sys\n```\n\n# class Sea\n\nA sea.\n\n```python\nclass Sea(object):\n```\n\n## def deep\n\nHow deep it is.\n\nReturn the depth.\n\n```python\n>>> deep(1)\n2\n```\n\n```python\n@property\ndef deep(self, x,\n         y):\n    def inner():\n        return 1\n    return inner()\n```",
    );
}

// proves: A6
#[test]
fn rust_has_doc_comments_and_nesting() {
    check(
        "sea.rs",
        "//! Seas.\n\nuse std::fmt;\n\n/// A sea.\n///\n/// # Errors\n/// - none\n#[derive(Debug)]\npub struct Sea;\n\nimpl fmt::Display for Sea {\n    /// Shows it.\n    pub(crate) fn fmt(&self) -> bool {\n        // One line.\n        true\n    }\n}\n",
        "Seas.\n\n```rust\nuse std::fmt;\n```\n\n# struct Sea\n\nA sea.\n\n## Errors\n\n- none\n\n```rust\n#[derive(Debug)]\npub struct Sea;\n```\n\n# impl fmt::Display for Sea\n\n```rust\nimpl fmt::Display for Sea {\n```\n\n## fn fmt\n\nShows it.\n\n```rust\n    pub(crate) fn fmt(&self) -> bool {\n        // One line.\n        true\n    }\n}\n```",
    );
}

// proves: A6
#[test]
fn c_and_java_functions_are_told_by_their_shape() {
    check(
        "a.c",
        "/*\n * Licence: free.\n */\n#include <x.h>\n\n/** Adds. */\nstatic int\nadd(int a, int b)\n{\n\tif (a) return b;\n}\n\nint proto(int);\nint main(void) { return add(1, 2); }\n",
        "Licence: free.\n\n```c\n#include <x.h>\n```\n\n# add()\n\nAdds.\n\n```c\nstatic int\nadd(int a, int b)\n{\n        if (a) return b;\n}\n\nint proto(int);\n```\n\n# main()\n\n```c\nint main(void) { return add(1, 2); }\n```",
    );
    check(
        "A.java",
        "public class A {\n    /**\n     * Loads {@code x}.\n     * @param x what\n     */\n    public int load(int x) {\n        return call(x);\n    }\n}\n",
        "# class A\n\n```java\npublic class A {\n```\n\n## load()\n\nLoads x.\n\n- param x what\n\n```java\n    public int load(int x) {\n        return call(x);\n    }\n}\n```",
    );
}

// proves: A6
#[test]
fn other_languages_have_their_words() {
    for (name, line, heading) in [
        ("a.go", "func (s *Sea) Deep(x int) int {", "func (s *Sea) Deep"),
        ("a.js", "export const load = async (x) => {", "load()"),
        ("a.ts", "export interface Sea {", "interface Sea"),
        ("a.rb", "def deep?(x)", "def deep?"),
        ("a.lua", "local function deep(x)", "function deep"),
        ("a.r", "deep <- function(x) {", "deep()"),
        ("a.sh", "deep() {", "deep()"),
        ("a.sql", "create table if not exists sea (", "CREATE table if not exists sea"),
        ("a.pl", "sub deep {", "sub deep"),
        ("a.jl", "function deep(x)", "function deep"),
        ("a.kt", "suspend fun deep(x: Int): Int {", "fun deep"),
        ("a.swift", "public func deep(x: Int) {", "func deep"),
        ("a.php", "function deep($x) {", "function deep"),
        ("a.cs", "public class Sea : Water {", "class Sea"),
        ("a.cpp", "int Sea::deep(int x) const {", "Sea::deep()"),
        ("a.scala", "def deep(x: Int): Int = {", "def deep"),
        ("a.m", "function y = deep(x)", "function y"),
    ] {
        let text = parse(line, name, &Bounds::default()).unwrap().text;
        assert!(text.starts_with(&format!("# {heading}\n")), "{name}: {text}");
    }
}

// proves: A6
#[test]
fn long_code_is_cut_into_blocks() {
    let text: String = (0..100).map(|n| format!("x{n} = {n}\n")).collect();
    let parsed = parse(&text, "a.py", &Bounds::default()).unwrap();
    assert_eq!(parsed.text.matches("```python").count(), 3);
}

// proves: A6
#[test]
fn documentation_of_perl_is_prose() {
    check(
        "A.pm",
        "package A;\n\n=head1 NAME\n\nA - does C<x> for L<the sea|B>\n\n  use A;\n\n=over 4\n\n=item * one\n\n=back\n\n=cut\n\nsub b { 1 }\n",
        "# package A\n\n```perl\npackage A;\n```\n\n## NAME\n\nA - does x for the sea\n\n```perl\nuse A;\n```\n\n- one\n\n# sub b\n\n```perl\nsub b { 1 }\n```",
    );
}
