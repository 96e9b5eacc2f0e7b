/* Trained models as checkpoint folders: the weights come back bit by bit, a class of another program answers as the
 * laboratory does within the derived bounds of every block, tables are what rows compute, and what cannot be written is
 * refused in one line, with nothing left behind. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include "command.h"
#include "core/files.h"
#include "lab/export/tables.h"
#include "lab/weights/class.h"
#include "lab/export/trained.h"
#include "lab/text/sha256.h"
#include "lab/train/train.h"

static const char small[] = "layers=2 heads=2 channels=16 inner=24 length=24 reach=40 batch=6 part=3 warm=2 rate=1/100";
static char dir[100];                     /* each test has one of its own, for they run side by side */
static void fresh(const char *name)
{
    char command[300], why[300];
    snprintf(dir, sizeof dir, "build/lab-export-%s", name);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert_eq(system(command), 0);
    cr_assert(!folder_make(dir, why, sizeof why), "%s", why);
}
static void drop(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert_eq(system(command), 0);
}
/* Trains a model for three steps and writes DIR/NAME.checkpoint. */
static void train(const char *encoding, const char *task)
{
    struct trainer t;
    char path[300], why[4200];
    cr_assert(!trainer_open(&t, encoding, task, small, NULL, 1, why, sizeof why), "%s: %s", encoding, why);
    for (int k = 0; k < 3; k++)
        cr_assert(!trainer_step(&t, why, sizeof why), "%s: %s", encoding, why);
    snprintf(path, sizeof path, "%s/%s.checkpoint", dir, encoding);
    cr_assert(!checkpoint_write(&t, path, why, sizeof why), "%s", why);
    trainer_close(&t);
}
/* Exports DIR/ENCODING.checkpoint to DIR/OUT. */
static int export(const char *encoding, const char *to, const char *more)
{
    char args[600];
    snprintf(args, sizeof args, "lab export %s/%s.checkpoint --out %s/%s %s", dir, encoding, dir, to, more);
    return meridian("", args);
}
static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *s = text; (s = strstr(s, what)); s++)
        n++;
    return n;
}

/* Runs a command of the shell with the names of two files of the folder, FOLDER/OF and FOLDER/TO. */
static void spoil(const char *command, const char *of, const char *to)
{
    char text[600];
    snprintf(text, sizeof text, command, dir, of, dir, to);
    cr_assert_eq(system(text), 0);
}

/* The tensors of a written folder. */
struct written { struct checkpoint_files w; char folder[300]; };
static void open_written(struct written *y, const char *name)
{
    char why[600];
    snprintf(y->folder, sizeof y->folder, "%s/%s", dir, name);
    cr_assert(!weights_open(&y->w, y->folder, why, sizeof why), "%s", why);
}
static float *tensor(struct written *y, const char *name, int64_t *len)
{
    char why[600];
    for (size_t k = 0; k < y->w.file[0].n; k++) {
        const struct tensor *t = &y->w.file[0].of[k];
        if (strcmp(t->name, name))
            continue;
        float *x = malloc(((size_t)mer_count(&t->a) + 1) * sizeof *x);
        cr_assert(!weights_floats(&y->w.file[0], t, x, why, sizeof why), "%s", why);
        *len = mer_count(&t->a);
        return x;
    }
    return *len = 0, NULL;
}
static void is_block(struct written *y, const struct trained *t, int block)
{
    int64_t len;
    const struct net_block *b = &t->m.block[block];
    float *x = tensor(y, b->name, &len);
    cr_expect(x && len == b->count && !memcmp(x, t->stored.params + b->at, (size_t)len * sizeof *x), "%s of %s",
        b->name, y->folder);
    free(x);
}

/* The class's matrices, by its table, are the model's, bit by bit: x[out][in], of which the model has columns `first`
 * and on of its [in][stride]. */
