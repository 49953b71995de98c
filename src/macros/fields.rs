//! What structs get field by field.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DeriveInput, Error, Field, Fields, GenericArgument, Ident, Lit, LitStr, Meta,
    PathArguments, PathSegment, Result, Token, Type, parse_quote,
};

/// The names of a struct's fields.
pub fn fields(item: &DeriveInput) -> Result<Vec<&Ident>> {
    let fields = named(item)?.iter();
    Ok(fields.filter_map(|field| field.ident.as_ref()).collect())
}

fn named(item: &DeriveInput) -> Result<&Punctuated<Field, Token![,]>> {
    if let Data::Struct(data) = &item.data
        && let Fields::Named(fields) = &data.fields
    {
        return Ok(&fields.named);
    }
    Err(Error::new_spanned(
        &item.ident,
        "A struct with named fields is expected.",
    ))
}

/// A required field that may not be told drops the whole.
pub fn redact(item: &DeriveInput) -> Result<Tokens> {
    let name = &item.ident;
    let fields = fields(item)?;
    Ok(quote! {
        impl ::turnkeeper::vocabulary::Redact for #name {
            fn redact(&self, _audience: &::turnkeeper::vocabulary::Audience<'_>) -> Option<Self> {
                Some(Self {
                    #( #fields: ::turnkeeper::vocabulary::Redact::redact(&self.#fields, _audience)?, )*
                })
            }
        }
    })
}

pub fn tellable(item: &DeriveInput) -> Result<Tokens> {
    let name = &item.ident;
    let fields = fields(item)?;
    let written = fields.iter().map(|field| field.to_string());
    let written: Vec<String> = written.collect();
    Ok(quote! {
        impl ::turnkeeper::vocabulary::Tellable for #name {
            fn describe_field(
                &self,
                field: &str,
                _names: &dyn ::turnkeeper::vocabulary::Names,
                _out: &mut String,
            ) -> bool {
                match field {
                    #( #written => {
                        ::turnkeeper::vocabulary::Describe::describe(&self.#fields, _names, _out)
                    } )*
                    _ => false,
                }
            }

            fn field_is_plural(
                &self,
                field: &str,
                _names: &dyn ::turnkeeper::vocabulary::Names,
            ) -> bool {
                match field {
                    #( #written => {
                        ::turnkeeper::vocabulary::Describe::is_plural(&self.#fields, _names)
                    } )*
                    _ => false,
                }
            }
        }
    })
}

