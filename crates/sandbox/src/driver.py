def _():
    # Runs a proposal as `__main__`, and reports which of its checks were reached, and whether they held.
    #
    # Reads a token and the code from standard input, reports on descriptor 3. Imports as little as it can before the proposal runs, for the sake of its start.
    import builtins, itertools, posix, sys
    import _ast

    name, report = "proposal.py", 3
    parts = []
    while True:
        part = posix.read(0, 1 << 20)
        if not part:
            break
        parts.append(part)
    token, _, source = b"".join(parts).partition(b"\n")
    nothing = posix.open("/dev/null", posix.O_RDONLY)
    posix.dup2(nothing, 0)
    posix.close(nothing)
    source = source.decode("utf-8")

    here = posix.getcwd()
    packages = sys.argv[1:]
    sys.argv[:] = [name]
    sys.path[:] = [path for path in sys.path if path not in ("", here)] + packages
    sys.dont_write_bytecode = True

    def say(*words):
        try:
            posix.write(report, token + b" " + " ".join(map(str, words)).encode() + b"\n")
        except OSError:
            pass

    # What an expression must hold to depend on anything.
    alive = (_ast.Name, _ast.Call, _ast.Attribute, _ast.Await, _ast.Yield, _ast.YieldFrom)
    functions = (_ast.FunctionDef, _ast.AsyncFunctionDef)

    def within(node):
        # The nodes below one, itself included, without a call for each level.
        waiting = [node]
        while waiting:
            node = waiting.pop()
            yield node
            for field in node._fields:
                value = getattr(node, field, None)
                if isinstance(value, _ast.AST):
                    waiting.append(value)
                elif isinstance(value, list):
                    waiting.extend(item for item in value if isinstance(item, _ast.AST))

    def depends(node):
        return not always(node) and any(isinstance(one, alive) for one in within(node))

    def shape(node):
        # What a node holds, to be compared with another.
        def own(one):
            given = [getattr(one, part, None) for part in ("id", "attr", "value")]
            return [type(one)] + [part for part in given if not isinstance(part, _ast.AST)]

        return [own(one) for one in within(node)]

    def always(node):
        # What is true whatever it holds: a display that is not empty, a function, what is compared with itself, or any of them beside an `or`.
        if isinstance(node, (_ast.Tuple, _ast.List, _ast.Set)):
            return bool(node.elts) and not any(isinstance(one, _ast.Starred) for one in node.elts)
        if isinstance(node, _ast.Constant):
            return bool(node.value)
        if isinstance(node, _ast.BoolOp):
            return (any if isinstance(node.op, _ast.Or) else all)(map(always, node.values))
        if isinstance(node, _ast.Compare) and len(node.ops) == 1:
            same = (_ast.Eq, _ast.Is, _ast.LtE, _ast.GtE)
            plain = not any(isinstance(one, (_ast.Call, _ast.Await)) for one in within(node))
            return plain and isinstance(node.ops[0], same) and shape(node.left) == shape(node.comparators[0])
        return isinstance(node, (_ast.Lambda, _ast.GeneratorExp))

    # Functions of the program's own that are called as if they asserted something, and raise nothing.
    hollow = set()

    def called(call):
        # The last name of what is called; empty where nothing is.
        function = call.func if isinstance(call, _ast.Call) else None
        return getattr(function, "id", None) or getattr(function, "attr", None) or ""

    def asserts(call, names=("assert",)):
        # A call of something whose name begins with `assert`, with something to look at.
        if isinstance(call, _ast.Await):
            call = call.value
        if not called(call).startswith(names) or called(call) in hollow:
            return False
        given = call.args + [keyword.value for keyword in call.keywords]
        return not given or any(map(depends, given))

    # What waits for an exception: what fails in there is what is expected.
    waiting_names = ("raises", "assertRaises", "assert_raises")

    def waits_for(call):
        # Whether this call is given what is to raise.
        name = called(call)
        waits = name == "raises" or name.startswith(waiting_names[1:])
        return waits and (len(call.args) > 1 or any(isinstance(one, _ast.Starred) for one in call.args))

    def checks(statement):
        if isinstance(statement, _ast.Assert):
            return depends(statement.test)
        if isinstance(statement, _ast.Expr):
            return asserts(statement.value) or waits_for(statement.value)
        if isinstance(statement, (_ast.With, _ast.AsyncWith)):
            return any(asserts(item.context_expr, ("assert", "raises")) for item in statement.items)
        return False

    seen = set()
    number = itertools.count(1).__next__

    # No source can name these.
    mark, inside, wait = "a check", "what a check waits for", "what is called to raise"

    def sites(error):
        # The checks that failed with an exception, each with a number that tells when.
        try:
            return object.__getattribute__(error, "__dict__").setdefault(mark, {})
        except Exception:
            return {}

    def abandoned(kind):
        # Whoever is told to stop before it is done has neither held nor failed.
        cancelled = getattr(sys.modules.get("asyncio.exceptions"), "CancelledError", GeneratorExit)
        return issubclass(kind, (GeneratorExit, cancelled))

    class Check:
        # Stands around a check.
        __slots__ = ("site",)

        def __init__(self, site):
            self.site = site

        def __enter__(self):
            pass

        def __exit__(self, kind, error, _):
            site = self.site
            if kind is None:
                if site not in seen:
                    seen.add(site)
                    say("held", site)
            elif not abandoned(kind):
                failures = sites(error)
                if site not in failures:
                    failures[site] = number()
                    say("failed", site)

    class Wait:
        # Stands around what is expected to raise: checks that failed in there with the exception that comes out, or that led to it, did what
        # they should. Where it is not the one that was expected, the check that waits for it fails.
        def __init__(self, function=None):
            self.function = function
            name = getattr(function, "__name__", None)
            if name is not None:
                self.__name__ = name

        def __call__(self, *given, **named):
            with Wait():
                return self.function(*given, **named)

        def __enter__(self):
            self.since = number()

        def __exit__(self, _, error, __):
            errors, looked = [error], set()
            while errors:
                error = errors.pop()
                if error is None or id(error) in looked:
                    continue
                looked.add(id(error))
                failures = sites(error)
                for site, when in list(failures.items()):
                    if when > self.since and failures.pop(site, None):
                        say("expected", site)
                errors += [error.__cause__, error.__context__]

    def waiting(*given):
        # The same arguments, with the first that can be called, and is not the exception, called where failures are expected.
        given = list(given)
        for place, one in enumerate(given):
            if callable(one) and not (isinstance(one, type) and issubclass(one, BaseException)):
                given[place] = Wait(one)
                break
        return given

    guards = []

    def instrument(tree):
        bodies = []
        for node in within(tree):
            for field in ("body", "orelse", "finalbody"):
                body = getattr(node, field, None)
                if isinstance(body, list):
                    bodies.append(body)
        bodies.sort(key=lambda body: (body[0].lineno, body[0].col_offset) if body else (0, 0))
        for body in bodies:
            for index in range(len(body) - 1, -1, -1):
                statement = body[index]
                if not (isinstance(statement, _ast.stmt) and checks(statement)):
                    continue
                at = dict(
                    lineno=statement.lineno, col_offset=statement.col_offset,
                    end_lineno=statement.lineno, end_col_offset=statement.col_offset,
                )

                def named(name, *given):
                    function = _ast.Name(id=name, ctx=_ast.Load(), **at)
                    return _ast.Call(func=function, args=list(given), keywords=[], **at)

                if isinstance(statement, _ast.Expr):
                    if waits_for(statement.value):
                        given = named(wait, *statement.value.args)
                        statement.value.args = [_ast.Starred(value=given, ctx=_ast.Load(), **at)]
                elif isinstance(statement, _ast.With):
                    items = statement.items
                    for place in range(len(items) - 1, -1, -1):
                        if called(items[place].context_expr).startswith(waiting_names):
                            item = _ast.withitem(context_expr=named(inside), optional_vars=None)
                            items.insert(place + 1, item)
                            break
                call = named(mark, _ast.Constant(value=len(guards), kind=None, **at))
                item = _ast.withitem(context_expr=call, optional_vars=None)
                body[index] = _ast.With(items=[item], body=[statement], type_comment=None, **at)
                guards.append(Check(len(guards)))
        return len(guards)

    def tell(error, above):
        # As the interpreter would, without what stands above the proposal.
        trace = error.__traceback__
        for _ in range(above):
            trace = trace and trace.tb_next
        try:
            if sys.excepthook is not sys.__excepthook__:
                sys.excepthook(type(error), error, trace)
            else:
                import traceback

                traceback.print_exception(type(error), error, trace)
        except BaseException:
            posix.write(2, (type(error).__name__ + "\n").encode())

    def leave(code=None):
        raise SystemExit(code)

    class Loader:
        # Has tracebacks and `inspect` find the lines of a file that is none.
        @staticmethod
        def get_source(_):
            return source

    module = type(sys)("__main__")
    space = module.__dict__
    space.update(__builtins__=builtins, __file__=here + "/" + name, __loader__=Loader)
    sys.modules["__main__"] = module
    setattr(builtins, mark, guards.__getitem__)
    setattr(builtins, inside, Wait)
    setattr(builtins, wait, waiting)
    builtins.exit = builtins.quit = leave
    try:
        tree = compile(source, name, "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
        used = {node.id for node in within(tree) if isinstance(node, _ast.Name)}
        tests = [
            (node.name, isinstance(node, _ast.ClassDef))
            for node in tree.body
            if isinstance(node, functions + (_ast.ClassDef,)) and node.name not in used
        ]
        raising = (_ast.Assert, _ast.Raise)
        for node in within(tree):
            if isinstance(node, functions) and node.name.startswith("assert"):
                inner = list(within(node))
                calls = any(called(one).startswith(("assert", "fail")) for one in inner)
                if not calls and not any(isinstance(one, raising) for one in inner):
                    hollow.add(node.name)
        say("found", instrument(tree))
        code = compile(tree, name, "exec", dont_inherit=True)
    except BaseException as error:
        tell(error, 99)
        sys.exit(1)

    failed = False
    try:
        exec(code, space)
    except SystemExit:
        raise
    except BaseException as error:
        tell(error, 1)
        sys.exit(1)

    def needs_nothing(function):
        code = function.__code__
        given = len(function.__defaults__ or ())
        named = function.__kwdefaults__ or {}
        rest = code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
        return code.co_argcount <= given and all(one in named for one in rest)

    def call(test):
        nonlocal failed
        try:
            result = test()
            if hasattr(result, "__await__"):
                import asyncio

                asyncio.run(result)
        except SystemExit:
            raise
        except BaseException as error:
            failed = True
            tell(error, 1)

    plain = type(needs_nothing)
    cases = getattr(sys.modules.get("unittest"), "TestCase", ())
    suites = []
    for test, is_class in tests:
        value = space.get(test)
        if not is_class:
            if test.startswith("test") and isinstance(value, plain) and needs_nothing(value):
                call(value)
    for value in list(space.values()):
        if cases and isinstance(value, type) and issubclass(value, cases) and value.__module__ == "__main__":
            suites.append(value)
    if suites:
        unittest = sys.modules["unittest"]
        load = unittest.defaultTestLoader.loadTestsFromTestCase
        suite = unittest.TestSuite(map(load, dict.fromkeys(suites)))
        failed |= not unittest.TextTestRunner(stream=sys.stderr).run(suite).wasSuccessful()
    sys.exit(1 if failed else 0)


_()
