//! The Envoy that Lakegate is compared with: the same connection manager and cluster, one route, nothing else.
//!
//! Left out are the filter, path normalisation, header mutation, the route table and the access log: they are what
//! Lakegate adds, so they are part of its price.

use crate::envoy::Ports;

/// Its bootstrap.
pub(crate) fn bootstrap(ports: &Ports, engine: &str) -> Result<String, String> {
    let (host, port) = engine
        .rsplit_once(':')
        .ok_or_else(|| format!("`{engine}` is no address"))?;
    let Ports { listen, admin } = ports;
    Ok(format!(
        r#"admin: {{ address: {{ socket_address: {{ address: 127.0.0.1, port_value: {admin} }} }} }}
static_resources:
  listeners:
  - name: bare
    address: {{ socket_address: {{ address: 127.0.0.1, port_value: {listen} }} }}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: bare
          codec_type: AUTO
          use_remote_address: true
          max_request_headers_kb: 96
          route_config:
            name: bare
            virtual_hosts:
            - name: bare
              domains: ["*"]
              routes:
              - match: {{ prefix: "/" }}
                route: {{ cluster: engine, timeout: 0s }}
          http_filters:
          - name: envoy.filters.http.router
            typed_config: {{ "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router, suppress_envoy_headers: true }}
  clusters:
  - name: engine
    type: STATIC
    connect_timeout: 2s
    circuit_breakers: {{ thresholds: [{{ max_connections: 65536, max_pending_requests: 65536, max_requests: 65536 }}] }}
    load_assignment:
      cluster_name: engine
      endpoints: [{{ lb_endpoints: [{{ endpoint: {{ address: {{ socket_address: {{ address: {host}, port_value: {port} }} }} }} }}] }}]
"#
    ))
}
