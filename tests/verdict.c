/* Verdicts as they are printed: what a finding holds is read back from its line of text, of JSON, of the table and of
 * JUnit; the counts, the causes and the exit status follow from the findings alone. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "diagnose/blind.h"
#include "diagnose/diagnose.h"
#include "heard.h"
#include "judge/verdict.h"

static uint64_t state = 0x2545f4914f6cdd1d;
static long below(long n)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (long)(state >> 8) % n;
}
static const char *one_of(const char *const *list, long n) { return list[below(n)]; }


/* A finding with what its pointers need. */
struct made { struct finding f; struct tally y; struct mistake match; struct diagnosis d; struct blind b; };
static void draw(struct made *m)
{
    static const char *const words[] = { "plain", "two words", "bar|red", "<&\"'>", "\xc3\xa9t\xc3\xa9", "a]]>b" },
                      *const types[] = { "f64", "f32", "bf16", NULL }, *const ids[] = { NULL, "case", "of two" };
    memset(m, 0, sizeof *m);
    m->f = (struct finding){ .word = (enum word)below(WORDS), .subject = one_of(words, 6), .row = "rope",
        .quantity = one_of((const char *const[]){ "cos sin", "y" }, 2), .id = one_of(ids, 3), .method = "sample",
        .type = one_of(types, 4), .seed = (uint64_t)below(1 << 30), .elsewhere = below(4) == 0 };
    if (below(3))
        snprintf(m->f.params, sizeof m->f.params, "dim=%ld", 2 + 2 * below(60));
    if (below(2))
        snprintf(m->f.reason, sizeof m->f.reason, "because %s", one_of(words, 6));
    if (below(2))
        snprintf(m->f.replay, sizeof m->f.replay, "meridian judge '%s'", one_of(words, 6));
    if (below(2))
        snprintf(m->f.smallest, sizeof m->f.smallest, "meridian judge --sizes n=%ld", below(9));
    if (below(4)) {
        m->y = (struct tally){ .n = 1 + below(99), .over = below(9), .correct = below(9), .undecided = below(5),
            .ulp = (double)below(9) / 4, .gauge = (double)below(99) / 8, .ratio = below(9) ? (double)below(99) / 16 :
            (double)INFINITY, .derived = below(9) ? (double)below(99) / 2 : (double)NAN, .out = "cos",
            .at = { below(9), below(9) }, .k = below(9), .got = (double)below(100) / 64,
            .want = (double)below(100) / 32,
            .bound = (double)(1 + below(9)) / 4,
            .cost = { .elements = (uint64_t)below(3), .retries = (uint64_t)below(9), .exact = (uint64_t)below(7),
                .ties = (uint64_t)below(5), .prec = 50 + below(99), .ns = 1e6 * (double)below(50) },
            .bounds_ns = 1e6 * (double)below(50), .judging_ns = 1e6 * (double)below(50) };
        snprintf(m->y.digits, sizeof m->y.digits, "0.%ld", 1 + below(1 << 20));
        m->f.tally = &m->y; /* four elements, of which a trivial output "zero" would have fitted some */
        m->y.power.used = 1, m->y.power.at[0].out = "cos", m->y.power.at[0].n = 4, m->y.power.at[0].fits = below(4);
        snprintf(m->y.power.at[0].name, sizeof m->y.power.at[0].name, "zero");
    }
    if (below(2)) {
        m->d.spent = below(3) == 0, m->d.answers = !m->d.spent, m->f.diagnosis = &m->d;
        snprintf(m->d.answer[0].repair, sizeof m->d.answer[0].repair, "pass %ld", below(9));
        if (below(2) && !m->d.spent) {
            snprintf(m->match.id, sizeof m->match.id, "halved"), snprintf(m->match.effect, sizeof m->match.effect,
                "half|so");
            m->f.match = &m->match, m->d.explained = true, m->d.answer[0].m = m->match;
        } else
            for (long k = below(3); k > 0 && !m->d.spent; k--)
                anatomy_add(&m->d.anatomy, "fact %ld", k);
    }
    if (below(3) == 0) {
        m->b = (struct blind){ .asked = 1 + below(9), .hidden = below(2) }, m->f.blind = &m->b;
        snprintf(m->b.names, sizeof m->b.names, "hidden-one");
    }
}

