//! A tagged union of structs: an enum whose variants are named as the structs are.

use heck::ToSnakeCase;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::parse::Parser;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprLit, Fields, Ident, Lit, Meta, Path, Result,
    Visibility,
};

/// An enum that lists structs.
pub struct Union {
    pub name: Ident,
    visibility: Visibility,
    attributes: Vec<Attribute>,
    pub variants: Vec<Variant>,
}

/// A struct that it lists, and its `type` in JSON.
pub struct Variant {
    pub name: Ident,
    pub tag: String,
    /// True if it stands in the log alone: then no document describes it.
    pub kept: bool,
}

impl Union {
    pub fn read(item: DeriveInput) -> Result<Self> {
        let Data::Enum(data) = item.data else {
            return Err(Error::new_spanned(
                &item.ident,
                "An enum that lists structs is expected.",
            ));
        };
        let mut variants = Vec::new();
        for variant in data.variants {
            if !matches!(variant.fields, Fields::Unit) {
                return Err(Error::new_spanned(
                    &variant.fields,
                    "The struct of this name has the fields. Leave them out here.",
                ));
            }
            let mut tag = variant.ident.to_string().to_snake_case();
            let mut kept = false;
            for attribute in &variant.attrs {
                if attribute.path().is_ident("kept") {
                    kept = true;
                } else {
                    tag = given_name(attribute)?;
                }
            }
            variants.push(Variant {
                name: variant.ident,
                tag,
                kept,
            });
        }
        Ok(Self {
            name: item.ident,
            visibility: item.vis,
            attributes: item.attrs,
            variants,
        })
    }

    /// The enum itself, how it is read and written, its schema, and a conversion from each struct.
    pub fn written(&self) -> Tokens {
        let Self {
            name,
            visibility,
            attributes,
            variants,
        } = self;
        let names: Vec<_> = variants.iter().map(|variant| &variant.name).collect();
        let tags: Vec<_> = variants.iter().map(|variant| &variant.tag).collect();
        let published = variants.iter().filter(|variant| !variant.kept);
        let (published, published_tags): (Vec<_>, Vec<_>) = published
            .map(|variant| (&variant.name, &variant.tag))
            .unzip();
        quote! {
            #( #attributes )*
            #[derive(Debug, Clone, PartialEq, Eq, ::serde::Serialize, ::serde::Deserialize)]
            #[serde(tag = "type")]
            #[allow(missing_docs, reason = "each variant is its struct, documented there")]
            #visibility enum #name {
                #( #[serde(rename = #tags)] #names(#names), )*
            }

            #(
                impl From<#names> for #name {
                    fn from(variant: #names) -> Self {
                        Self::#names(variant)
                    }
                }
            )*

            impl ::turnkeeper::json::Tagged for #name {
                fn parse<S: ::turnkeeper::json::Source + ?Sized>(
                    tag: &str,
                    source: &S,
                ) -> Option<Result<Self, ::turnkeeper::json::FieldError>> {
                    match tag {
                        #( #tags => Some(source.read().map(Self::#names)), )*
                        _ => None,
                    }
                }
            }

            impl ::utoipa::PartialSchema for #name {
                fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::Schema> {
                    ::turnkeeper::json::union_schema([
                        #( (#published_tags, <#published as ::utoipa::PartialSchema>::schema()), )*
                    ])
                }
            }

            impl ::utoipa::ToSchema for #name {
                fn schemas(
                    schemas: &mut Vec<(String, ::utoipa::openapi::RefOr<::utoipa::openapi::Schema>)>,
                ) {
                    #( <#published as ::utoipa::ToSchema>::schemas(schemas); )*
                }
            }
        }
    }
}

/// The ruleset that an attribute names, if it names one.
pub fn ruleset(arguments: Tokens) -> Result<Option<Path>> {
    if arguments.is_empty() {
        return Ok(None);
    }
    Parser::parse2(Path::parse_mod_style, arguments)
        .map(Some)
        .map_err(|error| Error::new(error.span(), "The type of the ruleset is expected."))
}

/// The name that `#[name = "..."]` gives.
fn given_name(attribute: &Attribute) -> Result<String> {
    if let Meta::NameValue(given) = &attribute.meta
        && given.path.is_ident("name")
        && let Expr::Lit(ExprLit {
            lit: Lit::Str(name),
            ..
        }) = &given.value
    {
        return Ok(name.value());
    }
    Err(Error::new_spanned(
        attribute,
        "Only `#[name = \"...\"]` or `#[kept]` may stand here. The struct has the doc comment.",
    ))
}
