//! Compresses the published document, which the program carries with it.

use flate2::{Compression, write::GzEncoder};
use std::path::PathBuf;
use std::{env, fs, io::Write};

fn main() -> std::io::Result<()> {
    const DOCUMENT: &str = "openapi/openapi.json";
    println!("cargo:rerun-if-changed={DOCUMENT}");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("openapi.json.gz");
    let mut packed = GzEncoder::new(fs::File::create(out)?, Compression::best());
    packed.write_all(&fs::read(DOCUMENT)?)?;
    packed.finish().map(drop)
}