static double power(const struct made *m) { return (double)(4 - m->y.power.at[0].fits) / 4; }

/* The bits of a number, as the type of the output holds them. */
static void bits_of(double x, const char *type, char *text, size_t n)
{
    if (!type || !strcmp(type, "f64"))
        snprintf(text, n, "0x%016llx", (union { double x; unsigned long long b; }){ x }.b);
    else
        snprintf(text, n, "0x%08x", (union { float x; unsigned b; }){ (float)x }.b);
}

static void has_witness(const char *text, const struct made *m)
{
    char bits[24], place[60];
    double got, want, bound;
    const char *at = strstr(text, "cos[");
    cr_assert(at, "%s", text);
    snprintf(place, sizeof place, "cos[%ld,%ld|%ld]: got ", m->y.at[0], m->y.at[1], m->y.k);
    cr_expect(!strncmp(at, place, strlen(place)), "%s, not %s", at, place);
    cr_expect(sscanf(strstr(at, "got ") + 4, "%la", &got) == 1 && sscanf(strstr(at, "want ") + 5, "%la", &want) == 1 &&
            sscanf(strstr(at, "bound ") + 6, "%lf", &bound) == 1 && got == m->y.got && want == m->y.want &&
            bound == m->y.bound, "%s", at);
    bits_of(m->y.got, m->f.type, bits, sizeof bits);
    cr_expect(strstr(strstr(at, "got "), bits), "%s: %s", bits, at);
    bits_of(m->y.want, m->f.type, bits, sizeof bits);
    cr_expect(strstr(strstr(at, "want "), bits), "%s: %s", bits, at);
}

static bool near(double x, double y) { return x == y || fabs(x - y) <= 0.006 * fabs(y); } /* three digits are printed */
static void has_measures(const char *line, const struct made *m)
{
    struct { const char *key; double is; } real[] = { { " used ", m->y.ratio }, { " gauge ", m->y.gauge },
        { "<=", m->y.derived }, { " ulp ", m->y.ulp }, { " power ", power(m) }, { " seed ", (double)m->f.seed } };
    long correct, n, over, undecided, bits;
    unsigned long long retries;
    double us;
    for (size_t k = 0; k < sizeof real / sizeof *real; k++) {
        const char *at = strstr(line, real[k].key);
        cr_assert(at, "%s lacks%s", line, real[k].key);
        const double is = strtod(at + strlen(real[k].key), NULL);
        cr_expect(near(is, real[k].is) || (isnan(is) && isnan(real[k].is)), "%s: %g, not %g", real[k].key, is,
            real[k].is);
    }
    cr_expect(strstr(line, " sample used ") && strstr(strstr(line, " power "), power(m) < 1 ? "(zero)" : "("), "%s",
        line);
    cr_expect(sscanf(strstr(line, " correct "), " correct %ld/%ld over %ld undecided %ld", &correct, &n, &over,
        &undecided) == 4 && correct == m->y.correct && n == m->y.n && over == m->y.over && undecided == m->y.undecided,
        "%s",
        line);
    cr_expect(sscanf(strstr(line, " ref "), " ref %ldb %lfus/el %llu retries", &bits, &us, &retries) == 3 &&
            bits == m->y.cost.prec && retries == m->y.cost.retries, "%s", line);
    const double took = m->y.cost.elements ? 1e-3 * m->y.cost.ns / (double)m->y.cost.elements : 0;
    cr_expect(fabs(us - took) <= 0.06 * took, "%g, not %g", us, took);
}

