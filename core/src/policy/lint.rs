//! What a policy says that it cannot mean: rules that no statement reaches or fits, engines that no rule names.
//!
//! Only what is certain is reported, and as a warning: the policy stays usable. The reasoning is over each rule's plain
//! conditions (those not under `any_of` or `not`), which every statement that matches the rule fulfils. Not here: what
//! makes a policy unusable ([`super::check`]).

use std::collections::BTreeMap;

use super::condition::{Condition, Operator, Signal, Test};
use super::problem::{At, Path, Problem};
use super::{Engine, Route, Rule};

/// The warnings, in file order. `file_index` gives a rule's place in the file, or `None` for an implied one.
pub(super) fn lint(
    engines: &BTreeMap<String, Engine>,
    rules: &[Rule],
    file_index: impl Fn(usize) -> Option<usize>,
) -> Vec<Problem> {
    let mut warnings = Vec::new();
    let mut warn = |path: Path, at: At, message: String| warnings.push(Problem { path, at, message });
    let asked: Vec<Conjunction> = rules.iter().map(|rule| Conjunction::of(&rule.when)).collect();
    for (index, (rule, conjunction)) in rules.iter().zip(&asked).enumerate() {
        let Some(place) = file_index(index) else {
            continue;
        };
        let path = Path::default().key("rules").index(place);
        if let Some(signal) = conjunction.contradiction() {
            let message = format!(
                "rule `{}` never matches: no value of `{}` fits it",
                rule.name,
                signal.name()
            );
            warn(path.key("when"), At::Value, message);
            continue;
        }
        let earlier = rules.iter().zip(&asked).take(index);
        // A rule above without conditions is reported where the rules are read.
        let shadow = earlier
            .filter(|(above, _)| !above.when.is_always())
            .find(|(above, wider)| wider.covers(above, conjunction, rule));
        if let Some((above, _)) = shadow {
            let message = format!(
                "rule `{}` is never reached: every statement that fits it fits `{}` above",
                rule.name, above.name
            );
            warn(path, At::Value, message);
        }
    }
    for name in engines.keys() {
        let named = rules
            .iter()
            .any(|rule| rule.route == Route::Engine(name.clone()) || rule.fallback.contains(name));
        if !named {
            warn(
                Path::default().key("engines").key(name),
                At::Key,
                format!("no rule routes to engine `{name}`"),
            );
        }
    }
    warnings
}

/// What every statement that matches a rule fulfils, signal by signal.
struct Conjunction<'a> {
    allowed: BTreeMap<&'a Signal, Vec<&'a Test>>,
    /// Nothing but plain conditions: whoever fulfils them all matches.
    plain: bool,
}

impl<'a> Conjunction<'a> {
    fn of(condition: &'a Condition) -> Self {
        let mut conjunction = Self {
            allowed: BTreeMap::new(),
            plain: true,
        };
        conjunction.add(condition);
        conjunction
    }

    fn add(&mut self, condition: &'a Condition) {
        match condition {
            Condition::Leaf(signal, test) => self.allowed.entry(signal).or_default().push(test),
            // Conditions nest to a bounded depth: the check sees to it.
            Condition::All(parts) => parts.iter().for_each(|part| self.add(part)),
            Condition::Any(_) | Condition::Not(_) => self.plain = false,
        }
    }

    /// A signal that no value of satisfies all of its tests.
    fn contradiction(&self) -> Option<&'a Signal> {
        let impossible = |tests: &Vec<&Test>| {
            let flags = |wanted: bool| tests.iter().any(|test| **test == Test::Is(wanted));
            Range::of(tests).is_empty() || (flags(true) && flags(false))
        };
        self.allowed
            .iter()
            .find(|(_, tests)| impossible(tests))
            .map(|(signal, _)| *signal)
    }

    /// True if whoever fulfils `narrower` matches this rule too. Not claimed where a rule says itself what an unknown
    /// signal does: the two could then come apart.
    fn covers(&self, above: &Rule, narrower: &Self, rule: &Rule) -> bool {
        self.plain
            && above.unknown.is_none()
            && rule.unknown.is_none()
            && self.allowed.iter().all(|(signal, tests)| {
                narrower
                    .allowed
                    .get(signal)
                    .is_some_and(|asked| tests.iter().all(|test| implied(test, asked)))
            })
    }
}

/// True if the tests that are asked leave nothing that this test would refuse.
fn implied(test: &Test, asked: &[&Test]) -> bool {
    if asked.contains(&test) {
        return true;
    }
    match test {
        Test::Number(Operator::NotEq, _) | Test::NumberIn(_) | Test::Is(_) => false,
        Test::Number(..) => Range::of(&[test]).includes(&Range::of(asked)),
        Test::OneOf(words) => asked.iter().any(
            |other| matches!(other, Test::OneOf(fewer) if !fewer.is_empty() && fewer.iter().all(|word| words.contains(word))),
        ),
        Test::NoneOf(words) => asked
            .iter()
            .any(|other| matches!(other, Test::NoneOf(more) if words.iter().all(|word| more.contains(word)))),
    }
}

/// Numbers from `least` to `most`, both included.
struct Range {
    least: i64,
    most: i64,
}

impl Range {
    fn of(tests: &[&Test]) -> Self {
        let mut range = Self {
            least: i64::MIN,
            most: i64::MAX,
        };
        for test in tests {
            let Test::Number(operator, bound) = test else {
                continue;
            };
            match operator {
                Operator::Lt => range.most = range.most.min(bound.saturating_sub(1)),
                Operator::LtEq => range.most = range.most.min(*bound),
                Operator::Gt => range.least = range.least.max(bound.saturating_add(1)),
                Operator::GtEq => range.least = range.least.max(*bound),
                Operator::Eq => {
                    range.least = range.least.max(*bound);
                    range.most = range.most.min(*bound);
                }
                Operator::NotEq => {}
            }
        }
        range
    }

    fn is_empty(&self) -> bool {
        self.most < self.least
    }

    fn includes(&self, other: &Self) -> bool {
        self.least <= other.least && other.most <= self.most
    }
}
