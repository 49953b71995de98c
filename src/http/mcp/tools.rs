//! The tools. Each calls the function of the application that a route of the API calls.

use super::super::AppState;
use super::super::commands::apply;
use super::super::events::event_texts;
use super::super::extract::EncounterId;
use super::super::post::{Post, creation_key};
use super::super::problem::Problem;
use super::super::published::{LIST, RULESETS, ruleset_ids, unpacked};
use super::super::tokens::TokenAnswer;
use super::answer::{Refused, ToolAnswer};
use super::caller::Caller;
use super::message::{INVALID_PARAMS, RpcFailure};
use super::options::Options;
use crate::app::{
    Answer, AnswerCall, AnswerSize, AppError, BearerToken, Client, CommandCall, EntryView,
    Expected, IdempotencyKey, OptionsCall, Role, SeenEntry, Table, Tag, Viewer,
};
use crate::engine::{Creation, Request, Summary};
use crate::json::{FieldError, read, read_fields, shortened};
use crate::openapi::{
    ChooseOption, CreateEncounter, ListOptions, ListRulesets, ReadLog, Seat, SeeTable, TOOLS,
};
use crate::vocabulary::{CombatantId, Int, Pending, Status};
use axum::body::Bytes;
use axum::http::StatusCode;
use data_encoding::HEXLOWER;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// The maximum number of entries of the log without `limit`.
const DEFAULT_ENTRIES: u32 = 20;
/// The turn table in full.
const TABLE: Table = Table { max_length: None };

/// The fields that tools read apart from the others.
const SEAT: [&str; 2] = ["encounter", "token"];
const KEY: [&str; 1] = ["idempotency_key"];

/// A call of a tool that exists.
pub(super) struct ToolCall {
    name: &'static str,
    /// The encounter that it is for, if the tool is one of an encounter.
    pub seat: Option<Seat>,
    /// Why the arguments name no encounter.
    unseated: Option<FieldError>,
    arguments: Map<String, Value>,
}

impl ToolCall {
    /// Reads which tool is called, and for which encounter.
    pub fn read(mut params: Map<String, Value>) -> Result<Self, RpcFailure> {
        let failure = |message| RpcFailure::new(StatusCode::OK, INVALID_PARAMS, message);
        let called = params.get("name").and_then(Value::as_str);
        let Some(tool) = TOOLS.iter().find(|tool| Some(tool.name) == called) else {
            return Err(failure("Unknown tool. tools/list lists the tools."));
        };
        let mut arguments = match params.remove("arguments") {
            None => Map::new(),
            Some(Value::Object(arguments)) => arguments,
            Some(_) => return Err(failure("\"arguments\" must be an object.")),
        };
        let mut call = Self {
            name: tool.name,
            seat: None,
            unseated: None,
            arguments: Map::new(),
        };
        if !matches!(tool.name, "list_rulesets" | "create_encounter") {
            match read_fields(&taken(&mut arguments, &SEAT), &[]) {
                Ok(seat) => call.seat = Some(seat),
                Err(error) => call.unseated = Some(error),
            }
        }
        call.arguments = arguments;
        Ok(call)
    }

    /// Whether it reads what is the same for all, which no rate limit counts.
    pub fn is_free(&self) -> bool {
        self.name == "list_rulesets"
    }

    /// The client that takes the room of the answer.
    pub fn budget(&self, caller: &Caller, sender: &Client) -> Client {
        let Some(seat) = &self.seat else {
            return sender.clone();
        };
        match caller.token(seat.token.as_deref()) {
            Ok(token) => Client::of(&token, &seat.encounter),
            Err(_) => sender.clone(),
        }
    }

    /// The arguments besides those that are read already.
    fn arguments<T: DeserializeOwned>(&self, beside: &[&'static str]) -> Result<T, Box<Refused>> {
        Ok(read_fields(&self.arguments, beside).map_err(AppError::from)?)
    }
}

/// Takes these fields out of an object.
fn taken(fields: &mut Map<String, Value>, names: &[&str]) -> Map<String, Value> {
    let mut found = Map::new();
    for name in names {
        if let Some(value) = fields.remove(*name) {
            found.insert((*name).to_owned(), value);
        }
    }
    found
}

/// What calls of tools need besides their arguments.
pub(super) struct Context<'a> {
    pub shared: &'a AppState,
    pub caller: &'a Caller,
    pub posted: &'a Post<Bytes>,
}

/// An encounter and a token for it, as the call names them.
struct Seated {
    id: String,
    token: BearerToken,
}

type Told = Result<ToolAnswer, Box<Refused>>;

