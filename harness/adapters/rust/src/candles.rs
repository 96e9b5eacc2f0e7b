//! candle: rotations, softmax, normalisations, the attention of the CPU, linear biases and buckets, each as the crate's own function makes it.
//! Words: batch=2 asks attention with the same sequence twice and answers the second; max_bias=8 gives it linear biases; table=phi3 or deepseek2 rotates by that model's module.
use crate::{Answer, Array, Call, Kernel, Library};
use candle_core::{DType, Device, Tensor};
use candle_nn::attention::{flash_attn, AttnMask};
use candle_nn::{Module, VarBuilder};
use candle_transformers::models::{deepseek2, phi3, t5};
use std::collections::HashMap;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;
const CPU: Device = Device::Cpu;

fn kind(name: &str) -> DType { match name { "bf16" => DType::BF16, "f16" => DType::F16, "i64" => DType::I64, "u8" => DType::U8, _ => DType::F32 } }
fn tensor(a: &Array) -> Outcome<Tensor> { Ok(Tensor::from_raw_buffer(&a.bytes, kind(&a.kind), &a.shape, &CPU)?) }
fn needed(call: &Call, name: &str) -> Outcome<Tensor> { tensor(call.get(name).ok_or(format!("no input {name}"))?) }
/// The bytes of a tensor in the element type of output `at`.
fn out(call: &Call, at: usize, t: &Tensor) -> Outcome<Vec<u8>> {
    let t = t.to_dtype(kind(&call.output[at].kind))?.flatten_all()?;
    Ok(match t.dtype() {
        DType::BF16 => t.to_vec1::<half::bf16>()?.iter().flat_map(|v| v.to_le_bytes()).collect(),
        DType::F16 => t.to_vec1::<half::f16>()?.iter().flat_map(|v| v.to_le_bytes()).collect(),
        _ => crate::bytes(&t.to_vec1::<f32>()?),
    })
}

/// w_k = base^(-2k/r) in float32 and the angle of each position, as models::llama makes them: cos and sin, [n,r/2].
fn tables(call: &Call, dim: usize) -> Outcome<(Tensor, Tensor)> {
    let rotary = if call.number("rotary") > 0.0 { call.number("rotary") as usize } else { dim };
    let base = call.number("base") as f32;
    let freq: Vec<f32> = (0..rotary).step_by(2).map(|i| 1f32 / base.powf(i as f32 / rotary as f32)).collect();
    let pos: Vec<f32> = call.get("pos").ok_or("no input pos")?.integers().iter().map(|p| *p as f32).collect();
    let angle = Tensor::from_vec(pos.clone(), (pos.len(), 1), &CPU)?.matmul(&Tensor::from_vec(freq, (1, rotary / 2), &CPU)?)?;
    Ok((angle.cos()?, angle.sin()?))
}
const PLAIN: &[(&str, &str)] = &[("scaling", "default"), ("partial", "prefix"), ("attention_factor", "0")];

fn rope_tables(call: &Call) -> Answer {
    if !call.plain(PLAIN) || call.input.len() > 1 { return Ok(None); }
    let (cos, sin) = tables(call, call.number("dim") as usize)?;
    Ok(Some(vec![out(call, 0, &cos)?, out(call, 1, &sin)?]))
}

/// Rotated by the module of a model, which has tables of its own and takes consecutive positions from pos[0].
fn by_model(call: &Call, x: &Tensor) -> Answer {
    let (pos, (_, _, _, d)) = (call.get("pos").ok_or("no input pos")?.integers(), x.dims4()?);
    let last = pos.len() - 1;
    if pos[0] < 0 || pos[last] != pos[0] + last as i64 { return Ok(None); }
    let (first, top) = (pos[0] as usize, pos[last] as usize + 1);
    let y = if call.text("table") == "phi3" {
        let (trained, rotary) = (call.number("trained") as usize, call.number("rotary"));
        let scaling = call.text("scaling") == "longrope";
        let config: phi3::Config = serde_json::from_value(serde_json::json!({
            "vocab_size": 1, "hidden_act": "silu", "hidden_size": d, "intermediate_size": 1, "num_hidden_layers": 1, "num_attention_heads": 1, "num_key_value_heads": 1, "rms_norm_eps": 1e-5,
            "rope_theta": call.number("base"), "max_position_embeddings": top.max(call.number("length") as usize), "original_max_position_embeddings": scaling.then_some(trained),
            "partial_rotary_factor": (rotary > 0.0).then_some(rotary / d as f64),
            "rope_scaling": scaling.then(|| serde_json::json!({"type": "longrope", "short_factor": call.list("short_factor"), "long_factor": call.list("long_factor")})) }))?;
        phi3::RotaryEmbedding::new(x.dtype(), &config, &CPU)?.apply_rotary_emb_qkv(x, x, first)?.0
    } else {
        let yarn = (call.text("scaling") == "yarn").then(|| deepseek2::DeepSeekV2RopeScaling::Yarn {
            original_max_position_embeddings: call.number("trained") as usize, beta_fast: call.number("beta_fast") as f32, beta_slow: call.number("beta_slow") as f32, mscale: call.number("mscale") as f32,
            mscale_all_dim: call.number("mscale_all_dim") as f32, factor: call.number("factor") as f32, scaling_type: deepseek2::ScaledRopeType::Yarn });
        let config = deepseek2::DeepSeekV2RopeConfig { rope_scaling: yarn, max_position_embeddings: top, rope_theta: call.number("base") as f32, qk_rope_head_dim: d };
        deepseek2::DeepSeekV2RotaryEmbedding::new(&config, x.dtype(), &CPU)?.forward(x, x, first)?.0
    };
    Ok(Some(vec![out(call, 0, &y)?]))
}