/* Which parts a verdict in words has. */
Test(verdict, a_line_of_text_says_what_was_found_and_how_to_ask_again)
{
    for (int k = 0; k < 3000; k++) {
        struct made m;
        struct sink s = { .quiet = below(3) == 0 };
        char head[200];
        draw(&m);
        listen(), sink_say(&s, &m.f), heard(), causes_free(&s.causes);
        const bool bad = m.f.word == FAILED || m.f.word == CRASHED, shown = bad || (!s.quiet && !m.f.elsewhere),
                   told = (m.f.word == FAILED || m.f.word == KNOWN_DEVIATION) && m.f.tally;
        cr_expect_eq(*out != 0, shown, "%s", out);
        if (!shown)
            continue;
        const char *quote = m.f.id && strchr(m.f.id, ' ') ? "\"" : "";
        snprintf(head, sizeof head, "%s %s rope.%s%s%s%s%s %.90s", word_name[m.f.word], m.f.subject, m.f.quantity,
            m.f.id ? " " : "", quote, m.f.id ? m.f.id : "", quote, *m.f.params ? m.f.params : "-");
        cr_expect(!strncmp(out, head, strlen(head)), "%s\nnot %s", out, head);
        char *end = strchr(out, '\n');
        cr_assert(end, "%s", out);
        *end = 0;
        char because[700];
        snprintf(because, sizeof because, ": %s", m.f.reason);
        cr_expect(!*m.f.reason || (strlen(out) > strlen(because) && !strcmp(end - strlen(because), because)), "%s",
            out);
        if (m.f.tally)
            has_measures(out, &m);
        else
            cr_expect(!strstr(out, " used ") && !strstr(out, "ref "), "%s", out);
        const char *rest = end + 1;
        const bool again = *m.f.replay && (m.f.word == CRASHED || m.f.word == FAILED),
                   small = *m.f.smallest && m.f.word == FAILED && m.f.tally;
        cr_expect_eq(strstr(rest, "  again: ") != NULL, again, "%s|%s", out, rest);
        cr_expect(!again || strstr(rest, m.f.replay));
        cr_expect_eq(strstr(rest, "  smallest: ") != NULL, small, "%s|%s", out, rest);
        cr_expect(!small || strstr(rest, m.f.smallest));
        cr_expect_eq(strstr(rest, "these inputs could not have told") != NULL, m.f.blind != NULL);
        long hidden, asked;
        if (m.f.blind)
            cr_expect(sscanf(rest, "  these inputs could not have told %ld of %ld known mistakes", &hidden,
                &asked) == 2 &&
                    hidden == m.b.hidden && asked == m.b.asked && (strstr(rest,
                    ": hidden-one") != NULL) == (hidden > 0),
                "%s", rest);
        cr_expect_eq(strstr(rest, "exactly 0.") != NULL, told, "%s", rest);
        if (told)
            has_witness(rest, &m);
        cr_expect(!told || strstr(rest, m.y.digits), "%s", rest);
        const bool causes = told && m.f.word == FAILED && m.f.diagnosis;
        cr_expect_eq(strstr(rest, "not looked into") != NULL, causes && m.d.spent, "%s", rest);
        cr_expect_eq(strstr(rest, "pass ") != NULL || strstr(rest, "halved") != NULL || strstr(rest, "fact ") != NULL ||
            strstr(rest, "not looked into") != NULL || strstr(rest, "no known") != NULL, causes, "%s", rest);
    }
}

static void is_text(json_t *o, const char *key, const char *want)
{
    const char *is = json_string_value(json_object_get(o, key));
    cr_expect(want ? is && !strcmp(is, want) : !is, "%s: %s, not %s", key, is, want);
}
static void is_real(json_t *o, const char *key, double want)
{
    json_t *is = json_object_get(o, key);
    cr_expect(isfinite(want) ? json_is_number(is) && json_number_value(is) == want :
        json_is_string(is) && !strcmp(json_string_value(is), isnan(want) ? "nan" : "inf"), "%s is not %g", key, want);
}

