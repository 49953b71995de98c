//! What is legal now: the ruleset's legal commands, each tried out, and the shared commands.
//!
//! There is no second set of rules here: an option is listed because deciding it was accepted.

use super::narration::DistinctNames;
use super::record::EncounterRecord;
use super::trial::{Trials, extract_shared_lists};
use super::{MAX_CONDITIONS, Role, Stop, Viewer, narration};
use crate::vocabulary::{
    ASIDE, AddCombatant, AddEffect, Alternative, ApplyEffect, ArmorClass, BringBack,
    ClearCondition, Combatant, CombatantId, Commands, Count, Damage, Encounter, EndEncounter,
    Fields, Group, Heal, HitPoints, LegalCommand, Level, MAX_COMBATANTS, MAX_MEMBERS, Member,
    MemberId, Name, Named, Note, Notes, Override, Pending, Property, Recharge, Redo, Reminder,
    RemoveCombatant, RemoveEffect, Ruleset, SetAside, SetCondition, Slug, Status, Undo,
    UpdateCombatant, UpdateEncounter, Values, shared_list,
};
use serde_json::json;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

const PLAYERS: &str = "players";
const MONSTERS: &str = "monsters";
const ADD_TO_SEVERAL: &str = "Add[ {condition}][{!condition} a condition] to several";

/// Which of the legal commands are to be listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct OptionsFilter {
    /// Only those of this combatant.
    pub combatant: Option<CombatantId>,
    /// True if tools of the table are listed beside other legal commands.
    pub tools: bool,
    /// True if the list has the undo of the viewer's own last command.
    pub undo_own: bool,
}

impl OptionsFilter {
    /// All of them, with the tools of the table.
    pub fn all() -> Self {
        Self {
            tools: true,
            ..Self::default()
        }
    }
}

/// The legal commands that the filter lets through and this viewer may send. States since the
/// version `oldest` are kept. Tools are tried out only if they are listed. When `stop` says so, it
/// ends early with a part of them.
pub(super) fn legal_commands<R: Ruleset>(
    record: &EncounterRecord<R>,
    viewer: &Viewer,
    filter: &OptionsFilter,
    oldest: u64,
    stop: Stop<'_>,
) -> Vec<LegalCommand> {
    let encounter = &record.encounter;
    if viewer.role == Role::Spectator {
        return Vec::new();
    }
    let mut trials = Trials::new(record, viewer, stop);
    let (tools, others): (Vec<_>, Vec<_>) = of_the_ruleset(encounter, filter)
        .into_iter()
        .partition(|option| option.group == Group::Tools);
    let mut legal_commands = trials.keep_legal(others);
    let has_others = !legal_commands.is_empty();
    legal_commands.extend(trials.keep_legal(due_effects(encounter, filter)));
    if filter.tools || !has_others {
        legal_commands.extend(trials.keep_legal(tools));
        if filter.combatant.is_none() {
            legal_commands.extend(tools_of_the_table(record, viewer, oldest, &mut trials));
            if filter.undo_own {
                legal_commands.push(undo_own());
            }
        }
    }
    trials.prune_shared_lists(&mut legal_commands);
    for option in &mut legal_commands {
        option.fill_in_only_values();
    }
    let names = DistinctNames::of(encounter);
    extract_shared_lists(&mut legal_commands, &names);
    choose_usual_answers::<R>(encounter, &mut legal_commands);
    legal_commands.sort_by_key(|option| (option.group, !option.primary));
    narration::label(R::Command::SPECS, &names, &mut legal_commands);
    legal_commands
}

/// The ruleset's commands that are asked for, each with the part of a page for it, before trials.
fn of_the_ruleset<R: Ruleset>(
    encounter: &Encounter<R>,
    filter: &OptionsFilter,
) -> Vec<LegalCommand> {
    if encounter.status == Status::Ended {
        return Vec::new();
    }
    let mut options = R::legal_commands(encounter);
    if filter.combatant.is_some() {
        options.retain(|option| option.actor == filter.combatant);
    }
    if let Some(pending) = R::pending(encounter) {
        let current = R::current(encounter);
        let current: HashSet<&CombatantId> = current.iter().collect();
        let awaited: HashSet<&CombatantId> = pending.combatants.iter().collect();
        for option in &mut options {
            option.group = group(encounter, &pending, &awaited, &current, option);
        }
    }
    options
}