impl Context<'_> {
    /// Runs a tool.
    pub async fn run(&self, mut tool: ToolCall) -> Told {
        match tool.name {
            "list_rulesets" => list_rulesets(&tool),
            "create_encounter" => self.create_encounter(&mut tool).await,
            "see_table" => self.see_table(&mut tool).await,
            "list_options" => self.list_options(&mut tool).await,
            "choose_option" => self.choose_option(&mut tool).await,
            _ => self.read_log(&mut tool).await,
        }
    }

    fn seated(&self, tool: &mut ToolCall) -> Result<Seated, Box<Refused>> {
        if let Some(error) = tool.unseated.take() {
            return Err(AppError::from(error).into());
        }
        let seat = tool.seat.take().ok_or(AppError::NotFound)?;
        let token = self.caller.token(seat.token.as_deref())?;
        let EncounterId(id) = EncounterId::read(&seat.encounter).ok_or(AppError::NotFound)?;
        Ok(Seated { id, token })
    }

    async fn create_encounter(&self, tool: &mut ToolCall) -> Told {
        let application = self.caller.creator()?;
        let whole = Value::Object(tool.arguments.clone());
        let asked: CreateEncounter =
            read_fields(&taken(&mut tool.arguments, &KEY), &[]).map_err(AppError::from)?;
        let key = asked.idempotency_key.map(|key| IdempotencyKey {
            fingerprint: fingerprint("create_encounter", &whole),
            key,
        });
        let key = creation_key(key.as_ref(), application.as_ref())?;
        let rest = Value::Object(std::mem::take(&mut tool.arguments));
        let creation: Creation = read(&rest).map_err(AppError::from)?;
        let app = &self.shared.app;
        let created = app
            .create(creation, key, application, &self.posted.client)
            .await?;
        let token = created.token.reveal();
        let id = &created.encounter.meta().id;
        let mut text = format!("Encounter: {id}\nGame master's token: {token}\n");
        let tokens: Vec<TokenAnswer<'_>> = created.tokens.iter().map(TokenAnswer::of).collect();
        for new in &created.tokens {
            let _ = writeln!(text, "{} Token: {}", you(&new.info), new.token.reveal());
        }
        let table = TABLE.of(&*created.encounter);
        let _ = write!(text, "\n{table}");
        let options = match BearerToken::read(token) {
            Some(bearer) => self.options_after(id, &bearer).await,
            None => None,
        };
        write_options(&mut text, options.as_ref());
        let told = Created {
            encounter: id,
            token,
            tokens,
            version: created.encounter.version(),
            table: &table,
            options,
        };
        Ok(ToolAnswer::of(text, &told)?.within(created.room))
    }

    async fn see_table(&self, tool: &mut ToolCall) -> Told {
        let Seated { id, token } = self.seated(tool)?;
        let SeeTable {} = tool.arguments(&SEAT)?;
        let (encounter, viewer) = self.shared.app.read(&id, &token, None).await?;
        let Summary {
            name,
            ruleset,
            status,
            round,
            version,
            ..
        } = encounter.summary();
        let brief = encounter.brief();
        let table = TABLE.of(&*encounter);
        let text = format!("{table}\nVersion {version}. {}\n", you(&viewer));
        let seen = Seen {
            encounter: &id,
            name: &name,
            ruleset,
            status,
            round,
            version,
            current: &brief.current,
            pending: brief.pending.as_ref(),
            table: &table,
            you: &viewer,
        };
        Ok(ToolAnswer::of(text, &seen)?)
    }

    async fn list_options(&self, tool: &mut ToolCall) -> Told {
        let seated = self.seated(tool)?;
        let ListOptions { combatant, tools } = tool.arguments(&SEAT)?;
        let options = self.options(&seated, combatant.as_ref(), tools).await?;
        Ok(ToolAnswer::of(options.text(), &options)?)
    }

    /// The options now.
    async fn options(
        &self,
        seated: &Seated,
        combatant: Option<&CombatantId>,
        tools: bool,
    ) -> Result<Options, AppError> {
        let call = OptionsCall {
            token: None,
            combatant,
            tools,
        };
        let app = &self.shared.app;
        let (_, listed) = app.options(&seated.id, &seated.token, call, None).await?;
        let listed = listed.ok_or_else(|| AppError::Internal("no options".to_owned()))?;
        Options::read(listed.get())
    }

    /// The options after a write; None if they cannot be listed in time.
    async fn options_after(&self, id: &str, token: &BearerToken) -> Option<Options> {
        let time = self.posted.time.left();
        let app = &self.shared.app;
        let listed: Arc<RawValue> = app
            .options_after_commit(id, token, OptionsCall::default(), time)
            .await?;
        Options::read(listed.get()).ok()
    }

    async fn choose_option(&self, tool: &mut ToolCall) -> Told {
        let seated = self.seated(tool)?;
        let choice: ChooseOption = tool.arguments(&SEAT)?;
        match self.choose(&seated, &choice).await {
            Ok(answer) => self.chosen(&seated, answer).await,
            Err(problem) => {
                let options = self.options(&seated, None, false).await.ok();
                Err(Box::new(Refused { problem, options }))
            }
        }
    }

    /// Sends the command of an option, under a key that a repeated call yields again.
    async fn choose(&self, seated: &Seated, choice: &ChooseOption) -> Result<Answer, Problem> {
        let app = &self.shared.app;
        let asked = json!([seated.id, choice.option, choice.version, choice.values]);
        let fingerprint = fingerprint("choose_option", &asked);
        let key = IdempotencyKey {
            key: format!("mcp-{}", HEXLOWER.encode(&fingerprint)),
            fingerprint,
        };
        let Seated { id, token } = seated;
        let table = Some(TABLE);
        let mut options = self.options(seated, None, false).await?;
        if options.version != choice.version {
            let call = AnswerCall { id, token, table };
            let earlier = app.earlier_answer(call, &key).await?;
            let current = options.version;
            return earlier.ok_or_else(|| AppError::Stale { current }.into());
        }
        let mut command = options.command(&choice.option, &choice.values);
        if command.is_none() {
            options = self.options(seated, None, true).await?;
            command = options.command(&choice.option, &choice.values);
        }
        let Some(command) = command else {
            let option = shortened(&choice.option);
            let message = format!("Unknown option \"{option}\". Choose one that is listed now.");
            return Err(AppError::from(FieldError::meaningless("option", message)).into());
        };
        let request = Request::read(command.map_err(AppError::from)?)?;
        let call = CommandCall {
            id,
            token,
            request: &request,
            expected: Some(&Expected::OneOf(vec![Tag::of_version(choice.version)])),
            key: Some(&key),
            size: AnswerSize::Minimal,
            table,
            options_for: None,
        };
        apply(app, call).await
    }

    /// Tells what a command did, and the options after it.
    async fn chosen(&self, seated: &Seated, mut answer: Answer) -> Told {
        let mut options = self.options_after(&seated.id, &seated.token).await;
        let mut text = String::new();
        for sentence in event_texts(&answer.events)? {
            let _ = writeln!(text, "{sentence}");
        }
        let table: String = match &answer.table {
            Some(json) => serde_json::from_str(json.get()).map_err(AppError::from)?,
            None => String::new(),
        };
        let _ = write!(text, "\n{table}");
        let mut told = text.clone();
        write_options(&mut told, options.as_ref());
        // The structured content says the same again.
        let more = told.len().saturating_mul(4);
        if answer.make_room_for(more).is_err() {
            options = None;
            told = text;
        }
        let chosen = Chosen {
            version: answer.version,
            current: &answer.brief.current,
            pending: answer.brief.pending.as_ref(),
            events: &answer.events,
            table: &table,
            options,
        };
        Ok(ToolAnswer::of(told, &chosen)?.within(answer.room))
    }

    async fn read_log(&self, tool: &mut ToolCall) -> Told {
        let Seated { id, token } = self.seated(tool)?;
        let ReadLog { after, limit, wait } = tool.arguments(&SEAT)?;
        let after = after.map(Tag::of_version);
        let limit = limit.map_or(DEFAULT_ENTRIES, Int::count);
        let wait = Duration::from_secs(wait.count().into()).min(self.posted.time.left());
        let app = &self.shared.app;
        let page = app
            .await_log(&id, &token, after.as_ref(), limit as usize, wait)
            .await?;
        let entries: Vec<EntryView<'_>> = page.entries.iter().map(SeenEntry::view).collect();
        let mut text = String::new();
        for (entry, seen) in entries.iter().zip(&page.entries) {
            let sentences = event_texts(entry.events)?.join(" ");
            let _ = writeln!(text, "{}: {sentences}", seen.version());
        }
        if text.is_empty() {
            text.push_str("No entries.\n");
        }
        if let Some(next) = page.next {
            let _ = writeln!(text, "More follow: read on after {next}.");
        }
        let log = Log {
            entries,
            next: page.next,
        };
        Ok(ToolAnswer::of(text, &log)?)
    }
}

