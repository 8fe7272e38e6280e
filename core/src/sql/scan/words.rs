//! The words that the scanner knows, and how it recognises them.
//!
//! What a word does is decided where it is met (`relations`, `statement`); here is only which it is.

use super::octets;

/// A key word, or [`Word::Other`] for any other word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Other,
    All,
    Analyze,
    Alter,
    And,
    Any,
    As,
    At,
    Begin,
    Between,
    By,
    Call,
    Case,
    Cast,
    Comment,
    Commit,
    Copy,
    Create,
    Cross,
    CurrentDate,
    CurrentTime,
    CurrentTimestamp,
    Data,
    Deallocate,
    Delete,
    Deny,
    Desc,
    Describe,
    Distinct,
    Drop,
    Else,
    End,
    Except,
    Execute,
    Exists,
    Explain,
    Fetch,
    First,
    For,
    From,
    Full,
    Function,
    Grant,
    Group,
    Having,
    If,
    Immediate,
    In,
    Inner,
    Insert,
    Intersect,
    Into,
    Is,
    Join,
    JsonTable,
    Lateral,
    Left,
    Like,
    Limit,
    Localtime,
    Localtimestamp,
    Matched,
    MatchRecognize,
    Merge,
    Minus,
    Natural,
    Nearest,
    Next,
    No,
    Not,
    Null,
    Of,
    On,
    Or,
    Order,
    Outer,
    Over,
    Plan,
    Prepare,
    Qualify,
    Recursive,
    Refresh,
    Reset,
    Revoke,
    Right,
    Rollback,
    Select,
    Session,
    Set,
    Show,
    Start,
    Table,
    Then,
    Timestamp,
    Truncate,
    Union,
    Unnest,
    Update,
    Use,
    Using,
    Values,
    Version,
    View,
    When,
    Where,
    Window,
    With,
}

/// The words of up to eight letters, as [`octets::head`] reads them.
const SHORT: [(u64, Word); 94] = [
    (key(b"as"), Word::As),
    (key(b"at"), Word::At),
    (key(b"by"), Word::By),
    (key(b"if"), Word::If),
    (key(b"in"), Word::In),
    (key(b"is"), Word::Is),
    (key(b"no"), Word::No),
    (key(b"of"), Word::Of),
    (key(b"on"), Word::On),
    (key(b"or"), Word::Or),
    (key(b"all"), Word::All),
    (key(b"and"), Word::And),
    (key(b"any"), Word::Any),
    (key(b"end"), Word::End),
    (key(b"for"), Word::For),
    (key(b"not"), Word::Not),
    (key(b"set"), Word::Set),
    (key(b"use"), Word::Use),
    (key(b"call"), Word::Call),
    (key(b"case"), Word::Case),
    (key(b"cast"), Word::Cast),
    (key(b"copy"), Word::Copy),
    (key(b"data"), Word::Data),
    (key(b"deny"), Word::Deny),
    (key(b"desc"), Word::Desc),
    (key(b"drop"), Word::Drop),
    (key(b"else"), Word::Else),
    (key(b"from"), Word::From),
    (key(b"full"), Word::Full),
    (key(b"into"), Word::Into),
    (key(b"join"), Word::Join),
    (key(b"left"), Word::Left),
    (key(b"like"), Word::Like),
    (key(b"next"), Word::Next),
    (key(b"null"), Word::Null),
    (key(b"over"), Word::Over),
    (key(b"plan"), Word::Plan),
    (key(b"show"), Word::Show),
    (key(b"then"), Word::Then),
    (key(b"view"), Word::View),
    (key(b"when"), Word::When),
    (key(b"with"), Word::With),
    (key(b"alter"), Word::Alter),
    (key(b"begin"), Word::Begin),
    (key(b"cross"), Word::Cross),
    (key(b"fetch"), Word::Fetch),
    (key(b"first"), Word::First),
    (key(b"grant"), Word::Grant),
    (key(b"group"), Word::Group),
    (key(b"inner"), Word::Inner),
    (key(b"limit"), Word::Limit),
    (key(b"merge"), Word::Merge),
    (key(b"minus"), Word::Minus),
    (key(b"order"), Word::Order),
    (key(b"outer"), Word::Outer),
    (key(b"reset"), Word::Reset),
    (key(b"right"), Word::Right),
    (key(b"start"), Word::Start),
    (key(b"table"), Word::Table),
    (key(b"union"), Word::Union),
    (key(b"using"), Word::Using),
    (key(b"where"), Word::Where),
    (key(b"commit"), Word::Commit),
    (key(b"create"), Word::Create),
    (key(b"delete"), Word::Delete),
    (key(b"except"), Word::Except),
    (key(b"exists"), Word::Exists),
    (key(b"having"), Word::Having),
    (key(b"insert"), Word::Insert),
    (key(b"revoke"), Word::Revoke),
    (key(b"select"), Word::Select),
    (key(b"unnest"), Word::Unnest),
    (key(b"update"), Word::Update),
    (key(b"values"), Word::Values),
    (key(b"window"), Word::Window),
    (key(b"analyze"), Word::Analyze),
    (key(b"between"), Word::Between),
    (key(b"comment"), Word::Comment),
    (key(b"execute"), Word::Execute),
    (key(b"explain"), Word::Explain),
    (key(b"lateral"), Word::Lateral),
    (key(b"matched"), Word::Matched),
    (key(b"natural"), Word::Natural),
    (key(b"nearest"), Word::Nearest),
    (key(b"prepare"), Word::Prepare),
    (key(b"qualify"), Word::Qualify),
    (key(b"refresh"), Word::Refresh),
    (key(b"session"), Word::Session),
    (key(b"version"), Word::Version),
    (key(b"describe"), Word::Describe),
    (key(b"distinct"), Word::Distinct),
    (key(b"function"), Word::Function),
    (key(b"rollback"), Word::Rollback),
    (key(b"truncate"), Word::Truncate),
];