/// The legal commands that are the same under all rulesets.
fn tools_of_the_table<R: Ruleset>(
    record: &EncounterRecord<R>,
    viewer: &Viewer,
    oldest: u64,
    trials: &mut Trials<'_, R>,
) -> Vec<LegalCommand> {
    let encounter = &record.encounter;
    if viewer.role == Role::Player {
        let mut own = own_hits(record, viewer);
        own.extend(own_effect(record, viewer));
        return trials.keep_legal(own);
    }
    let mut legal_commands = shared(encounter);
    if encounter.status == Status::Running && encounter.active().next().is_some() {
        let active = encounter.active().map(|c| &c.id);
        let give_turn = LegalCommand::of::<Override>("TK-5").whom("combatant", active);
        legal_commands.extend(trials.keep_legal([give_turn]));
    }
    legal_commands.extend(undo(record, oldest));
    legal_commands.extend(redo(record, oldest));
    legal_commands
}

/// Says which options are the usual answers to what is pending: of the first command the preferred
/// ones, at most one about each combatant; if there are none, the first about each. A preferred
/// `resolve` is a usual answer besides, in place of a `pass` of each.
fn choose_usual_answers<R: Ruleset>(encounter: &Encounter<R>, legal_commands: &mut [LegalCommand]) {
    let Some(pending) = R::pending(encounter) else {
        return;
    };
    let Some(usual) = pending.commands.first() else {
        return;
    };
    let is_answer = |option: &&mut LegalCommand| option.group == Group::Decision;
    let (resolve, others): (Vec<_>, Vec<_>) = legal_commands
        .iter_mut()
        .filter(is_answer)
        .partition(|option| option.verb() == "resolve" && option.preferred);
    let mut answers: Vec<_> = others
        .into_iter()
        .filter(|option| option.verb() == *usual)
        .collect();
    if answers.iter().any(|option| option.preferred) {
        answers.retain(|option| option.preferred);
    }
    if *usual == "pass" && !resolve.is_empty() {
        answers.clear();
    }
    for option in resolve {
        option.make_primary();
    }
    let mut known = HashSet::new();
    for option in answers {
        let about = option.command["combatant"].as_str().map(str::to_owned);
        if known.insert(about) {
            option.make_primary();
        }
    }
}

/// The part of a page for an option, where `awaited` are the combatants of the decision and
/// `current` those that have the turn.
fn group<R: Ruleset>(
    encounter: &Encounter<R>,
    pending: &Pending,
    awaited: &HashSet<&CombatantId>,
    current: &HashSet<&CombatantId>,
    option: &LegalCommand,
) -> Group {
    let verb = option.verb();
    if let Some(own) = option.own_group {
        return own;
    }
    let answers = pending.commands.contains(&verb);
    let Some(actor) = &option.actor else {
        return if answers {
            Group::Decision
        } else {
            Group::Tools
        };
    };
    let before_the_start = encounter.status == Status::Setup;
    if before_the_start || (answers && awaited.contains(actor)) {
        Group::Decision
    } else if current.contains(actor) {
        Group::Turn
    } else {
        Group::Reaction
    }
}

/// The shared commands that are legal now.
fn shared<R: Ruleset>(encounter: &Encounter<R>) -> Vec<LegalCommand> {
    let note = LegalCommand::of::<Note>("TK-1");
    if encounter.status == Status::Ended {
        return vec![note];
    }
    // A change of nothing is none.
    let update = || LegalCommand::of::<UpdateEncounter>("TK-1");
    let rename = update().required("name").without(&["turn_seconds"]);
    let time = update().only(&["turn_seconds"]).required("turn_seconds");
    let time = time.labelled("Set the seconds of a turn");
    let end = LegalCommand::of::<EndEncounter>("TK-1");
    let mut legal_commands = vec![note, rename, time, end];
    legal_commands.extend(add_combatant(encounter));
    legal_commands.extend(effects(encounter));
    legal_commands.extend(hit_points(encounter, |_| true));
    legal_commands.extend(set_condition(encounter));
    legal_commands.extend(clear_condition(encounter));
    legal_commands.extend(set_aside(encounter));
    legal_commands.extend(change_combatants(encounter));
    legal_commands.retain(|option| !is_void(option));
    legal_commands
}

