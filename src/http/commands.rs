//! Sending commands, and listing those that are legal now.

use super::AppState;
use super::extract::{Conditions, EncounterId, Parameters};
use super::headers::PREFERENCE_APPLIED;
use super::post::Post;
use super::problem::Problem;
use super::reply::Reply;
use crate::app::{
    Answer, AnswerSize, App, AppError, BearerToken, CommandCall, Include, OptionsCall, Table,
};
use crate::engine::Request;
use crate::json::FieldError;
use crate::measure;
use crate::openapi::*;
use crate::vocabulary::{
    CombatantId, EncounterSchema, EventSchema, Int, LegalCommands, Pending, Time,
};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

/// How a command is applied.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct CommandQuery {
    /// Returns the answer without changing anything. The dice differ from those of the real
    /// command. A player's dry run knows only what the player knows.
    #[serde(default)]
    dry_run: bool,
    /// Parts to add to the answer, separated by commas: `encounter` (the sender's view of it),
    /// `options` (the legal commands), `tools` (among them the tools of the table) and `table` (the
    /// turn table as text). The encounter is
    /// included unless you send `Prefer: return=minimal`. A dry run has no options, and a busy
    /// server leaves them out: read them then.
    #[serde(default)]
    #[param(value_type = Option<String>,
        pattern = "^(encounter|options|tools|table)(,(encounter|options|tools|table))*$")]
    include: Include,
    /// The id of the token whose options to include. Only for a game master, with
    /// `include=options`. Without it, they are the sender's.
    #[param(value_type = Option<String>)]
    r#for: Option<String>,
    /// The maximum number of characters of the included turn table, such as 2000 for Discord.
    #[param(value_type = Option<usize>, minimum = 200, maximum = 100_000)]
    max_length: Option<Int<200, 100_000>>,
}

impl CommandQuery {
    /// The turn table that the answer is to hold.
    fn table(&self) -> Option<Table> {
        let max_length = self.max_length.map(|most| most.count() as usize);
        self.include.table.then_some(Table { max_length })
    }

    /// Refuses parameters of parts that are not included.
    fn check(&self) -> Result<(), Problem> {
        let (name, message) = if self.r#for.is_some() && !self.include.lists_options() {
            ("for", "\"for\" needs options. Add include=options.")
        } else if self.max_length.is_some() && !self.include.table {
            (
                "max_length",
                "\"max_length\" needs a turn table. Add include=table.",
            )
        } else {
            return Ok(());
        };
        Err(Problem::parameter(FieldError::meaningless(name, message)))
    }
}

/// Send a command
///
/// Takes one command, or a list of at most 50 commands that is applied all or nothing and makes one
/// version. The game master sends every command. A player sends those that the manifest marks with
/// `"sender": "player"`, for the combatants that the token names.
#[utoipa::path(post, path = "/v1/encounters/{id}/commands", tag = "commands",
    security(("token" = [])),
    params(EncounterId, CommandQuery,
        ("If-Match" = Option<String>, Header, description = IF_MATCH),
        ("Idempotency-Key" = Option<String>, Header, description = IDEMPOTENCY_KEY),
        ("Prefer" = Option<String>, Header,
            description = "`return=minimal` leaves the encounter out of the answer. A repeated \
            request returns its first answer.")),
    request_body = CommandRequest,
    responses((status = 200, description = "The events and the state after them", body = CommandAnswer<'_>,
            headers(("ETag"), ("Encounter-Version"), ("Idempotency-Replayed"), ("Preference-Applied"))),
        BadRequest, Unauthorized, Forbidden, NotFound, RequestTimeout, Conflict, Gone,
        PreconditionFailed, PayloadTooLarge,
        UnsupportedMediaType, UnprocessableEntity, TooManyRequests, ServiceUnavailable))]
pub(super) async fn send_command(
    State(shared): State<AppState>,
    token: BearerToken,
    EncounterId(id): EncounterId,
    Parameters(query): Parameters<CommandQuery>,
    conditions: Conditions,
    size: AnswerSize,
    post: Post,
) -> Result<Reply, Problem> {
    query.check()?;
    let request = Request::read(post.body)?;
    let include = query.include;
    let options_for = query.r#for.as_deref();
    let size = if include.encounter {
        AnswerSize::Full
    } else {
        size
    };
    let command = CommandCall {
        id: &id,
        token: &token,
        request: &request,
        expected: conditions.matching.as_ref(),
        key: post.key.as_ref(),
        size,
        table: query.table(),
        options_for,
    };
    if query.dry_run {
        return Ok(reply(shared.app.dry_run(command).await?, None)?);
    }
    let mut answer = apply(&shared.app, command).await?;
    let mut options = None;
    if include.lists_options() {
        let time = post.time.left();
        let call = OptionsCall {
            token: options_for,
            combatant: None,
            tools: include.tools,
        };
        options = shared
            .app
            .options_after_commit(&id, &token, call, time)
            .await;
    }
    if let Some(listed) = &options
        && answer.make_room_for(listed.get().len()).is_err()
    {
        options = None;
    }
    let version = answer.version;
    let tag = answer.tag.take();
    let reply = reply(answer, options.as_deref())?;
    Ok(reply.version(version).encounter_tag(tag.as_ref()))
}

