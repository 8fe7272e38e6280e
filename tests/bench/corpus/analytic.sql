--@ what a channel earns by department, against its own average
WITH by_month AS (
  SELECT a.department, a.brand, c.year_no, c.month_no, o.branch_name AS outlet,
         sum(l.paid_cents) / 100.0 AS paid,
         sum(l.paid_cents - l.cost_cents) / 100.0 AS margin
  FROM retail.till_line l
  JOIN retail.calendar c ON c.day_id = l.day_id
  JOIN retail.article a ON a.article_id = l.article_id
  JOIN retail.branch o ON o.branch_id = l.branch_id
  WHERE c.year_no IN (2024, 2024 + 1)
    AND a.department IN ('garden', 'kitchen', 'toys')
    AND l.units > 0
  GROUP BY a.department, a.brand, c.year_no, c.month_no, o.branch_name
), ranked AS (
  SELECT department, brand, year_no, month_no, outlet, paid, margin,
         avg(paid) OVER (PARTITION BY department, brand, outlet, year_no) AS usual,
         rank() OVER (PARTITION BY department, brand, outlet ORDER BY year_no, month_no) AS step
  FROM by_month
), neighbours AS (
  SELECT this.department, this.brand, this.outlet, this.year_no, this.month_no, this.paid, this.usual,
         before.paid AS paid_before, after.paid AS paid_after
  FROM ranked this
  JOIN ranked before ON before.department = this.department AND before.brand = this.brand
                    AND before.outlet = this.outlet AND before.step = this.step - 1
  JOIN ranked after ON after.department = this.department AND after.brand = this.brand
                   AND after.outlet = this.outlet AND after.step = this.step + 1
)
SELECT * FROM neighbours
WHERE year_no = 2024 AND usual > 0
  AND CASE WHEN usual > 0 THEN abs(paid - usual) / usual ELSE NULL END > 0.1
ORDER BY paid - usual, outlet
LIMIT 100
;
--@ what a channel earns by department, against its own average
WITH by_month AS (
  SELECT a.department, a.brand, c.year_no, c.month_no, o.page_title AS outlet,
         sum(l.paid_cents) / 100.0 AS paid,
         sum(l.paid_cents - l.cost_cents) / 100.0 AS margin
  FROM retail.web_line l
  JOIN retail.calendar c ON c.day_id = l.day_id
  JOIN retail.article a ON a.article_id = l.article_id
  JOIN retail.page o ON o.page_id = l.page_id
  WHERE c.year_no IN (2023, 2023 + 1)
    AND a.department IN ('garden', 'kitchen', 'toys')
    AND l.units > 0
  GROUP BY a.department, a.brand, c.year_no, c.month_no, o.page_title
), ranked AS (
  SELECT department, brand, year_no, month_no, outlet, paid, margin,
         avg(paid) OVER (PARTITION BY department, brand, outlet, year_no) AS usual,
         rank() OVER (PARTITION BY department, brand, outlet ORDER BY year_no, month_no) AS step
  FROM by_month
), neighbours AS (
  SELECT this.department, this.brand, this.outlet, this.year_no, this.month_no, this.paid, this.usual,
         before.paid AS paid_before, after.paid AS paid_after
  FROM ranked this
  JOIN ranked before ON before.department = this.department AND before.brand = this.brand
                    AND before.outlet = this.outlet AND before.step = this.step - 1
  JOIN ranked after ON after.department = this.department AND after.brand = this.brand
                   AND after.outlet = this.outlet AND after.step = this.step + 1
)
SELECT * FROM neighbours
WHERE year_no = 2023 AND usual > 0
  AND CASE WHEN usual > 0 THEN abs(paid - usual) / usual ELSE NULL END > 0.1
ORDER BY paid - usual, outlet
LIMIT 100
;
--@ what a channel earns by department, against its own average
WITH by_month AS (
  SELECT a.department, a.brand, c.year_no, c.month_no, o.desk_name AS outlet,
         sum(l.paid_cents) / 100.0 AS paid,
         sum(l.paid_cents - l.cost_cents) / 100.0 AS margin
  FROM retail.phone_line l
  JOIN retail.calendar c ON c.day_id = l.day_id
  JOIN retail.article a ON a.article_id = l.article_id
  JOIN retail.desk o ON o.desk_id = l.desk_id
  WHERE c.year_no IN (2025, 2025 + 1)
    AND a.department IN ('garden', 'kitchen', 'toys')
    AND l.units > 0
  GROUP BY a.department, a.brand, c.year_no, c.month_no, o.desk_name
), ranked AS (
  SELECT department, brand, year_no, month_no, outlet, paid, margin,
         avg(paid) OVER (PARTITION BY department, brand, outlet, year_no) AS usual,
         rank() OVER (PARTITION BY department, brand, outlet ORDER BY year_no, month_no) AS step
  FROM by_month
), neighbours AS (
  SELECT this.department, this.brand, this.outlet, this.year_no, this.month_no, this.paid, this.usual,
         before.paid AS paid_before, after.paid AS paid_after
  FROM ranked this
  JOIN ranked before ON before.department = this.department AND before.brand = this.brand
                    AND before.outlet = this.outlet AND before.step = this.step - 1
  JOIN ranked after ON after.department = this.department AND after.brand = this.brand
                   AND after.outlet = this.outlet AND after.step = this.step + 1
)
SELECT * FROM neighbours
WHERE year_no = 2025 AND usual > 0
  AND CASE WHEN usual > 0 THEN abs(paid - usual) / usual ELSE NULL END > 0.1
ORDER BY paid - usual, outlet
LIMIT 100
;
--@ buyers who send back more than others of their state
WITH refunds AS (
  SELECT b.buyer_id, p.state, sum(b.refund_cents) AS refund_cents
  FROM retail.till_back b, retail.calendar c, retail.buyer y, retail.place p
  WHERE b.day_id = c.day_id AND c.year_no = 2022
    AND b.buyer_id = y.buyer_id AND y.place_id = p.place_id
  GROUP BY b.buyer_id, p.state
)
SELECT y.buyer_no, y.salutation, y.first_name, y.last_name, p.street, p.house_no, p.town, p.postcode, p.country,
       p.utc_offset, r.refund_cents / 100.0 AS refund
FROM refunds r, retail.place p, retail.buyer y
WHERE r.refund_cents > (SELECT avg(o.refund_cents) * 1.25 FROM refunds o WHERE o.state = r.state)
  AND p.place_id = y.place_id
  AND p.state IN ('north', 'lakes')
  AND r.buyer_id = y.buyer_id
  AND EXISTS (SELECT 1 FROM retail.till_line l WHERE l.buyer_id = r.buyer_id AND l.units > 3)
