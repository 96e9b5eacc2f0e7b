//! burn on its CPU backend (flex): rotary and sinusoidal tables, softmax, normalisations, attention, each as the crate's own module makes it.
//! Words: by=heads asks attention of nn.MultiHeadAttention with unit projections, which takes the mask of padded keys.
use crate::{bytes, Answer, Array, Call, Kernel, Library};
use burn::module::Param;
use burn::nn::attention::{MhaInput, MultiHeadAttentionConfig};
use burn::nn::{LayerNormConfig, PositionalEncodingConfig, RmsNormConfig, RotaryEncodingConfig};
use burn::tensor::{activation, module, ops::AttentionModuleOptions, Bool, Device, Tensor, TensorData};

fn tensor<const D: usize>(a: &Array) -> Tensor<D> { Tensor::from_data(TensorData::new(a.floats(), a.shape.clone()), &Device::default()) }
fn needed<const D: usize>(call: &Call, name: &str) -> Result<Tensor<D>, String> { call.get(name).map(tensor).ok_or(format!("no input {name}")) }
fn out<const D: usize>(t: Tensor<D>) -> Answer { Ok(Some(vec![bytes(&t.into_data().try_to_vec::<f32>().map_err(|e| format!("{e:?}"))?)])) }

fn rope(call: &Call) -> Answer {
    let pos = call.get("pos").ok_or("no input pos")?.integers();
    let (x, n) = (needed::<3>(call, "x")?, pos.len());
    let consecutive = pos[0] >= 0 && pos[n - 1] == pos[0] + n as i64 - 1;
    if !call.plain(&[("scaling", "default"), ("layout", "interleaved"), ("rotary", "0"), ("attention_factor", "0")]) || call.input.len() > 2 || !consecutive { return Ok(None); }
    let mut table = RotaryEncodingConfig::new(n, x.dims()[2]).with_theta(call.number("base") as f32).init(&Device::default());
    if pos[0] > 0 { table.shift(pos[0] as usize); }
    out(table.forward(x))
}

fn sinusoid(call: &Call) -> Answer {
    let (pos, dim) = (call.get("pos").ok_or("no input pos")?.integers(), call.number("dim") as usize);
    let (top, base) = (pos.iter().copied().max().unwrap_or(0) as usize + 1, call.number("base") as usize);
    if !call.plain(&[("layout", "interleaved"), ("spacing", "paper"), ("origin", "0"), ("padding", "-1"), ("min_timescale", "1")]) || dim % 2 > 0 || pos.iter().any(|p| *p < 0) || base < top { return Ok(None); }
    let table = PositionalEncodingConfig::new(dim).with_max_sequence_size(top).with_max_timescale(base).init(&Device::default());
    let all = table.sinusoids.into_data().try_to_vec::<f32>().map_err(|e| format!("{e:?}"))?;
    Ok(Some(vec![bytes(&pos.iter().flat_map(|p| all[*p as usize * dim..(*p as usize + 1) * dim].to_vec()).collect::<Vec<_>>())]))
}

fn softmax(call: &Call) -> Answer {
    if !call.plain(&[("scale", "1"), ("softmax1", "off")]) || call.input.len() > 1 { return Ok(None); }
    out(activation::softmax(needed::<2>(call, "x")?, 1))
}

fn layernorm(call: &Call) -> Answer {
    if !call.plain(&[("variance", "biased"), ("place", "inside"), ("affine", "gain-shift")]) { return Ok(None); }
    let x = needed::<2>(call, "x")?;
    let mut norm = LayerNormConfig::new(x.dims()[1]).with_epsilon(call.number("eps")).init(&Device::default());
    (norm.gamma, norm.beta) = (Param::from_tensor(needed(call, "gain")?), Some(Param::from_tensor(needed(call, "shift")?)));
    out(norm.forward(x))
}

fn rmsnorm(call: &Call) -> Answer {
    if !call.plain(&[("place", "inside"), ("offset", "0"), ("affine", "gain")]) { return Ok(None); }
    let x = needed::<2>(call, "x")?;
    let mut norm = RmsNormConfig::new(x.dims()[1]).with_epsilon(call.number("eps")).init(&Device::default());
    norm.gamma = Param::from_tensor(needed(call, "gain")?);
    out(norm.forward(x))
}