static void is_matrix(const struct mer_array *a, const float *own, int64_t stride, int64_t first, const char *what)
{
    const int64_t out = a->dim[0], in = a->dim[1];
    int64_t other = 0;
    for (int64_t i = 0; i < out * in; i++)
        other += memcmp((const float *)a->data + i, own + i % in * stride + first + i / in, sizeof(float)) != 0;
    cr_expect(other == 0, "%s: %lld of %lld numbers are others", what, (long long)other, (long long)(out * in));
}
static void weights_are(const struct trained *t, const char *folder)
{
    static struct checkpoint_files w;
    static const char *const none[] = { NULL };
    static const struct { enum role role; int of; } thirds[] = { { Q, 0 }, { K, 1 }, { V, 2 } };
    struct class_reading r;
    struct foreign m;
    char why[900];
    const int64_t c = t->m.size.channels, f = t->m.size.inner, v = t->m.size.vocab;
    cr_assert(!class_open(&r, &m, folder, none, why, sizeof why) && !class_sight(&r, folder, 8, why, sizeof why) &&
            !weights_open(&w, folder, why, sizeof why) && !class_bind(&r, &w, why, sizeof why), "%s", why);
    for (int l = 0; l < t->m.size.layers; l++) {
        const struct layer_blocks *b = &t->m.layer[l];
        for (int k = 0; k < 3; k++) {
            is_matrix(&m.layer[l].of[thirds[k].role], trained_block(t, b->wi), 3 * c, k * c, "q, k or v");
            cr_expect(!memcmp(m.layer[l].of[thirds[k].role + 1].data, trained_block(t, b->bi) + k * c, 4 * (size_t)c));
        }
        is_matrix(&m.layer[l].of[O], trained_block(t, b->wo), c, 0, "o");
        is_matrix(&m.layer[l].of[UP], trained_block(t, b->w1), f, 0, "up");
        is_matrix(&m.layer[l].of[DOWN], trained_block(t, b->w2), c, 0, "down");
        cr_expect(!memcmp(m.layer[l].of[NORM2].data, trained_block(t, b->gf), 4 * (size_t)c));
    }
    cr_expect(!memcmp(m.layer[m.layers].of[HEAD].data, trained_block(t, t->m.out), 4 * (size_t)(v * c)));
    const float *x = m.layer[m.layers].of[EMBED].data, *own = trained_block(t, t->m.token);
    for (int64_t k = 0; k < v * c; k++)
        cr_assert_eq(x[k], 4 * own[k], "the root of 16 channels: a power of two, so no bit is lost");
    weights_close(&w), class_close(&r), foreign_close(&m);
}

static void answers_as(const char *folder, int stages)
{
    char args[1400];
    snprintf(args, sizeof args,
        "lab run %s --tokens %s/tokens.txt --against %s/logits.safetensors --hidden %s/hidden.safetensors", folder,
        folder, folder, folder);
    cr_expect(meridian("", args) == 0 && count(out, "\nPASS ") == stages && !strstr(out, "FAIL"), "%s: %s%s", folder,
        out, err);
}

/* What becomes of a listed encoding; "": it is refused. */
static const struct { const char *encoding, *as; } become[] = { { "none", "gpt2" }, { "sinusoid", "gpt2" },
    { "learned", "gpt2" }, { "floater", "gpt2" }, { "rope", "gpt_neox" }, { "ropelow", "gpt_neox" },
    { "ropequarter", "gpt_neox" }, { "cope", "" }, { "forget", "" },
    { "roperandom", "" } };
static const char *becomes(const char *encoding)
{
    for (size_t k = 0; k < sizeof become / sizeof *become; k++)
        if (!strcmp(become[k].encoding, encoding))
            return become[k].as;
    return "meridian";
}

