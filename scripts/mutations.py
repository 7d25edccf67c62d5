# mutations.py: finds possible changes of a line of Swift, and writes the line that is either version.
#
# It looks at words and does not parse them: the compiler finds what does not compile.

import re

TOKEN = re.compile(
    r""""(?:\\.|[^"\\])*"      # a text, which stays
      | \#?[A-Za-z_$][\w$]*    # a name
      | 0x[0-9A-Fa-f_]+ | \d[\d_]*(?:\.\d+)?
      | [-+*/%<>=!&|^~?.:]+    # an operator
      | \S""",
    re.VERBOSE,
)

SWAPPED = {
    "==": "!=",
    "!=": "==",
    "===": "!==",
    "!==": "===",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "&&": "||",
    "||": "&&",
    "+": "-",
    "-": "+",
    "&+": "&-",
    "&-": "&+",
    "..<": "...",
}


def changes(expression):
    """Returns possible changes within an expression: pairs of a name and the new expression."""
    found = []
    tokens = [(m.group(), m.start(), m.end()) for m in TOKEN.finditer(expression)]
    for index, (token, start, end) in enumerate(tokens):
        spaced = expression[start - 1 : start] == " " and expression[end : end + 1] == " "
        before = tokens[index - 1][0] if index else ""
        new = None
        if token in SWAPPED and (spaced or token == "..<"):
            new = SWAPPED[token]
        elif token in ("true", "false"):
            new = "false" if token == "true" else "true"
        elif token == "!" and not spaced and expression[start - 1 : start] in ("", " ", "("):
            new = ""
        elif re.fullmatch(r"\d[\d_]*", token) and before != "." and not before.endswith("."):
            new = str(int(token.replace("_", "")) + 1)
        elif re.fullmatch(r"0x[0-9A-Fa-f_]+", token):
            new = hex(int(token.replace("_", ""), 16) + 1)
        if new is not None:
            what = f"{token} became {new}" if new else f"{token} was dropped"
            found.append((what, expression[:start] + new + expression[end:]))
    return found


def chosen_by(number, new, old):
    """Returns the expression that is either version; `try` and `await` cover both."""
    prefix = re.match(r"(?:try[?!]? |await )*", old).group()
    return f"{prefix}(isMutant({number}) ? ({new[len(prefix) :]}) : ({old[len(prefix) :]}))"


def can_be_wrapped(expression):
    rest = re.sub(r"^(?:try[?!]? |await )*", "", expression)
    return not re.search(r"\b(try|await|consume|copy|switch|if|in)\b", rest)


def is_balanced(text):
    closing = {")": "(", "]": "[", "}": "{"}
    stack = []
    for token in TOKEN.findall(text):
        if token in "([{" and len(token) == 1:
            stack.append(token)
        elif token in closing and (not stack or stack.pop() != closing[token]):
            return False
    return not stack


def clauses(condition):
    """Splits the condition at its commas; returns the parts with their positions."""
    depth, start, parts = 0, 0, []
    for match in TOKEN.finditer(condition):
        token = match.group()
        if token in ("(", "[", "{"):
            depth += 1
        elif token in (")", "]", "}"):
            depth -= 1
        elif token == "," and depth == 0:
            parts.append((start, condition[start : match.start()]))
            start = match.end() + 1
    return parts + [(start, condition[start:])]


NO_STATEMENT = re.compile(
    r"\s*(@|//|#|import|public|package|private|fileprivate|internal|static|final|open|let|var|func|"
    r"init|case|default|return|throw|guard|if|else|for|while|switch|defer|do|catch|repeat|struct|"
    r"enum|class|actor|extension|protocol|typealias|associatedtype|nonisolated|mutating|break|"
    r"continue|fallthrough|precondition|assert|preconditionFailure|fatalError|_ =|super\.init|"
    r"self\.init|where|indirect|weak|unowned|lazy|some|any|subscript|deinit|get|set|\})\b"
)
CONDITION = re.compile(r"^(\s*(?:\} else )?(?:guard|if|while) )(.+?)( else \{.*| \{)$")
VALUE = re.compile(r"^(\s*(?:[a-z@()]+ )*(?:let|var) \w+(?:: [^={]+)? = )(.+)$")
ONE_LINE = re.compile(r"^(\s*(?:@\w+ )*[^\"=]*\b(?:var|func|get)\b[^\"={]*\{ )([^{}]+)( \})$")
STATEMENT = re.compile(
    r"^(\s*)((?:try )?(?:await )?[\w.\[\]!?()$:, ]+(?:\(.*\)| (?:=|[-+|&^*]+=) .+))$"
)


def variations(line, before, after):
    """Returns pairs of a change's name and a function from its number to the line's new text."""
    code = line.split("//")[0].rstrip() if '"' not in line else line.rstrip()
    if not code.strip() or re.match(
        r"\s*(//|///|\*|#|@|import\b|case\b|precondition|assert)", code
    ):
        return []
    if re.search(r"\b(preconditionFailure|fatalError|precondition|assert)\(", code):
        return []
    found = []

    def expression(head, text, tail, extra=()):
        if not can_be_wrapped(text) or not is_balanced(text):
            return
        for what, new in [*changes(text), *extra]:
            found.append((what, lambda n, new=new: f"{head}{chosen_by(n, new, text)}{tail}"))

    whole = (
        is_balanced(code)
        and not re.match(r"\s*([.?:&|)\]},]|\+ |- )", after)
        and not re.search(r"([=(,\[&|+]| else| return| in| \?| :)$", code)
        and not re.search(r"([=(,\[&|+?:-]|\breturn|->)\s*$", before)
    )
    if match := CONDITION.match(code):
        head, condition, tail = match.groups()
        if "{" in condition or not is_balanced(condition):
            return []
        kind = head.strip().split(" ")[-1]
        for start, clause in clauses(condition):
            if re.match(r"(let|var|case|#|unsafe)\b|#", clause) or re.search(
                r"[^=!<>]=[^=]", clause
            ):
                continue
            extra = [("the condition was negated", f"!({clause})")]
            if kind == "guard":
                extra.append(("the condition was taken as true", "true"))
            expression(
                head + condition[:start], clause, condition[start + len(clause) :] + tail, extra
            )
    elif match := ONE_LINE.match(code):
        expression(*match.groups())
    elif whole and (match := VALUE.match(code)):
        expression(match.group(1), match.group(2), "")
    elif whole and (match := re.match(r"^(\s*return )(.+)$", code)):
        expression(match.group(1), match.group(2), "")
    elif whole and not NO_STATEMENT.match(code) and (match := STATEMENT.match(code)):
        space, statement = match.groups()
        found.append(
            ("the statement was dropped", lambda n: f"{space}if !isMutant({n}) {{ {statement} }}")
        )
        assigned = re.match(r"^([\w.\[\]!?]+ (?:=|[-+|&^*]+=) )(.+)$", statement)
        if assigned:
            expression(space + assigned.group(1), assigned.group(2), "")
    return found