fn rope(call: &Call) -> Answer {
    let x = needed(call, "x")?.unsqueeze(0)?; // [1,h,n,d]
    if !call.text("table").is_empty() { return by_model(call, &x); }
    if !call.plain(PLAIN) || call.input.len() > 2 { return Ok(None); }
    let width = x.dim(3)?;
    let (cos, sin) = tables(call, width)?;
    let (cos, sin, rotary) = (cos.to_dtype(x.dtype())?, sin.to_dtype(x.dtype())?, 2 * cos.dim(1)?);
    let front = x.narrow(3, 0, rotary)?.contiguous()?;
    let y = if call.text("layout") == "interleaved" { candle_nn::rotary_emb::rope_i(&front, &cos, &sin)? } else { candle_nn::rotary_emb::rope(&front, &cos, &sin)? };
    Ok(Some(vec![out(call, 0, &Tensor::cat(&[&y, &x.narrow(3, rotary, width - rotary)?], 3)?)?]))
}

fn softmax(call: &Call) -> Answer {
    if !call.plain(&[("scale", "1"), ("softmax1", "off")]) || call.input.len() > 1 { return Ok(None); }
    Ok(Some(vec![out(call, 0, &candle_nn::ops::softmax_last_dim(&needed(call, "x")?)?)?]))
}

fn layernorm(call: &Call) -> Answer {
    if !call.plain(&[("variance", "biased"), ("place", "inside"), ("affine", "gain-shift")]) { return Ok(None); }
    let (x, eps) = (needed(call, "x")?, call.number("eps"));
    Ok(Some(vec![out(call, 0, &candle_nn::LayerNorm::new(needed(call, "gain")?, needed(call, "shift")?, eps).forward(&x)?)?]))
}

fn rmsnorm(call: &Call) -> Answer {
    if !call.plain(&[("place", "inside"), ("offset", "0"), ("affine", "gain")]) { return Ok(None); }
    Ok(Some(vec![out(call, 0, &candle_nn::RmsNorm::new(needed(call, "gain")?, call.number("eps")).forward(&needed(call, "x")?)?)?]))
}