/// The table of a struct's fields, for the trait `Fields`.
pub fn table(item: &DeriveInput) -> Result<Tokens> {
    let all_optional = has_word(&item.attrs, "serde", "default");
    let mut rows = Vec::new();
    for field in named(item)? {
        let Field { attrs, ty, .. } = field;
        let name = match renamed(attrs)? {
            Some(name) => name,
            None => field
                .ident
                .as_ref()
                .map(Ident::to_string)
                .unwrap_or_default(),
        };
        let kind = last_segment(ty).map(|last| last.ident.to_string());
        let kind = kind.as_deref().unwrap_or_default();
        let has_default = has_attribute(attrs, "default") || has_word(attrs, "serde", "default");
        let is_required = !(kind == "Option" || has_default || all_optional);
        let is_advanced = has_attribute(attrs, "advanced");
        let is_physical = has_attribute(attrs, "physical");
        let default = if has_default && !matches!(kind, "Option" | "Vec" | "BTreeMap") {
            quote! { Some(::turnkeeper::vocabulary::default_value::<#ty>) }
        } else {
            quote! { None }
        };
        rows.push(quote! {
            ::turnkeeper::vocabulary::Field {
                name: #name,
                required: #is_required,
                advanced: #is_advanced,
                physical: #is_physical,
                default: #default,
                values: <#ty as ::turnkeeper::vocabulary::FieldType>::values,
            }
        });
    }
    Ok(quote! { &[ #( #rows ),* ] })
}

pub fn implemented(item: &DeriveInput) -> Result<Tokens> {
    let name = &item.ident;
    let table = table(item)?;
    Ok(quote! {
        impl ::turnkeeper::vocabulary::Fields for #name {
            const FIELDS: &'static [::turnkeeper::vocabulary::Field] = #table;
        }

        impl ::turnkeeper::vocabulary::FieldType for #name {}
    })
}

/// Adds to the fields how they are read and written. One without a value is not written, and a list
/// or map with `#[default]` not if it is empty. Any field with `#[default]` may be left out.
pub fn complete(item: &mut DeriveInput) -> Result<()> {
    let Data::Struct(data) = &mut item.data else {
        return Ok(());
    };
    if let Fields::Named(named) = &mut data.fields {
        for field in &mut named.named {
            complete_field(field)?;
        }
    }
    Ok(())
}

fn complete_field(field: &mut Field) -> Result<()> {
    let of = last_segment(&field.ty).cloned();
    let kind = of
        .as_ref()
        .map(|last| last.ident.to_string())
        .unwrap_or_default();
    if kind == "Option" {
        if !has_word(&field.attrs, "serde", "skip_serializing_if") {
            field
                .attrs
                .push(parse_quote!(#[serde(skip_serializing_if = "Option::is_none")]));
        }
        return Ok(());
    }
    let is_default = |attribute: &Attribute| attribute.path().is_ident("default");
    let Some(at) = field.attrs.iter().position(is_default) else {
        return Ok(());
    };
    let default = field.attrs.remove(at);
    if !matches!(default.meta, Meta::Path(_)) {
        return Err(Error::new_spanned(
            default,
            "`#[default]` has no value: it is that of the type.",
        ));
    }
    let added: &[Attribute] = &match kind.as_str() {
        "Vec" => vec![parse_quote!(#[serde(default, skip_serializing_if = "Vec::is_empty")])],
        "BTreeMap" => {
            let value = of.as_ref().and_then(value_of);
            vec![
                parse_quote!(#[serde(default, skip_serializing_if = "BTreeMap::is_empty")]),
                parse_quote!(#[schema(value_type = std::collections::HashMap<String, #value>)]),
            ]
        }
        "bool" => vec![
            parse_quote!(#[serde(default)]),
            parse_quote!(#[schema(default = false)]),
        ],
        "Int" => vec![
            parse_quote!(#[serde(default)]),
            parse_quote!(#[schema(default = 0)]),
        ],
        _ => vec![parse_quote!(#[serde(default)])],
    };
    field.attrs.extend_from_slice(added);
    Ok(())
}

/// The name that `#[serde(rename = "...")]` gives a field.
fn renamed(attributes: &[Attribute]) -> Result<Option<String>> {
    let mut renamed = None;
    for attribute in attributes {
        if has_word(std::slice::from_ref(attribute), "serde", "rename") {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("rename") {
                    renamed = Some(meta.value()?.parse::<LitStr>()?.value());
                } else if meta.input.peek(Token![=]) {
                    meta.value()?.parse::<Lit>()?;
                }
                Ok(())
            })?;
        }
    }
    Ok(renamed)
}

fn has_attribute(attributes: &[Attribute], name: &str) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident(name))
}

/// True if an attribute `name` has the argument `word`.
fn has_word(attributes: &[Attribute], name: &str, word: &str) -> bool {
    attributes.iter().any(|attribute| {
        let Meta::List(list) = &attribute.meta else {
            return false;
        };
        let mut words = list.tokens.clone().into_iter();
        list.path.is_ident(name) && words.any(|token| token.to_string() == word)
    })
}

/// The last part of a type's path, such as `Option<Die>`.
pub fn last_segment(of: &Type) -> Option<&PathSegment> {
    match of {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// The type of a map's values.
fn value_of(map: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &map.arguments else {
        return None;
    };
    match arguments.args.last() {
        Some(GenericArgument::Type(value)) => Some(value),
        _ => None,
    }
}