static void check_one(const char *encoding, const char *folder, const char *as)
{
    static struct trained t;
    static struct written y;
    char path[300], why[900], type[100];
    snprintf(path, sizeof path, "%s/%s.checkpoint", dir, encoding);
    cr_assert(!trained_open(&t, path, 0, false, why, sizeof why), "%s", why);
    snprintf(path, sizeof path, "%s/%s/config.json", dir, folder);
    char *config = file_read(path);
    snprintf(type, sizeof type, "\"model_type\": \"%s\"", as);
    cr_expect(config && strstr(config, type), "%s: %s", encoding, config ? config : "no config.json");
    free(config);
    open_written(&y, folder);
    if (strcmp(as, "meridian"))
        weights_are(&t, y.folder), answers_as(y.folder, (int)t.m.size.layers + 2);
    else
        for (int k = 0; k < t.m.blocks; k++)
            is_block(&y, &t, k);
    weights_close(&y.w), trained_close(&t);
}

Test(lab_export, every_encoding_goes_out_with_its_weights_bit_by_bit, .timeout = 240)
{
    fresh("all");
    for (const struct encoding *e = encoding_next(NULL); e; e = encoding_next(e)) {
        const char *as = becomes(e->name);
        train(e->name, "copy");
        if (!*as) {
            cr_expect(export(e->name, e->name, "--other-program") == 2 && lines(err) == 1, "%s: %s", e->name, err);
            continue;
        }
        cr_assert(export(e->name, e->name, "--other-program") == 0 && strstr(out, "after 3 steps"), "%s: %s%s", e->name,
            out, err);
        check_one(e->name, e->name, as);
        cr_assert(export(e->name, "plain", "--other-program --as plain") == 0, "%s: %s", e->name, err);
        check_one(e->name, "plain", "meridian");
        spoil("rm -r %s/%s && ! test -e %s/%s", "plain", "plain");
    }
    drop();
}

/* Tables against what the encodings are by their definitions. */
Test(lab_export, tables_are_what_the_encodings_say, .timeout = 60)
{
    static struct written y;
    int64_t len;
    fresh("tables");
    train("alibi", "copy"), train("rope", "copy"), train("shaw", "copy");
    cr_assert(export("alibi", "alibi", "--other-program --length 30") == 0, "%s", err);
    open_written(&y, "alibi");
    float *x = tensor(&y, "bias", &len);
    cr_assert(x && len == 2 * 30);
    for (int k = 0; k < 60; k++)
        cr_expect_eq(x[k], -ldexpf((float)(k % 30), k < 30 ? -4 : -8), "two heads have the slopes 2^-4 and 2^-8");
    free(x), weights_close(&y.w);
    cr_assert(export("rope", "plain", "--other-program --as plain") == 0, "%s", err);
    open_written(&y, "plain");
    x = tensor(&y, "turn.k", &len);
    cr_assert(x && len == 40 * 8 * 8);
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 4; k++) { /* pairs (k, k + 4); the cosines' error is that of a rounded angle, 40 2^-24 */
            const double angle = i * pow(10000, -k / 4.0), bound = 3e-6;
            cr_expect(fabs((double)x[(i * 8 + k) * 8 + k] - cos(angle)) < bound &&
                fabs((double)x[(i * 8 + k) * 8 + k + 4] + sin(angle)) < bound &&
                fabs((double)x[(i * 8 + k + 4) * 8 + k] - sin(angle)) < bound, "position %d, pair %d", i, k);
        }
    free(x), weights_close(&y.w);
    cr_assert(export("shaw", "shaw", "--other-program") == 0, "%s", err);
    open_written(&y, "shaw");
    int64_t many;
    float *trained = tensor(&y, "0.tv", &many);
    cr_assert((x = tensor(&y, "0.to_value", &len)) && trained && len == 2 * 40 * 8 && many == 17 * 8);
    for (int k = 0; k < len; k++) { /* distances 0 .. 16, and all beyond as 16, are lines 16 .. 0 of the table */
        const int at = k / 8 % 40 > 16 ? 16 : k / 8 % 40;
        cr_expect_eq(x[k], trained[(16 - at) * 8 + k % 8]);
    }
    free(x), free(trained), weights_close(&y.w);
    drop();
}

