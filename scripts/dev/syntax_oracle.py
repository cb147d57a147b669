"""Records what CPython 3.11 makes of the texts in the syntax tests.

    python3.11 scripts/dev/syntax_oracle.py tests/it/syntax/valid.txt tests/it/syntax/invalid.txt

A file holds records with a line `----` between them: a text, a line `=>`, and what CPython says of it, which this script
writes anew: the tree in the compact form of tests/it/syntax/sexpr.rs, or the class, line, column and sentence of the error.
A line `ours: ...` at a record's end holds what tsr says where it differs on purpose, and is kept.
"""

import ast
import struct
import sys
import warnings

warnings.simplefilter("ignore")

BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}
COMPARE = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}
UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
COMPREHENSIONS = {ast.ListComp: "List", ast.SetComp: "Set", ast.DictComp: "Dict", ast.GeneratorExp: "Generator"}


class Unsupported(Exception):
    """Python that is not in the subset."""


def text(s):
    return "'" + "".join(c if " " < c <= "~" and c not in "'\\()" else "\\%x;" % ord(c) for c in s) + "'"


def node(name, *parts):
    return "(" + " ".join([name, *parts]) + ")"


def group(parts):
    return "[" + " ".join(parts) + "]"


def bits(x):
    return "%016x" % struct.unpack("<Q", struct.pack("<d", x))[0]


def optional(e):
    return "-" if e is None else expr(e)


def constant(value):
    if value is None or value is True or value is False or value is ...:
        return {None: "None", True: "True", False: "False"}.get(value, "...") if value is not ... else "..."
    if isinstance(value, int):
        return "%x" % value if value >= 2**63 else str(value)
    if isinstance(value, float):
        return node("Float", bits(value))
    if isinstance(value, complex):
        return node("Imaginary", bits(value.imag))
    if isinstance(value, bytes):
        return node("Bytes", value.hex() or "-")
    if any(0xD800 <= ord(c) < 0xE000 for c in value):
        raise Unsupported("surrogate")
    return node("Str", text(value))


def fparts(values):
    out = []
    for v in values:
        if isinstance(v, ast.Constant):
            out.append(text(v.value))
            continue
        spec = "-" if v.format_spec is None else fparts(v.format_spec.values)
        out.append(node("Value", expr(v.value), "-" if v.conversion == -1 else chr(v.conversion), spec))
    return group(out)


def params(a):
    names = a.posonlyargs + a.args
    defaults = [None] * (len(names) - len(a.defaults)) + list(a.defaults)
    names = list(zip(names, defaults)) + list(zip(a.kwonlyargs, a.kw_defaults))
    plain = group(node("Param", text(n.arg), optional(d)) for n, d in names)
    star = text(a.vararg.arg) if a.vararg else "-"
    double = text(a.kwarg.arg) if a.kwarg else "-"
    return node("Params", plain, str(len(a.posonlyargs)), str(len(a.posonlyargs + a.args)), star, double)


def argument(e):
    return node("Star", expr(e.value)) if isinstance(e, ast.Starred) else expr(e)


def arguments(positional, keywords):
    """CPython keeps *a and keywords apart; put back in the order they were written."""
    parts = [(a.lineno, a.col_offset, argument(a)) for a in positional]
    parts += [(k.lineno, k.col_offset, keyword(k)) for k in keywords]
    if len(positional) != 1 or keywords:
        parts.sort(key=lambda p: p[:2])
    return [p[2] for p in parts]


def keyword(k):
    return node("DoubleStar", expr(k.value)) if k.arg is None else node("Keyword", text(k.arg), expr(k.value))


def comprehension(e):
    value = "-"
    if isinstance(e, ast.DictComp):
        element, value = expr(e.key), expr(e.value)
    else:
        element = expr(e.elt)
    clauses = []
    for g in e.generators:
        if g.is_async:
            raise Unsupported("async")
        clauses.append(node("For", expr(g.target), expr(g.iter), group(map(expr, g.ifs))))
    return node(COMPREHENSIONS[type(e)] + "Comp", element, value, group(clauses))


def expr(e):
    kind = type(e)
    if kind is ast.Constant:
        return constant(e.value)
    if kind is ast.JoinedStr:
        return node("FString", fparts(e.values))
    if kind is ast.Name:
        return text(e.id)
    if kind in (ast.Tuple, ast.List, ast.Set):
        return node(kind.__name__, *map(expr, e.elts))
    if kind is ast.Dict:
        return node("Dict", *(node("Pair", optional(k), expr(v)) for k, v in zip(e.keys, e.values)))
    if kind is ast.Starred:
        return node("Starred", expr(e.value))
    if kind is ast.UnaryOp:
        return node("Unary", UNARY[type(e.op)], expr(e.operand))
    if kind is ast.BinOp:
        return node("Binary", BINARY[type(e.op)], expr(e.left), expr(e.right))
    if kind is ast.BoolOp:
        word = "And" if isinstance(e.op, ast.And) else "Or"
        out = expr(e.values[0])
        for v in e.values[1:]:
            out = node(word, out, expr(v))
        return out
    if kind is ast.Compare:
        pairs = [COMPARE[type(o)].replace(" ", "_") + " " + expr(c) for o, c in zip(e.ops, e.comparators)]
        return node("Compare", expr(e.left), *pairs)
    if kind is ast.IfExp:
        return node("IfElse", expr(e.test), expr(e.body), expr(e.orelse))
    if kind is ast.Lambda:
        return node("Lambda", params(e.args), expr(e.body))
    if kind is ast.Attribute:
        return node("Attr", expr(e.value), text(e.attr))
    if kind is ast.Subscript:
        return node("Subscript", expr(e.value), expr(e.slice))
    if kind is ast.Slice:
        return node("Slice", optional(e.lower), optional(e.upper), optional(e.step))
    if kind is ast.Call:
        return node("Call", expr(e.func), *arguments(e.args, e.keywords))
    if kind in COMPREHENSIONS:
        return comprehension(e)
    if kind is ast.NamedExpr:
        return node("Walrus", expr(e.target), expr(e.value))
    if kind is ast.Yield:
        return node("Yield", optional(e.value))
    if kind is ast.YieldFrom:
        return node("YieldFrom", expr(e.value))
    raise Unsupported(kind.__name__)


