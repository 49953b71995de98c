//! Compresses the published documents for the program. They have no spaces, so that each fits into an answer of a load balancer's function.

use flate2::{Compression, write::GzEncoder};
use std::path::PathBuf;
use std::{env, fs, io::Write};

fn main() -> std::io::Result<()> {
    for name in ["openapi.json", "rulesets.json"] {
        let document = format!("openapi/{name}");
        println!("cargo:rerun-if-changed={document}");
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"))
            .join(format!("{name}.gz"));
        let mut packed = GzEncoder::new(fs::File::create(out)?, Compression::best());
        let document: serde_json::Value = serde_json::from_slice(&fs::read(document)?)?;
        packed.write_all(&serde_json::to_vec(&document)?)?;
        packed.finish()?;
    }
    Ok(())
}
