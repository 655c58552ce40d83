def _():
    # Runs a proposal as `__main__`, and reports which of its checks were reached and held.
    #
    # Reads a token and the code from standard input, reports on descriptor 3. Imports as little as it can before the proposal runs, for the sake of its start.
    import builtins, posix, sys
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
        return any(isinstance(one, alive) for one in within(node))

    def asserts(call, names=("assert",)):
        # A call of something whose name begins with `assert`, with something to look at.
        if isinstance(call, _ast.Await):
            call = call.value
        if not isinstance(call, _ast.Call):
            return False
        called = call.func
        called = getattr(called, "id", None) or getattr(called, "attr", None) or ""
        given = call.args + [keyword.value for keyword in call.keywords]
        return called.startswith(names) and (not given or any(map(depends, given)))

    def checks(statement):
        if isinstance(statement, _ast.Assert):
            return depends(statement.test)
        if isinstance(statement, _ast.Expr):
            return asserts(statement.value)
        if isinstance(statement, (_ast.With, _ast.AsyncWith)):
            return any(asserts(item.context_expr, ("assert", "raises")) for item in statement.items)
        return False

    seen = set()

    def held(site):
        if site not in seen:
            seen.add(site)
            say("held", site)

    # No source can name it.
    mark = "a check held"

    def instrument(tree):
        count = 0
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
                called = _ast.Name(id=mark, ctx=_ast.Load(), **at)
                site = _ast.Constant(value=count, kind=None, **at)
                call = _ast.Call(func=called, args=[site], keywords=[], **at)
                body.insert(index + 1, _ast.Expr(value=call, **at))
                count += 1
        return count

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
    setattr(builtins, mark, held)
    builtins.exit = builtins.quit = leave
    try:
        tree = compile(source, name, "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
        used = {node.id for node in within(tree) if isinstance(node, _ast.Name)}
        tests = [
            (node.name, isinstance(node, _ast.ClassDef))
            for node in tree.body
            if isinstance(node, functions + (_ast.ClassDef,)) and node.name not in used
        ]
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
