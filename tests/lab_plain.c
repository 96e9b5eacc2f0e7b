/* A random Llama, written here as a checkpoint of two files in float32, and computed here by plain loops in double from
 * the formulas alone: `lab run` holds it within its bounds, block by block, and none of the computations that break a
 * rule. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include "command.h"
#include "core/arrayfile.h"
#include "core/files.h"

enum { C = 6, H = 3, G = 1, D = 4, F = 5, V = 7, L = 3, N = 9, PARTS = 9, TENSORS = 3 + PARTS * L };
enum { NORM1, Q, K, VALUE, O, NORM2, GATE, UP, DOWN };
/* What is done wrong: the sign of the rotation, neighbours turned together, eps, the scale of scores, the future seen,
 * gate and up exchanged, no last norm, no residual, q of another layer. */
enum wrong { NOTHING, BACKWARDS, NEIGHBOURS, EPS, SCALE, FUTURE, EXCHANGED, UNNORMED, ALONE, OTHER, WRONGS };
static const char *const names[PARTS] = { "input_layernorm", "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
    "self_attn.o_proj", "post_attention_layernorm", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj" };
static const int shape[PARTS][2] = { { C, 0 }, { H * D, C }, { G * D, C }, { G * D, C }, { C, H * D }, { C, 0 },
    { F, C }, { F, C }, { C, F } };
static struct { char name[80]; int rows, columns; float of[200]; } tensor[TENSORS];
static const int64_t token[N] = { 3, 6, 0, 2, 2, 5, 1, 4, 3 };
static const char dir[] = "build/lab-plain";

static void draw(int t, const char *name, int rows, int columns)
{
    static uint64_t state = 20;
    snprintf(tensor[t].name, sizeof tensor[t].name, "%s.weight", name);
    tensor[t].rows = rows, tensor[t].columns = columns;
    for (int k = 0; k < rows * (columns ? columns : 1); k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double x = (double)(state >> 40) / (1 << 23) - 1; /* -1 to 1 */
        tensor[t].of[k] = (float)(columns ? x * (t ? 0.8 : 0.03) : 1 + 0.3 * x);
    }
}
static void make(void)
{
    char name[80];
    draw(0, "model.embed_tokens", V, C);
    for (int t = 0; t < PARTS * L; t++) {
        snprintf(name, sizeof name, "model.layers.%d.%s", t / PARTS, names[t % PARTS]);
        draw(1 + t, name, shape[t % PARTS][0], shape[t % PARTS][1]);
    }
    draw(TENSORS - 2, "model.norm", C, 0), draw(TENSORS - 1, "lm_head", V, C);
}

static void put(const char *name, const void *data, size_t n)
{
    char path[200], why[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    cr_assert(!folder_make(dir, why, sizeof why) && !file_replace(path, data, n, why, sizeof why), "%s", why);
}
/* Writes tensors from .. to - 1 as one file, and says in the index where they are. */
static void shard(const char *name, int from, int to, char *index)
{
    static char head[1 << 13], file[1 << 16];
    size_t at = 0, len = (size_t)sprintf(head, "{");
    for (int t = from; t < to; t++) {
        const size_t bytes = (size_t)(tensor[t].rows * (tensor[t].columns ? tensor[t].columns : 1)) * sizeof(float);
        char size[20] = "";
        if (tensor[t].columns)
            snprintf(size, sizeof size, ",%d", tensor[t].columns);
        len += (size_t)sprintf(head + len, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%d%s],\"data_offsets\":[%zu,%zu]}",
            t > from ? "," : "", tensor[t].name, tensor[t].rows, size, at, at + bytes);
        sprintf(index + strlen(index), "%s\"%s\":\"%s\"", t ? "," : "", tensor[t].name, name);
        at += bytes;
    }
    len += (size_t)sprintf(head + len, "}");
    const uint64_t n = len;
    memcpy(file, &n, 8), memcpy(file + 8, head, len), at = 8 + len;
    for (int t = from; t < to; t++) {
        const size_t bytes = (size_t)(tensor[t].rows * (tensor[t].columns ? tensor[t].columns : 1)) * sizeof(float);
        memcpy(file + at, tensor[t].of, bytes), at += bytes;
    }
    put(name, file, at);
}
static void write_checkpoint(void)
{
    static char index[1 << 13];
    char config[700];
    strcpy(index, "{\"weight_map\":{");
    shard("model-1.safetensors", 0, 12, index), shard("model-2.safetensors", 12, TENSORS, index);
    strcat(index, "}}");
    put("model.safetensors.index.json", index, strlen(index));
    snprintf(config, sizeof config, "{\"model_type\":\"llama\",\"hidden_size\":%d,\"intermediate_size\":%d,"
        "\"num_hidden_layers\":%d,\"num_attention_heads\":%d,\"num_key_value_heads\":%d,\"head_dim\":%d,"
        "\"vocab_size\":%d,\"max_position_embeddings\":64,\"rms_norm_eps\":1e-4,\"hidden_act\":\"silu\","
        "\"rope_theta\":100,\"tie_word_embeddings\":false}", C, F, L, H, G, D, V);
    put("config.json", config, strlen(config));
}

static void norm(double *y, const double *x, const float *gain, double eps)
{
    double sum = 0;
    for (int k = 0; k < C; k++)
        sum += x[k] * x[k];
    for (int k = 0; k < C; k++)
        y[k] = x[k] / sqrt(sum / C + eps) * (double)gain[k];
}
static void linear(double *y, const double *x, int t)
{
    for (int r = 0; r < tensor[t].rows; r++) {
        y[r] = 0;
        for (int k = 0; k < tensor[t].columns; k++)
            y[r] += (double)tensor[t].of[r * tensor[t].columns + k] * x[k];
    }
}
static void turn(double *x, int i, enum wrong wrong)
{
    for (int k = 0; k < D / 2; k++) {
        const int a = wrong == NEIGHBOURS ? 2 * k : k, b = wrong == NEIGHBOURS ? 2 * k + 1 : k + D / 2;
        const double angle = i * pow(100, -2.0 * k / D) * (wrong == BACKWARDS ? -1 : 1), p = x[a], q = x[b];
        x[a] = p * cos(angle) - q * sin(angle), x[b] = q * cos(angle) + p * sin(angle);
    }
}
/* The attention of all positions; x: behind the norm. */
static void attend(double y[N][C], double x[N][C], int l, enum wrong wrong)
{
    static double q[N][H * D], k[N][G * D], v[N][G * D];
    const int t = 1 + PARTS * l;
    for (int i = 0; i < N; i++) {
        linear(q[i], x[i], (wrong == OTHER ? 1 + PARTS * ((l + 1) % L) : t) + Q), linear(k[i], x[i], t + K),
            linear(v[i], x[i], t + VALUE);
        for (int h = 0; h < H; h++)
            turn(q[i] + h * D, i, wrong);
        turn(k[i], i, wrong == BACKWARDS ? NOTHING : wrong);
    }
    for (int i = 0; i < N; i++) {
        double o[H * D] = { 0 };
        for (int h = 0; h < H; h++) {
            double w[N] = { 0 }, sum = 0;
            for (int j = 0; j < N && (j <= i || wrong == FUTURE); j++) {
                for (int e = 0; e < D; e++)
                    w[j] += q[i][h * D + e] * k[j][e];
                sum += w[j] = exp(w[j] * (wrong == SCALE ? 1 : 1 / sqrt(D)));
            }
            for (int j = 0; j < N; j++)
                for (int e = 0; e < D; e++)
                    o[h * D + e] += (j <= i || wrong == FUTURE ? w[j] / sum : 0) * v[j][e];
        }
        linear(y[i], o, t + O);
    }
}
static void feed(double *y, const double *x, int l, enum wrong wrong)
{
    const int t = 1 + PARTS * l;
    double gate[F], up[F];
    linear(gate, x, t + (wrong == EXCHANGED ? UP : GATE)), linear(up, x, t + (wrong == EXCHANGED ? GATE : UP));
    for (int k = 0; k < F; k++)
        up[k] *= gate[k] / (1 + exp(-gate[k]));
    linear(y, up, t + DOWN);
}

/* All stages, each from the one before as it is written, in float32. */
static void compute(float hidden[L + 1][N][C], float logits[N][V], enum wrong wrong)
{
    static double x[N][C], n[N][C], y[N][C], out[V];
    const double eps = wrong == EPS ? 1e-5 : 1e-4;
    for (int i = 0; i < N; i++)
        memcpy(hidden[0][i], tensor[0].of + token[i] * C, sizeof hidden[0][i]);
    for (int l = 0; l < L; l++) {
        const int t = 1 + PARTS * l;
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < C; k++)
                x[i][k] = (double)hidden[l][i][k];
            norm(n[i], x[i], tensor[t + NORM1].of, eps);
        }
        attend(y, n, l, wrong);
        for (int i = 0; i < N; i++) {
            for (int k = 0; k < C; k++)
                x[i][k] = wrong == ALONE ? y[i][k] : x[i][k] + y[i][k];
            norm(n[i], x[i], tensor[t + NORM2].of, eps);
            feed(y[i], n[i], l, wrong);
            for (int k = 0; k < C; k++)
                x[i][k] += y[i][k];
            if (l == L - 1 && wrong != UNNORMED)
                norm(x[i], x[i], tensor[TENSORS - 2].of, eps);
            for (int k = 0; k < C; k++)
                hidden[l + 1][i][k] = (float)x[i][k];
        }
    }
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < C; k++)
            x[i][k] = (double)hidden[L][i][k];
        linear(out, x[i], TENSORS - 1);
        for (int k = 0; k < V; k++)
            logits[i][k] = (float)out[k];
    }
}

