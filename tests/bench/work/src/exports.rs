//! The same work for V8.
//!
//! Text comes in byte by byte, so that nothing here has to look into memory that JavaScript has written.
#![allow(
    unsafe_code,
    reason = "a function that JavaScript calls needs a name that the compiler leaves alone"
)]

use std::cell::RefCell;
use std::hint::black_box;
use std::mem;

use lakegate_core::policy::Policy;

use crate::Work;

#[derive(Default)]
struct State {
    input: Vec<u8>,
    work: Option<Work>,
    statements: Vec<String>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Adds a byte to the text that comes in.
#[unsafe(no_mangle)]
extern "C" fn put(byte: u32) {
    let byte = u8::try_from(byte).unwrap_or_default();
    STATE.with_borrow_mut(|state| state.input.push(byte));
}

/// What came in is the policy, as JSON; 0 if it cannot be used.
#[unsafe(no_mangle)]
extern "C" fn take_policy() -> u32 {
    STATE.with_borrow_mut(|state| {
        let text = mem::take(&mut state.input);
        state.work = Policy::from_json(&text).ok().map(Work::new);
        u32::from(state.work.is_some())
    })
}

/// What came in is one more statement; 0 if it cannot be used.
#[unsafe(no_mangle)]
extern "C" fn take_statement() -> u32 {
    STATE.with_borrow_mut(|state| {
        let text = String::from_utf8(mem::take(&mut state.input));
        let usable = text.is_ok();
        state.statements.extend(text);
        u32::from(usable)
    })
}

/// Scans and decides on a statement so many times; 0 if there is no such statement, or no policy.
#[unsafe(no_mangle)]
extern "C" fn scan_decide(statement: u32, calls: u32) -> u32 {
    STATE.with_borrow(|state| {
        let statement = usize::try_from(statement).ok().and_then(|at| state.statements.get(at));
        let (Some(work), Some(statement)) = (&state.work, statement) else {
            return 0;
        };
        for _ in 0..calls {
            black_box(work.scan_decide(black_box(statement)));
        }
        1
    })
}