ORDER BY y.buyer_no, y.salutation, y.first_name, y.last_name, p.street, p.house_no, p.town, p.postcode, refund
LIMIT 100
;
--@ buyers who send back more than others of their state
WITH refunds AS (
  SELECT b.buyer_id, p.state, sum(b.refund_cents) AS refund_cents
  FROM retail.web_back b, retail.calendar c, retail.buyer y, retail.place p
  WHERE b.day_id = c.day_id AND c.year_no = 2024
    AND b.buyer_id = y.buyer_id AND y.place_id = p.place_id
  GROUP BY b.buyer_id, p.state
)
SELECT y.buyer_no, y.salutation, y.first_name, y.last_name, p.street, p.house_no, p.town, p.postcode, p.country,
       p.utc_offset, r.refund_cents / 100.0 AS refund
FROM refunds r, retail.place p, retail.buyer y
WHERE r.refund_cents > (SELECT avg(o.refund_cents) * 1.25 FROM refunds o WHERE o.state = r.state)
  AND p.place_id = y.place_id
  AND p.state IN ('coast')
  AND r.buyer_id = y.buyer_id
  AND EXISTS (SELECT 1 FROM retail.web_line l WHERE l.buyer_id = r.buyer_id AND l.units > 3)
ORDER BY y.buyer_no, y.salutation, y.first_name, y.last_name, p.street, p.house_no, p.town, p.postcode, refund
LIMIT 100
;
--@ buyers who send back more than others of their state
WITH refunds AS (
  SELECT b.buyer_id, p.state, sum(b.refund_cents) AS refund_cents
  FROM retail.phone_back b, retail.calendar c, retail.buyer y, retail.place p
  WHERE b.day_id = c.day_id AND c.year_no = 2023
    AND b.buyer_id = y.buyer_id AND y.place_id = p.place_id
  GROUP BY b.buyer_id, p.state
)
SELECT y.buyer_no, y.salutation, y.first_name, y.last_name, p.street, p.house_no, p.town, p.postcode, p.country,
       p.utc_offset, r.refund_cents / 100.0 AS refund
FROM refunds r, retail.place p, retail.buyer y
WHERE r.refund_cents > (SELECT avg(o.refund_cents) * 1.25 FROM refunds o WHERE o.state = r.state)
  AND p.place_id = y.place_id
  AND p.state IN ('hills', 'plain', 'lakes')
  AND r.buyer_id = y.buyer_id
  AND EXISTS (SELECT 1 FROM retail.phone_line l WHERE l.buyer_id = r.buyer_id AND l.units > 3)
ORDER BY y.buyer_no, y.salutation, y.first_name, y.last_name, p.street, p.house_no, p.town, p.postcode, refund
LIMIT 100
;
--@ articles that sell well at odd hours of odd households
SELECT a.article_no, a.title, a.department, a.colour, a.size_label,
       avg(l.units) AS units, avg(l.list_cents) / 100.0 AS list_price, avg(l.coupon_cents) / 100.0 AS coupon,
       avg(l.paid_cents) / 100.0 AS paid, grouping(a.department) AS is_total
FROM retail.till_line l
JOIN retail.calendar c ON l.day_id = c.day_id
JOIN retail.article a ON l.article_id = a.article_id
JOIN retail.home h ON l.home_id = h.home_id
JOIN retail.offer o ON l.offer_id = o.offer_id
JOIN retail.buyer y ON l.buyer_id = y.buyer_id
JOIN retail.place p ON y.place_id = p.place_id
WHERE c.year_no = 2021
  AND (o.by_mail = 'N' OR o.by_radio = 'N')
  AND ((h.members BETWEEN 3 AND 5 AND h.cars > 1 AND p.state IN ('coast', 'lakes') AND l.list_cents BETWEEN 10000 AND 15000)
    OR (h.members = 1 AND h.cars <= 1 AND p.state IN ('hills', 'plain') AND l.list_cents BETWEEN 5000 AND 10000)
    OR (h.members > 5 AND h.income_band IN (4, 5, 6) AND p.country = 'Freeland' AND l.list_cents BETWEEN 15000 AND 20000))
  AND y.birth_month IN (1, 6, 8, 9, 12, 2)
GROUP BY ROLLUP (a.department, a.article_no, a.title, a.colour, a.size_label)
HAVING avg(l.paid_cents) > 0
ORDER BY a.department NULLS FIRST, a.article_no NULLS FIRST, units DESC
LIMIT 100
;
--@ articles that sell well at odd hours of odd households
SELECT a.article_no, a.title, a.department, a.colour, a.size_label,
       avg(l.units) AS units, avg(l.list_cents) / 100.0 AS list_price, avg(l.coupon_cents) / 100.0 AS coupon,
       avg(l.paid_cents) / 100.0 AS paid, grouping(a.department) AS is_total
FROM retail.web_line l
JOIN retail.calendar c ON l.day_id = c.day_id
JOIN retail.article a ON l.article_id = a.article_id
JOIN retail.home h ON l.home_id = h.home_id
JOIN retail.offer o ON l.offer_id = o.offer_id
JOIN retail.buyer y ON l.buyer_id = y.buyer_id
JOIN retail.place p ON y.place_id = p.place_id
WHERE c.year_no = 2025
  AND (o.by_mail = 'N' OR o.by_radio = 'N')
  AND ((h.members BETWEEN 3 AND 5 AND h.cars > 1 AND p.state IN ('coast', 'lakes') AND l.list_cents BETWEEN 10000 AND 15000)
    OR (h.members = 1 AND h.cars <= 1 AND p.state IN ('hills', 'plain') AND l.list_cents BETWEEN 5000 AND 10000)
    OR (h.members > 5 AND h.income_band IN (4, 5, 6) AND p.country = 'Freeland' AND l.list_cents BETWEEN 15000 AND 20000))
  AND y.birth_month IN (1, 6, 8, 9, 12, 3)
GROUP BY ROLLUP (a.department, a.article_no, a.title, a.colour, a.size_label)
HAVING avg(l.paid_cents) > 0
ORDER BY a.department NULLS FIRST, a.article_no NULLS FIRST, units DESC
LIMIT 100
;
--@ articles that sell well at odd hours of odd households
SELECT a.article_no, a.title, a.department, a.colour, a.size_label,
       avg(l.units) AS units, avg(l.list_cents) / 100.0 AS list_price, avg(l.coupon_cents) / 100.0 AS coupon,
       avg(l.paid_cents) / 100.0 AS paid, grouping(a.department) AS is_total
FROM retail.phone_line l
JOIN retail.calendar c ON l.day_id = c.day_id
JOIN retail.article a ON l.article_id = a.article_id
JOIN retail.home h ON l.home_id = h.home_id
JOIN retail.offer o ON l.offer_id = o.offer_id
JOIN retail.buyer y ON l.buyer_id = y.buyer_id
JOIN retail.place p ON y.place_id = p.place_id
WHERE c.year_no = 2024
  AND (o.by_mail = 'N' OR o.by_radio = 'N')
  AND ((h.members BETWEEN 3 AND 5 AND h.cars > 1 AND p.state IN ('coast', 'lakes') AND l.list_cents BETWEEN 10000 AND 15000)
    OR (h.members = 1 AND h.cars <= 1 AND p.state IN ('hills', 'plain') AND l.list_cents BETWEEN 5000 AND 10000)
    OR (h.members > 5 AND h.income_band IN (4, 5, 6) AND p.country = 'Freeland' AND l.list_cents BETWEEN 15000 AND 20000))
  AND y.birth_month IN (1, 6, 8, 9, 12, 4)
