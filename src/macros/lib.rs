//! The attributes by which a ruleset declares its commands and events, each in one place.
//!
//! `#[command]` and `#[event]` stand on a struct: one command, one event. `#[commands]` and
//! `#[events]` stand on an enum that lists them. The structs stay plain Rust: what an attribute adds
//! is derives, and implementations of the traits of `turnkeeper::vocabulary`.

mod command;
mod event;
mod fields;
mod union;
mod word;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use syn::parse::Nothing;
use syn::{DeriveInput, parse_macro_input};

/// Declares a command: `#[command(player, "{combatant}: end turn")]`.
///
/// First comes who may send it, `gm`, `player`, `author` or `source`, as
/// `turnkeeper::vocabulary::AllowedRole` has them; then the template of an option's label. The doc
/// comment is its summary. Unknown fields are refused, and fields without a value are not written. A
/// field with `#[default]` may be left out, and an empty list or map of it is not written. Short
/// forms leave a field with `#[advanced]` out. A field with `#[physical]` has what the table rolled or
/// dealt.
///
/// A player sends it for the combatant that its field `combatant` names. With `actor`, as in
/// `#[command(player, "Claim", actor)]`, a method `actor` of its own says for whom.
#[proc_macro_attribute]
pub fn command(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    written(command::command(arguments.into(), item))
}

/// Declares the commands of a ruleset: an enum that lists their structs. The `type` of a command is
/// its name in `snake_case`, or the `name` that an attribute gives it, as in `#[name = "seize"]`.
///
/// With the ruleset, as in `#[commands(Seize)]`, the enum decides by the `decide` of each struct. A type after
/// it, as in `#[commands(Custom, Then)]`, is what each of them answers.
#[proc_macro_attribute]
pub fn commands(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    written(command::commands(arguments.into(), item))
}

/// Declares an event: `#[event("{combatant} {combatant:passes|pass}.")]`.
///
/// The text is the sentence that tells it, as `turnkeeper::vocabulary::tell` reads it. In its place,
/// `tells_itself` says that it implements `Describe` itself, and `untold` that it has no sentence. With `redacts_itself` it implements `Redact` itself: else a required field that may not be
/// told drops the whole.
#[proc_macro_attribute]
pub fn event(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    written(event::event(arguments.into(), item))
}

/// Declares the events of a ruleset: an enum that lists their structs, named as commands are. With
/// `shared` they are those of every ruleset.
///
/// With the ruleset, as in `#[events(Seize)]`, the enum changes the encounter by the `apply` of each
/// struct. An event that is marked `#[kept]` stands in the log alone: no client reads of it, and no document
/// describes it.
#[proc_macro_attribute]
pub fn events(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    written(event::events(arguments.into(), item))
}

/// Declares a part of an event, or of a state: what is told of it stands as for `#[event]`, or it says
/// nothing. With `row` before the sentence it is a row of a table.
#[proc_macro_attribute]
pub fn fact(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    written(event::fact(arguments.into(), item))
}

/// Declares an enum without data: in JSON a word in `snake_case`. Every audience may know it, and a
/// sentence writes the word.
#[proc_macro_attribute]
pub fn word(arguments: TokenStream, item: TokenStream) -> TokenStream {
    parse_macro_input!(arguments as Nothing);
    let item = parse_macro_input!(item as DeriveInput);
    written(word::word(&item))
}

/// Tells options the names and bounds of the fields of an object in a command, or of a combatant's
/// stats.
#[proc_macro_derive(Fields)]
pub fn fields(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    written(fields::implemented(&item))
}

fn written(tokens: syn::Result<Tokens>) -> TokenStream {
    tokens.unwrap_or_else(syn::Error::into_compile_error).into()
}