/// The structured content of `create_encounter`.
#[serde_with::skip_serializing_none]
#[derive(Serialize)]
struct Created<'a> {
    encounter: &'a str,
    token: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tokens: Vec<TokenAnswer<'a>>,
    version: u64,
    table: &'a str,
    options: Option<Options>,
}

/// The structured content of `see_table`.
#[derive(Serialize)]
struct Seen<'a> {
    encounter: &'a str,
    name: &'a str,
    ruleset: &'static str,
    status: Status,
    round: u32,
    version: u64,
    current: &'a [CombatantId],
    pending: Option<&'a Pending>,
    table: &'a str,
    you: &'a Viewer,
}

/// The structured content of `choose_option`.
#[derive(Serialize)]
struct Chosen<'a> {
    version: u64,
    current: &'a [CombatantId],
    pending: Option<&'a Pending>,
    events: &'a RawValue,
    table: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<Options>,
}

/// The structured content of `read_log`.
#[derive(Serialize)]
struct Log<'a> {
    entries: Vec<EntryView<'a>>,
    /// The version to read on after, if more entries follow.
    next: Option<u64>,
}

fn write_options(text: &mut String, options: Option<&Options>) {
    match options {
        Some(options) => {
            let _ = write!(text, "\n{}", options.text());
        }
        None => text.push_str("\nThe options are left out. Read them with list_options.\n"),
    }
}