GROUP BY ROLLUP (a.department, a.article_no, a.title, a.colour, a.size_label)
HAVING avg(l.paid_cents) > 0
ORDER BY a.department NULLS FIRST, a.article_no NULLS FIRST, units DESC
LIMIT 100
;
--@ weeks compared with the same weeks a year on
WITH weekly AS (
  SELECT c.week_id, l.branch_id AS outlet_id,
         sum(CASE WHEN c.day_name = 'Monday' THEN l.paid_cents END) AS monday,
         sum(CASE WHEN c.day_name = 'Tuesday' THEN l.paid_cents END) AS tuesday,
         sum(CASE WHEN c.day_name = 'Wednesday' THEN l.paid_cents END) AS wednesday,
         sum(CASE WHEN c.day_name = 'Thursday' THEN l.paid_cents END) AS thursday,
         sum(CASE WHEN c.day_name = 'Friday' THEN l.paid_cents END) AS friday,
         sum(CASE WHEN c.day_name = 'Saturday' THEN l.paid_cents END) AS saturday,
         sum(CASE WHEN c.day_name = 'Sunday' THEN l.paid_cents END) AS sunday
  FROM retail.till_line l, retail.calendar c
  WHERE c.day_id = l.day_id
  GROUP BY c.week_id, l.branch_id
)
SELECT early.branch_name, early.branch_id, early.week_id,
       round(CAST(early.monday AS double) / nullif(late.monday, 0), 2) AS monday,
       round(CAST(early.tuesday AS double) / nullif(late.tuesday, 0), 2) AS tuesday,
       round(CAST(early.wednesday AS double) / nullif(late.wednesday, 0), 2) AS wednesday,
       round(CAST(early.thursday AS double) / nullif(late.thursday, 0), 2) AS thursday,
       round(CAST(early.friday AS double) / nullif(late.friday, 0), 2) AS friday,
       round(CAST(early.saturday AS double) / nullif(late.saturday, 0), 2) AS saturday,
       round(CAST(early.sunday AS double) / nullif(late.sunday, 0), 2) AS sunday
FROM (SELECT w.*, o.branch_name, o.branch_id FROM weekly w, retail.branch o, retail.calendar c
      WHERE c.week_id = w.week_id AND w.outlet_id = o.branch_id AND c.month_id BETWEEN 288 AND 288 + 11) early,
     (SELECT w.*, o.branch_id FROM weekly w, retail.branch o, retail.calendar c
      WHERE c.week_id = w.week_id AND w.outlet_id = o.branch_id AND c.month_id BETWEEN 288 + 12 AND 288 + 23) late
WHERE early.branch_id = late.branch_id AND early.week_id = late.week_id - 52
ORDER BY early.branch_name, early.branch_id, early.week_id
LIMIT 100
;
--@ weeks compared with the same weeks a year on
WITH weekly AS (
  SELECT c.week_id, l.page_id AS outlet_id,
         sum(CASE WHEN c.day_name = 'Monday' THEN l.paid_cents END) AS monday,
         sum(CASE WHEN c.day_name = 'Tuesday' THEN l.paid_cents END) AS tuesday,
         sum(CASE WHEN c.day_name = 'Wednesday' THEN l.paid_cents END) AS wednesday,
         sum(CASE WHEN c.day_name = 'Thursday' THEN l.paid_cents END) AS thursday,
         sum(CASE WHEN c.day_name = 'Friday' THEN l.paid_cents END) AS friday,
         sum(CASE WHEN c.day_name = 'Saturday' THEN l.paid_cents END) AS saturday,
         sum(CASE WHEN c.day_name = 'Sunday' THEN l.paid_cents END) AS sunday
  FROM retail.web_line l, retail.calendar c
  WHERE c.day_id = l.day_id
  GROUP BY c.week_id, l.page_id
)
SELECT early.page_title, early.page_id, early.week_id,
       round(CAST(early.monday AS double) / nullif(late.monday, 0), 2) AS monday,
       round(CAST(early.tuesday AS double) / nullif(late.tuesday, 0), 2) AS tuesday,
       round(CAST(early.wednesday AS double) / nullif(late.wednesday, 0), 2) AS wednesday,
       round(CAST(early.thursday AS double) / nullif(late.thursday, 0), 2) AS thursday,
       round(CAST(early.friday AS double) / nullif(late.friday, 0), 2) AS friday,
       round(CAST(early.saturday AS double) / nullif(late.saturday, 0), 2) AS saturday,
       round(CAST(early.sunday AS double) / nullif(late.sunday, 0), 2) AS sunday
FROM (SELECT w.*, o.page_title, o.page_id FROM weekly w, retail.page o, retail.calendar c
      WHERE c.week_id = w.week_id AND w.outlet_id = o.page_id AND c.month_id BETWEEN 276 AND 276 + 11) early,
     (SELECT w.*, o.page_id FROM weekly w, retail.page o, retail.calendar c
      WHERE c.week_id = w.week_id AND w.outlet_id = o.page_id AND c.month_id BETWEEN 276 + 12 AND 276 + 23) late
WHERE early.page_id = late.page_id AND early.week_id = late.week_id - 52
ORDER BY early.page_title, early.page_id, early.week_id
LIMIT 100
;
--@ weeks compared with the same weeks a year on
WITH weekly AS (
  SELECT c.week_id, l.desk_id AS outlet_id,
         sum(CASE WHEN c.day_name = 'Monday' THEN l.paid_cents END) AS monday,
         sum(CASE WHEN c.day_name = 'Tuesday' THEN l.paid_cents END) AS tuesday,
         sum(CASE WHEN c.day_name = 'Wednesday' THEN l.paid_cents END) AS wednesday,
         sum(CASE WHEN c.day_name = 'Thursday' THEN l.paid_cents END) AS thursday,
         sum(CASE WHEN c.day_name = 'Friday' THEN l.paid_cents END) AS friday,
         sum(CASE WHEN c.day_name = 'Saturday' THEN l.paid_cents END) AS saturday,
         sum(CASE WHEN c.day_name = 'Sunday' THEN l.paid_cents END) AS sunday
  FROM retail.phone_line l, retail.calendar c
  WHERE c.day_id = l.day_id
  GROUP BY c.week_id, l.desk_id
)
SELECT early.desk_name, early.desk_id, early.week_id,
       round(CAST(early.monday AS double) / nullif(late.monday, 0), 2) AS monday,
       round(CAST(early.tuesday AS double) / nullif(late.tuesday, 0), 2) AS tuesday,
       round(CAST(early.wednesday AS double) / nullif(late.wednesday, 0), 2) AS wednesday,
       round(CAST(early.thursday AS double) / nullif(late.thursday, 0), 2) AS thursday,
       round(CAST(early.friday AS double) / nullif(late.friday, 0), 2) AS friday,
       round(CAST(early.saturday AS double) / nullif(late.saturday, 0), 2) AS saturday,
       round(CAST(early.sunday AS double) / nullif(late.sunday, 0), 2) AS sunday
