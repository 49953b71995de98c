//! `#[event]` and `#[events]`.

use crate::fields::{complete, redact, tellable};
use crate::union::{Union, ruleset};
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{DeriveInput, Error, Ident, LitStr, Result, Token};

/// Reads a sentence. A part in brackets ends at the next bracket that closes, so that it has none
/// within it.
pub fn sentence(input: ParseStream<'_>) -> Result<LitStr> {
    let sentence: LitStr = input.parse()?;
    let mut is_open = false;
    for mark in sentence.value().chars().filter(|c| matches!(c, '[' | ']')) {
        if is_open == (mark == '[') {
            return Err(Error::new_spanned(
                sentence,
                "Brackets follow each other: `[..][..]`, none within another.",
            ));
        }
        is_open = !is_open;
    }
    Ok(sentence)
}

/// How an event or a part of one is told, and whether it says itself what of it an audience may
/// know.
struct Telling {
    told: Told,
    is_row: bool,
    redacts_itself: bool,
}

enum Told {
    By(LitStr),
    ByItself,
    ByNothing,
}

impl Parse for Telling {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut telling = Self {
            told: Told::ByNothing,
            is_row: false,
            redacts_itself: false,
        };
        while !input.is_empty() {
            if input.peek(LitStr) {
                telling.told = Told::By(sentence(input)?);
            } else {
                let word: Ident = input.parse()?;
                match word.to_string().as_str() {
                    "tells_itself" => telling.told = Told::ByItself,
                    "untold" => telling.told = Told::ByNothing,
                    "row" if input.peek(Token![,]) && input.peek2(LitStr) => telling.is_row = true,
                    "row" => {
                        return Err(Error::new(
                            word.span(),
                            "The sentence of the row follows `row`.",
                        ));
                    }
                    "redacts_itself" => telling.redacts_itself = true,
                    _ => {
                        return Err(Error::new(
                            word.span(),
                            "A sentence is expected, or `tells_itself`, `untold`, `row` or `redacts_itself`.",
                        ));
                    }
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(telling)
    }
}

pub fn event(arguments: Tokens, item: DeriveInput) -> Result<Tokens> {
    if arguments.is_empty() {
        return Err(Error::new_spanned(
            &item.ident,
            "What tells of this event? Add a sentence, `tells_itself` or `untold`.",
        ));
    }
    fact(arguments, item)
}

pub fn fact(arguments: Tokens, mut item: DeriveInput) -> Result<Tokens> {
    let Telling {
        told,
        is_row,
        redacts_itself,
    } = Parser::parse2(Telling::parse, arguments)?;
    let redacted = if redacts_itself {
        Tokens::new()
    } else {
        redact(&item)?
    };
    let tellable = tellable(&item)?;
    complete(&mut item)?;
    let name = &item.ident;
    let row = is_row.then(|| quote! { fn is_row(&self) -> bool { true } });
    let described = match told {
        Told::ByItself => Tokens::new(),
        Told::ByNothing => quote! { impl ::turnkeeper::vocabulary::Describe for #name {} },
        Told::By(sentence) => quote! {
            impl ::turnkeeper::vocabulary::Describe for #name {
                fn describe(
                    &self,
                    names: &dyn ::turnkeeper::vocabulary::Names,
                    out: &mut String,
                ) -> bool {
                    ::turnkeeper::vocabulary::tell(#sentence, self, names, out)
                }

                #row
            }
        },
    };
    Ok(quote! {
        #[derive(Debug, Clone, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize, ::utoipa::ToSchema)]
        #item

        #redacted
        #tellable
        #described
    })
}

pub fn events(arguments: Tokens, item: DeriveInput) -> Result<Tokens> {
    let ruleset = ruleset(arguments)?;
    let are_shared = ruleset.as_ref().is_some_and(|path| path.is_ident("shared"));
    let union = Union::read(item)?;
    let name = &union.name;
    let names: Vec<_> = union.variants.iter().map(|variant| &variant.name).collect();
    let written = union.written();
    let kept = union.variants.iter().filter(|variant| variant.kept);
    let kept: Vec<_> = kept.map(|variant| &variant.name).collect();
    let events_of_encounters = if are_shared {
        quote! {
            #(
                impl<R: ::turnkeeper::vocabulary::Ruleset> From<#names>
                    for ::turnkeeper::vocabulary::Event<R>
                {
                    fn from(event: #names) -> Self {
                        Self::Shared(#name::#names(event))
                    }
                }
            )*
        }
    } else {
        quote! {
            impl<R: ::turnkeeper::vocabulary::Ruleset<Event = #name>> From<#name>
                for ::turnkeeper::vocabulary::Event<R>
            {
                fn from(event: #name) -> Self {
                    Self::Own(event)
                }
            }

            #(
                impl<R: ::turnkeeper::vocabulary::Ruleset<Event = #name>> From<#names>
                    for ::turnkeeper::vocabulary::Event<R>
                {
                    fn from(event: #names) -> Self {
                        Self::Own(#name::#names(event))
                    }
                }
            )*
        }
    };
    let applied = ruleset.filter(|_| !are_shared).map(|ruleset| {
        quote! {
            impl #name {
                /// Assigns what the event says to the ruleset's part of the encounter.
                fn apply(&self, fold: &mut ::turnkeeper::vocabulary::Fold<'_, #ruleset>) {
                    match self {
                        #( Self::#names(event) => event.apply(fold), )*
                    }
                }
            }
        }
    });
    Ok(quote! {
        #written

        #applied

        impl ::turnkeeper::vocabulary::Redact for #name {
            fn redact(&self, audience: &::turnkeeper::vocabulary::Audience<'_>) -> Option<Self> {
                match self {
                    #( Self::#names(event) => event.redact(audience).map(Self::#names), )*
                }
            }
        }

        impl ::turnkeeper::vocabulary::Describe for #name {
            fn describe(
                &self,
                names: &dyn ::turnkeeper::vocabulary::Names,
                out: &mut String,
            ) -> bool {
                match self {
                    #( Self::#names(event) => event.describe(names, out), )*
                }
            }

            fn is_kept(&self) -> bool {
                false #( || matches!(self, Self::#kept(_)) )*
            }
        }

        #events_of_encounters
    })
}