/// Whether a required field has no value to choose.
fn is_void(option: &LegalCommand) -> bool {
    let mut choices = option.choices.iter();
    choices.any(|choice| choice.required && choice.values.is_empty())
}

fn add_combatant<R: Ruleset>(encounter: &Encounter<R>) -> Option<LegalCommand> {
    if encounter.combatants.len() >= MAX_COMBATANTS {
        return None;
    }
    let name = Property::required("name", Name::any());
    // Without a maximum: not every one would be accepted with every current number.
    let hp = vec![
        Property::required("current", Values::Range(1, HitPoints::MOST)),
        Property::optional("temp", HitPoints::any()),
    ];
    let members = Values::List {
        items: Box::new(Values::NewWord(Vec::new())),
        unique: true,
        length: [1, MAX_MEMBERS],
    };
    let mut properties = vec![
        name,
        Property::optional("hp", Values::Object(hp)),
        Property::optional("members", members),
    ];
    properties.extend(properties_of_combatants(encounter));
    properties.extend(R::newcomer_fields(encounter));
    Some(LegalCommand::of::<AddCombatant>("TK-2").object("details", properties))
}

/// The fields of a combatant that the game master may set in any ruleset.
fn properties_of_combatants<R: Ruleset>(encounter: &Encounter<R>) -> Vec<Property> {
    let mut sides = vec![PLAYERS, MONSTERS];
    for c in encounter.iter() {
        if !sides.contains(&c.side.as_str()) {
            sides.push(c.side.as_str());
        }
    }
    vec![
        Property::optional("side", Values::words(sides)),
        Property::optional("hidden", Values::flag()),
        Property::optional("controller", Name::any()),
        Property::optional("armor_class", ArmorClass::any()),
        Property::optional("level", Level::any()),
        Property::optional("notes", Notes::any()),
    ]
}

fn effects<R: Ruleset>(encounter: &Encounter<R>) -> Vec<LegalCommand> {
    let mut legal_commands = Vec::new();
    if encounter.has_room_for_effect(true) || encounter.has_room_for_effect(false) {
        let everyone: Vec<&Combatant<R>> = encounter.iter().collect();
        let sources = Values::combatants(everyone.iter().map(|c| &c.id));
        let rest = vec![
            Property::optional("hidden", Values::flag()),
            Property::optional("source", sources),
        ];
        let automatic = Property::optional("automatic", Values::flag());
        legal_commands.extend(add_effect("TK-2", &everyone, &rest, Some(automatic)));
    }
    let effects = encounter.effects.iter().map(|effect| &effect.id);
    let remove = LegalCommand::of::<RemoveEffect>("TK-2");
    legal_commands.push(remove.open("effect_id", Values::effects(effects)));
    let effects = encounter.effects.iter();
    let others = effects.filter(|effect| !effect.waits && effect.can_be_applied());
    let apply = LegalCommand::of::<ApplyEffect>("TK-2").without(&["roll"]);
    let apply = apply.labelled("Apply an effect before it is due");
    let ids = Values::effects(others.map(|effect| &effect.id));
    legal_commands.push(apply.open("effect_id", ids));
    legal_commands
}

/// The effects that were due and wait for the game master.
fn due_effects<R: Ruleset>(encounter: &Encounter<R>, filter: &OptionsFilter) -> Vec<LegalCommand> {
    let mut legal_commands = Vec::new();
    if encounter.status == Status::Ended {
        return legal_commands;
    }
    for effect in encounter.effects.iter().filter(|effect| effect.waits) {
        if filter.combatant.is_some() && effect.target != filter.combatant {
            continue;
        }
        let option = LegalCommand::of::<ApplyEffect>("TK-2").with("effect_id", effect.id.as_str());
        let option = match effect.recharge() {
            Some(Recharge { sides, .. }) => option.range("roll", 1, sides.get()),
            None => option.without(&["roll"]),
        };
        legal_commands.push(LegalCommand {
            group: Group::Turn,
            ..option
        });
    }
    legal_commands
}

