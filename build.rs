//! Compresses the published document for the program. It has no spaces, so that it fits into an answer of a load balancer's function.

use flate2::{Compression, write::GzEncoder};
use std::path::PathBuf;
use std::{env, fs, io::Write};

fn main() -> std::io::Result<()> {
    const DOCUMENT: &str = "openapi/openapi.json";
    println!("cargo:rerun-if-changed={DOCUMENT}");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("openapi.json.gz");
    let mut packed = GzEncoder::new(fs::File::create(out)?, Compression::best());
    let document: serde_json::Value = serde_json::from_slice(&fs::read(DOCUMENT)?)?;
    packed.write_all(&serde_json::to_vec(&document)?)?;
    packed.finish().map(drop)
}
