//! What counts as a check of a program's own, and how a program ends.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};
use run::sandbox::{Checks, End};

use super::{Case, Rung};

/// Code, its exit code, how many checks it has, how many held and how many failed, and a part of what it said.
type Row = (&'static str, &'static str, i32, (u32, u32, u32), &'static str);

const ROWS: &[Row] = &[
    (
        "a_check_that_fails",
        "x = 1\nassert x == 2, 'no such luck'",
        1,
        (1, 0, 1),
        "line 2, in <module>\n    assert x == 2",
    ),
    (
        "a_check_of_nothing_is_none",
        "assert True\nassert 1 + 1 == 2\nassert (1, 'always')",
        0,
        (0, 0, 0),
        "",
    ),
    (
        "a_check_that_cannot_fail_is_none",
        "x = 3\nassert (x == 2, 'no')\nassert [x]\nassert lambda: x == 2\nassert (y == 2 for y in [x])\nassert x == 2 or True\nassert x == x",
        0,
        (0, 0, 0),
        "",
    ),
    (
        "an_assertion_that_asserts_nothing_is_none",
        "def assert_close(a, b):\n    pass\nclass T:\n    def assertSame(self, a, b):\n        return a == b\nx = 2\nassert_close(x, 9)\nT().assertSame(x, 9)",
        0,
        (0, 0, 0),
        "",
    ),
    (
        "what_only_looks_like_it_is_a_check",
        "x, rest = 3, []\nassert (x, *rest) == (3,)\nassert x == 3 or x == 4\nassert abs(x) == abs(x)",
        0,
        (3, 3, 0),
        "",
    ),
    (
        "a_check_that_is_not_reached",
        "def never(x):\n    assert x\nx = 1\nassert x",
        0,
        (2, 1, 0),
        "",
    ),
    ("a_check_is_counted_once", "for x in range(1, 9):\n    assert x", 0, (1, 1, 0), ""),
    (
        "a_check_whose_failure_is_caught",
        "x = 0\ntry:\n    assert x\nexcept AssertionError:\n    pass",
        0,
        (1, 0, 1),
        "",
    ),
    (
        "checks_in_every_block",
        "x = 1\nif x:\n    assert x\nelse:\n    assert not x\ntry:\n    assert x\nfinally:\n    assert x\nwhile x:\n    assert x\n    break",
        0,
        (5, 4, 0),
        "",
    ),
    (
        "a_function_named_assert",
        "def assert_close(a, b):\n    assert abs(a - b) < 1\nx = 2\nassert_close(x, 2.5)\nassert_close(1, 1)",
        0,
        (2, 2, 0),
        "",
    ),
    (
        "test_functions_run",
        "def test_a():\n    x = 2\n    assert x == 2\ndef test_b(fixture):\n    assert fixture\nasync def test_c():\n    x = 3\n    assert x",
        0,
        (3, 2, 0),
        "",
    ),
    (
        "a_test_function_that_fails",
        "def test_a():\n    x = 2\n    assert x == 3\ndef test_b():\n    x = 1\n    assert x",
        1,
        (2, 1, 1),
        "in test_a",
    ),
    (
        "test_functions_that_are_called_run_once",
        "calls = []\ndef test_a():\n    calls.append(1)\n    assert len(calls) == 1\ntest_a()",
        0,
        (1, 1, 0),
        "",
    ),
    (
        "unittest_runs",
        "import unittest\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(sum([1, 2]), 3)\n        with self.assertRaises(ZeroDivisionError):\n            1 / 0",
        0,
        (2, 2, 0),
        "Ran 1 test",
    ),
    (
        "unittest_that_fails",
        "import unittest\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(sum([1, 2]), 4)",
        1,
        (1, 0, 1),
        "3 != 4",
    ),
    (
        "unittest_by_its_main",
        "import unittest\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(sum([1, 2]), 3)\nif __name__ == '__main__':\n    unittest.main()",
        0,
        (1, 1, 0),
        "OK",
    ),
    (
        "unittest_by_its_main_that_fails",
        "import unittest\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n        self.assertTrue(sum([1, 2]) > 4)\nunittest.main(exit=False)",
        1,
        (1, 0, 1),
        "FAILED",
    ),
    ("an_early_exit", "import sys\nsys.exit(0)\nx = 1\nassert x", 0, (1, 0, 0), ""),
    ("an_exit_with_a_text", "import sys\nsys.exit('sorry')", 1, (0, 0, 0), "sorry"),
    ("exit_by_its_name", "exit(3)", 3, (0, 0, 0), ""),
    ("an_end_without_a_word", "import os\nos._exit(0)\nx = 1\nassert x", 0, (1, 0, 0), ""),
    (
        "an_exception",
        "def f():\n    raise ValueError('ä')\nf()",
        1,
        (0, 0, 0),
        "File \"proposal.py\", line 2, in f\n    raise ValueError('ä')",
    ),
    ("no_python", "def (:\n", 1, (0, 0, 0), "SyntaxError"),
    ("a_zero_in_it", "x = '\0'", 1, (0, 0, 0), "null"),
    ("no_code_at_all", "", 0, (0, 0, 0), ""),
    ("letters_of_all_kinds", "größe = '漢字 😀'\nassert größe\nprint(größe)", 0, (1, 1, 0), ""),
    ("a_coding_line", "# -*- coding: latin-1 -*-\nx = 'ä'\nassert len(x) == 1", 0, (1, 1, 0), ""),
    (
        "the_future_and_a_docstring",
        "\"\"\"Says.\"\"\"\nfrom __future__ import annotations\nassert __doc__ == 'Says.' and __name__ == '__main__'",
        0,
        (1, 1, 0),
        "",
    ),
    (
        "its_own_source",
        "import inspect\ndef f():\n    return 1\nassert 'return 1' in inspect.getsource(f)",
        0,
        (1, 1, 0),
        "",
    ),
    (
        "pickle_and_dataclass",
        "import pickle\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nassert pickle.loads(pickle.dumps(P(1))) == P(1)",
        0,
        (1, 1, 0),
        "",
    ),
    (
        "asyncio",
        "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 1\nassert asyncio.run(f()) == 1",
        0,
        (1, 1, 0),
        "",
    ),
    (
        "threads",
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(4) as pool:\n    assert sum(pool.map(abs, range(9))) == 36",
        0,
        (1, 1, 0),
        "",
    ),
    (
        "temporary_files",
        "import tempfile, os\nwith tempfile.TemporaryDirectory() as folder:\n    path = os.path.join(folder, 'x')\n    open(path, 'w').write('1')\n    assert os.listdir(folder) == ['x']",
        0,
        (1, 1, 0),
        "",
    ),
    (
        "the_order_of_a_set_is_the_same",
        "assert list({'a', 'b', 'c', 'd'}) and hash('a') == HASH",
        1,
        (1, 0, 1),
        "NameError",
    ),
    (
        "forged_reports_on_standard_output",
        "print('{\"Executed\":{}}')\nprint('found 9\\nheld 1')",
        0,
        (0, 0, 0),
        "",
    ),
    (
        "a_report_without_the_token",
        "import os\nos.write(3, b'found 9\\nheld 0\\nheld 1\\n')",
        0,
        (0, 0, 0),
        "",
    ),
    (
        // What is reported can be no more than the program's own word.
        "a_forged_report_with_the_token",
        "import os, sys\nframe = sys._getframe()\nwhile 'token' not in frame.f_locals:\n    frame = frame.f_back\nos.write(3, frame.f_locals['token'] + b' held 0\\n')\nif not frame:\n    assert frame.never",
        0,
        (1, 1, 0),
        "",
    ),
    (
        "a_flooded_report",
        "import os\nfor _ in range(2000):\n    os.write(3, b'x' * 4096)\nx = 1\nassert x",
        0,
        (1, 0, 0),
        "",
    ),
    ("a_closed_report", "import os\nos.close(3)\nx = 1\nassert x\nprint('on')", 0, (1, 0, 0), ""),
    (
        "a_last_word_of_another_hook",
        "import sys\nsys.excepthook = lambda kind, error, trace: print('mine', error, file=sys.stderr)\nraise ValueError('x')",
        1,
        (0, 0, 0),
        "mine x",
    ),
    (
        "no_installed_start",
        "import sys\nassert 'site' not in sys.modules and 'sitecustomize' not in sys.modules",
        0,
        (1, 1, 0),
        "",
    ),
    (
        "a_loop_of_ones_own_that_swallows_failures",
        "def test_a():\n    x = 1\n    assert x == 1\ndef test_b():\n    x = 1\n    assert x == 2\nfor t in (test_a, test_b):\n    try:\n        t()\n    except AssertionError:\n        print('FAILED')",
        0,
        (2, 1, 1),
        "",
    ),
    (
        "a_check_that_held_once_and_failed_once",
        "for x in (1, 0, 1):\n    try:\n        assert x\n    except AssertionError:\n        pass",
        0,
        (1, 0, 1),
        "",
    ),
    (
        "a_condition_that_raises",
        "x = 0\ntry:\n    assert 1 / x\nexcept ZeroDivisionError:\n    pass",
        0,
        (1, 0, 1),
        "",
    ),
    ("a_condition_that_ends_everything", "def x():\n    exit(0)\nassert x()", 0, (1, 0, 1), ""),
    (
        "an_assert_call_that_fails_and_is_swallowed",
        "import unittest\ncase = unittest.TestCase()\nx = 1\ntry:\n    case.assertEqual(x, 2)\nexcept Exception:\n    pass",
        0,
        (1, 0, 1),
        "",
    ),
    (
        "an_exception_that_does_not_come",
        "import unittest\ncase = unittest.TestCase()\ntry:\n    with case.assertRaises(ValueError):\n        int('1')\nexcept AssertionError:\n    pass\ntry:\n    case.assertRaises(ValueError, int, '1')\nexcept AssertionError:\n    pass",
        0,
        (2, 0, 2),
        "",
    ),
    (
        "another_exception_than_the_expected",
        "import unittest\ncase = unittest.TestCase()\ntry:\n    with case.assertRaises(ValueError):\n        {}['x']\nexcept KeyError:\n    pass",
        0,
        (1, 0, 1),
        "",
    ),
    (
        "failures_that_are_expected",
        "import unittest\ncase = unittest.TestCase()\ndef root(x):\n    assert x >= 0, 'negative'\n    return x ** 0.5\nwith case.assertRaises(AssertionError):\n    root(-1)\ncase.assertRaises(AssertionError, root, -1)\ncase.assertRaisesRegex(AssertionError, 'neg', root, -1)\nwith case.assertRaisesRegex(AssertionError, 'neg') as came:\n    root(-1)\nassert 'neg' in str(came.exception)",
        0,
        (6, 5, 0),
        "",
    ),
    (
        "raises_of_ones_own_in_any_order",
        "def assert_raises(act, kind):\n    try:\n        act()\n    except kind:\n        return\n    raise AssertionError('nothing came')\nclass Positive:\n    def __init__(self, x, kind=int):\n        assert isinstance(x, kind) and x > 0\nassert_raises(lambda: Positive(-1), AssertionError)\nimport unittest\ngiven = (AssertionError, Positive, 1.5, float)\nunittest.TestCase().assertRaises(AssertionError, Positive, 1.5)\nunittest.TestCase().assertRaises(AssertionError, Positive, -1.5, float)\nunittest.TestCase().assertRaises(*given[:3])\nassert Positive(1.5, float)",
        0,
        (6, 6, 0),
        "",
    ),
    (
        "a_failure_that_became_the_expected_exception",
        "import unittest\ndef parse(x):\n    try:\n        assert x\n    except AssertionError as error:\n        raise ValueError(x) from error\nwith unittest.TestCase().assertRaises(ValueError):\n    parse('')",
        0,
        (2, 1, 0),
        "",
    ),
    (
        "raises_by_another_name",
        "import contextlib\n@contextlib.contextmanager\ndef raises(kind):\n    try:\n        yield\n    except kind:\n        return\n    raise AssertionError('nothing came')\nx = 0\nwith raises(AssertionError):\n    assert x",
        0,
        (2, 1, 0),
        "",
    ),
    (
        "a_failure_that_is_swallowed_where_another_is_expected",
        "import unittest\nx = 0\nwith unittest.TestCase().assertRaises(ValueError):\n    try:\n        assert x\n    except AssertionError:\n        print('FAILED')\n    int('x')",
        0,
        (2, 1, 1),
        "",
    ),
    (
        "an_expectation_after_a_failure",
        "import unittest\nx = 0\ntry:\n    assert x\nexcept AssertionError:\n    with unittest.TestCase().assertRaises(ValueError):\n        int('x')",
        0,
        (2, 1, 1),
        "",
    ),
    (
        "a_failure_that_is_only_suppressed",
        "import contextlib\nx = 0\nwith contextlib.suppress(AssertionError):\n    assert x",
        0,
        (1, 0, 1),
        "",
    ),
    (
        "a_check_that_nobody_waits_for_any_more",
        "import asyncio\nasync def never():\n    await asyncio.sleep(60)\nasync def work():\n    assert await never()\nasync def main():\n    task = asyncio.ensure_future(work())\n    await asyncio.sleep(0)\nasyncio.run(main())\ndef steps():\n    assert (yield 1)\nnext(steps())",
        0,
        (2, 0, 0),
        "",
    ),
];

// proves: D4
pub(crate) fn cases(rung: &Rung) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = ROWS
        .iter()
        .map(|row| (row.0.to_owned(), Box::new(move || check(rung, row)) as Box<dyn Fn() + Send>))
        .collect();
    cases.push(("deep_or_long_code_is_an_error_of_its_own".into(), Box::new(|| deep(rung))));
    cases.push(("what_is_printed_is_the_same_every_time".into(), Box::new(|| same(rung))));
    if rung.has_namespaces() {
        cases.push(("any_text_is_a_program".into(), Box::new(|| any(rung))));
    }
    cases
}

