//! Which web pages may call `/mcp`. A page of any site can reach a server on the player's own
//! machine, also by a name that it has bound to that address, so a page's origin must be known.

use super::super::AppState;
use super::super::cors::Origins;
use super::super::extract::single;
use super::super::problem::Problem;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::header::ORIGIN;
use axum::http::request::Parts;

/// The hosts of pages on the player's own machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The request comes from a program, from a page on the player's machine, or from one of the
/// origins that the operator names. `*` names none.
pub(super) struct AllowedOrigin;

impl FromRequestParts<AppState> for AllowedOrigin {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let Some(origin) = single(&parts.headers, &ORIGIN)? else {
            return Ok(Self);
        };
        if is_loopback(origin) || is_named(origin, &state.settings.origins) {
            return Ok(Self);
        }
        let detail = "Web pages of this origin may not call /mcp. Call it from a program, or ask the \
                      operator to allow the origin.";
        Err(Problem::new(
            StatusCode::FORBIDDEN,
            "origin_not_allowed",
            detail,
        ))
    }
}

fn is_loopback(origin: &str) -> bool {
    let Some((_, authority)) = origin.split_once("://") else {
        return false;
    };
    LOOPBACK.iter().any(|host| {
        let rest = authority.strip_prefix(host);
        rest.is_some_and(|rest| rest.is_empty() || is_port(rest))
    })
}

fn is_port(text: &str) -> bool {
    match text.strip_prefix(':') {
        Some(digits) => digits.parse::<u16>().is_ok(),
        None => false,
    }
}

fn is_named(origin: &str, origins: &Origins) -> bool {
    match origins {
        Origins::Any => false,
        Origins::Only(named) => named.iter().any(|named| named == origin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_the_own_machine_are_told_by_their_host_alone() {
        for own in [
            "http://localhost",
            "http://localhost:6274",
            "https://127.0.0.1:8080",
            "http://[::1]:80",
        ] {
            assert!(is_loopback(own), "{own}");
        }
        for other in [
            "null",
            "",
            "localhost",
            "http://localhost.evil.example",
            "http://localhost:80.evil.example",
            "http://127.0.0.1.evil.example:80",
            "http://evil.example",
            "http://127.0.0.11",
        ] {
            assert!(!is_loopback(other), "{other}");
        }
    }
}