FROM (SELECT w.*, o.desk_name, o.desk_id FROM weekly w, retail.desk o, retail.calendar c
      WHERE c.week_id = w.week_id AND w.outlet_id = o.desk_id AND c.month_id BETWEEN 300 AND 300 + 11) early,
     (SELECT w.*, o.desk_id FROM weekly w, retail.desk o, retail.calendar c
      WHERE c.week_id = w.week_id AND w.outlet_id = o.desk_id AND c.month_id BETWEEN 300 + 12 AND 300 + 23) late
WHERE early.desk_id = late.desk_id AND early.week_id = late.week_id - 52
ORDER BY early.desk_name, early.desk_id, early.week_id
LIMIT 100
;
--@ sold, sent back, bought again
SELECT a.article_no, a.title, o.branch_name,
       count(l.units) AS sold_lines, avg(l.units) AS sold_avg, stddev_samp(l.units) AS sold_dev,
       stddev_samp(l.units) / avg(l.units) AS sold_spread,
       count(b.units) AS back_lines, avg(b.units) AS back_avg, stddev_samp(b.units) AS back_dev,
       count(w.units) AS again_lines, avg(w.units) AS again_avg, stddev_samp(w.units) / avg(w.units) AS again_spread
FROM retail.till_line l, retail.till_back b, retail.web_line w,
     retail.calendar sold, retail.calendar back, retail.calendar again,
     retail.branch o, retail.article a
WHERE sold.quarter_name = '2024Q1' AND sold.day_id = l.day_id
  AND a.article_id = l.article_id AND o.branch_id = l.branch_id
  AND l.buyer_id = b.buyer_id AND l.article_id = b.article_id AND l.receipt_no = b.receipt_no
  AND b.day_id = back.day_id AND back.quarter_name IN ('2024Q1', '2024Q2', '2024Q3')
  AND b.buyer_id = w.buyer_id AND b.article_id = w.article_id
  AND w.day_id = again.day_id AND again.quarter_name IN ('2024Q1', '2024Q2', '2024Q3')
GROUP BY a.article_no, a.title, o.branch_name
ORDER BY a.article_no, a.title, o.branch_name
LIMIT 100
;
--@ sold, sent back, bought again
SELECT a.article_no, a.title, o.desk_name,
       count(l.units) AS sold_lines, avg(l.units) AS sold_avg, stddev_samp(l.units) AS sold_dev,
       stddev_samp(l.units) / avg(l.units) AS sold_spread,
       count(b.units) AS back_lines, avg(b.units) AS back_avg, stddev_samp(b.units) AS back_dev,
       count(w.units) AS again_lines, avg(w.units) AS again_avg, stddev_samp(w.units) / avg(w.units) AS again_spread
FROM retail.phone_line l, retail.phone_back b, retail.web_line w,
     retail.calendar sold, retail.calendar back, retail.calendar again,
     retail.desk o, retail.article a
WHERE sold.quarter_name = '2025Q1' AND sold.day_id = l.day_id
  AND a.article_id = l.article_id AND o.desk_id = l.desk_id
  AND l.buyer_id = b.buyer_id AND l.article_id = b.article_id AND l.order_no = b.order_no
  AND b.day_id = back.day_id AND back.quarter_name IN ('2025Q1', '2025Q2', '2025Q3')
  AND b.buyer_id = w.buyer_id AND b.article_id = w.article_id
  AND w.day_id = again.day_id AND again.quarter_name IN ('2025Q1', '2025Q2', '2025Q3')
