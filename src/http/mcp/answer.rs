//! Answers of tools: structured content for programs, and a text with the same for models.

use super::super::problem::{Problem, ProblemDocument};
use super::options::Options;
use super::revision::Revision;
use crate::app::{AppError, Room};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// The path of the endpoint, as problem documents name it.
const PATH: &str = "/mcp";

/// The result of a call of a tool.
#[derive(Serialize)]
pub(super) struct ToolAnswer {
    content: [TextContent; 1],
    #[serde(rename = "structuredContent")]
    structured: Box<RawValue>,
    #[serde(rename = "isError")]
    is_error: bool,
    /// Room for the answer to a write, which was taken before it.
    #[serde(skip)]
    pub room: Option<Room>,
}

#[derive(Serialize)]
struct TextContent {
    r#type: &'static str,
    text: String,
}

/// Why a tool does nothing, and the options of now if the call can be mended by them.
pub(super) struct Refused {
    pub problem: Problem,
    pub options: Option<Options>,
}

impl<E: Into<Problem>> From<E> for Box<Refused> {
    fn from(error: E) -> Self {
        Box::new(Refused {
            problem: error.into(),
            options: None,
        })
    }
}

impl ToolAnswer {
    pub fn of(text: String, structured: &impl Serialize) -> Result<Self, AppError> {
        Ok(Self {
            content: [TextContent {
                r#type: "text",
                text,
            }],
            structured: to_raw_value(structured)?,
            is_error: false,
            room: None,
        })
    }

    /// The same in this room.
    pub fn within(self, room: Room) -> Self {
        Self {
            room: Some(room),
            ..self
        }
    }

    /// The answer to a call that is refused.
    pub fn refused(refused: Refused, request_id: Option<&str>) -> Result<Self, AppError> {
        #[derive(Serialize)]
        struct Structured {
            problem: ProblemDocument,
            #[serde(skip_serializing_if = "Option::is_none")]
            options: Option<Options>,
        }
        let Refused { problem, options } = refused;
        let problem = problem.document(PATH, request_id);
        let mut text = problem.detail().to_owned();
        if let Some(options) = &options {
            text.push('\n');
            text.push_str(&options.text());
        }
        let answer = Self::of(text, &Structured { problem, options })?;
        Ok(Self {
            is_error: true,
            ..answer
        })
    }
}

/// A result with what its revision adds to each.
#[derive(Serialize)]
pub(super) struct Complete<'a, R> {
    #[serde(flatten)]
    result: &'a R,
    #[serde(rename = "resultType", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Value>,
}

impl<'a, R> Complete<'a, R> {
    pub fn of(result: &'a R, revision: Revision) -> Self {
        let stateless = revision == Revision::Stateless;
        let meta = json!({"io.modelcontextprotocol/serverInfo": server()});
        Self {
            result,
            kind: stateless.then_some("complete"),
            meta: stateless.then_some(meta),
        }
    }
}

/// The name and version of this program.
pub(super) fn server() -> Value {
    json!({"name": "turnkeeper", "title": "Turnkeeper", "version": env!("CARGO_PKG_VERSION")})
}