/// candle_nn::attention::flash_attn on the CPU: q [1,n,h,d], k and v [1,m,g,d] -> [1,h,n,d].
fn attention(call: &Call) -> Answer {
    const PLAIN: &[(&str, &str)] = &[("prefix", "0"), ("window", "0"), ("left", "-1"), ("right", "-1"), ("chunk", "0"), ("start", "0"), ("first", "0"), ("length", "-1"), ("mask", "hide"), ("cap_at", "before"), ("softmax1", "off"),
        ("norm", "none"), ("temperature", "none"), ("group", "repeat"), ("empty", "zero"), ("order", "scale-first")];
    if !call.plain(PLAIN) || call.input.iter().any(|a| !["q", "k", "v", "keep"].contains(&a.name.as_str())) { return Ok(None); }
    let turned = |name| -> Outcome<Tensor> { Ok(needed(call, name)?.transpose(0, 1)?.unsqueeze(0)?.contiguous()?) };
    let (q, k, v) = (turned("q")?, turned("k")?, turned("v")?);
    let ((_, n, h, d), m, cap) = (q.dims4()?, k.dim(1)?, call.number("cap") as f32);
    if v.dim(3)? != d || k.dim(2)? != v.dim(2)? || h % k.dim(2)? != 0 { return Ok(None); }
    let scale = if call.number("scale") == 0.0 { 1.0 / (d as f32).sqrt() } else { call.number("scale") as f32 };
    let offset = match call.text("causal") { "bottomright" => m as f64 - n as f64, "offset" => call.number("offset"), _ => 0.0 };
    if offset < 0.0 { return Ok(None); }
    let mask = match (call.get("keep"), call.text("causal")) {
        (None, "none" | "") => AttnMask::None,
        (None, _) => AttnMask::Causal { kv_offset: offset as usize },
        (Some(keep), "none" | "") => {
            let see = keep.integers();
            let one = &see[..n * m]; // one mask for all heads
            if see.chunks(n * m).any(|c| c != one) { return Ok(None); }
            let hidden: Vec<f32> = one.iter().map(|b| if *b != 0 { 0.0 } else { f32::NEG_INFINITY }).collect();
            AttnMask::Mask(Tensor::from_vec(hidden, (n, m), &CPU)?.to_dtype(q.dtype())?)
        }
        _ => return Ok(None),
    };
    let batch = call.number("batch").max(1.0) as usize;
    let (q, k, v) = (q.repeat((batch, 1, 1, 1))?, k.repeat((batch, 1, 1, 1))?, v.repeat((batch, 1, 1, 1))?);
    let (cap, linear) = ((cap > 0.0).then_some(cap), (call.number("max_bias") > 0.0).then(|| call.number("max_bias") as f32));
    let y = match q.dtype() { DType::BF16 => flash_attn::<half::bf16>(&q, &k, &v, scale, mask, linear, cap), DType::F16 => flash_attn::<half::f16>(&q, &k, &v, scale, mask, linear, cap), _ => flash_attn::<f32>(&q, &k, &v, scale, mask, linear, cap) }?;
    Ok(Some(vec![out(call, 0, &y.narrow(0, batch - 1, 1)?)?]))
}

/// The slopes that flash_attn gives max_bias, read out of the weights of two keys with equal scores: s = ln(w_1 / w_0).
fn slopes(call: &Call) -> Answer {
    let heads = call.number("heads") as usize;
    let (q, k) = (Tensor::zeros((1, 1, heads, 8), DType::F32, &CPU)?, Tensor::zeros((1, 2, 1, 8), DType::F32, &CPU)?);
    let v = Tensor::cat(&[Tensor::eye(2, DType::F32, &CPU)?, Tensor::zeros((2, 6), DType::F32, &CPU)?], 1)?.reshape((1, 2, 1, 8))?; // value j is the unit vector j
    let o = flash_attn::<f32>(&q, &k, &v, 1.0, AttnMask::causal_with_offset(1), Some(call.number("max") as f32), None)?.reshape((heads, 8))?;
    let slope: Vec<f32> = o.to_vec2::<f32>()?.iter().map(|w| (f64::from(w[1]) / f64::from(w[0])).ln() as f32).collect();
    Ok(Some(vec![crate::bytes(&slope)]))
}