Test(lab_plain, a_random_llama_is_as_plain_loops_compute_it_and_as_no_broken_ones_do, .timeout = 120)
{
    static float hidden[L + 1][N][C], logits[N][V];
    struct mer_array a = { .type = MER_F32, .rank = 3, .dim = { L + 1, N, C }, .data = hidden },
                     b = { .type = MER_F32, .rank = 2, .dim = { N, V }, .data = logits };
    make(), write_checkpoint();
    for (int wrong = NOTHING; wrong < WRONGS; wrong++) {
        compute(hidden, logits, (enum wrong)wrong);
        cr_assert(!array_write("build/lab-plain/hidden.npy", &a) && !array_write("build/lab-plain/logits.npy", &b));
        const int rc = meridian("", "lab run build/lab-plain --tokens '3 6 0 2 2 5 1 4 3' --against "
            "build/lab-plain/logits.npy --hidden build/lab-plain/hidden.npy");
        cr_expect(rc == (wrong != NOTHING) && !!strstr(out, "FAIL") == (wrong != NOTHING) && strstr(out, "logits"),
            "%d: %d, %s%s", wrong, rc, out, err);
    }
    logits[2][3] = NAN;
    cr_assert(!array_write("build/lab-plain/logits.npy", &b));
    cr_expect(meridian("", "lab run build/lab-plain --tokens '3 6 0 2 2 5 1 4 3' --against "
        "build/lab-plain/logits.npy") == 1 && strstr(out, "FAIL"), "%s%s", out, err);
    cr_expect_eq(system("rm -rf build/lab-plain"), 0);
}
