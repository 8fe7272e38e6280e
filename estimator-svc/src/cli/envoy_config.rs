//! `lakegate envoy-config`: the clusters, routes and filter that a policy needs, as an Envoy bootstrap.
//!
//! Follow-ups are routes, not decisions: one prefix a cluster, only the methods and paths that a follow-up has, the
//! filter disabled. Whatever a client could use to pick a cluster is removed before routing. Not here: where the
//! policy comes from, or how Envoy is started.

use std::fmt::Write;

use lakegate_core::headers;
use lakegate_core::plugin_config::{PluginConfig, Service};
use lakegate_core::policy::{Cluster, Engine, Policy, Route};
use lakegate_core::protocol::Protocol;

/// What a bootstrap needs besides the policy.
#[derive(Clone, Debug)]
pub(crate) struct Bootstrap {
    /// `host:port` that clients connect to.
    pub(crate) listen: String,
    /// `host:port` of Envoy's admin interface.
    pub(crate) admin: String,
    /// The Lakegate service's URL; without it the filter decides by headers and scan alone.
    pub(crate) service: Option<String>,
    /// Where Envoy finds the filter's module.
    pub(crate) wasm: String,
    /// Where the access log goes.
    pub(crate) access_log: String,
    /// Estimates kept by each worker.
    pub(crate) estimate_cache_entries: usize,
}

/// The service's cluster in Envoy.
const SERVICE_CLUSTER: &str = "lakegate_service";

/// One cluster that routes name, with its address.
struct Upstream<'a> {
    name: &'a str,
    address: Address,
}

/// A parsed `http(s)://host:port`.
struct Address {
    tls: bool,
    host: String,
    port: u16,
}

/// The bootstrap as YAML, or what is missing for it.
pub(crate) fn bootstrap(policy: &Policy, options: &Bootstrap) -> Result<String, String> {
    let upstreams = upstreams(policy, Protocol::Trino)?;
    if upstreams.is_empty() {
        return Err(
            "no engine of this policy has a cluster for trino clients: add `clusters: { trino: <name> }` to an engine, \
             or `--cluster ENGINE.trino=URL`"
                .into(),
        );
    }
    let service = options
        .service
        .as_deref()
        .map(|url| Address::parse(url).map_err(|error| format!("--service {url}: {error}")))
        .transpose()?;
    let listen = HostPort::parse(&options.listen).map_err(|error| format!("--listen: {error}"))?;
    let admin = HostPort::parse(&options.admin).map_err(|error| format!("--admin: {error}"))?;

    let mut out = String::new();
    let mut write = |text: std::fmt::Arguments<'_>| out.write_fmt(text).map_err(|error| error.to_string());
    write(format_args!(
        "# Written by `lakegate envoy-config` from policy version {}.\n\
         admin: {{ address: {} }}\n\
         static_resources:\n  \
         listeners:\n  \
         - name: lakegate\n    \
         address: {}\n    \
         filter_chains:\n    \
         - filters:\n      \
         - name: envoy.filters.network.http_connection_manager\n        \
         typed_config:\n",
        policy.version,
        admin.to_yaml(),
        listen.to_yaml(),
    ))?;
    let plugin = PluginConfig {
        policy: policy.source.clone(),
        service: options.service.as_ref().map(|_| Service {
            cluster: SERVICE_CLUSTER.into(),
            poll_ms: 1000,
        }),
        estimate_cache_entries: options.estimate_cache_entries,
    };
    let plugin = serde_json::to_string(&plugin).map_err(|error| error.to_string())?;
    write(format_args!(
        "{}",
        indent(10, &connection_manager(policy, &upstreams, options, &plugin))
    ))?;
    write(format_args!("  clusters:\n"))?;
    for upstream in &upstreams {
        write(format_args!("{}", cluster(upstream.name, &upstream.address, "2s")))?;
    }
    if let Some(address) = &service {
        write(format_args!("{}", cluster(SERVICE_CLUSTER, address, "0.25s")))?;
    }
    Ok(out)
}