GROUP BY a.article_no, a.title, o.desk_name
ORDER BY a.article_no, a.title, o.desk_name
LIMIT 100
;
--@ three channels, articles in common
WITH shared_articles AS (
  SELECT a.article_id, common.brand_id, common.class_id, common.department_id
  FROM retail.article a, (
    SELECT t.brand_id, t.class_id, t.department_id
    FROM retail.till_line l JOIN retail.article t ON t.article_id = l.article_id JOIN retail.calendar c ON c.day_id = l.day_id
    WHERE c.year_no BETWEEN 2023 AND 2025
    INTERSECT
    SELECT t.brand_id, t.class_id, t.department_id
    FROM retail.web_line l JOIN retail.article t ON t.article_id = l.article_id JOIN retail.calendar c ON c.day_id = l.day_id
    WHERE c.year_no BETWEEN 2023 AND 2025
    INTERSECT
    SELECT t.brand_id, t.class_id, t.department_id
    FROM retail.phone_line l JOIN retail.article t ON t.article_id = l.article_id JOIN retail.calendar c ON c.day_id = l.day_id
    WHERE c.year_no BETWEEN 2023 AND 2025
  ) common
  WHERE a.brand_id = common.brand_id AND a.class_id = common.class_id AND a.department_id = common.department_id
), usual AS (
  SELECT avg(units * list_cents) AS usual_cents
  FROM (
    SELECT units, list_cents FROM retail.till_line l, retail.calendar c WHERE l.day_id = c.day_id AND c.year_no BETWEEN 2023 AND 2025
    UNION ALL
    SELECT units, list_cents FROM retail.web_line l, retail.calendar c WHERE l.day_id = c.day_id AND c.year_no BETWEEN 2023 AND 2025
    UNION ALL
    SELECT units, list_cents FROM retail.phone_line l, retail.calendar c WHERE l.day_id = c.day_id AND c.year_no BETWEEN 2023 AND 2025
  ) lines
)
SELECT channel, brand_id, class_id, department_id, sum(sales) AS sales, sum(lines) AS lines
FROM (
  SELECT 'till' AS channel, a.brand_id, a.class_id, a.department_id, sum(l.units * l.list_cents) AS sales, count(*) AS lines
  FROM retail.till_line l, retail.article a, retail.calendar c
  WHERE l.article_id IN (SELECT article_id FROM shared_articles) AND l.article_id = a.article_id AND l.day_id = c.day_id
    AND c.year_no = 2025 AND c.month_no = 11
  GROUP BY a.brand_id, a.class_id, a.department_id
  HAVING sum(l.units * l.list_cents) > (SELECT usual_cents FROM usual)
  UNION ALL
  SELECT 'web' AS channel, a.brand_id, a.class_id, a.department_id, sum(l.units * l.list_cents) AS sales, count(*) AS lines
  FROM retail.web_line l, retail.article a, retail.calendar c
  WHERE l.article_id IN (SELECT article_id FROM shared_articles) AND l.article_id = a.article_id AND l.day_id = c.day_id
    AND c.year_no = 2025 AND c.month_no = 11
  GROUP BY a.brand_id, a.class_id, a.department_id
  HAVING sum(l.units * l.list_cents) > (SELECT usual_cents FROM usual)
  UNION ALL
  SELECT 'phone' AS channel, a.brand_id, a.class_id, a.department_id, sum(l.units * l.list_cents) AS sales, count(*) AS lines
  FROM retail.phone_line l, retail.article a, retail.calendar c
  WHERE l.article_id IN (SELECT article_id FROM shared_articles) AND l.article_id = a.article_id AND l.day_id = c.day_id
    AND c.year_no = 2025 AND c.month_no = 11
  GROUP BY a.brand_id, a.class_id, a.department_id
  HAVING sum(l.units * l.list_cents) > (SELECT usual_cents FROM usual)
) each_channel
GROUP BY ROLLUP (channel, brand_id, class_id, department_id)
ORDER BY channel, brand_id, class_id, department_id
LIMIT 100
;
--@ profit and loss of all channels
WITH till AS (
  SELECT b.branch_no AS outlet, sum(l.paid_cents) AS sales, sum(l.paid_cents - l.cost_cents) AS profit,
         coalesce(sum(r.refund_cents), 0) AS refunds
  FROM retail.till_line l
  LEFT OUTER JOIN retail.till_back r ON l.article_id = r.article_id AND l.receipt_no = r.receipt_no,
  retail.calendar c, retail.branch b, retail.article a, retail.offer o
  WHERE l.day_id = c.day_id AND c.day BETWEEN DATE '2025-05-05' AND DATE '2025-05-05' + INTERVAL '30' DAY
    AND l.branch_id = b.branch_id AND l.article_id = a.article_id AND a.list_cents > 5000
    AND l.offer_id = o.offer_id AND o.by_tv = 'N'
  GROUP BY b.branch_no
), web AS (
  SELECT p.page_no AS outlet, sum(l.paid_cents) AS sales, sum(l.paid_cents - l.cost_cents - l.carriage_cents) AS profit,
         coalesce(sum(r.refund_cents), 0) AS refunds
  FROM retail.web_line l
  LEFT OUTER JOIN retail.web_back r ON l.article_id = r.article_id AND l.order_no = r.order_no,
  retail.calendar c, retail.page p, retail.article a, retail.offer o
  WHERE l.day_id = c.day_id AND c.day BETWEEN DATE '2025-05-05' AND DATE '2025-05-05' + INTERVAL '30' DAY
    AND l.page_id = p.page_id AND l.article_id = a.article_id AND a.list_cents > 5000
    AND l.offer_id = o.offer_id AND o.by_tv = 'N'
  GROUP BY p.page_no
), phone AS (
  SELECT d.desk_no AS outlet, sum(l.paid_cents) AS sales, sum(l.paid_cents - l.cost_cents - l.carriage_cents) AS profit,
         coalesce(sum(r.refund_cents), 0) AS refunds
  FROM retail.phone_line l
  LEFT OUTER JOIN retail.phone_back r ON l.article_id = r.article_id AND l.order_no = r.order_no,
  retail.calendar c, retail.desk d, retail.article a, retail.offer o
  WHERE l.day_id = c.day_id AND c.day BETWEEN DATE '2025-05-05' AND DATE '2025-05-05' + INTERVAL '30' DAY
    AND l.desk_id = d.desk_id AND l.article_id = a.article_id AND a.list_cents > 5000
    AND l.offer_id = o.offer_id AND o.by_tv = 'N'
  GROUP BY d.desk_no
)
SELECT channel, outlet, sum(sales) AS sales, sum(refunds) AS refunds, sum(profit) AS profit
FROM (
  SELECT 'till' AS channel, concat('branch ', outlet) AS outlet, sales, refunds, profit - refunds AS profit FROM till
  UNION ALL
  SELECT 'web', concat('page ', outlet), sales, refunds, profit - refunds FROM web
  UNION ALL
  SELECT 'phone', concat('desk ', outlet), sales, refunds, profit - refunds FROM phone
) x
GROUP BY GROUPING SETS ((channel, outlet), (channel), ())
ORDER BY channel, outlet
LIMIT 100
;
--@ stock before and after a change of price
SELECT *
FROM (
  SELECT d.depot_name, a.article_no,
         sum(CASE WHEN c.day < DATE '2025-03-03' THEN s.on_hand ELSE 0 END) AS before_change,
         sum(CASE WHEN c.day >= DATE '2025-03-03' THEN s.on_hand ELSE 0 END) AS after_change
  FROM retail.stock_week s, retail.depot d, retail.article a, retail.calendar c
  WHERE a.list_cents BETWEEN 1900 AND 2900
    AND a.article_id = s.article_id AND s.depot_id = d.depot_id AND s.day_id = c.day_id
    AND c.day BETWEEN DATE '2025-03-03' - INTERVAL '30' DAY AND DATE '2025-03-03' + INTERVAL '30' DAY
  GROUP BY d.depot_name, a.article_no
) x
WHERE (CASE WHEN before_change > 0 THEN CAST(after_change AS double) / before_change ELSE NULL END) BETWEEN 0.75 AND 1.25
  AND article_no NOT IN (SELECT article_no FROM retail.article WHERE withdrawn_on IS NOT NULL AND department = 'seasonal')
ORDER BY depot_name, article_no
LIMIT 100
;
--@ stock before and after a change of price
WITH stock AS (
  SELECT d.depot_name, d.depot_id, a.article_id, c.month_no,
         stddev_samp(s.on_hand) AS deviation, avg(s.on_hand) AS mean,
         CASE avg(s.on_hand) WHEN 0 THEN NULL ELSE stddev_samp(s.on_hand) / avg(s.on_hand) END AS spread
  FROM retail.stock_week s
  JOIN retail.article a ON s.article_id = a.article_id
  JOIN retail.depot d ON s.depot_id = d.depot_id
  JOIN retail.calendar c ON s.day_id = c.day_id
  WHERE c.year_no = 2025
  GROUP BY d.depot_name, d.depot_id, a.article_id, c.month_no
  HAVING CASE avg(s.on_hand) WHEN 0 THEN 0 ELSE stddev_samp(s.on_hand) / avg(s.on_hand) END > 1
)
SELECT one.depot_id, one.article_id, one.month_no, one.mean, one.spread,
       two.month_no AS next_month, two.mean AS next_mean, two.spread AS next_spread
FROM stock one, stock two
WHERE one.article_id = two.article_id AND one.depot_id = two.depot_id
  AND one.month_no = 4 AND two.month_no = 4 + 1 AND one.spread > 1.5
ORDER BY one.depot_id, one.article_id, one.month_no, one.mean, one.spread, two.month_no, two.mean, two.spread
;
--@ orders that one depot could not fill alone
WITH split_orders AS (
  SELECT one.order_no
  FROM retail.web_line one, retail.web_line two
  WHERE one.order_no = two.order_no AND one.depot_id <> two.depot_id
)
SELECT count(DISTINCT l.order_no) AS orders, sum(l.carriage_cents) / 100.0 AS carriage, sum(l.paid_cents - l.cost_cents) / 100.0 AS profit
FROM retail.web_line l, retail.calendar c, retail.place p, retail.page g
WHERE c.day BETWEEN DATE '2025-02-01' AND DATE '2025-02-01' + INTERVAL '60' DAY
  AND l.ship_day_id = c.day_id AND l.ship_place_id = p.place_id AND p.state = 'lakes'
  AND l.page_id = g.page_id AND g.brand_line = 'house'
  AND l.order_no IN (SELECT order_no FROM split_orders)
  AND l.order_no IN (SELECT r.order_no FROM retail.web_back r, split_orders WHERE r.order_no = split_orders.order_no)
  AND NOT EXISTS (SELECT * FROM retail.complaint k WHERE k.order_no = l.order_no AND k.settled_on IS NULL)