/* One object a line, with every key that the finding has something for and none else. */
Test(verdict, json_holds_every_field_and_nothing_else)
{
    for (int k = 0; k < 1500; k++) {
        struct made m;
        struct sink s = { .json = true };
        draw(&m);
        listen(), sink_say(&s, &m.f), heard(), causes_free(&s.causes);
        json_t *o = json_loads(out, 0, NULL), *measures = json_object_get(o, "measures"),
               *reference = json_object_get(o, "reference"), *untold = json_object_get(o, "untold"),
               *facts = json_object_get(o, "anatomy");
        cr_assert(o && strchr(out, '\n') == out + strlen(out) - 1, "%s", out);
        is_text(o, "verdict", word_name[m.f.word]), is_text(o, "subject", m.f.subject), is_text(o, "row", "rope");
        is_text(o, "quantity", m.f.quantity), is_text(o, "case", m.f.id ? m.f.id : m.f.params);
        is_text(o, "params", m.f.params), is_text(o, "method", "sample"), is_real(o, "seed", (double)m.f.seed);
        is_text(o, "reason", *m.f.reason ? m.f.reason : NULL), is_text(o, "replay", *m.f.replay ? m.f.replay : NULL);
        is_text(o, "smallest", *m.f.smallest ? m.f.smallest : NULL), is_text(o, "type", m.f.type);
        const bool told = (m.f.word == FAILED || m.f.word == KNOWN_DEVIATION) && m.f.tally;
        const char *seen = json_string_value(json_object_get(o, "witness"));
        cr_expect_eq(seen != NULL, told);
        if (seen)
            has_witness(seen, &m);
        cr_expect(!m.f.tally == !measures && !m.f.tally == !reference);
        if (m.f.tally) {
            is_real(measures, "used", m.y.ratio), is_real(measures, "gauge", m.y.gauge), is_real(measures, "ulp",
                m.y.ulp);
            is_real(measures, "bound", m.y.derived), is_real(measures, "power", power(&m)), is_real(measures, "n",
                (double)m.y.n);
            is_real(measures, "over", (double)m.y.over), is_real(measures, "correct", (double)m.y.correct);
            is_real(measures, "undecided", (double)m.y.undecided), is_real(reference, "bits", (double)m.y.cost.prec);
            is_real(reference, "elements", (double)m.y.cost.elements), is_real(reference, "ties",
                (double)m.y.cost.ties);
            is_real(reference, "retries", (double)m.y.cost.retries);
            is_real(reference, "exact_path", (double)m.y.cost.exact);
            is_real(reference, "us_per_element", m.y.cost.elements ? 1e-3 * m.y.cost.ns / (double)m.y.cost.elements :
                0);
        }
        cr_expect_eq(untold != NULL, m.f.blind != NULL);
        if (untold)
            is_real(untold, "asked", (double)m.b.asked), is_real(untold, "hidden", (double)m.b.hidden),
                is_text(untold, "mistakes", "hidden-one");
        cr_expect_eq(json_object_get(o, "mistakes") != NULL, m.f.diagnosis != NULL);
        cr_expect_eq((long)json_array_size(facts), m.f.diagnosis ? m.d.anatomy.n : 0);
        for (int j = 0; facts && j < m.d.anatomy.n; j++)
            cr_expect_str_eq(json_string_value(json_array_get(facts, (size_t)j)), m.d.anatomy.fact[j]);
        json_decref(o);
    }
}

/* The cells of one line of the table, without the blank on either side, and with the bars within them given back; how
 * many. */
static int cells(const char *line, char cell[16][400])
{
    int n = 0;
    size_t at = 0;
    for (const char *s = line + 1; *s && n < 15; s++)
        if (*s == '|') {
            at -= at > 0 && cell[n][at - 1] == ' ';
            cell[n++][at] = 0, at = 0;
        } else if (!(at == 0 && *s == ' ' && s[-1] == '|') && at < 399)
            cell[n][at++] = s[0] == '\\' && s[1] == '|' ? *++s : *s;
    return n;
}

