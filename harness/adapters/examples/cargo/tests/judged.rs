//! Judges the plug-in that cargo has built beside this test: its verdict is the test's message.
use std::{env, path::PathBuf, process::Command};

/// cargo test leaves the shared library in the folder of the test itself.
fn plugin() -> PathBuf {
    let mut at = env::current_exe().expect("where this test is");
    at.pop();
    at.push("libjudged.so");
    assert!(at.exists(), "{} is not there", at.display());
    at
}

fn judge(more: &[&str]) -> (Option<i32>, String) {
    let program = env::var("MERIDIAN").unwrap_or_else(|_| "meridian".into());
    let out = Command::new(&program).arg("judge").arg(plugin()).args(more).output();
    let out = out.unwrap_or_else(|e| panic!("{program}: {e}; MERIDIAN=PATH names the program"));
    (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr))
}

#[test]
fn rope_conforms() {
    let (code, said) = judge(&["--row", "rope", "--few"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("PASS "), "{said}");
}
