//! Released crates as subjects of `meridian judge --exec "crates candle"`: the process transport (harness/adapters/README.md).
//! `crates LIBRARY [word=value ...]`: words choose between ways of the library (batch=2), or replace a parameter, whatever was asked.
use serde_json::{json, Value};
use std::io::{BufRead, Read, Write};

#[cfg(feature = "burn")]
mod burning;
#[cfg(feature = "candle")]
mod candles;

/// One array: name, element type, shape, dense little-endian bytes in C order.
pub struct Array { pub name: String, pub kind: String, pub shape: Vec<usize>, pub bytes: Vec<u8> }
pub struct Call { params: Vec<(String, String)>, pub input: Vec<Array>, pub output: Vec<Array> }
/// The bytes of every output in order; None: the library does not offer these parameters.
pub type Answer = Result<Option<Vec<Vec<u8>>>, Box<dyn std::error::Error>>;
pub struct Kernel { pub row: &'static str, pub out: &'static str, pub kind: &'static str, pub profile: &'static str, pub run: fn(&Call) -> Answer }
pub struct Library { pub name: &'static str, pub kernels: &'static [Kernel] }

impl Call {
    /// The text of a parameter; "" where it is not given.
    pub fn text(&self, key: &str) -> &str { self.params.iter().rev().find(|p| p.0 == key).map_or("", |p| &p.1) }
    /// A parameter as a number, written as a decimal or as p/q; 0 where it is not given.
    pub fn number(&self, key: &str) -> f64 {
        let part = |s: &str| s.parse::<f64>().unwrap_or(0.0);
        self.text(key).split_once('/').map_or_else(|| part(self.text(key)), |(p, q)| part(p) / part(q))
    }
    /// A parameter that is a list of numbers with commas between; empty where it is (none).
    pub fn list(&self, key: &str) -> Vec<f32> { self.text(key).split(',').filter_map(|w| w.parse().ok()).collect() }
    pub fn get(&self, name: &str) -> Option<&Array> { self.input.iter().find(|a| a.name == name) }
    /// Whether each of these parameters has the value stated or is not given.
    pub fn plain(&self, values: &[(&str, &str)]) -> bool { values.iter().all(|v| [v.1, ""].contains(&self.text(v.0))) }
}
impl Array {
    pub fn integers(&self) -> Vec<i64> {
        match self.kind.as_str() {
            "i64" => self.bytes.chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().unwrap())).collect(),
            "i32" => self.bytes.chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap()).into()).collect(),
            _ => self.bytes.iter().map(|b| i64::from(*b)).collect(),
        }
    }
    pub fn floats(&self) -> Vec<f32> { self.bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect() }
}
pub fn bytes(values: &[f32]) -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() }

fn array(a: &Value) -> Array {
    let text = |key: &str| a[key].as_str().unwrap_or("").to_string();
    Array { name: text("name"), kind: text("type"), shape: a["shape"].as_array().map_or(vec![], |s| s.iter().map(|n| n.as_u64().unwrap_or(0) as usize).collect()), bytes: vec![] }
}
fn size(kind: &str) -> usize { match kind { "f64" | "i64" => 8, "f32" | "i32" => 4, "u8" => 1, _ => 2 } }

fn answer(library: &Library, ask: &Value, call: &Call) -> (Value, Vec<u8>) {
    let wanted = call.output.iter().map(|a| a.name.as_str()).collect::<Vec<_>>().join(" ");
    let kind = call.output.first().map_or("", |a| &a.kind);
    let whole = !["f64", "f32", "f16", "bf16"].contains(&kind); // an integer output belongs to the kernel of any type
    let Some(kernel) = library.kernels.iter().find(|k| ask["row"] == k.row && k.out == wanted && (whole || k.kind == kind)) else { return (json!({"meridian": 1, "status": 1}), vec![]) };
    match (kernel.run)(call) {
        Ok(Some(out)) => (json!({"meridian": 1, "status": 0}), out.concat()),
        Ok(None) => (json!({"meridian": 1, "status": 1}), vec![]),
        Err(e) => (json!({"meridian": 1, "status": 2, "why": e.to_string()}), vec![]),
    }
}

fn libraries() -> Vec<&'static Library> {
    vec![
        #[cfg(feature = "candle")]
        &candles::LIBRARY,
        #[cfg(feature = "burn")]
        &burning::LIBRARY,
    ]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let named = |l: &&Library| words.first().is_some_and(|w| l.name.split(' ').next() == Some(w));
    let Some(library) = libraries().into_iter().find(|l| named(l)) else {
        eprintln!("crates: say which library: {}", libraries().iter().map(|l| l.name).collect::<Vec<_>>().join(", "));
        std::process::exit(2);
    };
    let believed: Vec<(String, String)> = words[1..].iter().filter_map(|w| w.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect();
    let (mut from, mut to, mut line) = (std::io::stdin().lock(), std::io::stdout().lock(), String::new());
    while from.read_line(&mut line)? > 0 {
        let ask: Value = serde_json::from_str(&line)?;
        line.clear();
        let (head, body) = if ask["hello"] == true {
            let kernels: Vec<Value> = library.kernels.iter().map(|k| json!({"row": k.row, "out": k.out, "type": k.kind, "profile": k.profile})).collect();
            (json!({"meridian": 1, "status": 0, "name": library.name, "kernels": kernels}), vec![])
        } else {
            let arrays = |key: &str| ask[key].as_array().map_or(vec![], |l| l.iter().map(array).collect::<Vec<_>>());
            let mut call = Call { params: ask["params"].as_str().unwrap_or("").split(' ').filter_map(|w| w.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect(), input: arrays("in"), output: arrays("out") };
            call.params.extend(believed.iter().cloned());
            for a in &mut call.input {
                a.bytes.resize(size(&a.kind) * a.shape.iter().product::<usize>(), 0);
                from.read_exact(&mut a.bytes)?;
            }
            answer(library, &ask, &call)
        };
        writeln!(to, "{head}")?;
        to.write_all(&body)?;
        to.flush()?;
    }
    Ok(())
}