/* Changes bytes of a checkpoint, with the digest that belongs to what is there then, and writes it as another one. */
static void forge(const char *of, const char *to, const char *from, const char *into)
{
    char path[300], hex[65], why[300];
    snprintf(path, sizeof path, "%s/%s.checkpoint", dir, of);
    char *text = file_read(path), *at = strstr(text, from);
    FILE *f = fopen(path, "r");
    fseek(f, 0, SEEK_END);
    const size_t size = (size_t)ftell(f);
    fclose(f);
    cr_assert(at && strlen(from) == strlen(into), "%s", from);
    memcpy(at, into, strlen(into));
    sha256_of(text, size - 65, hex), memcpy(text + size - 65, hex, 64);
    snprintf(path, sizeof path, "%s/%s.checkpoint", dir, to);
    cr_assert(!file_replace(path, text, size, why, sizeof why), "%s", why);
    free(text);
}
Test(lab_export, what_cannot_be_written_is_refused_and_leaves_nothing, .timeout = 60)
{
    static const struct { const char *of, *more, *says; } list[] = {
        { "rope", "", "trained by another build of this program" },
        { "gone", "--other-program", "gone.checkpoint: No such file" },
        { "short", "--other-program", "damaged: its SHA-256 is another" },
        { "bent", "--other-program", "damaged: its SHA-256 is another" },
        { "old", "--other-program", "one of another version" },
        { "name", "--other-program", "encoding 'ropf' is not here" },
        { "larger", "--other-program", "parameters, where its model has" },
        { "alibi-pair", "--other-program", "an encoder-decoder of this laboratory is of no class" },
        { "rope", "--other-program --as nosuch", "--as nosuch: no class of that name" },
        { "rope", "--other-program --as gpt2", "--as gpt2: no class of that name (data/weights), or none that" },
        { "rope", "--other-program --as phi", "--as phi: " },
        { "rope", "--other-program --length 41", "--length 41: the model's reach is 40" },
        { "rope", "--other-program --length 0", "--length" },
    };
    char args[600], command[300];
    fresh("bad");
    train("alibi", "encdec-reverse"), spoil("mv %s/%s.checkpoint %s/%s.checkpoint", "alibi", "alibi-pair");
    train("rope", "copy");
    spoil("head -c 9000 %s/%s.checkpoint >%s/%s.checkpoint", "rope", "short");
    spoil("sed 's/step 3/step 4/' %s/%s.checkpoint >%s/%s.checkpoint", "rope", "bent");
    forge("rope", "old", "checkpoint 2", "checkpoint 1"), forge("rope", "name", "rope ", "ropf ");
    forge("rope", "larger", "inner=24", "inner=25");
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect(export(list[k].of, "none", list[k].more) == 2 && lines(err) == 1 && !*out &&
                strstr(err, list[k].says), "%s %s: %s%s", list[k].of, list[k].more, out, err);
    cr_expect(export("rope", "", "--other-program") == 2 && strstr(err, "there is something of that name"), "%s", err);
    cr_expect(export("rope", "no/such", "--other-program") == 2 && strstr(err, "No such file"), "%s", err);
    snprintf(args, sizeof args, "lab export %s/rope.checkpoint", dir);
    cr_expect(meridian("", args) == 2 && lines(err) == 1 && strstr(err, "and --out"), "%s", err);
    snprintf(args, sizeof args, "lab export %s --out %s/none", dir, dir);
    cr_expect(meridian("", args) == 2 && strstr(err, "7 checkpoints (*.checkpoint) in this folder"), "%s", err);
    snprintf(command, sizeof command, "test $(ls %s | wc -l) = $(ls %s | grep -c checkpoint$)", dir, dir);
    cr_expect_eq(system(command), 0, "something is left in %s", dir);
    drop();
}