fn connection_manager(policy: &Policy, upstreams: &[Upstream<'_>], options: &Bootstrap, plugin: &str) -> String {
    let mut routes = String::new();
    for upstream in upstreams {
        routes.push_str(&follow_up_routes(upstream.name));
    }
    routes.push_str(&fixed_routes(default_cluster(policy, upstreams)));
    format!(
        r#""@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
stat_prefix: lakegate
codec_type: AUTO
use_remote_address: true
# A path that means another path would slip past the routes below.
normalize_path: true
merge_slashes: true
path_with_escaped_slashes_action: REJECT_REQUEST
# Prepared statements travel in headers; Envoy's default is 60.
max_request_headers_kb: 96
common_http_protocol_options: {{ headers_with_underscores_action: ALLOW }}
# Before routing and before every filter, so that a dead or bypassed filter leaves no door open.
early_header_mutation_extensions:
- name: strip_client_headers
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation
    mutations:
    - remove_on_match: {{ key_matcher: {{ prefix: {prefix} }} }}
    - remove: {forwarded_prefix}
access_log:
- name: envoy.access_loggers.file
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog
    path: {access_log}
    log_format:
      # The path is left out: a follow-up's path is a secret that fetches results.
      json_format:
        time: "%START_TIME%"
        method: "%REQ(:METHOD)%"
        route: "%ROUTE_NAME%"
        cluster: "%UPSTREAM_CLUSTER%"
        status: "%RESPONSE_CODE%"
        flags: "%RESPONSE_FLAGS%"
        duration_ms: "%DURATION%"
        bytes_received: "%BYTES_RECEIVED%"
        bytes_sent: "%BYTES_SENT%"
        user: "%REQ(X-TRINO-USER)%"
        lakegate: "%FILTER_STATE(wasm.lakegate:PLAIN)%"
route_config:
  name: lakegate
  virtual_hosts:
  - name: lakegate
    domains: ["*"]
    # Removed after the route has read it and added its own headers.
    request_headers_to_remove: [{cluster_header}]
    routes:
{routes}http_filters:
- name: lakegate
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm
    config:
      name: lakegate
      root_id: lakegate
      # Hold the headers until the body has been read (Envoy 1.35 and newer).
      allow_on_headers_stop_iteration: true
      failure_policy: FAIL_RELOAD
      vm_config:
        vm_id: lakegate
        runtime: envoy.wasm.runtime.v8
        code: {{ local: {{ filename: {wasm} }} }}
      configuration:
        "@type": type.googleapis.com/google.protobuf.StringValue
        value: {plugin}
- name: envoy.filters.http.router
  typed_config: {{ "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router, suppress_envoy_headers: true }}
"#,
        prefix = headers::PREFIX,
        forwarded_prefix = headers::FORWARDED_PREFIX,
        access_log = quoted(&options.access_log),
        cluster_header = headers::CLUSTER,
        routes = indent(4, &routes),
        wasm = quoted(&options.wasm),
        plugin = quoted(plugin),
    )
}

/// Paths that a follow-up can have under a cluster's prefix.
const FOLLOW_UP_PATHS: [&str; 5] = [
    "/v1/statement/queued/",
    "/v1/statement/executing/",
    "/v1/spooled/",
    "/v1/query/",
    "/ui",
];

const FILTER_OFF: &str =
    r#"{ lakegate: { "@type": type.googleapis.com/envoy.config.route.v3.FilterConfig, disabled: true } }"#;

fn follow_up_routes(cluster: &str) -> String {
    let prefix = format!("{}{cluster}", headers::FOLLOW_UP_PREFIX);
    let paths: String = FOLLOW_UP_PATHS
        .iter()
        .map(|path| {
            format!(
                r#"- name: follow_up
  match: {{ prefix: {from}, headers: [{{ name: ":method", string_match: {{ safe_regex: {{ regex: "GET|HEAD|DELETE" }} }} }}] }}
  route: {{ cluster: {cluster}, prefix_rewrite: {path}, timeout: 0s }}
  request_headers_to_add: [{{ header: {{ key: {name}, value: {value} }}, append_action: OVERWRITE_IF_EXISTS_OR_ADD }}]
  stat_prefix: follow_up
  typed_per_filter_config: {FILTER_OFF}
"#,
                from = quoted(&format!("{prefix}{path}")),
                name = headers::FORWARDED_PREFIX,
                value = quoted(&prefix),
                cluster = quoted(cluster),
                path = quoted(path),
            )
        })
        .collect();
    paths
}

fn fixed_routes(default_cluster: &str) -> String {
    let verdict_headers: String = headers::VERDICT
        .iter()
        .map(|name| {
            format!(
                "  - {{ header: {{ key: {name}, value: \"%REQ({name})%\" }}, append_action: OVERWRITE_IF_EXISTS_OR_ADD }}\n"
            )
        })
        .collect();
    format!(
        r#"# Nothing else lives under a cluster's prefix: a submission there would let the client choose its cluster.
- name: follow_up_refused
  match: {{ prefix: "{follow_up}" }}
  direct_response: {{ status: 404, body: {{ inline_string: "not a follow-up of a statement\n" }} }}
  typed_per_filter_config: {FILTER_OFF}
- name: submission
  match: {{ safe_regex: {{ regex: "/v1/statement/?" }}, headers: [{{ name: ":method", string_match: {{ exact: POST }} }}] }}
  route: {{ cluster_header: {cluster_header}, timeout: 0s }}
  # Above what the filter holds back, so that a long statement streams on instead of being refused.
  request_body_buffer_limit: 4194304
  response_headers_to_add:
{verdict_headers}  stat_prefix: submission
# The same on every engine, asked before anything is submitted: the default engine answers.
- name: engine_info
  match: {{ safe_regex: {{ regex: "/v1/info(/state|/coordinator)?|/v1/statement/?" }}, headers: [{{ name: ":method", string_match: {{ safe_regex: {{ regex: "GET|HEAD" }} }} }}] }}
  route: {{ cluster: {default_cluster}, timeout: 15s }}
  typed_per_filter_config: {FILTER_OFF}
- name: unknown_query
  match: {{ safe_regex: {{ regex: "/v1/(statement|query|spooled)/.+" }} }}
  direct_response: {{ status: 404, body: {{ inline_string: "Query not found\n" }} }}
  typed_per_filter_config: {FILTER_OFF}
- name: not_served
  match: {{ prefix: "/" }}
  direct_response: {{ status: 404, body: {{ inline_string: "not served here: statements go to POST /v1/statement\n" }} }}
  typed_per_filter_config: {FILTER_OFF}
"#,
        follow_up = headers::FOLLOW_UP_PREFIX,
        cluster_header = headers::CLUSTER,
        default_cluster = quoted(default_cluster),
    )
}

/// The cluster of the engine that the policy's last word is, or the first there is.
fn default_cluster<'a>(policy: &Policy, upstreams: &[Upstream<'a>]) -> &'a str {
    let engine = policy.rules.iter().rev().find_map(|rule| match &rule.route {
        Route::Engine(name) if rule.when.is_always() => policy.engines.get(name),
        _ => None,
    });
    let wanted = engine
        .and_then(|engine| engine.clusters.get(&Protocol::Trino))
        .map(|cluster| cluster.name.as_str());
    upstreams
        .iter()
        .find(|upstream| Some(upstream.name) == wanted)
        .or(upstreams.first())
        .map_or("", |upstream| upstream.name)
}

