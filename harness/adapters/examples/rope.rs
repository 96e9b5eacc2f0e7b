//! A plug-in in Rust, one file, no crate: rotary embedding with frequencies and angles in float64.
//!   rustc -O --edition 2021 --crate-type cdylib -C panic=abort -o rope_rs.so harness/adapters/examples/rope.rs && meridian judge ./rope_rs.so
use std::ffi::{c_char, c_int, c_void, CStr};

// fast/meridian.h, MER_ABI 1
#[repr(C)] struct Array { name: *const c_char, kind: i32, rank: i32, dim: [i64; 6], data: *mut c_void, stride: [i64; 6] }
#[repr(C)] pub struct Call { row: *const c_char, params: *const c_char, n_in: i32, n_out: i32, input: *mut Array, output: *mut Array, state: *mut c_void }
#[repr(C)] pub struct Kernel {
    row: *const c_char, out: *const c_char, kind: *const c_char, profile: *const c_char, gauge: f64,
    run: Option<unsafe extern "C" fn(*const Call) -> c_int>, prepare: Option<unsafe extern "C" fn(*mut Call) -> c_int>,
    release: Option<unsafe extern "C" fn(*mut c_void)>, correct: c_int, strided: c_int,
}
#[repr(C)] pub struct Plugin { abi: i32, name: *const c_char, kernel: *const Kernel }
unsafe impl Sync for Kernel {}
unsafe impl Sync for Plugin {}
const OK: c_int = 0;
const SKIP: c_int = 1;

unsafe fn param<'a>(c: &'a Call, key: &str) -> &'a str {
    let text = CStr::from_ptr(c.params).to_str().unwrap_or("");
    text.split(' ').filter_map(|w| w.split_once('=')).find(|w| w.0 == key).map_or("", |w| w.1)
}
unsafe fn named<'a>(list: *mut Array, n: i32, name: &str) -> &'a Array {
    (0..n as usize).map(|k| &*list.add(k)).find(|a| CStr::from_ptr(a.name).to_bytes() == name.as_bytes()).expect("array of the signature")
}

unsafe extern "C" fn run(call: *const Call) -> c_int {
    let c = &*call;
    let base: f64 = match param(c, "base").split_once('/') { Some((p, q)) => p.parse::<f64>().unwrap() / q.parse::<f64>().unwrap(), None => param(c, "base").parse().unwrap() };
    if param(c, "scaling") != "default" || param(c, "partial") != "prefix" || c.n_in != 2 { return SKIP; } // of the inputs x and pos alone
    let (x, pos, y) = (named(c.input, c.n_in, "x"), named(c.input, c.n_in, "pos"), named(c.output, c.n_out, "y")); // [h,n,d], [n], [h,n,d]
    let (n, d) = (x.dim[1] as usize, x.dim[2] as usize);
    let len = x.dim[0] as usize * n * d;
    let (from, to) = (std::slice::from_raw_parts(x.data as *const f32, len), std::slice::from_raw_parts_mut(y.data as *mut f32, len));
    let at = std::slice::from_raw_parts(pos.data as *const i64, n);
    let rotary: usize = param(c, "rotary").parse().unwrap();
    let width = if rotary > 0 { rotary } else { d };
    to.copy_from_slice(from);
    for r in 0..len / d {
        for k in 0..width / 2 {
            let angle = at[r % n] as f64 * base.powf(-2.0 * k as f64 / width as f64);
            let (a, b) = if param(c, "layout") == "interleaved" { (r * d + 2 * k, r * d + 2 * k + 1) } else { (r * d + k, r * d + k + width / 2) };
            let (u, v) = (from[a] as f64, from[b] as f64);
            to[a] = (u * angle.cos() - v * angle.sin()) as f32;
            to[b] = (v * angle.cos() + u * angle.sin()) as f32;
        }
    }
    OK
}

const NONE: Kernel = Kernel { row: std::ptr::null(), out: std::ptr::null(), kind: std::ptr::null(), profile: std::ptr::null(), gauge: 0.0, run: None, prepare: None, release: None, correct: 0, strided: 0 };
static KERNELS: [Kernel; 2] = [
    Kernel { row: c"rope".as_ptr(), out: c"y".as_ptr(), kind: c"f32".as_ptr(), profile: c"exponent=f64 power=f64:2 freq=f64 phase=f64 table=f64:2 product=f64 sum=f64".as_ptr(), run: Some(run), ..NONE },
    NONE,
];
static PLUGIN: Plugin = Plugin { abi: 1, name: c"rust example".as_ptr(), kernel: KERNELS.as_ptr() };
#[no_mangle] pub extern "C" fn meridian_plugin() -> *const Plugin { &PLUGIN }
