--@ a driver: is the connection alive
SELECT 1
;
--@ a driver: is the connection alive, in one request
EXECUTE IMMEDIATE 'SELECT 1'
;
--@ a driver: the server's version
SELECT node_version FROM system.runtime.nodes WHERE coordinator = true
;
--@ a SQL shell
SHOW CATALOGS
;
--@ a SQL shell
SHOW COLUMNS FROM lake.mart_finance.invoice_line
;
--@ a SQL shell
DESCRIBE lake.mart_support.ticket
;
--@ a driver: tables by pattern
SELECT table_cat, table_schem, table_name, table_type, remarks, type_cat, type_schem, type_name,
  self_referencing_col_name, ref_generation
FROM system.jdbc.tables
WHERE table_cat = 'lake' AND table_schem LIKE 'mart%' ESCAPE '\' AND table_type IN ('TABLE', 'VIEW')
ORDER BY table_type, table_cat, table_schem, table_name
;
--@ a driver: columns by pattern
SELECT table_cat, table_schem, table_name, column_name, data_type, type_name, column_size, decimal_digits, nullable,
  ordinal_position, is_nullable
FROM system.jdbc.columns
WHERE table_cat = 'lake' AND table_schem LIKE 'mart\_finance' ESCAPE '\' AND table_name LIKE 'invoice%' ESCAPE '\'
ORDER BY table_cat, table_schem, table_name, ordinal_position
;
--@ a driver: schemas
SELECT table_schem, table_catalog FROM system.jdbc.schemas WHERE table_catalog = 'lake' ORDER BY 2, 1
;
--@ a driver: primary keys, of which there are none
SELECT CAST(NULL AS varchar) table_cat, CAST(NULL AS varchar) table_schem, CAST(NULL AS varchar) table_name,
  CAST(NULL AS varchar) column_name, CAST(NULL AS smallint) key_seq, CAST(NULL AS varchar) pk_name
WHERE false
;
--@ an SQL toolkit: has the schema a table
EXECUTE IMMEDIATE 'SELECT "table_name"
FROM "lake"."information_schema"."tables"
WHERE "table_schema" = ? AND "table_name" = ?' USING 'mart_support', 'ticket'
;
--@ an SQL toolkit: views of a schema
EXECUTE IMMEDIATE 'SELECT v."table_name" FROM "lake"."information_schema"."views" AS v WHERE v."table_schema" = ? ORDER BY 1' USING 'mart_sales'
;
--@ an SQL toolkit: columns of a table
EXECUTE IMMEDIATE 'SELECT
    c."column_name", lower(c."data_type") AS "data_type", c."column_default", c."is_nullable" = ''YES'' AS "nullable"
FROM "lake"."information_schema"."columns" AS c
WHERE c."table_schema" = ?
  AND c."table_name" = ?
ORDER BY c."ordinal_position" ASC' USING 'mart_sales', 'order_head'
;
--@ a program: bound values in one request
EXECUTE IMMEDIATE 'SELECT order_id, placed_at, total_cents FROM sales.order_head WHERE customer_id = ? AND placed_at >= ? ORDER BY placed_at DESC LIMIT 20' USING 884213, TIMESTAMP '2026-06-01 00:00:00 UTC'
;
--@ a program: bound values in one request
EXECUTE IMMEDIATE 'UPDATE ops.job_state SET state = ?, changed_at = current_timestamp WHERE job_id = ?' USING 'done', 'c0ffee-17'
;
--@ a program: bound values in one request
EXECUTE IMMEDIATE 'INSERT INTO ops.job_event (job_id, event, at, detail) VALUES (?, ?, ?, ?)' USING 'c0ffee-17', 'retry', TIMESTAMP '2026-07-14 08:30:11', 'connection reset; second try in 30 s'
;
--@ a program: a list of keys
EXECUTE IMMEDIATE 'SELECT sku, title, list_price_cents FROM catalogue.article WHERE sku IN (?, ?, ?, ?, ?, ?, ?, ?)' USING 'A-1001', 'A-1002', 'A-1019', 'B-2210', 'B-2213', 'C-0007', 'C-0008', 'Z-9999'
;
--@ a program: prepares
PREPARE by_region FROM SELECT region, sum(amount_cents) AS amount FROM sales.order_head WHERE placed_on BETWEEN ? AND ? GROUP BY region
;
--@ a session
SET SESSION query_max_run_time = '15m'
;
--@ a session
START TRANSACTION READ ONLY
;
--@ a dashboard: one number
SELECT count(*) AS "open_tickets" FROM "lake"."support"."ticket" WHERE "status" IN ('new', 'open', 'waiting') AND "queue" <> 'spam'
;
--@ a dashboard: one number against the week before
SELECT
  SUM(CASE WHEN o.placed_on >= DATE '2026-07-06' THEN o.amount_cents END) / 100.0 AS this_week,
  SUM(CASE WHEN o.placed_on < DATE '2026-07-06' THEN o.amount_cents END) / 100.0 AS last_week