/* The table has one line of ten cells a verdict, whatever their texts are; JUnit one case, failed where it failed. */
Test(verdict, table_and_junit_hold_each_verdict_once)
{
    for (int k = 0; k < 1000; k++) {
        struct made m;
        char md[4000], junit[8000], cell[16][400], want[300];
        struct sink s = { .quiet = true, .md = tmpfile(), .junit = tmpfile() };
        draw(&m);
        listen(), sink_say(&s, &m.f), heard(), causes_free(&s.causes);
        rewind(s.md), md[fread(md, 1, sizeof md - 1, s.md)] = 0, fclose(s.md);
        rewind(s.junit), junit[fread(junit, 1, sizeof junit - 1, s.junit)] = 0, fclose(s.junit);
        const bool two = md[0] == '|' && md[1] == ' ' && strchr(md, '\n') == md + strlen(md) - 1;
        cr_assert(two, "%s", md);
        cr_expect_eq(cells(md, cell), 10, "%s", cell[0]);
        cr_expect_str_eq(cell[0], word_name[m.f.word]);
        cr_expect_str_eq(cell[1], m.f.subject);
        cr_expect_str_eq(cell[2], "rope");
        snprintf(want, sizeof want, "%s %s", m.f.quantity, m.f.type ? m.f.type : "");
        cr_expect_str_eq(cell[3], want);
        snprintf(want, sizeof want, "%s%s%.90s", m.f.id ? m.f.id : "", m.f.id ? " " : "", m.f.params);
        cr_expect_str_eq(cell[4], want);
        long correct, n;
        cr_expect(m.f.tally ? near(strtod(cell[5], NULL), m.y.ratio) && near(strtod(cell[6], NULL), m.y.ulp) &&
            sscanf(cell[7], "%ld/%ld", &correct, &n) == 2 && correct == m.y.correct && n == m.y.n &&
            strtod(cell[8], NULL) == power(&m) : !*cell[5] && !*cell[6] && !*cell[7] && !*cell[8], "%s %s %s %s",
            cell[5], cell[6], cell[7], cell[8]);
        cr_expect_str_eq(cell[9], m.f.tally && m.f.match ? "half|so" : m.f.reason);
        const bool bad = m.f.word == FAILED || m.f.word == CRASHED;
        cr_expect(strstr(junit, "<testcase ") && strstr(junit, "</testcase>\n"), "%s", junit);
        cr_expect_eq(strstr(junit, "<failure ") != NULL, m.f.word == FAILED, "%s", junit);
        cr_expect_eq(strstr(junit, "cos[") != NULL, bad && m.f.tally, "%s", junit);
    }
}

static struct finding plain(enum word word)
{
    return (struct finding){ .word = word, .subject = "x", .row = "rope", .quantity = "y" };
}

/* The exit status is the first that holds of: a report is not written, CRASH, FAIL, nothing judged, pass; the closing
 * line counts each word, and of those that were asked the share that shows nothing. */