/// Applies a command, and counts it by its outcome: `accepted`, `repeated` or the problem's code.
pub(super) async fn apply(app: &App, call: CommandCall<'_>) -> Result<Answer, Problem> {
    let id = call.id;
    let answered = app.command(call).await.map_err(Problem::from);
    if measure::is_on() {
        let outcome = match &answered {
            Ok(answer) if answer.replayed => "repeated",
            Ok(_) => "accepted",
            Err(problem) => problem.code(),
        };
        measure::command(app.cached_ruleset(id), outcome);
    }
    answered
}

/// The answer to one command or a list, also to a dry run. The encounter is the view that `GET`
/// returns.
#[serde_with::skip_serializing_none]
#[derive(Serialize, ToSchema)]
pub(super) struct CommandAnswer<'a> {
    /// The version of the encounter after the command. `If-Match` takes it in quotes.
    version: u64,
    /// The combatants whose turn it is.
    current: &'a [CombatantId],
    /// The pending decision; null if there is none.
    #[serialize_always]
    #[schema(required = true)]
    pending: Option<&'a Pending>,
    /// Since when `current` and `pending` are what they are, as in the encounter.
    #[schema(required = false, value_type = String, format = DateTime)]
    since: Option<Time>,
    /// The events, in order.
    #[schema(value_type = Vec<EventSchema>)]
    events: &'a RawValue,
    /// The encounter after the command, unless `Prefer` leaves it out.
    #[schema(required = false, value_type = EncounterSchema)]
    encounter: Option<&'a RawValue>,
    /// The legal commands after the command, with `include=options`.
    #[schema(required = false, value_type = LegalCommands)]
    options: Option<&'a RawValue>,
    /// The turn table after the command, with `include=table`: the text of the encounter with
    /// `Accept: text/plain`.
    #[schema(required = false, value_type = String)]
    table: Option<&'a RawValue>,
}

fn reply(answer: Answer, options: Option<&RawValue>) -> Result<Reply, AppError> {
    let body = CommandAnswer {
        version: answer.version,
        current: &answer.brief.current,
        pending: answer.brief.pending.as_ref(),
        since: answer.brief.since,
        events: &answer.events,
        encounter: answer.encounter.as_deref(),
        options,
        table: answer.table.as_deref(),
    };
    let bytes = answer.bytes() + options.map_or(0, |options| options.get().len());
    let mut json = Vec::with_capacity(bytes);
    serde_json::to_writer(&mut json, &body)?;
    let reply = Reply::json(answer.room.keep(json.into())).replayed(answer.replayed);
    if answer.encounter.is_some() {
        return Ok(reply);
    }
    let minimal = HeaderValue::from_static("return=minimal");
    Ok(reply.header(PREFERENCE_APPLIED, minimal))
}

/// The legal commands to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct OptionsQuery {
    /// The combatant whose commands to list. Without it, those of all combatants, and those of
    /// none.
    #[param(value_type = Option<String>)]
    combatant: Option<CombatantId>,
    /// The id of the token whose options to list. Only for a game master. Without it, they are the
    /// sender's.
    #[param(value_type = Option<String>)]
    r#for: Option<String>,
    /// `tools` lists the tools of the table too: notes, hit points, effects, combatants, undo. They
    /// are left out if something else is legal.
    #[serde(default)]
    #[param(value_type = Option<String>, pattern = "^tools$")]
    include: Include,
}

impl OptionsQuery {
    /// Refuses parts that this answer does not have.
    fn check(&self) -> Result<(), Problem> {
        let only_tools = Include {
            tools: self.include.tools,
            ..Include::default()
        };
        if self.include == only_tools {
            return Ok(());
        }
        let message = "The legal commands can include \"tools\" only.";
        Err(Problem::parameter(FieldError::meaningless(
            "include", message,
        )))
    }
}

/// List the legal commands
///
/// Each item is a command that this token may send, with its open choices and the rule that allows
/// it.
#[utoipa::path(get, path = "/v1/encounters/{id}/options", tag = "commands",
    security(("token" = [])),
    params(EncounterId, OptionsQuery, ("If-None-Match" = Option<String>, Header,
        description = IF_NONE_MATCH)),
    responses((status = 200, description = "The legal commands", body = LegalCommands,
        headers(("ETag"), ("Encounter-Version"))),
        (status = 304, description = "The legal commands have not changed"),
        BadRequest, Unauthorized, Forbidden, NotFound, RequestTimeout, UnprocessableEntity, TooManyRequests,
        ServiceUnavailable))]
pub(super) async fn list_options(
    State(shared): State<AppState>,
    token: BearerToken,
    EncounterId(id): EncounterId,
    Parameters(query): Parameters<OptionsQuery>,
    conditions: Conditions,
) -> Result<Reply, Problem> {
    query.check()?;
    let known = conditions.none_matching.as_ref();
    let call = OptionsCall {
        token: query.r#for.as_deref(),
        combatant: query.combatant.as_ref(),
        tools: query.include.tools,
    };
    let (tag, legal) = shared.app.options(&id, &token, call, known).await?;
    let Some(legal) = legal else {
        return Ok(Reply::empty(StatusCode::NOT_MODIFIED).tagged(&tag));
    };
    let body = Bytes::copy_from_slice(legal.get().as_bytes());
    Ok(Reply::json(body).tagged(&tag))
}