FROM lake.sales.order_head o
WHERE o.placed_on BETWEEN DATE '2026-06-29' AND DATE '2026-07-12' AND o.cancelled = false
;
--@ a dashboard: a series by day
SELECT date_trunc('day', CAST("placed_at" AS timestamp)) AS "__day", "channel" AS "channel", sum("amount_cents") AS "SUM(amount_cents)"
FROM "sales"."order_head"
WHERE "placed_at" >= TIMESTAMP '2026-06-14 00:00:00.000000' AND "placed_at" < TIMESTAMP '2026-07-14 00:00:00.000000'
GROUP BY date_trunc('day', CAST("placed_at" AS timestamp)), "channel"
ORDER BY "SUM(amount_cents)" DESC
LIMIT 10000
;
--@ a dashboard: the values of a filter
SELECT DISTINCT "region" AS "region" FROM "sales"."order_head" ORDER BY "region" ASC LIMIT 1000
;
--@ a dashboard: a virtual data set
SELECT "agent" AS "agent", avg("first_answer_s") AS "AVG(first_answer_s)", approx_percentile("first_answer_s", 0.95) AS "p95"
FROM (
  SELECT t.ticket_id, a.name AS agent, t.queue, date_diff('second', t.created_at, e.event_time) AS first_answer_s
  FROM support.ticket t
  JOIN support.ticket_event e ON e.ticket_id = t.ticket_id AND e.action = 'answer' AND e.position = 1
  LEFT JOIN support.agent a ON a.agent_id = e.agent_id
  WHERE t.created_at >= date_add('day', -28, current_date)
) AS virtual_table
WHERE "queue" IN ('billing', 'delivery')
GROUP BY "agent"
ORDER BY "AVG(first_answer_s)" DESC
LIMIT 50
;
--@ a dashboard: is the text of a data set a query
SELECT * FROM (
SELECT region, channel, sum(amount_cents) FROM sales.order_head GROUP BY region, channel
) T LIMIT 0
;
--@ a dashboard: a table of top entries
SELECT "t"."title" AS "title", SUM("l"."quantity") AS "units", SUM("l"."net_cents") AS "net"
FROM "lake"."sales"."order_line" "l"
  INNER JOIN "lake"."catalogue"."article" "t" ON ("l"."sku" = "t"."sku")
  LEFT JOIN "lake"."catalogue"."brand" "b" ON ("t"."brand_id" = "b"."brand_id")
WHERE (("b"."name" = 'Northwind') AND ("l"."placed_on" >= DATE '2026-01-01'))
GROUP BY 1
HAVING (SUM("l"."quantity") > 0)
ORDER BY 3 DESC
FETCH FIRST 25 ROWS ONLY
;
--@ a dashboard: extract for a workbook
SELECT "o"."order_id" AS "order_id (orders)", "o"."placed_on" AS "placed_on", CAST("o"."customer_id" AS VARCHAR) AS "customer", (CASE WHEN ("o"."amount_cents" >= 10000) THEN 'large' WHEN ("o"."amount_cents" >= 2500) THEN 'medium' ELSE 'small' END) AS "Calculation_1", EXTRACT(YEAR FROM "o"."placed_on") AS "yr:placed_on:ok", EXTRACT(MONTH FROM "o"."placed_on") AS "mn:placed_on:ok"
FROM "sales"."order_head" "o"
WHERE ((NOT ("o"."region" IN ('test', 'internal'))) AND ("o"."placed_on" >= (DATE '2026-04-01')) AND ("o"."placed_on" <= (DATE '2026-06-30')))
;
--@ a dashboard: cohorts
WITH first_order AS (
  SELECT customer_id, min(placed_on) AS first_on FROM sales.order_head GROUP BY customer_id
), activity AS (
  SELECT f.customer_id, date_trunc('month', f.first_on) AS cohort,
    date_diff('month', date_trunc('month', f.first_on), date_trunc('month', o.placed_on)) AS month_no
  FROM first_order f JOIN sales.order_head o USING (customer_id)
  WHERE f.first_on >= DATE '2025-07-01'
)
SELECT cohort, month_no, count(DISTINCT customer_id) AS customers,
  100.0 * count(DISTINCT customer_id) / max(count(DISTINCT customer_id)) OVER (PARTITION BY cohort) AS percent