ORDER BY count(DISTINCT l.order_no)
LIMIT 100
;
--@ orders that one depot could not fill alone
SELECT substr(d.depot_name, 1, 20) AS depot, v.kind AS carrier, k.desk_name,
       sum(CASE WHEN l.ship_day_id - l.day_id <= 30 THEN 1 ELSE 0 END) AS within_30,
       sum(CASE WHEN l.ship_day_id - l.day_id > 30 AND l.ship_day_id - l.day_id <= 60 THEN 1 ELSE 0 END) AS within_60,
       sum(CASE WHEN l.ship_day_id - l.day_id > 60 AND l.ship_day_id - l.day_id <= 90 THEN 1 ELSE 0 END) AS within_90,
       sum(CASE WHEN l.ship_day_id - l.day_id > 90 AND l.ship_day_id - l.day_id <= 120 THEN 1 ELSE 0 END) AS within_120,
       sum(CASE WHEN l.ship_day_id - l.day_id > 120 THEN 1 ELSE 0 END) AS later
FROM retail.phone_line l, retail.depot d, retail.carrier v, retail.desk k, retail.calendar c
WHERE c.month_id BETWEEN 311 AND 322
  AND l.ship_day_id = c.day_id AND l.depot_id = d.depot_id AND l.carrier_id = v.carrier_id AND l.desk_id = k.desk_id
GROUP BY substr(d.depot_name, 1, 20), v.kind, k.desk_name
ORDER BY substr(d.depot_name, 1, 20), v.kind, k.desk_name
LIMIT 100
;
--@ the growth of buyers on the web against the tills
WITH year_total AS (
  SELECT y.buyer_no AS buyer_no, y.first_name, y.last_name, y.preferred, y.birth_country, y.login, y.email, c.year_no AS dyear,
         sum(((l.list_cents - l.cost_cents - l.coupon_cents) + l.paid_cents) / 2) AS total, 't' AS kind
  FROM retail.buyer y, retail.till_line l, retail.calendar c
  WHERE y.buyer_id = l.buyer_id AND l.day_id = c.day_id
  GROUP BY y.buyer_no, y.first_name, y.last_name, y.preferred, y.birth_country, y.login, y.email, c.year_no
  UNION ALL
  SELECT y.buyer_no, y.first_name, y.last_name, y.preferred, y.birth_country, y.login, y.email, c.year_no,
         sum(((l.list_cents - l.cost_cents - l.coupon_cents) + l.paid_cents) / 2), 'w'
  FROM retail.buyer y, retail.web_line l, retail.calendar c
  WHERE y.buyer_id = l.buyer_id AND l.day_id = c.day_id
  GROUP BY y.buyer_no, y.first_name, y.last_name, y.preferred, y.birth_country, y.login, y.email, c.year_no
  UNION ALL
  SELECT y.buyer_no, y.first_name, y.last_name, y.preferred, y.birth_country, y.login, y.email, c.year_no,
         sum(((l.list_cents - l.cost_cents - l.coupon_cents) + l.paid_cents) / 2), 'p'
  FROM retail.buyer y, retail.phone_line l, retail.calendar c
  WHERE y.buyer_id = l.buyer_id AND l.day_id = c.day_id
  GROUP BY y.buyer_no, y.first_name, y.last_name, y.preferred, y.birth_country, y.login, y.email, c.year_no
)
SELECT t2.buyer_no, t2.first_name, t2.last_name, t2.preferred
FROM year_total t1, year_total t2, year_total p1, year_total p2, year_total w1, year_total w2
WHERE t2.buyer_no = t1.buyer_no AND t1.buyer_no = p1.buyer_no AND t1.buyer_no = p2.buyer_no
  AND t1.buyer_no = w1.buyer_no AND t1.buyer_no = w2.buyer_no
  AND t1.kind = 't' AND p1.kind = 'p' AND w1.kind = 'w' AND t2.kind = 't' AND p2.kind = 'p' AND w2.kind = 'w'
  AND t1.dyear = 2024 AND t2.dyear = 2025 AND p1.dyear = 2024 AND p2.dyear = 2025 AND w1.dyear = 2024 AND w2.dyear = 2025
  AND t1.total > 0 AND p1.total > 0 AND w1.total > 0
  AND CASE WHEN p1.total > 0 THEN p2.total / p1.total ELSE NULL END > CASE WHEN t1.total > 0 THEN t2.total / t1.total ELSE NULL END
  AND CASE WHEN p1.total > 0 THEN p2.total / p1.total ELSE NULL END > CASE WHEN w1.total > 0 THEN w2.total / w1.total ELSE NULL END
ORDER BY t2.buyer_no, t2.first_name, t2.last_name, t2.preferred
LIMIT 100
;
--@ the clock at the till
SELECT *
FROM (SELECT count(*) AS h08 FROM retail.till_line l, retail.home h, retail.slot s, retail.branch b
      WHERE l.slot_id = s.slot_id AND l.home_id = h.home_id AND l.branch_id = b.branch_id AND s.hour_no = 8 AND s.minute_no >= 30
        AND ((h.members = 4 AND h.cars <= 6) OR (h.members = 2 AND h.cars <= 4) OR (h.members = 0 AND h.cars <= 2)) AND b.branch_name = 'pier') s1,
     (SELECT count(*) AS h09 FROM retail.till_line l, retail.home h, retail.slot s, retail.branch b
      WHERE l.slot_id = s.slot_id AND l.home_id = h.home_id AND l.branch_id = b.branch_id AND s.hour_no = 9 AND s.minute_no < 30
        AND ((h.members = 4 AND h.cars <= 6) OR (h.members = 2 AND h.cars <= 4) OR (h.members = 0 AND h.cars <= 2)) AND b.branch_name = 'pier') s2,
     (SELECT count(*) AS h10 FROM retail.till_line l, retail.home h, retail.slot s, retail.branch b
      WHERE l.slot_id = s.slot_id AND l.home_id = h.home_id AND l.branch_id = b.branch_id AND s.hour_no = 10 AND s.minute_no < 30
        AND ((h.members = 4 AND h.cars <= 6) OR (h.members = 2 AND h.cars <= 4) OR (h.members = 0 AND h.cars <= 2)) AND b.branch_name = 'pier') s3,
     (SELECT count(*) AS h11 FROM retail.till_line l, retail.home h, retail.slot s, retail.branch b
      WHERE l.slot_id = s.slot_id AND l.home_id = h.home_id AND l.branch_id = b.branch_id AND s.hour_no = 11 AND s.minute_no < 30
        AND ((h.members = 4 AND h.cars <= 6) OR (h.members = 2 AND h.cars <= 4) OR (h.members = 0 AND h.cars <= 2)) AND b.branch_name = 'pier') s4
