//! `#[word]`.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result};

pub fn word(item: &DeriveInput) -> Result<Tokens> {
    let name = &item.ident;
    let Data::Enum(data) = &item.data else {
        return Err(Error::new_spanned(name, "A word is an enum."));
    };
    let mut has_default = false;
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(&variant.fields, "A word has no data."));
        }
        has_default |= variant
            .attrs
            .iter()
            .any(|attribute| attribute.path().is_ident("default"));
    }
    let default = has_default.then(|| quote! { #[derive(Default)] });
    let words: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    Ok(quote! {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(::serde::Serialize, ::serde::Deserialize, ::utoipa::ToSchema)]
        #default
        #[serde(rename_all = "snake_case")]
        #item

        impl ::std::fmt::Display for #name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::serde::Serialize::serialize(self, f)
            }
        }

        impl ::turnkeeper::vocabulary::FieldType for #name {
            fn values() -> Option<::turnkeeper::vocabulary::Values> {
                let words = [ #( Self::#words ),* ].map(|word| word.to_string());
                Some(::turnkeeper::vocabulary::Values::words(words))
            }
        }

        impl ::turnkeeper::vocabulary::Redact for #name {}

        impl ::turnkeeper::vocabulary::Describe for #name {
            fn describe(&self, _: &dyn ::turnkeeper::vocabulary::Names, out: &mut String) -> bool {
                ::turnkeeper::vocabulary::spaced(&self.to_string(), out)
            }
        }
    })
}
