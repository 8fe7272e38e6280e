//! What is wrong with a policy, where, and what would be right.

use std::fmt;

/// One step down the file's tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Into a mapping.
    Key(String),
    /// Into a list, counted from 0.
    Index(usize),
}

/// Where in the file's tree: `rules[2].when.estimated_bytes_lt`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path(pub Vec<Step>);

impl Path {
    /// One mapping key further down.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Key(key.to_owned()));
        Self(steps)
    }

    /// One list entry further down.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Index(index));
        Self(steps)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if position == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// What the problem is about: a key, or the value under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The last key of the path itself is wrong.
    Key,
    /// The value that the path leads to.
    Value,
}

/// One problem. Errors make a policy unusable; warnings do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where in the tree.
    pub path: Path,
    /// The key or its value.
    pub at: At,
    /// What is wrong and what would be right; lower case, no full stop.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.0.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// The candidate nearest to what was written, if one is near enough to be meant.
#[must_use]
pub fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (distance(written, candidate), candidate))
        .min()
        .filter(|(distance, candidate)| *distance < candidate.len() && *distance <= 1 + candidate.len() / 3)
        .map(|(_, candidate)| candidate)
}

/// Edit distance with neighbouring swaps counted once, over characters; long names are not compared (bounded work).
fn distance(left: &str, right: &str) -> usize {
    const LONGEST: usize = 64;
    let left: Vec<char> = left.chars().take(LONGEST).collect();
    let right: Vec<char> = right.chars().take(LONGEST).collect();
    let mut before_previous: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.iter().enumerate() {
        let mut current = vec![i + 1];
        for (j, r) in right.iter().enumerate() {
            let at = |row: &Vec<usize>, column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
            let mut best = (at(&previous, j) + usize::from(l != r))
                .min(at(&previous, j + 1) + 1)
                .min(at(&current, j) + 1);
            let swapped = i > 0 && j > 0 && left.get(i - 1) == Some(r) && right.get(j - 1) == Some(l);
            if swapped {
                best = best.min(at(&before_previous, j - 1) + 1);
            }
            current.push(best);
        }
        before_previous = std::mem::replace(&mut previous, current);
    }
    previous.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered_only_if_it_is_near() {
        let names = ["route", "reason", "fallback", "estimated_bytes_lt"];
        assert_eq!(nearest("rotue", names), Some("route"));
        assert_eq!(nearest("estimated_byte_lt", names), Some("estimated_bytes_lt"));
        assert_eq!(nearest("colour", names), None);
    }

    #[test]
    fn paths_read_like_the_file() {
        let path = Path::default().key("rules").index(2).key("when").key("x_lt");
        assert_eq!(path.to_string(), "rules[2].when.x_lt");
    }
}