FROM activity
GROUP BY cohort, month_no
ORDER BY cohort, month_no
;
--@ a dashboard: an alert
SELECT max(loaded_at) < current_timestamp - INTERVAL '2' HOUR AS late FROM ops.load_log WHERE target = 'sales.order_line'
;
--@ dbt: relations of a schema
select
    t.table_catalog as "database", t.table_name as name, t.table_schema as schema,
    case when mv.name is not null then 'materialized_view' when t.table_type = 'BASE TABLE' then 'table'
         when t.table_type = 'VIEW' then 'view' else lower(t.table_type) end as table_type
from "lake".information_schema.tables t
left join system.metadata.materialized_views mv
    on mv.catalog_name = t.table_catalog and mv.schema_name = t.table_schema and mv.name = t.table_name
where t.table_schema = 'mart_finance'
;
--@ dbt: a schema
/* {"app": "dbt", "target_name": "prod", "connection_name": "create_lake_mart_finance"} */
create schema if not exists "lake"."mart_finance"
;
--@ dbt: a table
/* {"app": "dbt", "target_name": "prod", "node_id": "model.finance.invoice_line"} */
create table "lake"."mart_finance"."invoice_line__dbt_tmp"
with (format = 'PARQUET', partitioning = ARRAY['month(issued_on)'])
as (
with source as (
    select * from "lake"."staging"."stg_invoice_line"
), priced as (
    select s.*, s.quantity * s.unit_price_cents as gross_cents, coalesce(d.discount_cents, 0) as discount_cents
    from source s
    left join "lake"."staging"."stg_discount" d on d.line_id = s.line_id and d.valid
), final as (
    select line_id, invoice_id, sku, issued_on, quantity, gross_cents, discount_cents,
        gross_cents - discount_cents as net_cents,
        row_number() over (partition by invoice_id order by line_id) as position
    from priced
    where issued_on is not null
)
select * from final
)
;
--@ dbt: a view
create or replace view "lake"."staging"."stg_customer" security definer as
select customer_id, trim(lower(email)) as email, nullif(country, '') as country_code, cast(created_at as timestamp(6)) as created_at
from "lake"."raw"."crm_customer"
where not is_deleted
;
--@ dbt: the swap
alter table "lake"."mart_finance"."invoice_line__dbt_tmp" rename to "lake"."mart_finance"."invoice_line"
;
--@ dbt: the swap
drop table if exists "lake"."mart_finance"."invoice_line__dbt_backup"
;
--@ dbt: an increment
merge into "lake"."mart_sales"."daily_channel" as dest
using "lake"."mart_sales"."daily_channel__dbt_tmp" as src
on (src.day = dest.day and src.channel = dest.channel)
when matched then update set orders = src.orders, amount_cents = src.amount_cents, changed_at = src.changed_at
when not matched then insert (day, channel, orders, amount_cents, changed_at)
values (src.day, src.channel, src.orders, src.amount_cents, src.changed_at)
;
--@ dbt: an increment
delete from "lake"."mart_sales"."returns" where (return_id) in (select return_id from "lake"."mart_sales"."returns__dbt_tmp")
;
--@ dbt: an increment
insert into "lake"."mart_sales"."returns" ("return_id", "order_id", "sku", "reason", "returned_on")
(select "return_id", "order_id", "sku", "reason", "returned_on" from "lake"."mart_sales"."returns__dbt_tmp")
;
--@ dbt: seeds
insert into "lake"."seeds"."country" values
  ('AT', 'Austria', true), ('BE', 'Belgium', true), ('CH', 'Switzerland', false), ('DE', 'Germany', true), ('DK', 'Denmark', true),
  ('ES', 'Spain', true), ('FI', 'Finland', true), ('FR', 'France', true), ('GB', 'United Kingdom', false), ('IE', 'Ireland', true),
  ('IT', 'Italy', true), ('NL', 'Netherlands', true), ('NO', 'Norway', false), ('PL', 'Poland', true), ('PT', 'Portugal', true), ('SE', 'Sweden', true)
