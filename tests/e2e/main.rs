//! End to end on a real Envoy, a real service and engines that really run SQL. Each module is one kind of trouble.

mod client_matrix; // the Trino Python client through Envoy: pages, errors, cancel, prepared statements
mod estimates; // `lakegate estimate` against PyIceberg, to the byte
mod follow_ups; // pages go where the statement went, and the filter does not run on them
mod forged_headers; // a client cannot choose the route, by header or by path
mod limits; // long, empty, compressed and non-UTF-8 statements
mod monday; // the reference case, with the reference policy itself
mod policy_reload; // a changed policy goes live without a restart; a bad one does not
mod readiness; // a catalog that is not there, and comes back
mod rejections; // a rule that rejects, as a client sees it
mod service_trouble; // down, slow, nonsense, no endpoint
mod trailers; // HTTP/2 requests that end in trailers
mod unknowns; // unknown tables, a table twice
