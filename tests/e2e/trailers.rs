//! HTTP/2 requests that end in trailers: their last body callback does not say that it is the last.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request};
use lakegate_tests::stack::{Options, Stack};

#[test]
fn a_statement_that_ends_in_trailers_over_http_2_is_decided_like_any_other() {
    let stack = Stack::start("trailers", &Options::default());
    let address = stack.url.trim_start_matches("http://").to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("runtime");
    let answer = runtime.block_on(async {
        let tcp = tokio::net::TcpStream::connect(&address).await.expect("connected");
        let (client, connection) = h2::client::handshake(tcp).await.expect("HTTP/2");
        tokio::spawn(connection);
        let mut client = client.ready().await.expect("ready");
        let request = Request::post(format!("http://{address}/v1/statement"))
            .header("x-trino-user", "ann")
            .header("x-trino-catalog", "lake")
            .header("x-lakegate-cluster", "batch")
            .body(())
            .expect("request");
        let (response, mut body) = client.send_request(request, false).expect("sent");
        let sql = "SELECT status FROM support.tickets WHERE ticket_id = 'T-100001'";
        body.send_data(Bytes::from(sql), false).expect("body");
        let mut trailers = HeaderMap::new();
        trailers.insert("x-checksum", HeaderValue::from_static("1"));
        body.send_trailers(trailers).expect("trailers");
        response.await.expect("an answer")
    });
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["x-lakegate-engine"], "interactive");
    assert_eq!(answer.headers()["x-lakegate-rule"], "interactive_small");
    assert!(stack.submissions(&stack.batch).is_empty());
}