;
--@ dbt: a test
select count(*) as failures, count(*) != 0 as should_warn, count(*) != 0 as should_error
from (
    select line_id from "lake"."mart_finance"."invoice_line" where line_id is not null group by line_id having count(*) > 1
) dbt_internal_test
;
--@ dbt: a test
select count(*) as failures from (
    with child as (select invoice_id as from_field from "lake"."mart_finance"."invoice_line" where invoice_id is not null),
    parent as (select invoice_id as to_field from "lake"."mart_finance"."invoice")
    select from_field from child left join parent on child.from_field = parent.to_field where parent.to_field is null
) dbt_internal_test
;
--@ an agent: what is there
SELECT table_schema, table_name FROM lake.information_schema.tables WHERE table_schema NOT IN ('information_schema') LIMIT 200
;
--@ an agent: a sample
SELECT * FROM lake.support.ticket_event LIMIT 5
;
--@ an agent: an answer
-- Which products were returned most often last month, and why?
SELECT a.title, r.reason, count(*) AS returns, round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS share
FROM lake.sales.return r
JOIN lake.catalogue.article a ON a.sku = r.sku
WHERE r.returned_on >= DATE '2026-06-01' AND r.returned_on < DATE '2026-07-01'
GROUP BY a.title, r.reason
ORDER BY returns DESC
LIMIT 20
;
--@ an analyst
EXPLAIN SELECT region, approx_distinct(customer_id) FROM sales.order_head WHERE placed_on >= DATE '2026-01-01' GROUP BY region
;
--@ an analyst
SELECT o.order_id, o.placed_at, c.email
FROM sales.order_head AS o, crm.customer AS c
WHERE o.customer_id = c.customer_id
  AND regexp_like(c.email, '@example\.(com|org)$')
  AND o.placed_on = DATE '2026-07-13'
