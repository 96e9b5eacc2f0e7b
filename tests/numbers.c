/* JSON numbers as a parameter's words: the decimal that was written, not the 17 digits of its double. */
#include <criterion/criterion.h>
#include <string.h>
#include "core/field.h"

Test(numbers, a_json_number_becomes_the_decimal_that_was_written)
{
    static const struct { const char *json, *words; } cases[] = {
        { "1e-5", "1e-05" },
        { "0.1", "0.1" },
        { "1.0", "1.0" },
        { "10000", "10000" },
        { "-10000.0", "-10000.0" },
        { "0.23570226039551587", "0.23570226039551587" },
        { "1e22", "1e+22" },
        { "9007199254740993", "9007199254740993" },
        { "[1.0, 0.1, 2]", "1.0,0.1,2" },
        { "[\"c2p\", \"p2c\"]", "\"c2p\",\"p2c\"" },
        { "\"half\"", "half" },
        { "true", "true" },
        { "[]", "" },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        json_t *v = json_loads(cases[k].json, JSON_DECODE_ANY, NULL);
        cr_assert(v);
        char *text = value_text(v);
        cr_expect_str_eq(text, cases[k].words, "%s", cases[k].json);
        free(text), json_decref(v);
    }
}