;
--@ the clock at the till
SELECT b.branch_name, b.town, s.hour_no,
       sum(l.paid_cents) / 100.0 AS paid,
       sum(sum(l.paid_cents)) OVER (PARTITION BY b.branch_name ORDER BY s.hour_no ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) / 100.0 AS so_far,
       rank() OVER (PARTITION BY s.hour_no ORDER BY sum(l.paid_cents) DESC) AS place,
       CAST(sum(l.paid_cents) AS double) / sum(sum(l.paid_cents)) OVER (PARTITION BY b.branch_name) AS share
FROM retail.till_line l
JOIN retail.slot s ON s.slot_id = l.slot_id
JOIN retail.branch b ON b.branch_id = l.branch_id
JOIN retail.calendar c ON c.day_id = l.day_id
WHERE c.day BETWEEN DATE '2025-11-28' AND DATE '2025-12-24' AND c.is_holiday = 'N' AND s.hour_no BETWEEN 7 AND 21
  AND b.floor_m2 BETWEEN 200 AND 295 AND b.staff BETWEEN 20 AND 80 AND b.region IN ('north', 'east', 'coast')
GROUP BY b.branch_name, b.town, s.hour_no
HAVING count(DISTINCT l.receipt_no) >= 10
ORDER BY b.branch_name, s.hour_no
;
--@ sums in bands
SELECT CASE WHEN (SELECT count(*) FROM retail.till_line WHERE units BETWEEN 1 AND 20) > 250000
            THEN (SELECT avg(coupon_cents) FROM retail.till_line WHERE units BETWEEN 1 AND 20)
            ELSE (SELECT avg(paid_cents) FROM retail.till_line WHERE units BETWEEN 1 AND 20) END AS band_1,
       CASE WHEN (SELECT count(*) FROM retail.till_line WHERE units BETWEEN 21 AND 40) > 1200000
            THEN (SELECT avg(coupon_cents) FROM retail.till_line WHERE units BETWEEN 21 AND 40)
            ELSE (SELECT avg(paid_cents) FROM retail.till_line WHERE units BETWEEN 21 AND 40) END AS band_2,
       CASE WHEN (SELECT count(*) FROM retail.till_line WHERE units BETWEEN 41 AND 60) > 900000
            THEN (SELECT avg(coupon_cents) FROM retail.till_line WHERE units BETWEEN 41 AND 60)
            ELSE (SELECT avg(paid_cents) FROM retail.till_line WHERE units BETWEEN 41 AND 60) END AS band_3,
       CASE WHEN (SELECT count(*) FROM retail.till_line WHERE units BETWEEN 61 AND 80) > 400000
            THEN (SELECT avg(coupon_cents) FROM retail.till_line WHERE units BETWEEN 61 AND 80)
            ELSE (SELECT avg(paid_cents) FROM retail.till_line WHERE units BETWEEN 61 AND 80) END AS band_4
FROM retail.reason WHERE reason_id = 1
;
--@ a chain of offers
WITH RECURSIVE chain (offer_id, root_id, step, path) AS (
  SELECT offer_id, offer_id, 0, ARRAY[offer_name] FROM retail.offer WHERE follows_id IS NULL
  UNION ALL
  SELECT o.offer_id, chain.root_id, chain.step + 1, chain.path || o.offer_name
  FROM retail.offer o JOIN chain ON o.follows_id = chain.offer_id
  WHERE chain.step < 8
), paid AS (
  SELECT x.offer_id, x.channel, sum(x.paid_cents) AS paid_cents, approx_distinct(x.buyer_id) AS buyers
  FROM (
    SELECT offer_id, 'till' AS channel, paid_cents, buyer_id FROM retail.till_line
    UNION ALL SELECT offer_id, 'web', paid_cents, buyer_id FROM retail.web_line
    UNION ALL SELECT offer_id, 'phone', paid_cents, buyer_id FROM retail.phone_line
  ) x
  GROUP BY x.offer_id, x.channel
)
SELECT chain.root_id, root.offer_name AS root_name, max(chain.step) AS steps, array_join(max_by(chain.path, chain.step), ' > ') AS longest,
       sum(paid.paid_cents) FILTER (WHERE paid.channel = 'till') / 100.0 AS till,
       sum(paid.paid_cents) FILTER (WHERE paid.channel = 'web') / 100.0 AS web,
       sum(paid.paid_cents) FILTER (WHERE paid.channel = 'phone') / 100.0 AS phone,
       sum(paid.buyers) AS buyers
FROM chain
JOIN retail.offer root ON root.offer_id = chain.root_id
LEFT JOIN paid ON paid.offer_id = chain.offer_id
GROUP BY chain.root_id, root.offer_name
HAVING count(*) > 1
ORDER BY steps DESC, root_name
;
--@ baskets: what is bought together
WITH baskets AS (
  SELECT l.receipt_no, a.class_name, count(*) AS lines, sum(l.paid_cents) AS paid_cents
  FROM retail.till_line l
  JOIN retail.article a ON a.article_id = l.article_id
  JOIN retail.calendar c ON c.day_id = l.day_id
  WHERE c.day >= DATE '2025-09-01' AND c.day < DATE '2025-10-01' AND a.department NOT IN ('gift card', 'deposit')
  GROUP BY l.receipt_no, a.class_name
), pairs AS (
  SELECT one.class_name AS one, two.class_name AS two, count(*) AS together, sum(one.paid_cents + two.paid_cents) AS paid_cents
  FROM baskets one JOIN baskets two ON two.receipt_no = one.receipt_no AND two.class_name > one.class_name
  GROUP BY one.class_name, two.class_name
), alone AS (
  SELECT class_name, count(*) AS receipts FROM baskets GROUP BY class_name
), everything AS (
  SELECT count(DISTINCT receipt_no) AS receipts FROM baskets
)
SELECT p.one, p.two, p.together, CAST(p.together AS double) / e.receipts AS support,
       CAST(p.together AS double) / o.receipts AS confidence,
       CAST(p.together AS double) * e.receipts / (CAST(o.receipts AS double) * t.receipts) AS lift,
       row_number() OVER (PARTITION BY p.one ORDER BY CAST(p.together AS double) / t.receipts DESC) AS place
FROM pairs p
JOIN alone o ON o.class_name = p.one
JOIN alone t ON t.class_name = p.two
CROSS JOIN everything e
WHERE p.together >= 50
ORDER BY lift DESC, p.one, p.two
FETCH FIRST 200 ROWS ONLY
;
--@ a year of months in columns
SELECT depot_name, floor_m2, town, state, country, year_no,
       sum(jan) AS jan, sum(feb) AS feb, sum(mar) AS mar, sum(apr) AS apr, sum(may) AS may, sum(jun) AS jun,
       sum(jan / floor_m2) AS jan_m2, sum(feb / floor_m2) AS feb_m2, sum(mar / floor_m2) AS mar_m2,
       sum(apr / floor_m2) AS apr_m2, sum(may / floor_m2) AS may_m2, sum(jun / floor_m2) AS jun_m2
