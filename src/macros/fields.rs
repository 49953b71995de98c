//! What structs get field by field.

use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{
    Attribute, Data, DeriveInput, Error, Field, Fields, GenericArgument, Ident, Meta,
    PathArguments, PathSegment, Result, Type, parse_quote,
};

/// The names of a struct's fields.
pub fn fields(item: &DeriveInput) -> Result<Vec<&Ident>> {
    if let Data::Struct(data) = &item.data
        && let Fields::Named(named) = &data.fields
    {
        return Ok(named
            .named
            .iter()
            .filter_map(|field| field.ident.as_ref())
            .collect());
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
        if !has_skip(field) {
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

fn has_skip(field: &Field) -> bool {
    field.attrs.iter().any(|attribute| {
        matches!(&attribute.meta, Meta::List(list)
            if list.path.is_ident("serde") && list.tokens.to_string().contains("skip_serializing_if"))
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
