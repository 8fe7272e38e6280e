//! `lakegate.yaml`: what the service is told about its surroundings.
//!
//! The file is read into the same tree as the policy ([`Node`]) and checked by hand, so that all mistakes come at once,
//! each as `FILE:LINE:COL: what is wrong and what would be right`. The way to a [`Config`] is [`Config::load`] or
//! [`Config::from_yaml`]. Not here: the policy itself ([`crate::policy_store`]).

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path as FilePath, PathBuf};
use std::time::Duration;

use lakegate_core::bytes::ByteSize;
use lakegate_core::policy::node::Node;
use lakegate_core::policy::problem::{At, Path, Problem, nearest};
use lakegate_core::policy::{Overlay, located};
use lakegate_core::protocol::Protocol;
use lakegate_core::reflection::Reflection;

use crate::error::{Error, ErrorKind, Result};

const TOP_KEYS: [&str; 12] = [
    "listen",
    "policy",
    "catalogs",
    "clusters",
    "engines",
    "reflections",
    "table_refresh_ms",
    "default_catalog",
    "default_schema",
    "warm",
    "deadline_ms",
    "manifest_cache",
];
const SQL_KEYS: [&str; 4] = ["type", "uri", "catalog_name", "warehouse"];
const ENGINE_KEYS: [&str; 2] = ["url", "user"];
const CATALOG_TYPES: [&str; 2] = ["sql", "rest"];

/// Decoded manifests are kept up to this size unless the file says otherwise: some 250,000 files of 16 columns.
const DEFAULT_MANIFEST_CACHE: u64 = 512 * 1024 * 1024;

/// The user that pollers name to an engine that has no authentication.
const DEFAULT_USER: &str = "lakegate";

/// The checked configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The policy file.
    pub policy: PathBuf,
    /// Catalogs by the name that SQL calls them, in lower case.
    pub catalogs: BTreeMap<String, CatalogConfig>,
    /// This deployment's cluster addresses.
    pub overlay: Overlay,
    /// Where pollers ask, for engines that are not asked at their cluster's address.
    pub engines: BTreeMap<String, EngineConfig>,
    /// Declared materialised aggregates, by engine.
    pub reflections: BTreeMap<String, Vec<Reflection>>,
    /// How often tables in use are asked for anew.
    pub table_refresh: Duration,
    /// The catalog of names that have none, if the client gives none either.
    pub default_catalog: Option<String>,
    /// The schema of names that have none, if the client gives none either.
    pub default_schema: Option<String>,
    /// Tables to load and plan before the service is ready, `catalog.schema.table`.
    pub warm: Vec<String>,
    /// How long facts may take; a little less than the policy's own deadline if not given.
    pub deadline: Option<Duration>,
    /// Memory for decoded manifests, in bytes.
    pub manifest_cache_bytes: u64,
}

/// One catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CatalogConfig {
    /// Tables in a SQL database, as Iceberg's JDBC catalog keeps them.
    Sql {
        /// A `sqlite:` URL.
        uri: String,
        /// The catalog's own name, which is part of every row.
        catalog_name: String,
        /// Where new tables would go.
        warehouse: String,
    },
    /// An Iceberg REST catalog.
    Rest {
        /// Its URL.
        uri: String,
        /// The warehouse to ask for.
        warehouse: Option<String>,
        /// Everything else, as the catalog client takes it: `token`, `credential`, ..
        properties: BTreeMap<String, String>,
    },
}

/// Where an engine's poller asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineConfig {
    /// The engine's URL.
    pub url: String,
    /// The user to name.
    pub user: String,
}

impl EngineConfig {
    /// The engine at that URL, with the default user.
    #[must_use]
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            user: DEFAULT_USER.into(),
        }
    }
}