FROM (
  SELECT d.depot_name, d.floor_m2, d.town, d.state, d.country, c.year_no,
         sum(CASE WHEN c.month_no = 1 THEN l.list_cents * l.units ELSE 0 END) AS jan,
         sum(CASE WHEN c.month_no = 2 THEN l.list_cents * l.units ELSE 0 END) AS feb,
         sum(CASE WHEN c.month_no = 3 THEN l.list_cents * l.units ELSE 0 END) AS mar,
         sum(CASE WHEN c.month_no = 4 THEN l.list_cents * l.units ELSE 0 END) AS apr,
         sum(CASE WHEN c.month_no = 5 THEN l.list_cents * l.units ELSE 0 END) AS may,
         sum(CASE WHEN c.month_no = 6 THEN l.list_cents * l.units ELSE 0 END) AS jun
  FROM retail.web_line l, retail.depot d, retail.calendar c, retail.slot s, retail.carrier v
  WHERE l.depot_id = d.depot_id AND l.day_id = c.day_id AND l.slot_id = s.slot_id AND l.carrier_id = v.carrier_id
    AND c.year_no = 2025 AND s.second_no BETWEEN 28800 AND 64800 AND v.name IN ('north', 'parcel one')
  GROUP BY d.depot_name, d.floor_m2, d.town, d.state, d.country, c.year_no
  UNION ALL
  SELECT d.depot_name, d.floor_m2, d.town, d.state, d.country, c.year_no,
         sum(CASE WHEN c.month_no = 1 THEN l.paid_cents * l.units ELSE 0 END),
         sum(CASE WHEN c.month_no = 2 THEN l.paid_cents * l.units ELSE 0 END),
         sum(CASE WHEN c.month_no = 3 THEN l.paid_cents * l.units ELSE 0 END),
         sum(CASE WHEN c.month_no = 4 THEN l.paid_cents * l.units ELSE 0 END),
         sum(CASE WHEN c.month_no = 5 THEN l.paid_cents * l.units ELSE 0 END),
         sum(CASE WHEN c.month_no = 6 THEN l.paid_cents * l.units ELSE 0 END)
  FROM retail.phone_line l, retail.depot d, retail.calendar c, retail.slot s, retail.carrier v
  WHERE l.depot_id = d.depot_id AND l.day_id = c.day_id AND l.slot_id = s.slot_id AND l.carrier_id = v.carrier_id
    AND c.year_no = 2025 AND s.second_no BETWEEN 28800 AND 64800 AND v.name IN ('north', 'parcel one')
  GROUP BY d.depot_name, d.floor_m2, d.town, d.state, d.country, c.year_no
) x
GROUP BY depot_name, floor_m2, town, state, country, year_no
ORDER BY depot_name
LIMIT 100
;
--@ buyers by what they do, not by what they say
WITH recent AS (
  SELECT buyer_id, max(c.day) AS last_day, count(DISTINCT order_no) AS orders, sum(paid_cents) AS paid_cents
  FROM retail.web_line l JOIN retail.calendar c USING (day_id)
  WHERE c.day > DATE '2025-12-31' - INTERVAL '365' DAY
  GROUP BY buyer_id
), scored AS (
  SELECT buyer_id, last_day, orders, paid_cents,
         ntile(5) OVER (ORDER BY last_day) AS recency, ntile(5) OVER (ORDER BY orders) AS frequency, ntile(5) OVER (ORDER BY paid_cents) AS value
  FROM recent
), named AS (
  SELECT s.*, CASE WHEN recency >= 4 AND frequency >= 4 AND value >= 4 THEN 'best'
                   WHEN recency >= 4 AND frequency <= 2 THEN 'new'
                   WHEN recency <= 2 AND value >= 4 THEN 'to win back'
                   WHEN recency = 1 AND frequency = 1 THEN 'gone'
                   ELSE 'steady' END AS segment
  FROM scored s
)
SELECT n.segment, h.income_band, p.state, count(*) AS buyers, avg(n.orders) AS orders, sum(n.paid_cents) / 100.0 AS paid,
       approx_percentile(n.paid_cents, ARRAY[0.5, 0.9]) AS paid_quantiles,
       sum(CASE WHEN b.buyer_id IS NOT NULL THEN 1 ELSE 0 END) AS with_returns
FROM named n
JOIN retail.buyer y ON y.buyer_id = n.buyer_id
LEFT JOIN retail.home h ON h.home_id = y.home_id
LEFT JOIN retail.place p ON p.place_id = y.place_id
LEFT JOIN (SELECT DISTINCT buyer_id FROM retail.web_back) b ON b.buyer_id = n.buyer_id
GROUP BY CUBE (n.segment, h.income_band, p.state)
ORDER BY n.segment, h.income_band, p.state
;
--@ bought here and nowhere else
SELECT count(*) FROM (
  SELECT DISTINCT y.last_name, y.first_name, c.day
  FROM retail.till_line l, retail.calendar c, retail.buyer y
  WHERE l.day_id = c.day_id AND l.buyer_id = y.buyer_id AND c.month_id BETWEEN 300 AND 311
    AND y.preferred = 'Y' AND l.coupon_cents = 0
  EXCEPT
  SELECT DISTINCT y.last_name, y.first_name, c.day
  FROM retail.phone_line l, retail.calendar c, retail.buyer y
  WHERE l.day_id = c.day_id AND l.buyer_id = y.buyer_id AND c.month_id BETWEEN 300 AND 311
    AND y.preferred = 'Y' AND l.coupon_cents = 0
  EXCEPT
  SELECT DISTINCT y.last_name, y.first_name, c.day
  FROM retail.web_line l, retail.calendar c, retail.buyer y
  WHERE l.day_id = c.day_id AND l.buyer_id = y.buyer_id AND c.month_id BETWEEN 300 AND 311
    AND y.preferred = 'Y' AND l.coupon_cents = 0
) only_at_the_till
;
--@ best and worst by margin
SELECT best.place, one.title AS best, two.title AS worst, best.margin AS best_margin, worst.margin AS worst_margin
FROM (
  SELECT article_id, margin, rank() OVER (ORDER BY margin DESC) AS place
  FROM (SELECT article_id, avg(paid_cents - cost_cents) AS margin FROM retail.till_line l WHERE branch_id = 4
        GROUP BY article_id
        HAVING avg(paid_cents - cost_cents) > 0.9 * (SELECT avg(paid_cents - cost_cents) FROM retail.till_line
                                                     WHERE branch_id = 4 AND buyer_id IS NULL GROUP BY branch_id)) v
) best, (
  SELECT article_id, margin, rank() OVER (ORDER BY margin ASC) AS place
  FROM (SELECT article_id, avg(paid_cents - cost_cents) AS margin FROM retail.till_line l WHERE branch_id = 4
        GROUP BY article_id
        HAVING avg(paid_cents - cost_cents) > 0.9 * (SELECT avg(paid_cents - cost_cents) FROM retail.till_line
                                                     WHERE branch_id = 4 AND buyer_id IS NULL GROUP BY branch_id)) v
) worst, retail.article one, retail.article two
WHERE best.place = worst.place AND best.place < 11 AND one.article_id = best.article_id AND two.article_id = worst.article_id
ORDER BY best.place
LIMIT 100
;