/// The buckets of models::t5, read out of a model of one layer whose keys are told apart by their values: a bias of 40 for bucket b and 0 for
/// the others leaves the query the keys of b alone.
fn buckets(call: &Call) -> Answer {
    let far = call.get("relative_position").ok_or("no input relative_position")?.integers();
    let (reach, decoder, count) = (far.iter().map(|p| p.unsigned_abs() as usize).max().unwrap_or(0), call.text("direction") == "causal", call.number("buckets") as usize);
    if !call.plain(&[("last", "clamped"), ("edge", "floor"), ("form", "buckets")]) || reach > 4096 || (decoder && far.iter().any(|p| *p > 0)) { return Ok(None); }
    let (at, length) = if decoder { (reach, reach + 1) } else { (reach, 2 * reach + 1) };
    let zero = |a, b| Tensor::zeros((a, b), DType::F32, &CPU);
    let (eye, ones) = (Tensor::eye(length, DType::F32, &CPU)?, Tensor::ones(length, DType::F32, &CPU)?);
    let config = t5::Config { vocab_size: length, d_model: length, d_kv: length, d_ff: 1, num_layers: 1, num_heads: 1, relative_attention_num_buckets: count, relative_attention_max_distance: call.number("max_distance") as usize,
        use_cache: false, tie_word_embeddings: false, ..t5::Config::default() };
    let ids = Tensor::arange(0u32, length as u32, &CPU)?.unsqueeze(0)?;
    let (mut best, mut bucket) = (vec![f32::NEG_INFINITY; length], vec![0i64; length]);
    for b in 0..count {
        let table: Vec<f32> = (0..count).map(|r| if r == b { 40.0 } else { 0.0 }).collect();
        let mut w: HashMap<String, Tensor> = HashMap::from([("shared.weight".into(), eye.clone()), ("lm_head.weight".into(), eye.clone())]);
        for (stack, kinds) in [("encoder", &["SelfAttention"][..]), ("decoder", &["SelfAttention", "EncDecAttention"][..])] {
            let mut put = |name: &str, t: Tensor| w.insert(format!("{stack}.{name}"), t);
            put("final_layer_norm.weight", ones.clone());
            for (layer, attention) in kinds.iter().enumerate() {
                let own = layer == 0;
                for part in ["q", "k", "v", "o"] {
                    put(&format!("block.0.layer.{layer}.{attention}.{part}.weight"), if own && ["v", "o"].contains(&part) { eye.clone() } else { zero(length, length)? });
                }
                put(&format!("block.0.layer.{layer}.layer_norm.weight"), ones.clone());
            }
            put("block.0.layer.0.SelfAttention.relative_attention_bias.weight", Tensor::from_vec(table.clone(), (count, 1), &CPU)?);
            let last = kinds.len();
            put(&format!("block.0.layer.{last}.layer_norm.weight"), ones.clone());
            put(&format!("block.0.layer.{last}.DenseReluDense.wi.weight"), zero(1, length)?);
            put(&format!("block.0.layer.{last}.DenseReluDense.wo.weight"), zero(length, 1)?);
        }
        let vb = VarBuilder::from_tensors(w, DType::F32, &CPU);
        let seen = if decoder { let mut model = t5::T5ForConditionalGeneration::load(vb, &config)?; model.forward(&ids, &ids)? } else { t5::T5EncoderModel::load(vb, &config)?.forward(&ids)?.narrow(1, at, 1)?.squeeze(1)? };
        for (j, s) in seen.squeeze(0)?.to_vec1::<f32>()?.into_iter().enumerate() {
            if s > best[j] { (best[j], bucket[j]) = (s, b as i64); }
        }
    }
    let wide = call.output[0].kind == "i64";
    Ok(Some(vec![far.iter().map(|p| bucket[(at as i64 + p) as usize]).flat_map(|b| if wide { b.to_le_bytes().to_vec() } else { (b as i32).to_le_bytes().to_vec() }).collect()]))
}

const F32_TABLE: &str = "exponent=f32 power=f32:2 freq=f32 phase=f32 table=f32:2";
const fn one(row: &'static str, out: &'static str, kind: &'static str, profile: &'static str, run: fn(&Call) -> Answer) -> Kernel { Kernel { row, out, kind, profile, run } }
const ATTENTION: &str = "dot=f32 product=f32:4 score=f32:2 bias=f32 shift=f32 exp=f32:2 weight=f32:2.01 sum=f32 total=f32 div=f32:2";
pub static LIBRARY: Library = Library { name: "candle 0.11.1", kernels: &[
    one("rope", "cos sin", "f32", F32_TABLE, rope_tables),
    one("rope", "y", "f32", "exponent=f32 power=f32:2 freq=f32 phase=f32 table=f32:2 product=f32 sum=f32", rope),
    one("rope", "y", "bf16", "exponent=f32 power=f32:2 freq=f32 phase=f32 table=f32:2 store=bf16 product=bf16 sum=bf16", rope),
    one("softmax", "p", "f32", "score=f32 shift=f32 exp=f32:2 total=f32 div=f32", softmax),
    one("softmax", "p", "bf16", "score=bf16 shift=bf16 exp=bf16 total=bf16 div=bf16", softmax),
    one("layernorm", "y", "f32", "route=one-pass mean=f32 centre=f32 square=f32 moment=f32 root=f32:2 scale=f32 gain=f32 shift=f32", layernorm),
    one("rmsnorm", "y", "f32", "square=f32 mean=f32 root=f32:2 scale=f32:2 gain=f32", rmsnorm),
    one("rmsnorm", "y", "bf16", "square=f32 mean=f32 root=bf16 scale=bf16 gain=bf16", rmsnorm),
    one("attention", "o", "f32", ATTENTION, attention),
    one("attention", "o", "bf16", ATTENTION, attention),
    one("alibi", "slopes", "f32", "slope=f16", slopes),
    one("t5", "bucket", "f32", "", buckets),
] };