/// The clusters for one client protocol, each once, with an address.
fn upstreams(policy: &Policy, protocol: Protocol) -> Result<Vec<Upstream<'_>>, String> {
    let mut upstreams: Vec<Upstream<'_>> = Vec::new();
    for engine in policy.engines.values() {
        let Some(cluster) = engine.clusters.get(&protocol) else {
            continue;
        };
        if upstreams.iter().any(|upstream| upstream.name == cluster.name) {
            continue;
        }
        upstreams.push(Upstream {
            name: &cluster.name,
            address: address_of(engine, cluster)?,
        });
    }
    Ok(upstreams)
}

fn address_of(engine: &Engine, cluster: &Cluster) -> Result<Address, String> {
    let url = cluster
        .endpoint
        .as_deref()
        .or(engine.endpoint.as_deref())
        .ok_or_else(|| {
            format!(
                "engine `{}` has no address: give it an `endpoint`, or `--cluster {}.trino=URL`",
                engine.name, engine.name
            )
        })?;
    Address::parse(url).map_err(|error| format!("engine `{}`: endpoint `{url}`: {error}", engine.name))
}

fn cluster(name: &str, address: &Address, connect_timeout: &str) -> String {
    let tls = if address.tls {
        let sni = quoted(&address.host);
        format!(
            r#"
    transport_socket:
      name: envoy.transport_sockets.tls
      typed_config: {{ "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext, sni: {sni} }}"#
        )
    } else {
        String::new()
    };
    let name = quoted(name);
    let kind = if address.host.parse::<std::net::IpAddr>().is_ok() {
        "STATIC"
    } else {
        "STRICT_DNS"
    };
    format!(
        r#"  - name: {name}
    type: {kind}
    connect_timeout: {connect_timeout}
    # Envoy's defaults of 1024 would turn a busy minute into 503s, which drivers answer by sending again.
    circuit_breakers: {{ thresholds: [{{ max_connections: 65536, max_pending_requests: 65536, max_requests: 65536 }}] }}
    load_assignment:
      cluster_name: {name}
      endpoints: [{{ lb_endpoints: [{{ endpoint: {{ address: {} }} }}] }}]{tls}
"#,
        HostPort {
            host: address.host.clone(),
            port: address.port
        }
        .to_yaml()
    )
}

struct HostPort {
    host: String,
    port: u16,
}

impl HostPort {
    fn parse(text: &str) -> Result<Self, String> {
        let wanted = || format!("`{text}` is no address: write HOST:PORT");
        let (host, port) = text.rsplit_once(':').ok_or_else(wanted)?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = port.parse().map_err(|_| wanted())?;
        if host.is_empty() {
            return Err(wanted());
        }
        Ok(Self {
            host: host.to_owned(),
            port,
        })
    }

    fn to_yaml(&self) -> String {
        format!(
            "{{ socket_address: {{ address: {}, port_value: {} }} }}",
            quoted(&self.host),
            self.port
        )
    }
}

impl Address {
    fn parse(url: &str) -> Result<Self, String> {
        let (scheme, rest) = url
            .split_once("://")
            .ok_or("write http://HOST:PORT or https://HOST:PORT")?;
        let (tls, default_port) = match scheme {
            "http" => (false, 80),
            "https" => (true, 443),
            other => {
                return Err(format!(
                    "`{other}` is no HTTP address; write http://HOST:PORT or https://HOST:PORT"
                ));
            }
        };
        let authority = rest.split('/').next().unwrap_or_default();
        let has_port = authority
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.chars().all(|c| c.is_ascii_digit()));
        let HostPort { host, port } = if has_port {
            HostPort::parse(authority)?
        } else {
            HostPort::parse(&format!("{authority}:{default_port}"))?
        };
        Ok(Self { tls, host, port })
    }
}

/// A JSON string is a YAML string too.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn indent(by: usize, text: &str) -> String {
    let margin = " ".repeat(by);
    text.lines().map(|line| format!("{margin}{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Bootstrap {
        Bootstrap {
            listen: "127.0.0.1:8080".into(),
            admin: "127.0.0.1:9901".into(),
            service: Some("http://127.0.0.1:8480".into()),
            wasm: "/lakegate.wasm".into(),
            access_log: "/dev/stdout".into(),
            estimate_cache_entries: 16,
        }
    }

    fn policy(text: &str) -> Policy {
        Policy::from_yaml("p.yaml", text, &lakegate_core::policy::Overlay::default()).unwrap()
    }

    const TWO: &str = "engines:\n  a: { kind: trino, endpoint: http://127.0.0.1:81 }\n  b: { kind: trino, endpoint: https://trino.example.com }\nrules:\n  - { name: default, route: a }\n";

    #[test]
    fn the_bootstrap_is_yaml_with_a_cluster_and_follow_up_routes_for_each_engine() {
        let text = bootstrap(&policy(TWO), &options()).unwrap();
        let tree: serde_json::Value = serde_yaml::from_str(&text).unwrap();
        let resources = &tree["static_resources"];
        let names: Vec<&str> = resources["clusters"]
            .as_array()
            .unwrap()
            .iter()
            .map(|cluster| cluster["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["a", "b", SERVICE_CLUSTER]);
        let manager = &resources["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"];
        let routes = manager["route_config"]["virtual_hosts"][0]["routes"]
            .as_array()
            .unwrap();
        let follow_ups: Vec<&str> = routes
            .iter()
            .filter(|route| route["name"] == "follow_up")
            .map(|route| route["match"]["prefix"].as_str().unwrap())
            .collect();
        assert_eq!(follow_ups.len(), 2 * FOLLOW_UP_PATHS.len());
        assert!(follow_ups.contains(&"/_at/b/v1/statement/executing/"));
        // The first route that is no follow-up refuses everything else under the prefix.
        let first_other = routes.iter().find(|route| route["name"] != "follow_up").unwrap();
        assert_eq!(first_other["match"]["prefix"], "/_at/");
        assert_eq!(first_other["direct_response"]["status"], 404);
    }

    #[test]
    fn the_filter_boots_with_the_policy_itself() {
        let text = bootstrap(&policy(TWO), &options()).unwrap();
        let tree: serde_json::Value = serde_yaml::from_str(&text).unwrap();
        let manager = &tree["static_resources"]["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"];
        let plugin = manager["http_filters"][0]["typed_config"]["config"]["configuration"]["value"]
            .as_str()
            .unwrap();
        let plugin = PluginConfig::from_json(plugin.as_bytes()).unwrap();
        let booted = Policy::from_node(plugin.policy, &lakegate_core::policy::Overlay::default()).unwrap();
        assert_eq!(booted.version, policy(TWO).version);
    }

    #[test]
    fn what_is_missing_is_named() {
        let no_address = policy("engines: { a: { kind: trino } }\nrules: [{ name: default, route: a }]");
        assert!(
            bootstrap(&no_address, &options())
                .unwrap_err()
                .contains("--cluster a.trino=URL")
        );
        let no_http =
            policy("engines: { a: { kind: trino, endpoint: \"grpc://x:1\" } }\nrules: [{ name: default, route: a }]");
        assert!(bootstrap(&no_http, &options()).unwrap_err().contains("no HTTP address"));
        let spark = policy("engines: { a: { kind: spark } }\nrules: [{ name: default, route: a }]");
        assert!(bootstrap(&spark, &options()).unwrap_err().contains("no engine"));
    }
}
