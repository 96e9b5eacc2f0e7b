"""What a judge found, as an object."""

WORDS = {0: "PASS", 1: "FAIL", 3: "CRASH", 77: "NOTHING"}
SHOWN = 3  # failures whose lines stand in a text
FAILED = "answered that it failed: "  # what the judge writes before a subject's own words


class Verdict:
    """status: "PASS", "FAIL", "CRASH" (it raised, hung, or gave no answer of the kind asked for), or "NOTHING" (nothing was
    judged, which is no pass); true where it is "PASS".  findings: one dictionary for each verdict, in the order asked;
    failures: those that fail or crash.  causes: one for each cause of several failures, with its name ("" where there is
    none) as cause, and what is said of it as text.  asked: what was asked.  declined: how often which reason was given for not
    answering.  notes: what the program said beside its verdicts.  text, which str() gives: the verdict in words."""

    def __init__(self, rc, asked, findings, causes, notes, declined, python):
        self.status = WORDS.get(rc, "CRASH")
        self.findings, self.causes = findings, causes
        self.asked, self.declined = asked.told(), dict(declined)
        self.notes = [line for line in notes.splitlines() if line]
        for f in findings:
            for key in ("replay", "smallest"):
                if key in f:
                    f[key] = python(f[key], asked)
            for key in ("reason", "text"):
                if key in f:  # in words that fit a callable
                    f[key] = f[key].replace(FAILED, "")
        self.failures = [f for f in findings if f["verdict"] in ("FAIL", "CRASH")]
        self.says = asked.says()

    def __bool__(self):
        return self.status == "PASS"

    def counts(self):
        """How many findings have which verdict."""
        out = {}
        for f in self.findings:
            out[f["verdict"]] = out.get(f["verdict"], 0) + 1
        return out

    def smallest(self):
        """The failure with the smallest case, or None: the lines of its text, and the call that asks it again."""
        return next((f for f in self.failures if "smallest" in f), self.failures[0] if self.failures else None)

    @staticmethod
    def lines(f):
        """The lines of a finding, with calls of Python in place of commands."""
        out = [line for line in f.get("text", "").splitlines() if not line.startswith(("  again: ", "  smallest: "))]
        out += [f"  {word}: {f[key]}" for word, key in (("again", "replay"), ("smallest", "smallest")) if key in f]
        return out

    def groups(self):
        """The failures as lists: those without an answer together that have one reason, each other alone; first the list
        with the smallest case."""
        out = {}
        for k, f in enumerate(self.failures):
            out.setdefault(f.get("reason") if f["verdict"] == "CRASH" else k, []).append(f)
        first = self.smallest()
        return sorted(out.values(), key=lambda fs: first not in fs)

    @property
    def text(self):
        out = [f"{self.status}: {self.asked['subject']}, asked as {self.says}"]
        groups = self.groups()
        for fs in groups[:SHOWN]:
            out += self.lines(fs[0])
            if len(fs) > 1:
                out.append(f"  the same in {len(fs) - 1} more questions")
        if len(groups) > SHOWN:
            out.append(f"and {sum(map(len, groups[SHOWN:]))} more failures")
        if not self:
            for why, n in sorted(self.declined.items(), key=lambda x: -x[1])[:4]:
                out.append(f"not offered, {n} times: {why}")
        if self.status == "NOTHING":
            out.append("nothing was judged, which is no pass")
        out += [f"why: {c['text']}" for c in self.causes]
        return "\n".join(out + self.notes)

    def __str__(self):
        return self.text

    def __repr__(self):
        counts = ", ".join(f"{n} {word}" for word, n in self.counts().items())
        return f"<meridian.Verdict {self.status} of {self.asked['subject']}: {counts or 'no findings'}>"

    def rows(self):
        """The findings as flat dictionaries: for a table."""
        return [{"verdict": f["verdict"], "row": f["row"], "quantity": f["quantity"], "case": f["case"],
                 **f.get("measures", {}), "reason": f.get("reason", ""), "witness": f.get("witness", ""),
                 "mistake": f["mistakes"][0]["id"] if f.get("mistakes") else "", "replay": f.get("replay", "")}
                for f in self.findings]

    def frame(self):
        """The findings as a pandas.DataFrame.  ImportError where pandas is not installed."""
        import pandas
        return pandas.DataFrame(self.rows())