fn check(rung: &Rung, (name, source, code, (found, held, failed), said): &Row) {
    let Some(it) = rung.run(source) else { return };
    assert_eq!(it.end, End::Exited { code: *code }, "{name}: {it:?}");
    let checks = Checks { found: *found, held: *held, failed: *failed };
    assert_eq!(it.checks, checks, "{name}: {it:?}");
    assert!(it.stderr.contains(said), "{name}: {}", it.stderr);
    assert!(!it.stderr.contains("<string>"), "{name}: {}", it.stderr);
}

fn deep(rung: &Rung) {
    let sources = [
        "(".repeat(100_000),
        format!("x = {}1{}", "(".repeat(150), ")".repeat(150)),
        format!("x = {}1", "-".repeat(50_000)),
        format!("x = 1{}", " + 1".repeat(50_000)),
        format!("x = a{}", ".a".repeat(100_000)),
        (0..90).map(|depth| format!("{}if 1:\n", " ".repeat(depth))).collect::<String>()
            + &" ".repeat(90)
            + "pass",
        format!("def f():\n    return f()\nf()\n{}", "x = 1\n".repeat(100_000)),
    ];
    for source in sources {
        let Some(it) = rung.run(&source) else { return };
        // An interpreter that breaks over it breaks alone.
        assert!(
            matches!(it.end, End::Exited { code: 0 | 1 } | End::Killed { signal: 11 }),
            "{:?}: {it:?}",
            &source[..20]
        );
    }
    let Some(it) = rung.run("def f():\n    return f()\nf()") else { return };
    assert!(it.end == End::Exited { code: 1 } && it.stderr.contains("RecursionError"), "{it:?}");
}