impl Config {
    /// Reads and checks a file. Relative paths in it are relative to its folder.
    ///
    /// # Errors
    /// The file cannot be read, or everything that is wrong in it, a line each.
    pub fn load(path: &FilePath) -> Result<Self> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::new(ErrorKind::Config, format!("cannot read `{file}`")).with_source(error))?;
        let folder = path.parent().unwrap_or_else(|| FilePath::new(""));
        Self::from_yaml(&file, &text, folder).map_err(|lines| Error::new(ErrorKind::Config, lines.join("\n")))
    }

    /// Checks a text; `folder` is what relative paths are relative to.
    ///
    /// # Errors
    /// Everything that is wrong, each as `FILE:LINE:COL: ..`.
    pub fn from_yaml(file: &str, text: &str, folder: &FilePath) -> std::result::Result<Self, Vec<String>> {
        let node: Node = serde_yaml::from_str(text).map_err(|error| {
            let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
            vec![format!("{file}:{line}:{column}: {error}")]
        })?;
        let mut checker = Checker {
            folder,
            problems: Vec::new(),
        };
        let config = checker.config(&node);
        if checker.problems.is_empty() {
            return Ok(config);
        }
        Err(checker
            .problems
            .iter()
            .map(|problem| located(file, text, problem))
            .collect())
    }
}