const fn key<const N: usize>(word: &[u8; N]) -> u64 {
    let mut key = 0;
    let mut rest = word.as_slice();
    while let Some((&last, before)) = rest.split_last() {
        key = key << 8 | last as u64;
        rest = before;
    }
    key
}

/// Where [`SHORT`] is searched: at the place of a word's key stands its index, one up, or that of a word with the same
/// place, and then it stands behind; 0 ends the search.
static PLACES: [u8; 256] = places();

const fn places() -> [u8; 256] {
    let mut places = [0_u8; 256];
    let mut index = 0;
    let mut rest = SHORT.as_slice();
    while let Some((&(key, _), others)) = rest.split_first() {
        let mut at = place(key);
        index += 1;
        // There always is such a place: the index is a byte.
        while let Some(slot) = places.as_mut_slice().split_at_mut(at as usize).1.first_mut() {
            if *slot == 0 {
                *slot = index;
                break;
            }
            at = at.wrapping_add(1);
        }
        rest = others;
    }
    places
}

/// The top byte of a product is a hash of all eight letters.
const fn place(key: u64) -> u8 {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

/// The characters outside ASCII whose upper case is in it. The general function would bring a table of 12 KB.
const UPPER_IS_ASCII: [(char, &str); 10] = [
    ('\u{df}', "ss"),
    ('\u{131}', "i"),
    ('\u{17f}', "s"),
    ('\u{fb00}', "ff"),
    ('\u{fb01}', "fi"),
    ('\u{fb02}', "fl"),
    ('\u{fb03}', "ffi"),
    ('\u{fb04}', "ffl"),
    ('\u{fb05}', "st"),
    ('\u{fb06}', "st"),
];

impl Word {
    /// The longest word of the list: anything longer is a name.
    const LONGEST: usize = 17;

    /// Looks a word up, in any case.
    #[inline]
    pub(super) fn of(text: &str) -> Self {
        if text.len() > 8 {
            return Self::of_long(text);
        }
        let octets = octets::head(text.as_bytes());
        if octets::is_ascii(octets) {
            Self::of_key(octets::lower(octets))
        } else {
            Self::of_folded(text)
        }
    }

    fn of_key(key: u64) -> Self {
        let mut at = place(key);
        while let Some(index) = PLACES.get(usize::from(at)).copied().unwrap_or(0).checked_sub(1) {
            match SHORT.get(usize::from(index)) {
                Some(&(known, word)) if known == key => return word,
                _ => at = at.wrapping_add(1),
            }
        }
        Self::Other
    }

    fn of_long(text: &str) -> Self {
        if !text.is_ascii() {
            return Self::of_folded(text);
        }
        // Most words of this length are names, and differ from all of these in their first eight letters.
        let word = match octets::lower(octets::head(text.as_bytes())) {
            octets if octets == const { key(b"current_") } => &[
                ("current_date", Self::CurrentDate),
                ("current_time", Self::CurrentTime),
                ("current_timestamp", Self::CurrentTimestamp),
            ][..],
            octets if octets == const { key(b"dealloca") } => &[("deallocate", Self::Deallocate)][..],
            octets if octets == const { key(b"immediat") } => &[("immediate", Self::Immediate)][..],
            octets if octets == const { key(b"intersec") } => &[("intersect", Self::Intersect)][..],
            octets if octets == const { key(b"json_tab") } => &[("json_table", Self::JsonTable)][..],
            octets if octets == const { key(b"localtim") } => {
                &[("localtime", Self::Localtime), ("localtimestamp", Self::Localtimestamp)][..]
            }
            octets if octets == const { key(b"match_re") } => &[("match_recognize", Self::MatchRecognize)][..],
            octets if octets == const { key(b"recursiv") } => &[("recursive", Self::Recursive)][..],
            octets if octets == const { key(b"timestam") } => &[("timestamp", Self::Timestamp)][..],
            _ => return Self::Other,
        };
        let found = word.iter().find(|(known, _)| known.eq_ignore_ascii_case(text));
        found.map_or(Self::Other, |&(_, word)| word)
    }

    /// Engines that fold the text to upper case before they look at it (Presto, Spark) read a long s as S and a
    /// dotless i as I: `JO\u{131}N` is a join to them.
    #[cold]
    fn of_folded(text: &str) -> Self {
        if text.len() > 2 * Self::LONGEST {
            return Self::Other;
        }
        let mut folded = String::new();
        for c in text.chars() {
            match UPPER_IS_ASCII.iter().find(|(odd, _)| *odd == c) {
                Some((_, letters)) => folded.push_str(letters),
                None if c.is_ascii() => folded.push(c),
                None => return Self::Other,
            }
        }
        Self::of(&folded)
    }

    /// Whether the word, unquoted, is never a name where one could stand: a name that an engine allows and this list
    /// does not would be a table unseen, so it holds only words that are the grammar's own everywhere.
    pub(super) fn is_reserved(self) -> bool {
        matches!(
            self,
            Self::And
                | Self::As
                | Self::Between
                | Self::By
                | Self::Case
                | Self::Cast
                | Self::Cross
                | Self::Distinct
                | Self::Else
                | Self::End
                | Self::Except
                | Self::Exists
                | Self::For
                | Self::From
                | Self::Full
                | Self::Group
                | Self::Having
                | Self::In
                | Self::Inner
                | Self::Intersect
                | Self::Into
                | Self::Is
                | Self::Join
                | Self::Left
                | Self::Like
                | Self::Natural
                | Self::Not
                | Self::Null
                | Self::On
                | Self::Or
                | Self::Order
                | Self::Outer
                | Self::Right
                | Self::Select
                | Self::Table
                | Self::Then
                | Self::Union
                | Self::Unnest
                | Self::Using
                | Self::Values
                | Self::When
                | Self::Where
                | Self::With
        )
    }

    /// Whether a query starts with it.
    pub(super) fn starts_query(self) -> bool {
        matches!(self, Self::Select | Self::Values | Self::With | Self::Table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_character_has_an_upper_case_in_ascii() {
        let found = ('\u{80}'..=char::MAX).filter(|c| c.to_uppercase().all(|upper| upper.is_ascii()));
        let found: Vec<(char, String)> = found
            .map(|c| (c, c.to_uppercase().to_string().to_lowercase()))
            .collect();
        assert_eq!(found, UPPER_IS_ASCII.map(|(c, letters)| (c, letters.to_owned())));
    }

    #[test]
    fn every_word_of_the_list_is_found() {
        for (key, word) in SHORT {
            assert_eq!(Word::of_key(key), word);
        }
    }

    #[test]
    fn words_are_found_in_any_case_and_names_are_not() {
        for (text, word) in [
            ("aS", Word::As),
            ("Select", Word::Select),
            ("DISTINCT", Word::Distinct),
            ("immediate", Word::Immediate),
            ("Current_Date", Word::CurrentDate),
            ("CURRENT_TIME", Word::CurrentTime),
            ("current_timestamp", Word::CurrentTimestamp),
            ("LocalTime", Word::Localtime),
            ("localtimestamp", Word::Localtimestamp),
            ("MATCH_RECOGNIZE", Word::MatchRecognize),
            ("jo\u{131}n", Word::Join),
        ] {
            assert_eq!(Word::of(text), word, "{text}");
            assert_eq!(Word::of(&format!("{text}_")), Word::Other);
        }
        assert_eq!(Word::of(""), Word::Other);
        assert_eq!(Word::of("localtimes"), Word::Other);
    }
}