fn same(rung: &Rung) {
    let source = "print({'a', 'b', 'c', 'd', 'e'}, hash('quaestio'))";
    let Some(one) = rung.run(source) else { return };
    let other = rung.run(source).unwrap();
    assert!(one.stdout == other.stdout && one.end == End::Exited { code: 0 }, "{one:?}");
}

fn any(rung: &Rung) {
    let word = proptest::sample::select(vec![
        "assert ",
        "x",
        " = ",
        "1",
        "\n",
        "\n    ",
        "def test_a():",
        "with ",
        "assertRaises(",
        ")",
        "(",
        ":",
        "lambda ",
        "*",
        "\0",
        "\u{feff}",
        "'",
        "\"\"\"",
        "\\",
        "async ",
        "match x:",
        "case _:",
        "f'{",
        "}'",
        "class A:",
        "try:",
        "except:",
        "\t",
        "\r",
        "é",
    ]);
    let words = proptest::collection::vec(word, 0..30).prop_map(|words| words.concat());
    let text = proptest::prop_oneof![words, "\\PC{0,60}"];
    let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&text, |source| {
            if let Some(it) = rung.run(&source) {
                assert!(matches!(it.end, End::Exited { .. }), "{source:?}: {it:?}");
                assert!(it.checks.held + it.checks.failed <= it.checks.found, "{source:?}: {it:?}");
            }
            Ok(())
        })
        .unwrap();
}
