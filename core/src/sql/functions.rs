//! The engines' own functions, by name.
//!
//! What lives here: lists of names and their lookup. What does not: how a call is recognised in a text (`scan`), or
//! whether a catalog holds a function of the user's (nobody here asks one).

/// Whether `name` (lower case, without a path) is one of Trino's built-in functions or special forms.
///
/// A name that is not on the list is a user's function to Trino, or one of a plugin: in both cases the code is not the
/// engine's own. Presto, Dremio and Spark have functions that Trino has not, so for them a miss says nothing.
#[must_use]
pub fn is_builtin(name: &str) -> bool {
    BUILTIN.binary_search(&name).is_ok()
}

/// Whether a name before a parenthesis is a type or part of the grammar, and so no call.
#[must_use]
pub fn is_type_or_syntax(name: &str) -> bool {
    TYPES.binary_search(&name).is_ok() || SYNTAX.binary_search(&name).is_ok()
}

/// Whether a call costs much on few bytes: patterns and JSON are work on every character, collecting aggregates and
/// sketches hold what they have seen, geometry and edit distance are more than linear in a value's size.
#[must_use]
pub fn is_expensive(name: &str) -> bool {
    EXPENSIVE.binary_search(&name).is_ok()
}

/// Whether the value depends on when the statement runs. Random values do not count: no pruning follows from them.
#[must_use]
pub fn reads_clock(name: &str) -> bool {
    CLOCK.binary_search(&name).is_ok()
}

