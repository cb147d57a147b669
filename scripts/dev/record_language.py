#!/usr/bin/env python3
"""Writes what CPython prints below each program of tests/language/*.txt.

    python3.11 scripts/dev/record_language.py tests/language/*.txt      (a Python with torch installed)

A file holds programs: a line `=== title`, the program, a line `---`, what it prints. `[prompt]` in the title means that the
program is typed at the prompt, statement by statement. An uncaught error is the last line, `ErrorClass: sentence`.
"""
import ast
import contextlib
import io
import sys
import traceback


def headline(error):
    return traceback.format_exception_only(error)[-1].rstrip()


def run_program(text):
    names = {"__name__": "__main__"}
    try:
        exec(compile(text, "program", "exec"), names)
    except BaseException as error:
        print(headline(error))


def run_prompt(text):
    names = {"__name__": "__main__"}
    for node in ast.parse(text).body:
        try:
            exec(compile(ast.Interactive([node]), "program", "single"), names)
        except BaseException as error:
            print(headline(error))


def record(path):
    with open(path, encoding="utf-8") as file:
        parts = file.read().split("=== ")[1:]
    result = []
    for part in parts:
        title, _, rest = part.partition("\n")
        program = rest.split("---\n")[0]
        out = io.StringIO()
        builtins_before = dict(vars(__import__("builtins")))
        with contextlib.redirect_stdout(out):
            (run_prompt if title.startswith("[prompt]") else run_program)(program)
        vars(__import__("builtins")).pop("_", None)
        vars(__import__("builtins")).update(builtins_before)
        result.append(f"=== {title}\n{program}---\n{out.getvalue()}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(result))


for name in sys.argv[1:]:
    record(name)
