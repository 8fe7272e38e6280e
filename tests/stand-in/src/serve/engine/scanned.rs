//! How much a plan will read, reported as `physicalInputBytes`.
//!
//! It is the size of the data files that the scans keep after pruning. Column pruning inside files is not counted:
//! Iceberg's reader does not say what it fetched.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use futures::TryStreamExt;
use iceberg_datafusion::physical_plan::IcebergTableScan;

use super::super::failure::Failure;

/// The bytes of all files that the plan's scans read.
pub(super) async fn bytes(plan: &Arc<dyn ExecutionPlan>) -> Result<u64, Failure> {
    let mut bytes = 0;
    let mut waiting = vec![Arc::clone(plan)];
    while let Some(node) = waiting.pop() {
        waiting.extend(node.children().into_iter().cloned());
        if let Some(scan) = node.as_any().downcast_ref::<IcebergTableScan>() {
            bytes += bytes_of_scan(scan)
                .await
                .map_err(|error| Failure::internal(&error.to_string()))?;
        }
    }
    Ok(bytes)
}

async fn bytes_of_scan(scan: &IcebergTableScan) -> iceberg::Result<u64> {
    let mut builder = scan.table().scan();
    if let Some(predicate) = scan.predicates() {
        builder = builder.with_filter(predicate.clone());
    }
    let files = builder.build()?.plan_files().await?;
    files.try_fold(0, async |sum, file| Ok(sum + file.length)).await
}