/// The options of an effect on one target or none, and on several, each with the fields `rest`; of
/// one that begins later, of a reminder and of a recharge. These have few fields: a form is made for
/// each combination of shapes.
fn add_effect<R: Ruleset>(
    rule: &'static str,
    everyone: &[&Combatant<R>],
    rest: &[Property],
    automatic: Option<Property>,
) -> Vec<LegalCommand> {
    let ids: Vec<&CombatantId> = everyone.iter().map(|c| &c.id).collect();
    let effect = |expires: Values, more: Vec<Property>| {
        let mut fields = vec![
            Property::required("name", Name::any()),
            Property::required("expires", expires),
        ];
        fields.extend(more);
        LegalCommand::of::<AddEffect>(rule).object("effect", fields)
    };
    let with_rest = |target: Property| {
        let rest = rest.iter().cloned();
        let fields = [target].into_iter().chain(rest).collect();
        effect(Values::AnyOf(expiries(&ids)), fields)
    };
    let one = || Values::combatants(ids.iter().copied());
    let mut options = vec![with_rest(Property::optional("target", one()))];
    if let Some(targets) = several_of(everyone, |_| true) {
        let several = with_rest(Property::required("targets", targets));
        options.push(several.labelled("Add an effect to several"));
    }
    // A player's effect needs its source.
    let source = || rest.iter().filter(|property| property.required).cloned();
    let mut later = vec![
        Property::required("begins", Values::AnyOf(moments(&ids))),
        Property::optional("target", one()),
    ];
    later.extend(source());
    let [rounds, ..] = counts(&ids);
    let rounds = moment("For a number of rounds", "round_end", rounds);
    let later = effect(Values::AnyOf(vec![rounds, until_removed()]), later);
    options.push(later.labelled("Add an effect that begins later"));
    let reminding = |what: Vec<Property>| {
        let mut reminder = vec![Property::required("due", Values::AnyOf(moments(&ids)))];
        reminder.extend(what);
        reminder.extend(automatic.clone());
        let mut fields = vec![
            Property::required("target", one()),
            Property::required("reminder", Values::Object(reminder)),
        ];
        fields.extend(source());
        effect(until_removed().values, fields)
    };
    let reminder = reminding(Reminder::only(&["damage", "heal"]));
    options.push(reminder.labelled("Add a reminder"));
    let recharge = reminding(vec![Property::required("recharge", recharge())]);
    options.push(recharge.labelled("Add a recharge"));
    options
}

fn until_removed() -> Alternative {
    moment("Until the game master ends it", "removed", Vec::new())
}

/// A d6 that brings something back, and the lowest face that does.
fn recharge() -> Values {
    Values::Object(vec![
        Property::required("sides", Values::words([6])),
        Property::required("from", Values::Range(1, 6)),
    ])
}

/// The ends that an effect may have.
fn expiries(everyone: &[&CombatantId]) -> Vec<Alternative> {
    let [rounds, start, end] = counts(everyone);
    vec![
        moment("For a number of rounds", "round_end", rounds),
        moment("Until a turn starts", "turn_start", start),
        moment("Until a turn ends", "turn_end", end),
        moment("Until the fight ends", "encounter_end", Vec::new()),
        until_removed(),
    ]
}

/// The moments at which an effect may begin or be due.
fn moments(everyone: &[&CombatantId]) -> Vec<Alternative> {
    let [rounds, start, end] = counts(everyone);
    vec![
        moment("When a round ends", "round_end", rounds),
        moment("When a turn starts", "turn_start", start),
        moment("When a turn ends", "turn_end", end),
    ]
}

/// How the ends of rounds, and the starts and ends of turns, are counted.
fn counts(everyone: &[&CombatantId]) -> [Vec<Property>; 3] {
    let turns = || {
        let whose = Values::combatants(everyone.iter().copied());
        vec![
            Property::required("of", whose),
            Property::optional("turns", Count::any()),
        ]
    };
    let rounds = vec![Property::required("rounds", Count::any())];
    [rounds, turns(), turns()]
}

fn moment(title: &'static str, at: &'static str, counts: Vec<Property>) -> Alternative {
    let mut properties = vec![Property::required("at", Values::words([at]))];
    properties.extend(counts);
    let values = Values::Object(properties);
    Alternative { title, values }
}