Test(verdict, the_exit_status_and_the_closing_line_follow_from_the_counts)
{
    for (int k = 0; k < 1 << (WORDS + 1); k++) {
        struct sink s = { .quiet = true, .json = k % 3 == 0 };
        long count[COUNTS] = { 0 };
        double cost[3] = { 0 };
        listen();
        for (int w = 0; w < COUNTS; w++)
            for (long times = k >> w & 1 ? 1 + below(3) : 0; times > 0; times--) {
                struct finding f = plain(w == ELSEWHERE ? SKIPPED : (enum word)w);
                struct tally y = { .n = 1, .out = "y", .cost.ns = 1e9 * (double)below(5),
                    .bounds_ns = 1e9 * (double)below(5),
                    .judging_ns = 1e9 * (double)below(5) };
                f.elsewhere = w == ELSEWHERE || (w != SKIPPED && below(2));
                f.tally = below(2) ? &y : NULL;
                if (f.tally)
                    cost[0] += 1e-9 * y.cost.ns, cost[1] += 1e-9 * y.bounds_ns, cost[2] += 1e-9 * y.judging_ns;
                sink_say(&s, &f), count[w]++;
            }
        const int exits = sink_close(&s, "the\trun");
        heard();
        const long judged = count[PASS] + count[KNOWN_DEVIATION] + count[FAILED] + count[CRASHED];
        cr_expect_eq(exits, count[CRASHED] ? EXIT_CRASH : count[FAILED] ? EXIT_FAIL : judged ? EXIT_PASS :
            EXIT_NOTHING);
        const char *line = strstr(s.json ? err : out, "the?run: ");
        cr_assert(line, "%s", out);
        long is[COUNTS];
        double share, spent[4] = { 0 };
        cr_expect(sscanf(line,
            "the?run: %ld pass, %ld known deviations, %ld fail, %ld crash, %ld vacuous (%lf %%), %ld "
            "undecided, %ld skipped, %ld counted with another kernel; reference %lf s, bounds %lf s, judging %lf s "
            "(%lf %%)",
            &is[PASS], &is[KNOWN_DEVIATION], &is[FAILED], &is[CRASHED], &is[VACUOUS], &share, &is[UNDECIDED_VERDICT],
            &is[SKIPPED], &is[ELSEWHERE], &spent[0], &spent[1], &spent[2], &spent[3]) == (cost[0] + cost[1] > 0 ? 13 :
            9),
            "%s", line);
        for (int w = 0; w < COUNTS; w++)
            cr_expect_eq(is[w], count[w], "%d: %s", w, line);
        const long asked = judged + count[VACUOUS] + count[UNDECIDED_VERDICT];
        const double nothing = asked ? 100 * (double)count[VACUOUS] / (double)asked : 0;
        cr_expect(fabs(share - nothing) <= 0.051 * nothing, "%s", line);
        for (int c = 0; c < 3 && cost[0] + cost[1] > 0; c++)
            cr_expect(fabs(spent[c] - cost[c]) <= 0.06 * cost[c], "%s: %g", line, cost[c]);
        cr_expect(!(cost[0] + cost[1] > 0) || fabs(spent[3] - 100 * cost[2] / (cost[0] + cost[1])) <= 0.5001, "%s",
            line);
    }
}

/* What comes from outside is fit for one line; the commands stay as they are. */
Test(verdict, texts_of_strangers_stay_on_their_line)
{
    for (int part = 0; part < 8; part++) {
        struct finding f = plain(FAILED);
        const char *evil = "a\nb\x1b\xff";
        const char **borrowed[] = { &f.subject, &f.row, &f.quantity, &f.id, &f.type, &f.sizes };
        char junit[2000];
        if (part < 6)
            *borrowed[part] = evil;
        else
            strcpy(part == 6 ? f.params : f.reason, evil);
        struct sink s = { .junit = tmpfile() };
        listen(), sink_say(&s, &f), heard();
        rewind(s.junit), junit[fread(junit, 1, sizeof junit - 1, s.junit)] = 0, fclose(s.junit);
        cr_expect(strchr(out, '\n') == out + strlen(out) - 1 && !strpbrk(out, "\x1b\xff"), "%d: %s", part, out);
        cr_expect(part == 4 || part == 5 || strstr(out, "a?b??"), "%d: %s", part, out);
        cr_expect(!strpbrk(junit, "\x1b\xff"), "%d: %s", part, junit);
    }
}

/* With `brief`, each reason of a SKIP is printed once, among many as among few, and the others are counted. */
Test(verdict, a_reason_that_was_said_is_counted)
{
    for (long reasons = 1; reasons < 100; reasons += reasons < 3 ? 1 : 30) {
        struct sink s = { .brief = true };
        long said = 0, unsaid = 0;
        listen();
        for (long k = 0; k < 3 * reasons; k++) {
            struct finding f = plain(SKIPPED), other = plain(PASS);
            snprintf(f.reason, sizeof f.reason, "reason %ld", k % reasons);
            snprintf(other.reason, sizeof other.reason, "reason %ld", k % reasons);
            sink_say(&s, &f), sink_say(&s, &other);
        }
        const int exits = sink_close(&s, "run");
        heard();
        cr_expect_eq(exits, EXIT_PASS);
        for (char *line = out; line && *line; line = strchr(line, '\n') + 1)
            said += !strncmp(line, "SKIP x", 6), sscanf(line, "SKIP %ld more, for", &unsaid);
        const long kept_of = reasons < REASONS ? reasons : REASONS;
        cr_expect(said == reasons + 2 * (reasons - kept_of) && unsaid == 2 * kept_of, "%ld of %ld: %ld, %ld", said,
            reasons,
            unsaid, kept_of);
        cr_expect_eq(strstr(out, "for the reason above") != NULL, reasons == 1);
    }
}

