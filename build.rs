//! Compresses the published documents and manifests for the program, and lists them. They have no
//! spaces, so that each fits into an answer of a load balancer's function.

use flate2::{Compression, write::GzEncoder};
use std::path::{Path, PathBuf};
use std::{env, fs, io, io::Write};

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=openapi/manifests");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut rulesets = Vec::new();
    for entry in fs::read_dir("openapi/manifests")? {
        let file = entry?.path();
        rulesets.extend(
            file.file_stem()
                .and_then(|id| id.to_str())
                .map(str::to_owned),
        );
    }
    rulesets.sort();
    let mut list = String::new();
    for id in rulesets {
        pack(
            &out,
            &format!("openapi/{id}.json"),
            &format!("{id}.document.gz"),
        )?;
        pack(
            &out,
            &format!("openapi/manifests/{id}.json"),
            &format!("{id}.manifest.gz"),
        )?;
        list.push_str(&format!(
            r#"Published {{
                id: "{id}",
                document: include_bytes!(concat!(env!("OUT_DIR"), "/{id}.document.gz")),
                document_from_docs: "../v1/rulesets/{id}/openapi.json",
                manifest: include_bytes!(concat!(env!("OUT_DIR"), "/{id}.manifest.gz")),
            }},"#
        ));
    }
    fs::write(out.join("published.rs"), format!("[{list}]"))?;
    pack(&out, "openapi/openapi.json", "openapi.json.gz")?;
    pack(&out, "openapi/rulesets.json", "rulesets.json.gz")?;
    pack(&out, "openapi/mcp.json", "mcp.json.gz")
}

/// Puts the token before the application's key, which few readers have: the page of the documentation
/// asks for them in this order.
fn put_token_first(document: &mut serde_json::Value) {
    let schemes = document.pointer_mut("/components/securitySchemes");
    if let Some(schemes) = schemes.and_then(serde_json::Value::as_object_mut)
        && let Some(application) = schemes.shift_remove("application")
    {
        schemes.insert("application".to_owned(), application);
    }
}

/// Compresses a file of the repository into one that the program includes.
fn pack(out: &Path, file: &str, packed: &str) -> io::Result<()> {
    println!("cargo:rerun-if-changed={file}");
    let mut document: serde_json::Value = serde_json::from_slice(&fs::read(file)?)?;
    put_token_first(&mut document);
    let mut packed = GzEncoder::new(fs::File::create(out.join(packed))?, Compression::best());
    packed.write_all(&serde_json::to_vec(&document)?)?;
    packed.finish()?;
    Ok(())
}