/// Damage and healing of those that are `meant`.
fn hit_points<R: Ruleset>(
    encounter: &Encounter<R>,
    meant: impl Fn(&Combatant<R>) -> bool,
) -> Vec<LegalCommand> {
    let sources = shared_list(encounter.iter().map(|c| &c.id));
    let damage = LegalCommand::of::<Damage>("TK-1").among("source", &sources, None);
    let heal = LegalCommand::of::<Heal>("TK-1");
    let [mut foes_first, mut friends_first] =
        [false, true].map(|own_first| sorted_by_side(encounter, own_first));
    foes_first.retain(|c| meant(c));
    friends_first.retain(|c| meant(c));
    let mut legal_commands = aimed(&foes_first, &damage, |c| !c.hurt_by_member(), |_| true);
    let healed = aimed(&friends_first, &heal, |c| !c.hurt_by_member(), |_| true);
    legal_commands.extend(healed);
    let hurt_several = several(&damage, "Deal damage to several", &foes_first, |_| true);
    legal_commands.extend(hurt_several);
    legal_commands.extend(several(&heal, "Heal several", &friends_first, |_| true));
    legal_commands
}

/// All combatants: first those of the current combatant's side or first its foes. Without a current
/// combatant the players are the side that acts.
fn sorted_by_side<R: Ruleset>(encounter: &Encounter<R>, own_first: bool) -> Vec<&Combatant<R>> {
    let current = R::current(encounter).into_iter().next();
    let acting = match current.and_then(|id| encounter.get(&id)) {
        Some(c) => c.side.as_str(),
        None => PLAYERS,
    };
    let mut sorted: Vec<&Combatant<R>> = encounter.iter().collect();
    sorted.sort_by_key(|c| (c.side.as_str() == acting) != own_first);
    sorted
}

fn set_condition<R: Ruleset>(encounter: &Encounter<R>) -> Vec<LegalCommand> {
    let known = known_conditions(encounter);
    let new_word = Values::NewWord(known.iter().map(|condition| json!(condition)).collect());
    let set_new = LegalCommand::of::<SetCondition>("TK-3").open("condition", new_word);
    let everyone: Vec<&Combatant<R>> = encounter.iter().collect();
    let mut legal_commands = aimed(
        &everyone,
        &set_new,
        |c| has_room(&c.conditions),
        |member| has_room(&member.conditions),
    );
    for condition in known.into_iter().take(MAX_CONDITIONS) {
        let mut targets = Vec::new();
        for c in encounter.iter() {
            if c.members.is_empty() && has_room(&c.conditions) && !c.has(condition) {
                targets.push(&c.id);
            }
        }
        let set_known = LegalCommand::of::<SetCondition>("TK-3").with("condition", condition);
        legal_commands.extend(several(&set_known, ADD_TO_SEVERAL, &everyone, |c| {
            has_room(&c.conditions) && !c.has(condition)
        }));
        legal_commands.push(set_known.whom("target", targets).required("target"));
    }
    let can_get_new = |c: &Combatant<R>| has_room(&c.conditions);
    legal_commands.extend(several(&set_new, ADD_TO_SEVERAL, &everyone, can_get_new));
    legal_commands
}

/// The option for several of those that are `meant`, said by `template`; None if there are no two.
fn several<R: Ruleset>(
    option: &LegalCommand,
    template: &'static str,
    everyone: &[&Combatant<R>],
    meant: impl Fn(&Combatant<R>) -> bool,
) -> Option<LegalCommand> {
    let option = option.clone().labelled(template);
    let option = option.open("targets", several_of(everyone, meant)?);
    Some(option.required("targets"))
}

/// Several of those that are `meant`; None if there are no two. The list of all is one that options
/// share, so the few of it that are not meant are left out of it.
fn several_of<R: Ruleset>(
    everyone: &[&Combatant<R>],
    meant: impl Fn(&Combatant<R>) -> bool,
) -> Option<Values> {
    let id = |c: &&Combatant<R>| json!(c.id);
    let (ids, except): (Vec<_>, Vec<_>) = everyone.iter().partition(|c| meant(c));
    let most = ids.len();
    let items = if except.len() < most {
        let everyone = everyone.iter().map(id).collect();
        Values::shared(Named::Combatants, everyone, except.iter().map(id).collect())
    } else {
        Values::combatants(ids.iter().map(|c| &c.id))
    };
    (most > 1).then(|| Values::List {
        items: Box::new(items),
        unique: true,
        length: [1, most],
    })
}

