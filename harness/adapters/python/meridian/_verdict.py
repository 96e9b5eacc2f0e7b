"""What a judge found, as an object."""

WORDS = {0: "PASS", 1: "FAIL", 3: "CRASH", 77: "NOTHING"}
SHOWN = 3  # failures whose lines stand in a text


class Verdict:
    """status: "PASS", "FAIL", "CRASH" (it raised, hung, or gave no answer of the kind asked for), or "NOTHING" (nothing was
    judged, which is no pass); true where it is "PASS".  findings: one dictionary for each verdict, in the order asked;
    failures: those that fail or crash.  asked: what was asked.  declined: how often which reason was given for not
    answering.  notes: what the program said beside its verdicts.  text, which str() gives: the verdict in words."""

    def __init__(self, rc, asked, findings, notes, declined, python):
        self.status = WORDS.get(rc, "CRASH")
        self.findings, self.asked, self.declined = findings, asked.told(), dict(declined)
        self.notes = [line for line in notes.splitlines() if line]
        for f in findings:
            for key in ("replay", "smallest"):
                if key in f:
                    f[key] = python(f[key], asked)
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

    @property
    def text(self):
        out = [f"{self.status}: {self.asked['subject']}, asked as {self.says}"]
        first = self.smallest()
        shown = [first] + [f for f in self.failures if f is not first] if first else []
        for f in shown[:SHOWN]:
            out += self.lines(f)
        if len(shown) > SHOWN:
            out.append(f"and {len(shown) - SHOWN} more failures")
        if not self:
            for why, n in sorted(self.declined.items(), key=lambda x: -x[1])[:4]:
                out.append(f"not offered, {n} times: {why}")
            out += [f"{f['verdict']} {f['row']}.{f['quantity']} {f['case']}: {f['reason']}" for f in self.findings
                    if self.status == "NOTHING" and f.get("reason")][:4]
        out += self.notes
        return "\n".join(out)

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
