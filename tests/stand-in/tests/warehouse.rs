//! What the warehouse must weigh, read back from its manifests as any planner reads them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::TryStreamExt;
use iceberg::expr::{Predicate, Reference};
use iceberg::spec::Datum;
use iceberg::table::Table;
use iceberg::{Catalog, TableIdent};
use lakegate_stand_in::warehouse::{self, Kind};

const GB: f64 = (1_u64 << 30) as f64;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Warehouses are kept between runs, in the build's own folder for such things.
fn folder(kind: Kind) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stand-in-{}", kind.name()))
}

async fn table(kind: Kind, namespace: &str, name: &str) -> Result<Table> {
    let made = warehouse::ensure(&folder(kind), kind).await?;
    let catalog = warehouse::open(&made.catalog_db).await?;
    let ident = TableIdent::from_strs([namespace, name])?;
    Ok(catalog.load_table(&ident).await?)
}

/// Bytes and number of the files that a filter leaves.
async fn planned(table: &Table, filter: Option<Predicate>) -> Result<(f64, usize)> {
    let mut scan = table.scan();
    if let Some(filter) = filter {
        scan = scan.with_filter(filter);
    }
    let tasks: Vec<_> = scan.build()?.plan_files().await?.try_collect().await?;
    let bytes: u64 = tasks.iter().map(|task| task.file_size_in_bytes).sum();
    Ok((bytes as f64, tasks.len()))
}

fn in_the_year() -> Result<Predicate> {
    let date = || Reference::new("event_date");
    Ok(date()
        .greater_than_or_equal_to(Datum::date_from_str("2025-08-01")?)
        .and(date().less_than_or_equal_to(Datum::date_from_str("2026-08-01")?)))
}

fn purchases() -> Predicate {
    Reference::new("event_type").equal_to(Datum::string("purchase"))
}

#[track_caller]
fn assert_near(found: f64, wanted: f64, tolerance: f64) {
    let off = (found / wanted - 1.0).abs();
    assert!(off <= tolerance, "{found} is {:.2} % off {wanted}", off * 100.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn stated_events_are_exactly_as_large_as_they_say() -> Result<()> {
    let events = table(Kind::Stated, "web", "events").await?;
    assert_eq!(planned(&events, None).await?, (12.0 * 1024.0 * GB, 3_072));
    assert_eq!(planned(&events, Some(in_the_year()?)).await?, (11_672.0 * GB, 2_918));
    assert_eq!(
        planned(&events, Some(in_the_year()?.and(purchases()))).await?,
        (400.0 * GB, 100)
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn stated_tables_of_support_and_orders_are_exactly_as_large_as_they_say() -> Result<()> {
    let ticket_events = table(Kind::Stated, "support", "ticket_events").await?;
    let customer = Reference::new("customer_id").equal_to(Datum::string("C-4471"));
    assert_eq!(planned(&ticket_events, Some(customer)).await?, (90.0 * GB, 90));

    let tickets = table(Kind::Stated, "support", "tickets").await?;
    assert_eq!(planned(&tickets, None).await?, (0.5 * GB, 8));
    let look_up = Reference::new("ticket_id").equal_to(Datum::string("T-100007"));
    assert_eq!(planned(&tickets, Some(look_up)).await?, (GB / 16.0, 1));

    let orders = table(Kind::Stated, "warehouse", "fact_orders").await?;
    assert_eq!(planned(&orders, None).await?, (30.0 * 1024.0 * GB, 1_920));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_events_weigh_a_hundred_thousandth() -> Result<()> {
    let events = table(Kind::Demo, "web", "events").await?;
    let (all, _) = planned(&events, None).await?;
    assert_near(all, 12.0 * 1024.0 * GB / 1e5, 0.02);
    let (year, files) = planned(&events, Some(in_the_year()?)).await?;
    assert_near(year, 11.4 * 1024.0 * GB / 1e5, 0.02);
    assert_eq!(files, 12 * 5 * 4 + 5, "four files a month and type, one for a day");
    let (bought, _) = planned(&events, Some(in_the_year()?.and(purchases()))).await?;
    assert_near(bought, 400.0 * GB / 1e5, 0.05);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_customer_filter_prunes_nothing_and_ticket_look_ups_prune() -> Result<()> {
    let ticket_events = table(Kind::Demo, "support", "ticket_events").await?;
    let customer = Reference::new("customer_id").equal_to(Datum::string("C-4471"));
    let (bytes, files) = planned(&ticket_events, Some(customer)).await?;
    assert_near(bytes, 90.0 * GB / 1e5, 0.02);
    assert_eq!(files, 90);

    let tickets = table(Kind::Demo, "support", "tickets").await?;
    let look_up = Reference::new("ticket_id").equal_to(Datum::string("T-100007"));
    let (bytes, files) = planned(&tickets, Some(look_up)).await?;
    assert!(bytes < 50.0 * GB / 1e5 && files == 1);

    let revenue = table(Kind::Demo, "sales", "revenue").await?;
    let (bytes, _) = planned(&revenue, None).await?;
    assert!(bytes < 50.0 * GB / 1e5, "small even without a filter");
    Ok(())
}

/// Sizes in manifests are those of the files, and every file has counts and bounds.
#[tokio::test(flavor = "multi_thread")]
async fn demo_manifests_agree_with_the_files_on_disk() -> Result<()> {
    let events = table(Kind::Demo, "web", "events").await?;
    let snapshot = events.metadata().current_snapshot().ok_or("no snapshot")?;
    let list = events.manifest_list_reader(snapshot).load().await?;
    let mut rows = 0;
    for manifest in list.entries() {
        for entry in manifest.load_manifest(events.file_io()).await?.entries() {
            let file = entry.data_file();
            let on_disk = std::fs::metadata(file.file_path().trim_start_matches("file://"))?;
            assert_eq!(on_disk.len(), file.file_size_in_bytes());
            assert_eq!(file.column_sizes().len(), 5);
            assert_eq!(file.value_counts().len(), 5);
            assert!((1..=4).all(|id| file.lower_bounds().contains_key(&id)));
            assert_eq!(file.split_offsets(), Some([4].as_slice()));
            rows += file.record_count();
        }
    }
    assert!(rows > 200_000, "{rows} rows are enough for a long result");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_complete_warehouse_is_left_alone_and_an_interrupted_one_made_anew() -> Result<()> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stand-in-interrupted");
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    // What a run that was killed leaves: the catalog under its other name, and some tables.
    std::fs::create_dir_all(dir.join("warehouse/web/events"))?;
    std::fs::write(dir.join("catalog.db.making"), "")?;
    std::fs::write(dir.join("warehouse/web/events/stray"), "half a file")?;

    assert!(warehouse::ensure(&dir, Kind::Stated).await?.made);
    assert!(!dir.join("warehouse/web/events/stray").exists());
    assert!(!dir.join("catalog.db.making").exists());

    let again = std::time::Instant::now();
    assert!(!warehouse::ensure(&dir, Kind::Stated).await?.made);
    assert!(again.elapsed() < Duration::from_secs(1));
    let other = warehouse::ensure(&dir, Kind::Demo).await;
    assert!(other.is_err_and(|e| e.to_string().contains("use another folder")));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_not_ours_is_not_touched() -> Result<()> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stand-in-foreign");
    std::fs::create_dir_all(dir.join("warehouse"))?;
    std::fs::write(dir.join("warehouse/precious"), "data")?;
    assert!(warehouse::ensure(&dir, Kind::Stated).await.is_err());
    assert!(dir.join("warehouse/precious").exists());
    Ok(())
}