/// Turns keep[h,n,m], where 1 is visible, into the mask of the library, where true is hidden.
fn hidden<const D: usize>(keep: &Array, take: usize, shape: [usize; D]) -> Tensor<D, Bool> {
    Tensor::from_data(TensorData::new(keep.integers()[..take].iter().map(|b| *b == 0).collect::<Vec<_>>(), shape.to_vec()), &Device::default())
}

/// nn.MultiHeadAttention of one head with unit projections; keep hides keys for every query alike (mask_pad), or not (mask_attn).
fn by_heads(call: &Call, q: Tensor<3>, k: Tensor<3>, v: Tensor<3>) -> Answer {
    let ([h, n, d], m, device) = (q.dims(), k.dims()[1], Device::default());
    if h != 1 || v.dims()[2] != d || call.text("causal") == "bottomright" { return Ok(None); }
    let mut layer = MultiHeadAttentionConfig::new(d, 1).with_dropout(0.0).with_query_bias(false).with_key_bias(false).with_value_bias(false).with_output_bias(false).init(&device);
    for part in [&mut layer.query, &mut layer.key, &mut layer.value, &mut layer.output] { part.weight = Param::from_tensor(Tensor::eye(d, &device)); }
    let mut input = MhaInput::new(q, k, v);
    if let Some(keep) = call.get("keep") {
        let see = keep.integers();
        let alike = see.chunks(m).all(|row| row == &see[..m]);
        input = if alike { input.mask_pad(hidden(keep, m, [1, m])) } else { input.mask_attn(hidden(keep, n * m, [1, n, m])) };
    }
    out(layer.forward(input).context)
}

fn attention(call: &Call) -> Answer {
    const PLAIN: &[(&str, &str)] = &[("prefix", "0"), ("window", "0"), ("left", "-1"), ("right", "-1"), ("chunk", "0"), ("start", "0"), ("first", "0"), ("length", "-1"), ("mask", "hide"), ("cap_at", "before"), ("softmax1", "off"),
        ("norm", "none"), ("temperature", "none"), ("group", "repeat"), ("empty", "zero"), ("order", "scale-first")];
    if !call.plain(PLAIN) || !["", "none", "bottomright"].contains(&call.text("causal")) || call.input.iter().any(|a| !["q", "k", "v", "keep", "bias"].contains(&a.name.as_str())) { return Ok(None); }
    let (q, k, v) = (needed::<3>(call, "q")?, needed::<3>(call, "k")?, needed::<3>(call, "v")?);
    if call.text("by") == "heads" { return by_heads(call, q, k, v); }
    let ([h, n, _], m) = (q.dims(), k.dims()[1]);
    let options = AttentionModuleOptions { scale: (call.number("scale") != 0.0).then(|| call.number("scale")), softcap: (call.number("cap") > 0.0).then(|| call.number("cap")), is_causal: call.text("causal") == "bottomright" };
    let mask = call.get("keep").map(|keep| hidden(keep, h * n * m, [1, h, n, m]));
    let bias = call.get("bias").map(|b| tensor::<3>(b).unsqueeze::<4>());
    out(module::attention(q.unsqueeze(), k.unsqueeze(), v.unsqueeze(), mask, bias, options))
}

const fn one(row: &'static str, out: &'static str, profile: &'static str, run: fn(&Call) -> Answer) -> Kernel { Kernel { row, out, kind: "f32", profile, run } }
pub static LIBRARY: Library = Library { name: "burn 0.22.1", kernels: &[
    one("rope", "y", "exponent=f32 power=f32:4 freq=f32 phase=f32 table=f32:2 product=f32 sum=f32", rope),
    one("sinusoid", "p", "route=logarithm log=f32 freq=f32:2 phase=f32 table=f32:2", sinusoid),
    one("softmax", "p", "score=f32 shift=f32 exp=f32:2 total=f32 div=f32", softmax),
    one("layernorm", "y", "mean=f32 centre=f32 square=f32 moment=f32 root=f32:2 scale=f32 gain=f32 shift=f32", layernorm),
    one("rmsnorm", "y", "square=f32 mean=f32 root=f32:2 scale=f32:2 gain=f32", rmsnorm),
    one("attention", "o", "dot=f32 product=f32:4 score=f32:2 bias=f32 shift=f32 exp=f32:2 weight=f32:2.01 sum=f32 total=f32 div=f32:2", attention),
] };
