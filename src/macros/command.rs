//! `#[command]` and `#[commands]`.

use crate::event::sentence;
use crate::fields::{complete, last_segment, table};
use crate::union::Union;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Result,
    Token,
};

/// The arguments of `#[command]`.
struct Heading {
    sender: Ident,
    label: LitStr,
    has_actor: bool,
}

impl Parse for Heading {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let sender: Ident = input.parse()?;
        let role = match sender.to_string().as_str() {
            "gm" => "Gm",
            "player" => "Player",
            "author" => "Author",
            "source" => "Source",
            "target" => "Target",
            _ => {
                return Err(Error::new(
                    sender.span(),
                    "`gm`, `player`, `author`, `source` or `target` is expected.",
                ));
            }
        };
        input.parse::<Token![,]>()?;
        let label = sentence(input)?;
        let mut has_actor = false;
        if input.parse::<Option<Token![,]>>()?.is_some() {
            let word: Ident = input.parse()?;
            if word != "actor" {
                return Err(Error::new(
                    word.span(),
                    "Only `actor` may follow the label.",
                ));
            }
            has_actor = true;
        }
        Ok(Self {
            sender: Ident::new(role, sender.span()),
            label,
            has_actor,
        })
    }
}

pub fn command(arguments: Tokens, mut item: DeriveInput) -> Result<Tokens> {
    let Heading {
        sender,
        label,
        has_actor,
    } = Parser::parse2(Heading::parse, arguments)?;
    let summary = summary(&item)?;
    let actor = if has_actor {
        Tokens::new()
    } else {
        actor(&sender, &item)?
    };
    let fields = table(&item)?;
    if let Data::Struct(data) = &mut item.data {
        for field in &mut data.fields {
            let ours = |a: &Attribute| {
                ["advanced", "physical"]
                    .iter()
                    .any(|own| a.path().is_ident(own))
            };
            field.attrs.retain(|a| !ours(a));
        }
    }
    complete(&mut item)?;
    let name = &item.ident;
    Ok(quote! {
        #[derive(Debug, Clone, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize, ::utoipa::ToSchema)]
        #[serde(deny_unknown_fields)]
        #item

        impl #name {
            /// Its declaration, without its type: the enum that lists it has that.
            pub(crate) const DECLARED: ::turnkeeper::vocabulary::CommandSpec =
                ::turnkeeper::vocabulary::CommandSpec {
                    verb: "",
                    label: #label,
                    summary: #summary,
                    sender: ::turnkeeper::vocabulary::AllowedRole::#sender,
                    fields: #fields,
                };

            #actor
        }
    })
}

/// The method that says for whom it is sent: for the combatant of the field `combatant`, if players
/// send it.
fn actor(sender: &Ident, item: &DeriveInput) -> Result<Tokens> {
    let is_players = sender == "Player";
    let combatant = match &item.data {
        Data::Struct(data) => data.fields.iter().find(|field| {
            is_players && field.ident.as_ref().is_some_and(|name| name == "combatant")
        }),
        _ => None,
    };
    let body = match combatant {
        None if is_players => {
            return Err(Error::new_spanned(
                &item.ident,
                "For whom does a player send it? Add a field `combatant`, or `actor` after the label and a method of this name.",
            ));
        }
        None => quote! { ::turnkeeper::vocabulary::Actor::Gm },
        Some(field) if last_segment(&field.ty).is_some_and(|last| last.ident == "Option") => {
            quote! { ::turnkeeper::vocabulary::Actor::of_optional(self.combatant.as_ref()) }
        }
        Some(_) => quote! { ::turnkeeper::vocabulary::Actor::of(&self.combatant) },
    };
    Ok(quote! {
        /// For whom it is sent.
        #[allow(clippy::unused_self, reason = "other commands ask their fields")]
        pub(crate) fn actor(&self) -> ::turnkeeper::vocabulary::Actor<'_> {
            #body
        }
    })
}

/// The ruleset, if it is named, and the type of what its commands say besides, if there is one.
fn decided_by(arguments: Tokens) -> Result<(Option<Path>, Tokens)> {
    let parser = Punctuated::<Path, Token![,]>::parse_terminated;
    let paths = parser
        .parse2(arguments)
        .map_err(|error| Error::new(error.span(), "The type of the ruleset is expected."))?;
    let mut paths = paths.into_iter();
    let ruleset = paths.next();
    let then = paths.next().map_or(quote! { () }, |then| quote! { #then });
    Ok((ruleset, then))
}

pub fn commands(arguments: Tokens, item: DeriveInput) -> Result<Tokens> {
    let (ruleset, then) = decided_by(arguments)?;
    let union = Union::read(item)?;
    let name = &union.name;
    if let Some(kept) = union.variants.iter().find(|variant| variant.kept) {
        return Err(Error::new_spanned(&kept.name, "Only an event can be kept."));
    }
    let names: Vec<_> = union.variants.iter().map(|variant| &variant.name).collect();
    let tags: Vec<_> = union.variants.iter().map(|variant| &variant.tag).collect();
    let written = union.written();
    let decided = ruleset.map(|ruleset| {
        quote! {
            impl #name {
                /// Decides the command in the play, or refuses it.
                fn decide(
                    &self,
                    play: &mut ::turnkeeper::vocabulary::Play<'_, #ruleset>,
                ) -> Result<#then, ::turnkeeper::vocabulary::Violation> {
                    match self {
                        #( Self::#names(command) => command.decide(play), )*
                    }
                }
            }
        }
    });
    Ok(quote! {
        #written

        #decided

        #(
            impl ::turnkeeper::vocabulary::Listed for #names {
                const SPEC: ::turnkeeper::vocabulary::CommandSpec =
                    ::turnkeeper::vocabulary::CommandSpec { verb: #tags, ..#names::DECLARED };
            }
        )*

        impl ::turnkeeper::vocabulary::Commands for #name {
            const SPECS: &'static [::turnkeeper::vocabulary::CommandSpec] = &[
                #( <#names as ::turnkeeper::vocabulary::Listed>::SPEC, )*
            ];

            fn actor(&self) -> ::turnkeeper::vocabulary::Actor<'_> {
                match self {
                    #( Self::#names(command) => command.actor(), )*
                }
            }
        }
    })
}

/// The doc comment, in one line.
fn summary(item: &DeriveInput) -> Result<String> {
    let mut lines = String::new();
    for attribute in &item.attrs {
        if let Some(line) = doc_line(attribute) {
            lines += &line;
        }
    }
    if lines.is_empty() {
        return Err(Error::new_spanned(
            &item.ident,
            "The doc comment of a command is its summary. Write one.",
        ));
    }
    Ok(lines.trim_start().to_owned())
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    if let Meta::NameValue(doc) = &attribute.meta
        && doc.path.is_ident("doc")
        && let Expr::Lit(ExprLit {
            lit: Lit::Str(line),
            ..
        }) = &doc.value
    {
        return Some(line.value());
    }
    None
}