struct Checker<'a> {
    folder: &'a FilePath,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn problem(&mut self, path: &Path, at: At, message: impl Into<String>) {
        self.problems.push(Problem {
            path: path.clone(),
            at,
            message: message.into(),
        });
    }

    fn config(&mut self, node: &Node) -> Config {
        let top = Path::default();
        if !matches!(node, Node::Map(_)) {
            self.problem(
                &top,
                At::Value,
                format!("expected a mapping with `policy` and more, not {}", node.describe()),
            );
        }
        self.known_keys(node, &top, &TOP_KEYS);
        let listen = self
            .text(node, &top, "listen")
            .unwrap_or_else(|| "127.0.0.1:8480".into());
        let listen = listen.parse().unwrap_or_else(|_| {
            self.problem(
                &top.key("listen"),
                At::Value,
                format!("`{listen}` is no address; write IP:PORT, such as 127.0.0.1:8480"),
            );
            SocketAddr::from(([127, 0, 0, 1], 0))
        });
        let policy = self.text(node, &top, "policy");
        if policy.is_none() && node.get("policy").is_none() {
            self.problem(
                &top,
                At::Value,
                "`policy` is missing; write the path of the policy file",
            );
        }
        let refresh_ms = self
            .whole(node, &top, "table_refresh_ms", 100, 3_600_000)
            .unwrap_or(1000);
        Config {
            listen,
            policy: self.folder.join(policy.unwrap_or_default()),
            catalogs: self.catalogs(node, &top),
            overlay: self.clusters(node, &top),
            engines: self.engines(node, &top),
            reflections: self.reflections(node, &top),
            table_refresh: Duration::from_millis(refresh_ms),
            default_catalog: self.text(node, &top, "default_catalog").map(|name| name.to_lowercase()),
            default_schema: self.text(node, &top, "default_schema").map(|name| name.to_lowercase()),
            warm: self.warm(node, &top),
            deadline: self
                .whole(node, &top, "deadline_ms", 1, 600_000)
                .map(Duration::from_millis),
            manifest_cache_bytes: self
                .size(node, &top, "manifest_cache")
                .unwrap_or(DEFAULT_MANIFEST_CACHE),
        }
    }

    fn known_keys(&mut self, node: &Node, path: &Path, known: &[&str]) {
        let Node::Map(entries) = node else {
            return;
        };
        for (key, _) in entries {
            if !known.contains(&key.as_str()) {
                let hint = match nearest(key, known.iter().copied()) {
                    Some(near) => format!("; did you mean `{near}`?"),
                    None => format!("; known are {}", known.join(", ")),
                };
                self.problem(&path.key(key), At::Key, format!("unknown key `{key}`{hint}"));
            }
        }
    }

    fn text(&mut self, node: &Node, path: &Path, key: &str) -> Option<String> {
        match node.get(key)? {
            Node::Text(text) if !text.is_empty() => Some(text.clone()),
            other => {
                self.problem(
                    &path.key(key),
                    At::Value,
                    format!("expected text, not {}", other.describe()),
                );
                None
            }
        }
    }

    fn needed(&mut self, node: &Node, path: &Path, key: &str) -> String {
        if node.get(key).is_none() {
            self.problem(path, At::Value, format!("`{key}` is missing"));
        }
        self.text(node, path, key).unwrap_or_default()
    }

    fn whole(&mut self, node: &Node, path: &Path, key: &str, least: i64, most: i64) -> Option<u64> {
        match node.get(key)? {
            Node::Int(value) if (least..=most).contains(value) => u64::try_from(*value).ok(),
            other => {
                let message = format!("expected a number from {least} to {most}, not {}", other.describe());
                self.problem(&path.key(key), At::Value, message);
                None
            }
        }
    }

    fn size(&mut self, node: &Node, path: &Path, key: &str) -> Option<u64> {
        let value = node.get(key)?;
        let size = match value {
            Node::Text(text) => ByteSize::parse(text).map(|size| size.0),
            Node::Int(bytes) => u64::try_from(*bytes).ok(),
            _ => None,
        };
        if size.is_none() {
            let message = format!("expected a size such as 512 MB, not {}", value.describe());
            self.problem(&path.key(key), At::Value, message);
        }
        size
    }

    /// The entries of a mapping; none if the key is not there.
    fn entries<'n>(&mut self, node: &'n Node, path: &Path, key: &str) -> &'n [(String, Node)] {
        match node.get(key) {
            None | Some(Node::Null) => &[],
            Some(Node::Map(entries)) => entries,
            Some(other) => {
                self.problem(
                    &path.key(key),
                    At::Value,
                    format!("expected a mapping, not {}", other.describe()),
                );
                &[]
            }
        }
    }

    fn url(&mut self, text: String, path: &Path) -> String {
        if !text.is_empty() && !text.starts_with("http://") && !text.starts_with("https://") {
            self.problem(
                path,
                At::Value,
                format!("`{text}` is no URL; it must start with http:// or https://"),
            );
        }
        text
    }

    fn catalogs(&mut self, node: &Node, top: &Path) -> BTreeMap<String, CatalogConfig> {
        let mut catalogs = BTreeMap::new();
        for (name, catalog) in self.entries(node, top, "catalogs") {
            let path = top.key("catalogs").key(name);
            let Some(config) = self.catalog(catalog, &path) else {
                continue;
            };
            if catalogs.insert(name.to_lowercase(), config).is_some() {
                self.problem(
                    &path,
                    At::Key,
                    format!("`{name}` is there twice; case does not tell catalogs apart"),
                );
            }
        }
        catalogs
    }

    fn catalog(&mut self, node: &Node, path: &Path) -> Option<CatalogConfig> {
        let kind = self.needed(node, path, "type");
        match kind.as_str() {
            "sql" => {
                self.known_keys(node, path, &SQL_KEYS);
                let uri = self.needed(node, path, "uri");
                Some(CatalogConfig::Sql {
                    uri: self.sqlite_url(&uri, &path.key("uri")),
                    catalog_name: self.needed(node, path, "catalog_name"),
                    warehouse: self.text(node, path, "warehouse").unwrap_or_default(),
                })
            }
            "rest" => {
                let uri = self.needed(node, path, "uri");
                Some(CatalogConfig::Rest {
                    uri: self.url(uri, &path.key("uri")).trim_end_matches('/').to_owned(),
                    warehouse: self.text(node, path, "warehouse"),
                    properties: self.properties(node, path),
                })
            }
            "" => None,
            other => {
                let hint = nearest(other, CATALOG_TYPES).unwrap_or("sql or rest");
                self.problem(
                    &path.key("type"),
                    At::Value,
                    format!("`{other}` is no type of catalog; write {hint}"),
                );
                None
            }
        }
    }

    fn properties(&mut self, node: &Node, path: &Path) -> BTreeMap<String, String> {
        let Node::Map(entries) = node else {
            return BTreeMap::new();
        };
        let mut properties = BTreeMap::new();
        for (key, value) in entries {
            let text = match value {
                _ if ["type", "uri", "warehouse"].contains(&key.as_str()) => continue,
                Node::Text(text) => text.clone(),
                Node::Int(value) => value.to_string(),
                Node::Bool(value) => value.to_string(),
                other => {
                    self.problem(
                        &path.key(key),
                        At::Value,
                        format!("expected text, not {}", other.describe()),
                    );
                    continue;
                }
            };
            properties.insert(key.clone(), text);
        }
        properties
    }

    /// A path or `sqlite:` URL as the URL that the database driver takes. The service only reads.
    fn sqlite_url(&mut self, uri: &str, path: &Path) -> String {
        if let Some((scheme, _)) = uri.split_once(':')
            && scheme.len() > 1
            && scheme != "sqlite"
            && scheme != "file"
        {
            self.problem(
                path,
                At::Value,
                format!("`{scheme}:` is not supported; write the path of a SQLite file"),
            );
        }
        let file = uri
            .strip_prefix("sqlite://")
            .or_else(|| uri.strip_prefix("sqlite:"))
            .or_else(|| uri.strip_prefix("file://"))
            .unwrap_or(uri);
        let (file, options) = file.split_once('?').unwrap_or((file, "mode=ro"));
        let absolute = self.folder.join(file);
        let absolute = std::path::absolute(&absolute).unwrap_or(absolute);
        let escaped = absolute
            .to_string_lossy()
            .replace('%', "%25")
            .replace('?', "%3f")
            .replace('#', "%23");
        format!("sqlite://{escaped}?{options}")
    }

    fn clusters(&mut self, node: &Node, top: &Path) -> Overlay {
        let mut overlay = Overlay::default();
        for (engine, _) in self.entries(node, top, "clusters") {
            let path = top.key("clusters");
            let Some(clusters) = node.get("clusters") else {
                continue;
            };
            for (protocol, url) in self.entries(clusters, &path, engine) {
                let path = path.key(engine).key(protocol);
                if Protocol::parse(protocol).is_none() {
                    let names = Protocol::ALL.map(|(name, _)| name);
                    let hint = nearest(protocol, names).map_or_else(|| names.join(", "), str::to_owned);
                    self.problem(
                        &path,
                        At::Key,
                        format!("`{protocol}` is no client protocol; write {hint}"),
                    );
                }
                match url {
                    Node::Text(url) => {
                        let url = self.url(url.clone(), &path);
                        overlay.clusters.push((engine.clone(), protocol.clone(), url));
                    }
                    other => {
                        self.problem(&path, At::Value, format!("expected a URL, not {}", other.describe()));
                    }
                }
            }
        }
        overlay
    }

    fn engines(&mut self, node: &Node, top: &Path) -> BTreeMap<String, EngineConfig> {
        let mut engines = BTreeMap::new();
        for (name, engine) in self.entries(node, top, "engines") {
            let path = top.key("engines").key(name);
            self.known_keys(engine, &path, &ENGINE_KEYS);
            let url = self.needed(engine, &path, "url");
            let config = EngineConfig {
                url: self.url(url, &path.key("url")).trim_end_matches('/').to_owned(),
                user: self.text(engine, &path, "user").unwrap_or_else(|| DEFAULT_USER.into()),
            };
            engines.insert(name.clone(), config);
        }
        engines
    }

    fn reflections(&mut self, node: &Node, top: &Path) -> BTreeMap<String, Vec<Reflection>> {
        let mut reflections = BTreeMap::new();
        for (engine, list) in self.entries(node, top, "reflections") {
            let path = top.key("reflections").key(engine);
            let Node::List(list) = list else {
                self.problem(&path, At::Value, format!("expected a list, not {}", list.describe()));
                continue;
            };
            let mut parsed = Vec::new();
            for (index, entry) in list.iter().enumerate() {
                let read = serde_json::to_value(entry).and_then(serde_json::from_value::<Reflection>);
                match read {
                    Ok(reflection) => parsed.push(reflection),
                    Err(error) => self.problem(&path.index(index), At::Value, error.to_string()),
                }
            }
            reflections.insert(engine.clone(), parsed);
        }
        reflections
    }

    fn warm(&mut self, node: &Node, top: &Path) -> Vec<String> {
        let path = top.key("warm");
        match node.get("warm") {
            None | Some(Node::Null) => Vec::new(),
            Some(Node::List(list)) => {
                let mut names = Vec::new();
                for (index, entry) in list.iter().enumerate() {
                    match entry {
                        Node::Text(name) if name.split('.').count() >= 3 => names.push(name.to_lowercase()),
                        other => {
                            let message = format!("expected catalog.schema.table, not {}", other.describe());
                            self.problem(&path.index(index), At::Value, message);
                        }
                    }
                }
                names
            }
            Some(other) => {
                self.problem(
                    &path,
                    At::Value,
                    format!("expected a list of tables, not {}", other.describe()),
                );
                Vec::new()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
listen: 127.0.0.1:0
policy: policies/p.yaml
catalogs:
  Lake: { type: sql, uri: wh/catalog.db, catalog_name: lake, warehouse: file:///wh }
  remote: { type: rest, uri: 'http://cat:8181/', warehouse: w, token: secret, header.x-a: 1 }
clusters:
  interactive: { trino: 'http://127.0.0.1:9001' }
engines:
  batch: { url: 'http://127.0.0.1:9002/' }
reflections:
  interactive:
    - { table: sales.revenue, dimensions: [segment], measures: [revenue_usd] }
default_catalog: lake
table_refresh_ms: 200
manifest_cache: 64 MB
warm: [lake.sales.revenue]
";

    fn check(text: &str) -> std::result::Result<Config, Vec<String>> {
        Config::from_yaml("lakegate.yaml", text, FilePath::new("/etc/lakegate"))
    }

    #[test]
    fn a_whole_file_is_read() {
        let config = check(GOOD).unwrap();
        assert_eq!(config.policy, PathBuf::from("/etc/lakegate/policies/p.yaml"));
        assert_eq!(
            config.catalogs.get("lake"),
            Some(&CatalogConfig::Sql {
                uri: "sqlite:///etc/lakegate/wh/catalog.db?mode=ro".into(),
                catalog_name: "lake".into(),
                warehouse: "file:///wh".into(),
            })
        );
        let Some(CatalogConfig::Rest { uri, properties, .. }) = config.catalogs.get("remote") else {
            panic!("{config:?}");
        };
        assert_eq!(uri, "http://cat:8181");
        assert_eq!(properties.get("token").map(String::as_str), Some("secret"));
        assert_eq!(
            config.overlay.clusters,
            vec![("interactive".into(), "trino".into(), "http://127.0.0.1:9001".into())]
        );
        assert_eq!(
            config.engines.get("batch"),
            Some(&EngineConfig::at("http://127.0.0.1:9002"))
        );
        assert_eq!(config.table_refresh, Duration::from_millis(200));
        assert_eq!(config.manifest_cache_bytes, 64 << 20);
    }

    #[test]
    fn mistakes_come_all_at_once_with_their_places() {
        let text = "\
listen: nowhere
polcy: p.yaml
catalogs:
  lake: { type: sqll, uri: x }
  other: { type: sql, uri: 'mysql://x', catalog: y }
clusters:
  interactive: { trno: 'http://x' }
table_refresh_ms: 0
warm: [revenue]
";
        let lines = check(text).unwrap_err();
        let wanted = [
            "lakegate.yaml:2:1: polcy: unknown key `polcy`; did you mean `policy`?",
            "lakegate.yaml:1:9: listen: `nowhere` is no address; write IP:PORT, such as 127.0.0.1:8480",
            "`policy` is missing; write the path of the policy file",
            "`sqll` is no type of catalog; write sql",
            "unknown key `catalog`; did you mean `catalog_name`?",
            "`mysql:` is not supported; write the path of a SQLite file",
            "`catalog_name` is missing",
            "`trno` is no client protocol; write trino",
            "expected a number from 100 to 3600000, not `0`",
            "expected catalog.schema.table, not `revenue`",
        ];
        for want in wanted {
            assert!(
                lines.iter().any(|line| line.contains(want)),
                "{want} is not in\n{}",
                lines.join("\n")
            );
        }
        assert_eq!(lines.len(), wanted.len(), "{}", lines.join("\n"));
        assert!(lines.iter().all(|line| line.starts_with("lakegate.yaml:")));
    }

    #[test]
    fn broken_yaml_names_its_place() {
        let lines = check("policy: [").unwrap_err();
        assert!(
            lines.first().is_some_and(|line| line.starts_with("lakegate.yaml:")),
            "{lines:?}"
        );
    }
}
