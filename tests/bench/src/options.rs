//! The command line.

use std::path::PathBuf;

/// What `--help` prints.
pub(crate) const USAGE: &str =
    "usage: cargo xtask bench [--quick] [--only SUITE,..] [--case NAME,..] [--corpus NAME=FILE,..] [--json FILE]

  --quick        5 pairs of slices a case instead of 21: a look, not a verdict
  --only SUITES  envoy (against bare Envoy), core (the core's own work); all that there are by default
  --case NAMES   only these cases of envoy: bare_bare, submit_no_callout, submit_cached, ..
  --corpus NAME=FILE  core on the statements of that file; NAME is clients or tpcds, and may be given again for
                 more files. A line that holds only `;` ends a statement
  --json FILE    the figures as one flat JSON object, besides the table
  --help         this
";

/// A group of measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suite {
    /// The core's own work, without a proxy.
    Core,
    /// A whole Lakegate against a bare Envoy.
    Envoy,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Fewer repetitions.
    pub(crate) quick: bool,
    /// What to measure.
    pub(crate) suites: Vec<Suite>,
    /// Cases of the Envoy suite by name; all if empty.
    pub(crate) cases: Vec<String>,
    /// Files of statements to take in place of our own, by the corpus's name.
    pub(crate) corpora: Vec<(String, PathBuf)>,
    /// Where the JSON object goes.
    pub(crate) json: Option<PathBuf>,
}

impl Options {
    /// Reads the arguments; `None` means that help was asked for.
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self {
            quick: false,
            suites: vec![Suite::Core, Suite::Envoy],
            cases: Vec::new(),
            corpora: Vec::new(),
            json: None,
        };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--only" => options.suites = value()?.split(',').map(suite).collect::<Result<_, _>>()?,
                "--case" => options.cases = value()?.split(',').map(str::to_owned).collect(),
                "--corpus" => options.corpora.extend(corpora(&value()?)?),
                "--json" => options.json = Some(value()?.into()),
                "--help" | "-h" => return Ok(None),
                other => return Err(format!("unknown option `{other}`")),
            }
        }
        Ok(Some(options))
    }
}

fn suite(name: &str) -> Result<Suite, String> {
    match name {
        "core" => Ok(Suite::Core),
        "envoy" => Ok(Suite::Envoy),
        "estimator" => Err("no such bench yet: `estimator`; there are core and envoy".into()),
        other => Err(format!("unknown suite `{other}`; there are core and envoy")),
    }
}

/// `clients=a.sql,tpcds=b.sql`
fn corpora(list: &str) -> Result<Vec<(String, PathBuf)>, String> {
    let corpus = |item: &str| match item.split_once('=') {
        Some((name @ ("clients" | "tpcds"), file)) => Ok((name.to_owned(), file.into())),
        _ => Err(format!("`{item}` is no corpus; like clients=FILE or tpcds=FILE")),
    };
    list.split(',').map(corpus).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<Options>, String> {
        Options::parse(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_come_in_any_order() {
        let options = parse("--json out.json --only envoy --quick").unwrap().unwrap();
        assert!(options.quick);
        assert_eq!(options.suites, [Suite::Envoy]);
        assert_eq!(options.json, Some("out.json".into()));
        assert_eq!(parse("").unwrap().unwrap().suites, [Suite::Core, Suite::Envoy]);
        assert_eq!(parse("--quick --help"), Ok(None));
        let corpora = parse("--corpus clients=a.sql,clients=b.sql --corpus tpcds=c.sql")
            .unwrap()
            .unwrap()
            .corpora;
        assert_eq!(corpora[1], ("clients".to_owned(), "b.sql".into()));
        assert_eq!(corpora[2], ("tpcds".to_owned(), "c.sql".into()));
    }

    #[test]
    fn what_cannot_be_measured_is_said() {
        assert!(parse("--only estimator").unwrap_err().contains("no such bench yet"));
        assert!(parse("--only envoi").unwrap_err().contains("`envoi`"));
        assert!(parse("--json").unwrap_err().contains("needs a value"));
        assert!(parse("--corpus bi=a.sql").unwrap_err().contains("`bi=a.sql`"));
        assert!(parse("--fast").unwrap_err().contains("`--fast`"));
    }
}