def alias(a):
    return node("Alias", text(a.name), text(a.asname) if a.asname else "-")


def block(body):
    return group(map(stmt, body))


def handler(h):
    return node("Handler", optional(h.type), text(h.name) if h.name else "-", block(h.body))


def imports(s):
    names = [] if s.names[0].name == "*" else s.names
    return node("From", text("." * s.level + (s.module or "")), *map(alias, names))


def name_or_none(name):
    return text(name) if name else "-"


def pattern(p):
    kind = type(p)
    if kind is ast.MatchValue:
        return node("Value", expr(p.value))
    if kind is ast.MatchSingleton:
        return node("Singleton", constant(p.value))
    if kind is ast.MatchStar:
        return node("Star", name_or_none(p.name))
    if kind is ast.MatchAs:
        return node("As", pattern(p.pattern), text(p.name)) if p.pattern else node("Capture", name_or_none(p.name))
    if kind in (ast.MatchOr, ast.MatchSequence):
        return node(kind.__name__.removeprefix("Match"), *map(pattern, p.patterns))
    if kind is ast.MatchMapping:
        items = (group([expr(k), pattern(v)]) for k, v in zip(p.keys, p.patterns))
        return node("Mapping", group(items), name_or_none(p.rest))
    named = (group([text(k), pattern(v)]) for k, v in zip(p.kwd_attrs, p.kwd_patterns))
    return node("Class", expr(p.cls), group(map(pattern, p.patterns)), group(named))


def stmt(s):
    kind = type(s)
    if kind is ast.Expr:
        return node("Expr", expr(s.value))
    if kind is ast.Assign:
        return node("Assign", group(map(expr, s.targets)), expr(s.value))
    if kind is ast.AnnAssign:
        expr(s.annotation)
        return node("AnnAssign", expr(s.target), optional(s.value))
    if kind is ast.AugAssign:
        return node("AugAssign", BINARY[type(s.op)], expr(s.target), expr(s.value))
    if kind in (ast.If, ast.While):
        return node(kind.__name__, expr(s.test), block(s.body), block(s.orelse))
    if kind is ast.For:
        return node("For", expr(s.target), expr(s.iter), block(s.body), block(s.orelse))
    if kind is ast.With:
        items = [node("Item", expr(i.context_expr), optional(i.optional_vars)) for i in s.items]
        return node("With", group(items), block(s.body))
    if kind is ast.Try:
        return node("Try", block(s.body), group(map(handler, s.handlers)), block(s.orelse), block(s.finalbody))
    if kind is ast.Match:
        guarded = [(pattern(c.pattern), optional(c.guard), block(c.body)) for c in s.cases]
        return node("Match", expr(s.subject), group(node("Case", *parts) for parts in guarded))
    if kind is ast.FunctionDef:
        return node("Def", text(s.name), params(s.args), block(s.body), group(map(expr, s.decorator_list)))
    if kind is ast.ClassDef:
        return node("Class", text(s.name), group(arguments(s.bases, s.keywords)), block(s.body), group(map(expr, s.decorator_list)))
    if kind is ast.Return:
        return node("Return", optional(s.value))
    if kind is ast.Raise:
        return node("Raise", optional(s.exc), optional(s.cause))
    if kind is ast.Assert:
        return node("Assert", expr(s.test), optional(s.msg))
    if kind is ast.Delete:
        return node("Del", *map(expr, s.targets))
    if kind in (ast.Global, ast.Nonlocal):
        return node(kind.__name__, *map(text, s.names))
    if kind is ast.Import:
        return node("Import", *map(alias, s.names))
    if kind is ast.ImportFrom:
        return imports(s)
    if kind in (ast.Break, ast.Continue, ast.Pass):
        return node(kind.__name__)
    raise Unsupported(kind.__name__)


def module(source):
    """The tree of a text, checked by the compiler too."""
    tree = ast.parse(source)
    compile(source, "<string>", "exec", dont_inherit=True)
    return "\n".join(map(stmt, tree.body))


def failure(source):
    """Class, line, column and sentence of the error CPython raises, or None."""
    try:
        compile(source, "<string>", "exec", dont_inherit=True)
    except SyntaxError as e:
        return type(e).__name__, e.lineno or 0, e.offset or 0, e.msg
    except (RecursionError, MemoryError, ValueError, OverflowError) as e:
        return type(e).__name__, 0, 0, str(e)
    return None


def record(text):
    """What CPython says of a text: its tree, or class, line, column and sentence of the error."""
    found = failure(text)
    return module(text) if found is None else "%s %d %d %s" % found


def main():
    for path in sys.argv[1:]:
        records = []
        for entry in open(path, encoding="utf-8", newline="").read().strip("\n").split("\n----\n"):
            text, _, rest = entry.partition("\n=>\n")
            ours = [line for line in rest.split("\n") if line.startswith("ours: ")]
            records.append("\n".join([text, "=>", record(text), *ours]))
        with open(path, "w", encoding="utf-8", newline="") as out:
            out.write("\n----\n".join(records) + "\n")


if __name__ == "__main__":
    main()