/* A report is there whole after the run, and a run whose report cannot be written says so by its exit status. */
Test(verdict, reports_are_whole_or_the_run_is_no_pass)
{
    char folder[] = "/tmp/meridian-verdict-XXXXXX", path[3][80], text[2000];
    cr_assert(mkdtemp(folder));
    for (int k = 0; k < 3; k++)
        snprintf(path[k], sizeof path[k], "%s/%d", folder, k);
    for (int which = 0; which < 16; which++) {
        /* bits: a table is asked for, JUnit is; and their folders are there */
        struct cli c = { 0 };
        struct sink s;
        char lost[2][100];
        for (int k = 0; k < 2; k++) {
            snprintf(lost[k], sizeof lost[k], which >> (2 + k) & 1 ? "%s" : "%s.none/x", path[k]);
            if (which >> k & 1)
                c.given[c.n_given].name = k ? "junit" : "md", c.given[c.n_given++].value = lost[k];
        }
        listen();
        const bool opens = (which & 3 & ~(which >> 2)) == 0, opened = sink_open(&s, &c);
        struct finding f = plain(PASS);
        const int exits = opened ? (sink_say(&s, &f), sink_close(&s, "run")) : EXIT_PASS;
        heard();
        cr_expect_eq(exits, EXIT_PASS, "%d: %s", which, err);
        cr_expect_eq(opened, opens, "%d: %s", which, err);
        cr_expect(opens || (!strncmp(err, "meridian: --", 12) && strchr(err, '\n') == err + strlen(err) - 1), "%s",
            err);
        for (int k = 0; k < 2; k++) {
            FILE *in = fopen(path[k], "r");
            cr_expect_eq(in != NULL, opens && which >> k & 1, "%d: report %d", which, k);
            if (!in)
                continue;
            text[fread(text, 1, sizeof text - 1, in)] = 0, fclose(in), unlink(path[k]);
            cr_expect(k ? !strncmp(text, "<?xml ", 6) && strstr(text, "<testsuite ") && strstr(text, "</testsuite>\n") :
                !strncmp(text, "| verdict |", 11) && strstr(text, "| PASS | x | rope | y"), "%s", text);
        }
    }
    struct sink s = { .quiet = true };
    struct cli c = { .given = { { "md", path[0] }, { "junit", path[1] } }, .n_given = 2 };
    for (int full = 0; full < 2; full++) { /* one of the two fails to be written */
        cr_assert(sink_open(&s, &c));
        s.file[full].file = freopen("/dev/full", "w", s.file[full].file);
        struct finding f = plain(PASS);
        listen(), sink_say(&s, &f);
        const int exits = sink_close(&s, "run");
        heard();
        cr_expect_eq(exits, EXIT_USAGE, "%d", full);
        cr_expect(!strncmp(err, "meridian: ", 10), "%s", err);
        unlink(path[0]), unlink(path[1]);
    }
    cr_expect_eq(rmdir(folder), 0, "nothing is left behind");
}

/* A verdict of a comparison: elements outside come first, then what is open, then that nothing was there. */
Test(verdict, the_word_of_a_tally)
{
    for (int k = 0; k < 8; k++) {
        const struct tally y = { .n = k & 1, .over = k >> 1 & 1, .undecided = k >> 2 & 1 };
        cr_expect_eq(tally_word(&y), y.over ? FAILED : y.undecided ? UNDECIDED_VERDICT : y.n ? PASS : SKIPPED, "%d", k);
    }
    const struct tally admits = { .n = 2, .power = { .used = 1, .at = { { .out = "y", .n = 2, .fits = 2,
        .wide = 2 } } } };
    cr_expect_eq(tally_word(&admits), VACUOUS);
}
