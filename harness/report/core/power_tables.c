/* The tables of `meridian power`: queries on the entries that report_power.c, report_checks.c, report_diagnosis.c and
 * report_questions.c measure. */
#include "report/core/power_tables.h"
#include <stddef.h>
#include "report/core/report.h"

const char power_views[] =
    "CREATE TEMP VIEW told AS SELECT quantity, params, witness, subject, measure, value, at, CASE WHEN measure LIKE "
    "'allclose %' THEN CASE WHEN value <= 1 THEN 'accepts' ELSE 'rejects' END"
    " WHEN value <= 1 THEN CASE measure WHEN 'known small' THEN 'indistinguishable, ' ELSE 'SURVIVES, ' END || "
    "num(value) ELSE num(value) || ' x' END AS cell FROM now WHERE measure IN ('allclose small','known small','known "
    "probe');"
    /* the type is the last word of a kernel's subject, but for a number in brackets */
    "CREATE TEMP VIEW judged AS SELECT b.row, b.quantity, CASE WHEN b.subject LIKE '% bf16%' THEN 'bf16' WHEN "
    "b.subject LIKE '% f16%' THEN 'f16' WHEN b.subject LIKE '% f64%' THEN 'f64' ELSE 'f32' END AS type,"
    " b.value AS used, b.verdict, p.value AS power, p.witness AS trivial, b.n FROM now b JOIN now p ON p.key=b.key AND "
    "p.measure='power' WHERE b.measure='bound used';"
    "CREATE TEMP VIEW ranked AS SELECT *, row_number() OVER (PARTITION BY row, quantity, type ORDER BY used) AS place, "
    "count(*) OVER (PARTITION BY row, quantity, type) AS cases FROM judged;";

const char power_findings[] = "SELECT 'Known bugs of the field on small inputs in ' || subject || ': allclose(2e-2, "
                              "2e-2) accepts ' || count(*) FILTER (WHERE measure='allclose small' AND value <= 1) || ' "
                              "of ' || count(*) FILTER (WHERE measure='allclose small')"
                              " || '; ' || count(*) FILTER (WHERE measure='known small' AND value <= 1) || ' cannot be "
                              "told from the right output by the derived bound; ' || count(*) FILTER (WHERE "
                              "measure='known probe' AND value <= 1) || ' survive the own probe.' AS 'in short'"
                              " FROM told GROUP BY subject HAVING count(*) > 0 ORDER BY CASE subject WHEN 'f32' THEN 1 "
                              "WHEN 'f16' THEN 2 ELSE 3 END";

