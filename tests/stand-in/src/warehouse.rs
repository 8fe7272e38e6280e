//! The Iceberg warehouse behind the demo and the end-to-end tests: the tables of one Monday morning.
//!
//! Two kinds, with the same schemas, partition specs and bounds:
//!
//! - **demo**: real tables with real Parquet data at one hundred-thousandth of the full size, some 160 MB, which an
//!   engine can really read;
//! - **stated**: metadata alone. The manifests *state* the full sizes and no data file exists. Planning reads
//!   nothing but metadata, so a 12 TB table costs a few megabytes.
//!
//! The catalog is an Iceberg SQL catalog in one SQLite file, which Rust, PyIceberg and Trino's JDBC catalog all
//! read. Every size is derived in [`tables`], in one place for both kinds.
//!
//! Iceberg metadata names its files by absolute path, so a finished warehouse cannot be made elsewhere and moved
//! into place. What makes it appear at once is the catalog: tables are written below `DIR/warehouse` while the
//! catalog grows under another name, and renaming that file is the last step (see [`folder`]).

mod catalog;
mod design;
mod folder;
mod parquet;
mod tables;
mod write;

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::error::Result;

pub use catalog::{CATALOG_NAME, open};

/// Which of the two warehouses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Real data, 1:100,000.
    Demo,
    /// Metadata that states the full sizes; no data.
    Stated,
}

impl Kind {
    /// The name on the command line and in the marker file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Demo => "demo",
            Self::Stated => "stated",
        }
    }
}

/// A complete warehouse on disk.
#[derive(Clone, Debug)]
pub struct Warehouse {
    /// The SQLite file with the catalog.
    pub catalog_db: PathBuf,
    /// Whether this call made it; false if it was there already.
    pub made: bool,
}

/// Makes the warehouse in `dir` unless a complete one of this kind and version is there.
///
/// Safe to call from several processes at once: the later ones wait for the first.
pub async fn ensure(dir: &Path, kind: Kind) -> Result<Warehouse> {
    let folder = folder::Folder::open(dir)?;
    // Held until this function returns; the operating system drops it if the process dies.
    let _lock = folder.lock().await?;
    let catalog_db = folder.catalog_db();
    if folder.is_complete(kind)? {
        return Ok(Warehouse {
            catalog_db,
            made: false,
        });
    }

    let started = Instant::now();
    folder.begin(kind)?;
    write::write_all(&folder, kind).await?;
    folder.commit(kind)?;
    eprintln!(
        "warehouse: {} in {} made in {:.1} s",
        kind.name(),
        dir.display(),
        started.elapsed().as_secs_f64()
    );
    Ok(Warehouse { catalog_db, made: true })
}