fn has_room(conditions: &[Slug]) -> bool {
    conditions.len() < MAX_CONDITIONS
}

/// The conditions that a combatant or a member has.
fn known_conditions<R: Ruleset>(encounter: &Encounter<R>) -> BTreeSet<&str> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for c in encounter.iter() {
        known.extend(c.all_conditions().flatten().map(Slug::as_str));
    }
    known
}

fn clear_condition<R: Ruleset>(encounter: &Encounter<R>) -> Vec<LegalCommand> {
    let everyone: Vec<&Combatant<R>> = encounter.iter().collect();
    let mut legal_commands = Vec::new();
    for condition in known_conditions(encounter).into_iter().take(MAX_CONDITIONS) {
        let clear = LegalCommand::of::<ClearCondition>("TK-3").with("condition", condition);
        let template = "Remove {condition} from several";
        let has_it = |c: &Combatant<R>| c.has(condition);
        legal_commands.extend(several(&clear, template, &everyone, has_it));
    }
    for c in encounter.iter() {
        legal_commands.push(clear_one_of(&c.conditions, &c.id, None));
        for member in &c.members {
            legal_commands.push(clear_one_of(&member.conditions, &c.id, Some(&member.id)));
        }
    }
    legal_commands
}

fn clear_one_of(
    conditions: &[Slug],
    target: &CombatantId,
    member: Option<&MemberId>,
) -> LegalCommand {
    let clear = LegalCommand::of::<ClearCondition>("TK-3").with("target", target.as_str());
    let clear = match member {
        Some(member) => clear.with("member", member.as_str()),
        None => clear,
    };
    clear.choose("condition", conditions.iter().map(Slug::as_str))
}

/// Sets combatants aside, and brings them back.
fn set_aside<R: Ruleset>(encounter: &Encounter<R>) -> Vec<LegalCommand> {
    let everyone: Vec<&Combatant<R>> = encounter.iter().collect();
    let set = LegalCommand::of::<SetAside>("TK-14");
    let bring = LegalCommand::of::<BringBack>("TK-14");
    let can_be_set = |c: &Combatant<R>| has_room(&c.conditions) && !c.has(ASIDE);
    let mut legal_commands = Vec::new();
    legal_commands.extend(several(&set, "Set several aside", &everyone, can_be_set));
    legal_commands.extend(several(&bring, "Bring several back", &everyone, |c| {
        c.has(ASIDE)
    }));
    let here = encounter.iter().filter(|c| can_be_set(c));
    let set = set.whom("target", here.map(|c| &c.id));
    let aside = encounter.iter().filter(|c| c.has(ASIDE));
    let bring = bring.whom("target", aside.map(|c| &c.id));
    legal_commands.extend([set.required("target"), bring.required("target")]);
    legal_commands
}

fn change_combatants<R: Ruleset>(encounter: &Encounter<R>) -> [LegalCommand; 2] {
    let everyone = || encounter.iter().map(|c| &c.id);
    let mut shapes = vec![change("Change the name", "name", Name::any())];
    for property in properties_of_combatants(encounter) {
        let title = match &*property.field {
            "side" => "Change the side",
            "hidden" => "Hide or reveal",
            "armor_class" => "Change the armor class",
            "level" => "Change the level",
            "notes" => "Change the notes",
            _ => "Change the controller",
        };
        shapes.push(change(title, property.field, property.values));
    }
    for (title, field) in [
        ("Say who reads the armor class", "armor_class_seen_by"),
        ("Say who reads the notes", "notes_seen_by"),
    ] {
        let readers = Values::words(["gm", "player", "all"]);
        shapes.push(change(title, field, readers));
    }
    let update = LegalCommand::of::<UpdateCombatant>("TK-2")
        .whom("combatant", everyone())
        .open("changes", Values::AnyOf(shapes));
    let remove = LegalCommand::of::<RemoveCombatant>("TK-2").whom("combatant", everyone());
    [update, remove]
}

