//! The words that the scanner knows, and how it recognises them.
//!
//! What a word does is decided where it is met (`relations`, `statement`); here is only which it is.

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

impl Word {
    /// The longest word of the list: anything longer is a name.
    const LONGEST: usize = 17;

    /// Looks a word up, in any case.
    pub(super) fn of(text: &str) -> Self {
        if !text.is_ascii() {
            return Self::of_folded(text);
        }
        let mut buffer = [0_u8; Self::LONGEST];
        let Some(lower) = buffer.get_mut(..text.len()) else {
            return Self::Other;
        };
        lower.copy_from_slice(text.as_bytes());
        lower.make_ascii_lowercase();
        Self::of_lower(lower)
    }

    /// Engines that fold the text to upper case before they look at it (Presto, Spark) read a long s as S and a
    /// dotless i as I: `JO\u{131}N` is a join to them.
    #[cold]
    fn of_folded(text: &str) -> Self {
        if text.len() > 2 * Self::LONGEST {
            return Self::Other;
        }
        let folded: String = text
            .chars()
            .flat_map(char::to_uppercase)
            .map(|c| c.to_ascii_lowercase())
            .collect();
        if folded.is_ascii() {
            Self::of(&folded)
        } else {
            Self::Other
        }
    }

    fn of_lower(word: &[u8]) -> Self {
        match word.len() {
            2 => match word {
                b"as" => Self::As,
                b"at" => Self::At,
                b"by" => Self::By,
                b"if" => Self::If,
                b"in" => Self::In,
                b"is" => Self::Is,
                b"no" => Self::No,
                b"of" => Self::Of,
                b"on" => Self::On,
                b"or" => Self::Or,
                _ => Self::Other,
            },
            3 => match word {
                b"all" => Self::All,
                b"and" => Self::And,
                b"any" => Self::Any,
                b"end" => Self::End,
                b"for" => Self::For,
                b"not" => Self::Not,
                b"set" => Self::Set,
                b"use" => Self::Use,
                _ => Self::Other,
            },
            4 => match word {
                b"call" => Self::Call,
                b"case" => Self::Case,
                b"cast" => Self::Cast,
                b"copy" => Self::Copy,
                b"data" => Self::Data,
                b"deny" => Self::Deny,
                b"desc" => Self::Desc,
                b"drop" => Self::Drop,
                b"else" => Self::Else,
                b"from" => Self::From,
                b"full" => Self::Full,
                b"into" => Self::Into,
                b"join" => Self::Join,
                b"left" => Self::Left,
                b"like" => Self::Like,
                b"next" => Self::Next,
                b"null" => Self::Null,
                b"over" => Self::Over,
                b"plan" => Self::Plan,
                b"show" => Self::Show,
                b"then" => Self::Then,
                b"view" => Self::View,
                b"when" => Self::When,
                b"with" => Self::With,
                _ => Self::Other,
            },
            5 => match word {
                b"alter" => Self::Alter,
                b"begin" => Self::Begin,
                b"cross" => Self::Cross,
                b"fetch" => Self::Fetch,
                b"first" => Self::First,
                b"grant" => Self::Grant,
                b"group" => Self::Group,
                b"inner" => Self::Inner,
                b"limit" => Self::Limit,
                b"merge" => Self::Merge,
                b"minus" => Self::Minus,
                b"order" => Self::Order,
                b"outer" => Self::Outer,
                b"reset" => Self::Reset,
                b"right" => Self::Right,
                b"start" => Self::Start,
                b"table" => Self::Table,
                b"union" => Self::Union,
                b"using" => Self::Using,
                b"where" => Self::Where,
                _ => Self::Other,
            },
            6 => match word {
                b"commit" => Self::Commit,
                b"create" => Self::Create,
                b"delete" => Self::Delete,
                b"except" => Self::Except,
                b"exists" => Self::Exists,
                b"having" => Self::Having,
                b"insert" => Self::Insert,
                b"revoke" => Self::Revoke,
                b"select" => Self::Select,
                b"unnest" => Self::Unnest,
                b"update" => Self::Update,
                b"values" => Self::Values,
                b"window" => Self::Window,
                _ => Self::Other,
            },
            7 => match word {
                b"analyze" => Self::Analyze,
                b"between" => Self::Between,
                b"comment" => Self::Comment,
                b"execute" => Self::Execute,
                b"explain" => Self::Explain,
                b"lateral" => Self::Lateral,
                b"matched" => Self::Matched,
                b"natural" => Self::Natural,
                b"nearest" => Self::Nearest,
                b"prepare" => Self::Prepare,
                b"qualify" => Self::Qualify,
                b"refresh" => Self::Refresh,
                b"session" => Self::Session,
                b"version" => Self::Version,
                _ => Self::Other,
            },
            8 => match word {
                b"describe" => Self::Describe,
                b"distinct" => Self::Distinct,
                b"function" => Self::Function,
                b"rollback" => Self::Rollback,
                b"truncate" => Self::Truncate,
                _ => Self::Other,
            },
            9 => match word {
                b"immediate" => Self::Immediate,
                b"intersect" => Self::Intersect,
                b"localtime" => Self::Localtime,
                b"recursive" => Self::Recursive,
                b"timestamp" => Self::Timestamp,
                _ => Self::Other,
            },
            10 => match word {
                b"deallocate" => Self::Deallocate,
                b"json_table" => Self::JsonTable,
                _ => Self::Other,
            },
            12 => match word {
                b"current_date" => Self::CurrentDate,
                b"current_time" => Self::CurrentTime,
                _ => Self::Other,
            },
            14 => match word {
                b"localtimestamp" => Self::Localtimestamp,
                _ => Self::Other,
            },
            15 => match word {
                b"match_recognize" => Self::MatchRecognize,
                _ => Self::Other,
            },
            17 => match word {
                b"current_timestamp" => Self::CurrentTimestamp,
                _ => Self::Other,
            },
            _ => Self::Other,
        }
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