/// Trino's built-in functions, sorted, with the forms that look like calls (`cast`, `extract`, `if`, ..) and the
/// functions of row patterns.
#[rustfmt::skip]
const BUILTIN: &[&str] = &[
    "abs", "acos", "all_match", "any_match", "any_value", "approx_distinct", "approx_most_frequent",
    "approx_percentile", "approx_set", "arbitrary", "array_agg", "array_distinct", "array_except", "array_first",
    "array_histogram", "array_intersect", "array_join", "array_last", "array_max", "array_min", "array_position",
    "array_remove", "array_sort", "array_union", "arrays_overlap", "asin", "at_timezone", "atan", "atan2", "avg",
    "bar", "beta_cdf", "bing_tile", "bing_tile_at", "bing_tile_coordinates", "bing_tile_polygon",
    "bing_tile_quadkey", "bing_tile_zoom_level", "bing_tiles_around", "bit_count", "bitwise_and", "bitwise_and_agg",
    "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_or_agg", "bitwise_right_shift",
    "bitwise_right_shift_arithmetic", "bitwise_xor", "bitwise_xor_agg", "bool_and", "bool_or", "cardinality",
    "cast", "cbrt", "ceil", "ceiling", "char2hexint", "checksum", "chr", "classifier", "classify", "coalesce",
    "codepoint", "color", "combinations", "concat", "concat_ws", "contains", "contains_sequence", "convex_hull_agg",
    "corr", "cos", "cosh", "cosine_distance", "cosine_similarity", "count", "count_if", "covar_pop", "covar_samp",
    "crc32", "cume_dist", "current_catalog", "current_date", "current_groups", "current_path", "current_role",
    "current_schema", "current_time", "current_timestamp", "current_timezone", "current_user", "date", "date_add",
    "date_diff", "date_format", "date_parse", "date_trunc", "day", "day_of_month", "day_of_week", "day_of_year",
    "decimal", "degrees", "dense_rank", "dot_product", "dow", "doy", "e", "element_at", "empty_approx_set",
    "euclidean_distance", "evaluate_classifier_predictions", "every", "exclude_columns", "exp", "extract",
    "features", "filter", "first", "first_value", "flatten", "floor", "format", "format_datetime", "format_number",
    "from_base", "from_base32", "from_base64", "from_base64url", "from_big_endian_32", "from_big_endian_64",
    "from_encoded_polyline", "from_geojson_geometry", "from_hex", "from_ieee754_32", "from_ieee754_64",
    "from_iso8601_date", "from_iso8601_timestamp", "from_iso8601_timestamp_nanos", "from_unixtime",
    "from_unixtime_nanos", "from_utf8", "geometric_mean", "geometry_from_hadoop_shape", "geometry_invalid_reason",
    "geometry_nearest_points", "geometry_to_bing_tiles", "geometry_union", "geometry_union_agg",
    "great_circle_distance", "greatest", "grouping", "hamming_distance", "hash_counts", "histogram", "hmac_md5",
    "hmac_sha1", "hmac_sha256", "hmac_sha512", "hour", "human_readable_seconds", "if", "index", "infinity",
    "intersection_cardinality", "inverse_beta_cdf", "inverse_normal_cdf", "is_finite", "is_infinite",
    "is_json_scalar", "is_nan", "jaccard_index", "json_array", "json_array_contains", "json_array_get",
    "json_array_length", "json_exists", "json_extract", "json_extract_scalar", "json_format", "json_object",
    "json_parse", "json_query", "json_size", "json_table", "json_value", "kurtosis", "lag", "last",
    "last_day_of_month", "last_value", "lead", "learn_classifier", "learn_libsvm_classifier",
    "learn_libsvm_regressor", "learn_regressor", "least", "length", "levenshtein_distance",
    "line_interpolate_point", "line_interpolate_points", "line_locate_point", "listagg", "ln", "localtime",
    "localtimestamp", "log", "log10", "log2", "lower", "lpad", "ltrim", "luhn_check", "make_set_digest", "map",
    "map_agg", "map_concat", "map_entries", "map_filter", "map_from_entries", "map_keys", "map_union", "map_values",
    "map_zip_with", "match_number", "max", "max_by", "md5", "merge", "merge_set_digest", "millisecond", "min",
    "min_by", "minute", "mod", "month", "multimap_agg", "multimap_from_entries", "murmur3", "nan", "next", "ngrams",
    "none_match", "normal_cdf", "normalize", "now", "nth_value", "ntile", "nullif", "numeric_histogram", "objectid",
    "objectid_timestamp", "overlay", "parse_data_size", "parse_datetime", "parse_duration",
    "parse_presto_data_size", "percent_rank", "permute", "pi", "position", "pow", "power", "prev", "qdigest_agg",
    "quantile_at_value", "quarter", "radians", "rand", "random", "random_string", "rank", "reduce", "reduce_agg",
    "regexp_count", "regexp_extract", "regexp_extract_all", "regexp_like", "regexp_position", "regexp_replace",
    "regexp_split", "regr_avgx", "regr_avgy", "regr_count", "regr_intercept", "regr_r2", "regr_slope", "regr_sxx",
    "regr_sxy", "regr_syy", "regress", "render", "repeat", "replace", "reverse", "rgb", "round", "row",
    "row_number", "rpad", "rtrim", "second", "sequence", "sha1", "sha256", "sha512", "shuffle", "sign",
    "simplify_geometry", "sin", "sinh", "skewness", "slice", "soundex", "spatial_partitioning",
    "spatial_partitions", "split", "split_part", "split_to_map", "split_to_multimap", "spooky_hash_v2_32",
    "spooky_hash_v2_64", "sqrt", "st_area", "st_asbinary", "st_astext", "st_boundary", "st_buffer", "st_centroid",
    "st_contains", "st_convexhull", "st_coorddim", "st_crosses", "st_difference", "st_dimension", "st_disjoint",
    "st_distance", "st_endpoint", "st_envelope", "st_envelopeaspts", "st_equals", "st_exteriorring",
    "st_geometries", "st_geometryfromtext", "st_geometryn", "st_geometrytype", "st_geomfrombinary",
    "st_geomfromkml", "st_interiorringn", "st_interiorrings", "st_intersection", "st_intersects", "st_isclosed",
    "st_isempty", "st_isring", "st_issimple", "st_isvalid", "st_length", "st_linefromtext", "st_linestring",
    "st_multipoint", "st_numgeometries", "st_numinteriorring", "st_numpoints", "st_overlaps", "st_point",
    "st_pointn", "st_points", "st_polygon", "st_relate", "st_startpoint", "st_symdifference", "st_touches",
    "st_union", "st_within", "st_x", "st_xmax", "st_xmin", "st_y", "st_ymax", "st_ymin", "starts_with", "stddev",
    "stddev_pop", "stddev_samp", "strpos", "substr", "substring", "sum", "t_cdf", "t_pdf", "tan", "tanh",
    "tdigest_agg", "timestamp_objectid", "timezone", "timezone_hour", "timezone_minute", "to_base", "to_base32",
    "to_base64", "to_base64url", "to_big_endian_32", "to_big_endian_64", "to_char", "to_date",
    "to_encoded_polyline", "to_geojson_geometry", "to_geometry", "to_hex", "to_ieee754_32", "to_ieee754_64",
    "to_iso8601", "to_milliseconds", "to_spherical_geography", "to_timestamp", "to_unixtime", "to_utf8",
    "transform", "transform_keys", "transform_values", "translate", "trim", "trim_array", "truncate", "try",
    "try_cast", "typeof", "unnest", "upper", "url_decode", "url_encode", "url_extract_fragment", "url_extract_host",
    "url_extract_parameter", "url_extract_path", "url_extract_port", "url_extract_protocol", "url_extract_query",
    "uuid", "value_at_quantile", "values_at_quantiles", "var_pop", "var_samp", "variance", "variant_is_null",
    "version", "week", "week_of_year", "width_bucket", "wilson_interval_lower", "wilson_interval_upper",
    "with_timezone", "word_stem", "xxhash64", "year", "year_of_week", "yow", "zip", "zip_with",
];