/// A change of one field: at least one must be given.
fn change(title: &'static str, field: impl Into<Cow<'static, str>>, values: Values) -> Alternative {
    let values = Values::Object(vec![Property {
        required: true,
        ..Property::optional(field, values)
    }]);
    Alternative { title, values }
}

/// The options of a command that is meant for a combatant, or for a member of a group: one for all
/// single combatants and, as members are only their own group's, one for each group. `alone` are
/// those for whom it is legal without a member.
fn aimed<R: Ruleset>(
    everyone: &[&Combatant<R>],
    option: &LegalCommand,
    alone: impl Fn(&Combatant<R>) -> bool,
    member: impl Fn(&Member) -> bool,
) -> Vec<LegalCommand> {
    let mut singles = Vec::with_capacity(everyone.len());
    let mut of_groups = Vec::new();
    for c in everyone {
        if c.members.is_empty() {
            if alone(c) {
                singles.push(&c.id);
            }
            continue;
        }
        let mut members = Vec::with_capacity(c.members.len());
        for m in &c.members {
            if member(m) {
                members.push(m.id.as_str());
            }
        }
        let option = option.clone().with("target", c.id.as_str());
        of_groups.push(if members.is_empty() && alone(c) {
            option
        } else {
            let option = option.choose("member", members);
            option.required_if("member", !alone(c))
        });
    }
    let singles = option.clone().whom("target", singles);
    let mut legal_commands = vec![singles.required("target")];
    legal_commands.append(&mut of_groups);
    legal_commands
}

/// The effects that a player may add if the encounter allows it: their source is a combatant of the
/// player that is there.
fn own_effect<R: Ruleset>(record: &EncounterRecord<R>, viewer: &Viewer) -> Vec<LegalCommand> {
    if !record.meta.player_effects || record.encounter.status == Status::Ended {
        return Vec::new();
    }
    let encounter = &record.encounter;
    let ids = encounter.iter().map(|c| &c.id);
    let own: Vec<&CombatantId> = ids.filter(|id| viewer.owns(id)).collect();
    if own.is_empty() || !encounter.has_room_for_effect(true) {
        return Vec::new();
    }
    let everyone: Vec<&Combatant<R>> = encounter.iter().collect();
    let source = Property::required("source", Values::combatants(own));
    add_effect("TK-13", &everyone, &[source], None)
}

/// Damage and healing of the player's own combatants.
fn own_hits<R: Ruleset>(record: &EncounterRecord<R>, viewer: &Viewer) -> Vec<LegalCommand> {
    if !record.meta.player_damage || record.encounter.status == Status::Ended {
        return Vec::new();
    }
    let mut hits = hit_points(&record.encounter, |c| viewer.owns(&c.id));
    hits.retain(|option| !is_void(option));
    for option in &mut hits {
        option.rule = "TK-15";
    }
    hits
}

/// The way back, if there is one, to the version `oldest` and no further.
fn undo<R: Ruleset>(record: &EncounterRecord<R>, oldest: u64) -> Option<LegalCommand> {
    let single_step = record.history.undo_target()?;
    let last = record.encounter.version.saturating_sub(1);
    if oldest > last {
        return None;
    }
    // If a single step leads to a version that is gone, a kept one is named.
    let undo = LegalCommand::of::<Undo>("TK-7").range(
        "to_version",
        i64::try_from(oldest).unwrap_or(i64::MAX),
        i64::try_from(last).unwrap_or(i64::MAX),
    );
    Some(undo.required_if("to_version", single_step < oldest))
}

/// The undo of a player's own last command, which the app knows to be theirs.
fn undo_own() -> LegalCommand {
    LegalCommand::of::<Undo>("TK-9").labelled("Undo your last command")
}

/// The way forward again, unless its state is older than `oldest`.
fn redo<R: Ruleset>(record: &EncounterRecord<R>, oldest: u64) -> Option<LegalCommand> {
    if record.history.redo_target()? < oldest {
        return None;
    }
    Some(LegalCommand::of::<Redo>("TK-7"))
}