;
--@ an analyst
SELECT *
FROM "lake"."sales"."order_head" FOR TIMESTAMP AS OF TIMESTAMP '2026-07-01 00:00:00 UTC'
WHERE order_id = 7700421
;
--@ a report
WITH revenue AS (
  SELECT date_trunc('month', l.placed_on) AS month, a.department, o.channel,
    sum(l.net_cents) / 100.0 AS net, sum(l.quantity) AS units, count(DISTINCT l.order_id) AS orders
  FROM lake.sales.order_line l
  JOIN lake.sales.order_head o ON o.order_id = l.order_id
  JOIN lake.catalogue.article a ON a.sku = l.sku
  WHERE l.placed_on >= DATE '2025-01-01' AND l.placed_on < DATE '2026-07-01' AND o.cancelled = false
  GROUP BY date_trunc('month', l.placed_on), a.department, o.channel
), plan AS (
  SELECT CAST(month AS date) AS month, department, channel, sum(net) AS planned
  FROM lake.finance.plan_line
  WHERE version = 'v3' AND month >= DATE '2025-01-01'
  GROUP BY CAST(month AS date), department, channel
)
SELECT r.month, r.department, r.channel, r.net, p.planned, r.net - p.planned AS gap,
  lag(r.net, 12) OVER (PARTITION BY r.department, r.channel ORDER BY r.month) AS year_before,
  sum(r.net) OVER (PARTITION BY r.department, r.channel, year(r.month) ORDER BY r.month
                   ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS year_to_date,
  CASE WHEN p.planned IS NULL THEN 'unplanned' WHEN r.net >= p.planned THEN 'met' ELSE 'missed' END AS verdict
FROM revenue r
LEFT JOIN plan p ON p.month = r.month AND p.department = r.department AND p.channel = r.channel
ORDER BY r.department, r.channel, r.month
;
--@ a dashboard: a join with a filter of its own
SELECT "c"."country" AS "country", date_trunc('week', "s"."shipped_at") AS "week", avg(date_diff('hour', "s"."shipped_at", "s"."delivered_at")) AS "hours"
FROM "logistics"."shipment" "s" JOIN "logistics"."carrier" "k" ON "k"."carrier_id" = "s"."carrier_id" JOIN "crm"."address" "c" ON "c"."address_id" = "s"."address_id"
WHERE "s"."shipped_at" >= TIMESTAMP '2026-05-01 00:00:00.000' AND "s"."delivered_at" IS NOT NULL AND "k"."name" IN ('north', 'parcel one') AND "c"."country" <> 'XX'
GROUP BY 1, 2 ORDER BY 2, 1
LIMIT 50000
;
--@ a dashboard: everything that a grid can filter on
SELECT "t"."ticket_id", "t"."subject", "t"."queue", "t"."status", "t"."priority", "t"."created_at", "t"."closed_at", "a"."name" AS "agent", "c"."segment", "c"."country",
  (SELECT count(*) FROM "support"."ticket_event" "e" WHERE "e"."ticket_id" = "t"."ticket_id" AND "e"."action" = 'reply') AS "replies",
  (SELECT max("e"."event_time") FROM "support"."ticket_event" "e" WHERE "e"."ticket_id" = "t"."ticket_id") AS "touched_at"
FROM "support"."ticket" "t"
LEFT OUTER JOIN "support"."agent" "a" ON "a"."agent_id" = "t"."agent_id"
LEFT OUTER JOIN "crm"."customer" "c" ON "c"."customer_id" = "t"."customer_id"
WHERE "t"."created_at" BETWEEN TIMESTAMP '2026-07-01 00:00:00' AND TIMESTAMP '2026-07-14 23:59:59'
  AND ("t"."queue" = 'billing' OR "t"."queue" = 'delivery' AND "t"."priority" <= 2)
  AND lower("t"."subject") LIKE '%refund%' AND "t"."status" NOT IN ('spam', 'merged')
ORDER BY "t"."priority" ASC, "t"."created_at" DESC
OFFSET 100 ROWS
LIMIT 100
;
--@ dbt: a snapshot's changes
create table "lake"."snapshots"."customer__dbt_tmp" as
with snapshot_query as (
    select customer_id, email, segment, country, changed_at from "lake"."staging"."stg_customer"
), snapshotted as (
    select *, customer_id as dbt_unique_key from "lake"."snapshots"."customer" where dbt_valid_to is null
), incoming as (
    select *, customer_id as dbt_unique_key, changed_at as dbt_updated_at, changed_at as dbt_valid_from,
        cast(null as timestamp(6)) as dbt_valid_to,
        lower(to_hex(md5(to_utf8(concat(coalesce(cast(customer_id as varchar), ''), '|', coalesce(cast(changed_at as varchar), '')))))) as dbt_scd_id
    from snapshot_query
), insertions as (
    select 'insert' as dbt_change_type, incoming.*
    from incoming left join snapshotted on snapshotted.dbt_unique_key = incoming.dbt_unique_key
    where snapshotted.dbt_unique_key is null or snapshotted.dbt_valid_from < incoming.changed_at
)
select * from insertions
;
--@ a report
SELECT w.name AS warehouse, d.month_name, sum(s.on_hand * s.unit_cost_cents) / 100.0 AS value, sum(s.on_hand) AS units, count_if(s.on_hand = 0) AS empty_days
FROM lake.logistics.stock_day s
JOIN lake.logistics.warehouse w ON w.warehouse_id = s.warehouse_id
JOIN lake.common.calendar d ON d.day = s.day
WHERE s.day >= DATE '2026-01-01' AND s.day < DATE '2026-07-01' AND w.country IN ('DE', 'FR', 'NL')
GROUP BY GROUPING SETS ((w.name, d.month_name), (w.name), ())
ORDER BY w.name NULLS LAST, d.month_name NULLS LAST
;
--@ an agent: an answer
SELECT c.segment, count(DISTINCT o.customer_id) AS buyers, sum(o.amount_cents) / 100.0 AS revenue
FROM lake.sales.order_head o JOIN lake.crm.customer c ON c.customer_id = o.customer_id
WHERE o.placed_on BETWEEN DATE '2026-04-01' AND DATE '2026-06-30' AND NOT o.cancelled
GROUP BY c.segment ORDER BY revenue DESC
;
--@ an agent: a second look
SELECT e.action, count(*) AS n, approx_percentile(date_diff('minute', t.created_at, e.event_time), 0.5) AS median_minutes
FROM lake.support.ticket t JOIN lake.support.ticket_event e ON e.ticket_id = t.ticket_id
WHERE t.created_at >= TIMESTAMP '2026-07-06 00:00:00' AND t.queue = 'delivery'
GROUP BY e.action ORDER BY n DESC LIMIT 10
;
--@ a program: a page of a feed
SELECT event_id, event_time, kind, json_extract_scalar(payload, '$.order.id') AS order_id FROM lake.events.shop_event
WHERE event_date = DATE '2026-07-13' AND (event_time, event_id) > (TIMESTAMP '2026-07-13 09:12:44.120', 'e-5581204') ORDER BY event_time, event_id LIMIT 500
;