/// Types that are written with parentheses, or as a constructor, sorted.
#[rustfmt::skip]
const TYPES: &[&str] = &[
    "array", "bigint", "binary", "boolean", "char", "character", "color", "date", "decimal", "double", "function",
    "geometry", "hyperloglog", "int", "integer", "interval", "ipaddress", "ipprefix", "json", "map", "nchar",
    "number", "numeric", "p4hyperloglog", "qdigest", "real", "row", "setdigest", "smallint", "sphericalgeography",
    "tdigest", "time", "timestamp", "tinyint", "uuid", "varbinary", "varchar", "vector",
];

/// Words that the grammar puts before a parenthesis, sorted; the scanner's own key words are not repeated.
#[rustfmt::skip]
const SYNTAX: &[&str] = &[
    "aggregate", "bernoulli", "columns", "copartition", "corresponding", "cube", "default", "define", "descriptor",
    "encoding", "error", "excluding", "first", "including", "initial", "keep", "keys", "match", "matched", "measures", "nested",
    "options", "over", "partial", "partition", "passing", "path", "pattern", "permute", "properties", "returning",
    "returns", "rollup", "rows", "seek", "sets", "simple", "some", "subset", "system", "tablesample", "then",
    "unique", "until", "value", "where", "while", "within", "wrapper",
];

/// See [`is_expensive`]; sorted, all engines together.
#[rustfmt::skip]
const EXPENSIVE: &[&str] = &[
    "approx_count_distinct", "approx_distinct", "approx_most_frequent", "approx_percentile", "approx_set",
    "array_agg", "array_histogram", "collect_list", "collect_set", "combinations", "convert_from",
    "convert_fromjson", "convex_hull_agg", "evaluate_classifier_predictions", "from_json", "geometry_union",
    "geometry_union_agg", "get_json_object", "histogram", "is_json_scalar", "json_array_contains", "json_array_get",
    "json_array_length", "json_exists", "json_extract", "json_extract_scalar", "json_parse", "json_query",
    "json_size", "json_table", "json_tuple", "json_value", "learn_classifier", "learn_libsvm_classifier",
    "learn_libsvm_regressor", "learn_regressor", "levenshtein_distance", "listagg", "make_set_digest", "map_agg",
    "map_union", "median", "merge", "merge_set_digest", "multimap_agg", "ngrams", "numeric_histogram", "percentile",
    "percentile_approx", "percentile_cont", "percentile_disc", "qdigest_agg", "reduce_agg", "regexp_count",
    "regexp_extract", "regexp_extract_all", "regexp_like", "regexp_position", "regexp_replace", "regexp_split",
    "regexp_substr", "rlike", "spatial_partitioning", "st_buffer", "st_contains", "st_convexhull", "st_crosses",
    "st_difference", "st_distance", "st_intersection", "st_intersects", "st_overlaps", "st_relate",
    "st_symdifference", "st_touches", "st_union", "st_within", "tdigest_agg",
];

/// See [`reads_clock`]; sorted, all engines together.
#[rustfmt::skip]
const CLOCK: &[&str] = &[
    "curdate", "current_date", "current_time", "current_timestamp", "getdate", "localtime", "localtimestamp", "now",
    "sysdate", "systimestamp", "unix_timestamp", "utc_timestamp",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_hold_no_name_twice() {
        for list in [BUILTIN, TYPES, SYNTAX, EXPENSIVE, CLOCK] {
            for pair in list.windows(2) {
                assert!(pair[0] < pair[1], "{pair:?}");
            }
        }
    }

    #[test]
    fn a_name_is_found_in_lower_case_only() {
        assert!(is_builtin("approx_distinct"));
        assert!(is_builtin("zip_with"));
        assert!(!is_builtin("APPROX_DISTINCT"));
        assert!(!is_builtin("mask_email"));
        assert!(is_type_or_syntax("varchar"));
        assert!(is_expensive("regexp_like"));
        assert!(reads_clock("now"));
    }
}