const struct power_table power_tables[] = {
    { "known", "Known bugs: what others' tolerance accepts, what the derived bound and the own probe reject",
      "Each bug's exact outputs, rounded to the type, stand as a subject. Small inputs: q and k 0.32 normal, v 0.1 "
          "normal, as a layer sees them; allclose(2e-2, 2e-2) is shown as a description of practice and decides "
          "nothing here."
      " The bound is of float32 arithmetic in any order, weights and outputs in the type. A number with x says how "
          "many times the bound the worst element is off; 'indistinguishable' that every element looked at lies "
          "inside its bound, and how far. Lines are a random sample under a fixed seed.",
      NULL,
      "SELECT quantity AS 'known bug', max(witness) AS source, max(cell) FILTER (WHERE subject='f32' AND "
          "measure='allclose small') AS 'f32: allclose, small inputs', max(cell) FILTER (WHERE subject='f32' AND "
          "measure='known small') AS 'f32: bound, small inputs', max(cell) FILTER (WHERE subject='f32' AND "
          "measure='known probe') AS 'f32: own probe',"
      " max(cell) FILTER (WHERE subject='f16' AND measure='allclose small') AS 'f16: allclose', max(cell) FILTER "
          "(WHERE subject='f16' AND measure='known small') AS 'f16: bound', max(cell) FILTER (WHERE subject='f16' AND "
          "measure='known probe') AS 'f16: own probe',"
      " max(cell) FILTER (WHERE subject='bf16' AND measure='allclose small') AS 'bf16: allclose', max(cell) FILTER "
          "(WHERE subject='bf16' AND measure='known small') AS 'bf16: bound', max(cell) FILTER (WHERE subject='bf16' "
          "AND measure='known probe') AS 'bf16: own probe',"
      " max(params) AS chain FROM told GROUP BY quantity ORDER BY min(at)", report_known },
    { "scale", "The least relative error of the logit scale that leaves the bound, on the own probe",
      "Two queries, width 64, against the given number of keys. Both ends were evaluated in ball arithmetic: at the "
          "smaller change every element of the exact output lies in its bound, at the larger one is certainly outside.",
      NULL,
      "SELECT many(n) AS keys, num(max(value) FILTER (WHERE subject='f32' AND measure='scale seen')) AS 'f32: seen', "
          "num(max(value) FILTER (WHERE subject='f32' AND measure='scale hidden')) AS 'f32: hidden',"
      " num(max(value) FILTER (WHERE subject='f16' AND measure='scale seen')) AS 'f16: seen', num(max(value) FILTER "
          "(WHERE subject='f16' AND measure='scale hidden')) AS 'f16: hidden',"
      " num(max(value) FILTER (WHERE subject='bf16' AND measure='scale seen')) AS 'bf16: seen', num(max(value) FILTER "
          "(WHERE subject='bf16' AND measure='scale hidden')) AS 'bf16: hidden',"
      " max(witness) FILTER (WHERE subject='bf16' AND measure='scale seen') AS 'witness, bf16' FROM now WHERE measure "
          "IN ('scale seen','scale hidden') GROUP BY n ORDER BY n", report_scale },
    { "kill", "Every named mistake: killed, equivalent by a law, or a survivor",
      "The reference itself, with the mistake, stands as a subject; killed by the first of its row's quantities that "
          "rejects it on at most 64 random lines, of inputs that its own line of data/mistakes asks for. What changes: "
          "the first quantity that does, by how much of its largest element (of whole numbers: which share). In 16-bit "
          "types a mistake may be as small as the rounding of the output, and survive.",
      "The kill matrix",
      "SELECT k.row, k.quantity AS mistake, max(k.witness) FILTER (WHERE k.subject='f32') AS f32, max(k.witness) "
          "FILTER (WHERE k.subject='f16') AS f16, max(k.witness) FILTER (WHERE k.subject='bf16') AS bf16,"
      " max(m.witness) AS 'effect, or the law', (SELECT c.witness FROM now c WHERE c.measure='change' AND c.row=k.row "
          "AND c.quantity=k.quantity) AS changes, max(m.subject) AS source"
      " FROM now k JOIN now m ON m.key=k.key AND m.quantity=k.quantity AND m.measure='mistake' WHERE k.measure='kill' "
          "GROUP BY k.row, k.quantity ORDER BY k.row, min(k.at)", report_kills },
    { "bounds", "How much a bound says, over own kernels and presets",
      "Share of the derived bound that own kernels use, at the worst element of a case; the least share of elements "
          "that reject some output which needs no understanding (0, 1, an input, a mean of an input); the share of "
          "cases in which one of those fits everywhere.",
      NULL,
      "SELECT row, quantity AS outputs, type, many(max(cases)) AS cases, num(avg(used) FILTER (WHERE place IN ((cases "
          "+ 1) / 2, (cases + 2) / 2))) AS 'bound used: median', num(max(used)) AS 'bound used: worst',"
      " num(min(power)) AS 'least share rejecting a trivial output', (SELECT trivial FROM ranked t WHERE t.row=r.row "
          "AND t.quantity=r.quantity AND t.type=r.type ORDER BY t.power LIMIT 1) AS 'which',"
      " num(100.0 * sum(verdict='VACUOUS') / count(*)) || ' %' AS 'vacuous cases' FROM ranked r GROUP BY row, "
          "quantity, type ORDER BY row, quantity, type", report_questions },
    { "checks", "The checks against every mistake: how many each kills",
      "Each check is asked of the reference with each mistake of data/mistakes of every row that it asks, under the "
          "parameters of the mistake's own line, and with each fault of code that it names. It must kill in float32 "
          "those that it names; what it fails beside them is told too."
      " bfloat16 outputs hide mistakes below their own rounding.",
      NULL,
      "SELECT params AS 'check', many(count(*) FILTER (WHERE subject='f32')) AS 'mistakes asked', sum(subject='f32' "
          "AND bound) AS named, sum(subject='f32' AND bound AND value) AS 'of these killed, f32', sum(subject='bf16' "
          "AND bound AND value) AS 'bf16',"
      " sum(subject='f32' AND NOT bound AND value) AS 'others killed, f32', sum(subject='bf16' AND NOT bound AND "
          "value) AS 'others killed, bf16',"
      " coalesce(group_concat(DISTINCT row || '.' || quantity) FILTER (WHERE bound AND NOT value AND subject='f32'), "
          "'') AS 'survivors, f32', coalesce(group_concat(DISTINCT row || '.' || quantity) FILTER (WHERE bound AND "
          "NOT value AND subject='bf16'), '') AS 'named, hidden in bf16'"
      " FROM now WHERE measure='check kill' GROUP BY params ORDER BY params", report_checks },
    { "checks", "Every mistake: the checks that kill it", "Of the rows that some check asks.",
        "The kill matrix of the checks",
      "SELECT row, quantity AS mistake, coalesce(group_concat(params, ' ') FILTER (WHERE subject='f32' AND value), "
          "'') AS f32, coalesce(group_concat(params, ' ') FILTER (WHERE subject='bf16' AND value), '') AS bf16"
      " FROM now WHERE measure='check kill' GROUP BY row, quantity ORDER BY row, min(at)", NULL },
    { "confusion", "The diagnosis against the truth",
      "Each mistake's own outputs, on inputs of its line of data/mistakes filled in three ways, stand as a subject; "
          "the first quantity of the row that rejects them is diagnosed. 'Not to be told' means that what the mistake "
          "says and what the right row says differ by less than the sum of"
      " their bounds in every element looked at. A class here are the hypotheses that these very inputs cannot tell "
          "apart, by the same criterion; 'missed' are mistakes that passed although the criterion tells them from the "
          "right row.",
      NULL,
      "SELECT subject AS format, coalesce(params, 'all') AS inputs, many(count(*)) AS mistakes, sum(verdict='untold') "
          "AS 'not to be told', sum(verdict IN ('right','other','nothing')) AS diagnosed, sum(value=2) AS 'named "
          "first', sum(value>=1) AS 'its class first',"
      " sum(verdict='other') AS 'another', sum(verdict='nothing') AS 'nothing', sum(verdict='missed') AS missed, "
          "num(100.0 * sum(value>=1) / sum(verdict IN ('right','other','nothing','missed'))) || ' %' AS 'right'"
      " FROM (SELECT subject, params, verdict, value FROM now WHERE measure='diagnosis' UNION ALL SELECT subject, "
          "NULL, verdict, value FROM now WHERE measure='diagnosis') GROUP BY subject, params ORDER BY subject DESC, "
          "params IS NULL, params", report_confusion },
    { "confusion", "What the diagnosis confused, and what it could name only as another of its class",
        "Wrong answers first.", "The confusions",
      "SELECT row, quantity AS mistake, subject AS format, params AS inputs, verdict, witness AS 'named first' FROM "
          "now WHERE measure='diagnosis' AND (value < 2 OR verdict='missed') ORDER BY value, row, quantity, subject, "
          "params", NULL },
    { "classes", "Classes of mistakes",
      "Two mistakes of a row are one class where, at the parameters of both, no quantity on five fills of inputs "
          "tells what they say apart by more than the sum of their bounds (data/classes; `meridian power classes "
          "--write` makes them again).",
      NULL,
      "SELECT coalesce(row, 'all rows') AS row, sum(n) FILTER (WHERE subject='f32') AS mistakes, count(*) FILTER "
          "(WHERE subject='f32') AS 'classes in f32', count(*) FILTER (WHERE subject='bf16') AS 'classes in bf16', "
          "coalesce(group_concat(witness, '; ') FILTER (WHERE subject='f32' AND n > 1), '') AS 'of several, f32',"
      " coalesce(group_concat(witness, '; ') FILTER (WHERE subject='bf16' AND n > 1), '') AS 'of several, bf16' FROM "
          "(SELECT row, n, subject, witness FROM now WHERE measure='class' UNION ALL SELECT NULL, n, subject, NULL "
          "FROM now WHERE measure='class') GROUP BY row ORDER BY row IS NULL, row", report_classes },
    { "alarms", "Right subjects: accepted, vacuous, rejected",
      "The row itself, every step rounded as its contract says (its sharp profile, where it has none), stored in a "
          "format, judged under that contract as a profile; a combination is contract, preset and format, over all "
          "quantities. Not asked: where the exact answer is 0 or 1 everywhere"
      " (the amplitude of an encoding without one, the gradient of a gate that is not there), which decides nothing "
          "by itself, where the contract's own formats overflow, and where a preset's heads do not fit the sizes.",
      NULL,
      "SELECT coalesce(row, 'all rows') AS row, many(count(DISTINCT whole || params || subject) FILTER (WHERE "
          "verdict<>'SKIP')) AS combinations, many(count(*)) AS cases, many(sum(n)) AS elements, "
          "many(sum(verdict='PASS')) AS accepted, sum(verdict='VACUOUS') AS vacuous, sum(verdict='UNDECIDED') AS "
          "undecided, sum(verdict='SKIP') AS 'not asked',"
      " sum(verdict IN ('FAIL','CRASH')) AS 'false alarms', num(100.0 * sum(verdict='VACUOUS') / "
          "sum(verdict<>'SKIP')) || ' %' AS 'vacuous share', num(max(value)) AS 'bound used, worst'"
      " FROM (SELECT row, params, subject, n, verdict, value, row AS whole FROM now WHERE measure='alarm' UNION ALL "
          "SELECT NULL, params, subject, n, verdict, value, row FROM now WHERE measure='alarm') GROUP BY row ORDER BY "
          "row IS NULL, row", report_alarms },
    { "alarms", "Right subjects that were not accepted, and what was not asked",
        "No other verdict than SKIP is wanted.", NULL,
      "SELECT verdict, row, witness AS why, group_concat(DISTINCT quantity) AS outputs, many(count(*)) AS cases, "
          "num(max(value)) AS 'bound used' FROM now WHERE measure='alarm' AND verdict NOT IN ('PASS','VACUOUS') GROUP "
          "BY verdict, row, witness ORDER BY verdict, row", NULL },
    { NULL },
};