/// Whom a viewer stands for.
fn you(viewer: &Viewer) -> String {
    match viewer.role {
        Role::Gm => "You are the game master.".to_owned(),
        Role::Spectator => "You watch.".to_owned(),
        Role::Player => {
            let ids: Vec<&str> = viewer
                .combatants
                .iter()
                .map(|own| own.id.as_str())
                .collect();
            format!("You act for {}.", ids.join(", "))
        }
    }
}

/// A digest of a call.
fn fingerprint(tool: &str, arguments: &Value) -> [u8; 32] {
    Sha256::new_with_prefix(tool)
        .chain_update([0])
        .chain_update(arguments.to_string())
        .finalize()
        .into()
}

/// The rulesets, or one of them.
fn list_rulesets(tool: &ToolCall) -> Told {
    let ListRulesets { ruleset } = tool.arguments(&[])?;
    let Some(id) = ruleset else {
        return listed_rulesets();
    };
    let Some(published) = RULESETS.iter().find(|known| known.id == id) else {
        let known = ruleset_ids();
        let detail = format!("Unknown ruleset. Rulesets: {known}.");
        return Err(Problem::not_found(detail).into());
    };
    let manifest = unpacked_json(published.manifest)?;
    let mut described = with_fields(
        &manifest,
        &[
            "id",
            "title",
            "author",
            "summary",
            "round",
            "conditions",
            "rules",
        ],
    );
    described.insert("presets".to_owned(), presets(&manifest));
    described.insert("options".to_owned(), manifest["options"].clone());
    described.insert("combatant".to_owned(), manifest["combatant"].clone());
    let described = Value::Object(described);
    Ok(ToolAnswer::of(described.to_string(), &described)?)
}

fn listed_rulesets() -> Told {
    /// Made once: each manifest is unpacked for its presets.
    static LISTED: LazyLock<Option<(String, Value)>> = LazyLock::new(|| rulesets().ok());
    match &*LISTED {
        Some((text, list)) => Ok(ToolAnswer::of(text.clone(), list)?),
        None => Err(AppError::Internal("the list of rulesets is damaged".to_owned()).into()),
    }
}

/// The list of the rulesets with their presets, as text and as JSON.
fn rulesets() -> Result<(String, Value), AppError> {
    let list = unpacked_json(LIST)?;
    let mut items = Vec::new();
    let mut text = String::new();
    for ruleset in list["items"].as_array().into_iter().flatten() {
        let mut item = with_fields(ruleset, &["id", "title", "author", "summary"]);
        let words = |field: &str| ruleset[field].as_str().unwrap_or_default();
        let _ = writeln!(
            text,
            "- {}: {}. {}",
            words("id"),
            words("title"),
            words("summary")
        );
        if let Some(published) = RULESETS.iter().find(|known| known.id == words("id")) {
            let presets = presets(&unpacked_json(published.manifest)?);
            for preset in presets.as_array().into_iter().flatten() {
                let words = |field: &str| preset[field].as_str().unwrap_or_default();
                let _ = writeln!(
                    text,
                    "    preset {}: {} ({})",
                    words("id"),
                    words("title"),
                    words("plays")
                );
            }
            if presets.is_array() {
                item.insert("presets".to_owned(), presets);
            }
        }
        items.push(item);
    }
    Ok((text, json!({"items": items})))
}

/// The presets of a manifest without their definitions; null if it has none.
fn presets(manifest: &Value) -> Value {
    let Some(presets) = manifest["presets"].as_array() else {
        return Value::Null;
    };
    let short = |preset| with_fields(preset, &["id", "title", "plays"]);
    presets.iter().map(short).collect()
}

/// A copy of some fields of an object.
fn with_fields(object: &Value, fields: &[&str]) -> Map<String, Value> {
    let mut copy = Map::new();
    for field in fields {
        copy.insert((*field).to_owned(), object[*field].clone());
    }
    copy
}

fn unpacked_json(packed: &[u8]) -> Result<Value, AppError> {
    let damaged = |error: io::Error| AppError::Internal(error.to_string());
    Ok(serde_json::from_str(&unpacked(packed).map_err(damaged)?)?)
}
