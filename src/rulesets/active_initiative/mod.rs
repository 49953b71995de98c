//! Active Initiative, from Giffyglyph's Darker Dungeons: after a turn, its player names the next combatant, and enemies may interrupt.

mod command;
mod decide;
mod event;
mod evolve;
mod legal_commands;
mod manifest;
mod react;
mod state;

pub use command::*;
pub use event::*;
pub use state::*;

use crate::vocabulary::{
    Actor, Audience, Combatant, CombatantId, Commands, Event as AnyEvent, Kind, LegalCommand, Manifest, OrderEntry,
    Pending, Play, Reason, Redact, Redaction, Ruleset, Table as AnyTable, Violation,
};
use decide::{chooser, hurt_off_turn, is_the_gms};

/// The ruleset `active-initiative`.
#[derive(Debug, Clone, PartialEq)]
pub struct ActiveInitiative;

type Table = AnyTable<ActiveInitiative>;

impl Ruleset for ActiveInitiative {
    type Options = Options;
    type CombatantStats = CombatantStats;
    type CombatantState = CombatantState;
    type State = State;
    type Command = Command;
    type Event = Event;

    const MANIFEST: &'static Manifest = &manifest::MANIFEST;

    fn decide(play: &mut Play<'_, Self>, command: &Command) -> Result<(), Violation> {
        decide::decide(play, command)
    }

    fn evolve(table: &mut Table, event: &AnyEvent<Self>) {
        evolve::evolve(table, event);
    }

    fn react(play: &mut Play<'_, Self>, event: &AnyEvent<Self>) -> Result<(), Violation> {
        react::react(play, event);
        Ok(())
    }

    fn actor(command: &Command) -> Actor<'_> {
        match command {
            // It takes the time to interrupt from everybody else, so the next combatant's player must agree.
            Command::EndTurn(EndTurn { combatant, next: Some(next), begin: true }) => Actor::Of(vec![combatant, next]),
            Command::Interrupt(Interrupt { means: Means::InterruptPoint, .. }) => Actor::Gm,
            command => command.actor(),
        }
    }

    fn legal_commands(table: &Table) -> Vec<LegalCommand> {
        legal_commands::legal_commands(table)
    }

    fn current(table: &Table) -> Vec<CombatantId> {
        match &table.state.phase {
            Phase::InTurn { actor } => vec![actor.clone()],
            _ => Vec::new(),
        }
    }

    fn pending(table: &Table) -> Option<Pending> {
        Some(match &table.state.phase {
            Phase::Setup => Pending::new("start", Vec::new(), &["start"], "AI-2"),
            Phase::InTurn { actor } => Pending::new("end_turn", vec![actor.clone()], &["end_turn"], "AI-7"),
            Phase::ChooseNext {} | Phase::ChooseStarter {} if table.active().next().is_none() => {
                Pending::newcomer("AI-35")
            }
            Phase::ChooseNext {} => Pending::new("next", chooser(table).into_iter().collect(), &["nominate"], "AI-7"),
            Phase::ChooseStarter {} => {
                Pending::new("starter", chooser(table).into_iter().collect(), &["nominate"], "AI-41")
            }
            Phase::Window { nominee, .. } => {
                let may_interrupt = table.waiting().filter(|c| may_interrupt(table, c, nominee)).map(|c| c.id.clone());
                let who: Vec<_> = std::iter::once(nominee.clone()).chain(may_interrupt).collect();
                match who.len() {
                    1 => Pending::new("begin_turn", who, &["begin_turn"], "AI-17"),
                    _ => Pending::new("begin_or_interrupt", who, &["begin_turn", "interrupt"], "AI-17"),
                }
            }
            Phase::Over => return None,
            Phase::SomeoneActs => Pending::someone(),
        })
    }

    /// The turns of this round that started and were not taken back, and the next one.
    fn order(table: &Table) -> Vec<OrderEntry> {
        let mut places: Vec<OrderEntry> = Vec::with_capacity(table.state.turns.len() + 1);
        let acting = Self::current(table);
        let had = |id: &CombatantId| acting.contains(id) || table.get(id).is_some_and(|c| c.acted);
        for taken in table.state.turns.iter().filter(|taken| had(&taken.combatant)) {
            places.extend(place(table, &taken.combatant, &taken.by));
        }
        if let Phase::Window { nominee, by } = &table.state.phase {
            places.extend(place(table, nominee, by));
        }
        places
    }

    fn someone_acts(whole: &Table, audience: &Audience<'_>) -> bool {
        match &whole.state.phase {
            Phase::InTurn { actor } => audience.misses(whole, actor),
            Phase::Window { nominee, .. } => audience.misses(whole, nominee),
            Phase::ChooseNext {} | Phase::ChooseStarter {} => {
                // Only hidden combatants are left to be named.
                let exhausted = || whole.waiting().next().is_some() && !whole.waiting().any(|c| audience.sees(c));
                chooser(whole).is_some_and(|id| audience.misses(whole, &id)) || exhausted()
            }
            Phase::SomeoneActs => true,
            Phase::Setup | Phase::Over => false,
        }
    }

    fn redact(table: &mut Table, whole: &Table, audience: &Audience<'_>) {
        let state = &mut table.state;
        state.interrupt_points = None;
        state.turns = state.turns.redact(audience).unwrap_or_default();
        state.last_actor = state.last_actor.redact(audience).flatten();
        if Self::someone_acts(whole, audience) {
            state.phase = Phase::SomeoneActs;
        } else if let Phase::Window { by, .. } = &mut state.phase {
            *by = by.redact(audience).unwrap_or(Way::Overridden {});
        }
    }

    fn redact_event(event: &Event, redaction: &Redaction<'_, Self>) -> Option<Event> {
        match event {
            event if Self::is_secret(event) => None,
            Event::ChoiceOpened(_) if redaction.someone_acts => None,
            event => event.redact(redaction.audience),
        }
    }

    /// The game master's points, and advice on how many monsters there are.
    fn is_secret(event: &Event) -> bool {
        matches!(event, Event::Advised(_) | Event::InterruptPointsGained(_) | Event::SceneClosed(_))
    }

    fn remark(table: &Table, c: &Combatant<Self>) -> String {
        let mut remarks = Vec::new();
        if matches!(&table.state.phase, Phase::Window { nominee, .. } if *nominee == c.id) {
            remarks.push("named".to_owned());
        }
        if hurt_off_turn(table, c) && !c.acted {
            remarks.push("may interrupt".to_owned());
        }
        if c.stats.inspiration.get() > 0 {
            remarks.push(format!("inspiration {}", c.stats.inspiration));
        }
        if c.state.readied.is_some() {
            remarks.push("readied".to_owned());
        }
        remarks.join(", ")
    }
}

/// Whether some means would let `c` steal the turn of `nominee` (AI-18 to AI-21, AI-31).
fn may_interrupt(table: &Table, c: &Combatant<ActiveInitiative>, nominee: &CombatantId) -> bool {
    let enemy = table.get(nominee).is_some_and(|n| n.side != c.side);
    let pc = c.kind == Kind::Pc;
    let state = &table.state;
    let left =
        table.options.interrupt_points.played() && state.interrupt_points > Some(0) && !state.interrupt_point_used;
    let point = left && is_the_gms(c);
    let paid = pc && c.stats.inspiration.get() > 0;
    enemy && !c.state.interrupted && (hurt_off_turn(table, c) || paid || point)
}

fn place(table: &Table, id: &CombatantId, by: &Way) -> Option<OrderEntry> {
    table.get(id).map(|c| OrderEntry { combatant: c.id.clone(), slot: None, because: because(by) })
}

fn because(by: &Way) -> Reason {
    match by {
        Way::Opened {} => Reason::new("AI-2", "triggered the scene"),
        Way::Rolled { die, total, tied } => Reason {
            dice: vec![*die],
            tie_rule: (!tied.is_empty()).then_some("AI-5"),
            bonus: Some(*total - i64::from(die.face)),
            total: Some(*total),
            ..Reason::new("AI-3", "rolled the highest initiative")
        },
        Way::Named { by } => Reason { named_by: by.clone(), ..Reason::new("AI-7", "was named") },
        Way::Interrupted { means: Means::Inspiration } => Reason::new("AI-19", "interrupted for an inspiration point"),
        Way::Interrupted { means: Means::Damage } => Reason::new("AI-20", "interrupted after taking damage"),
        Way::Interrupted { means: Means::InterruptPoint } => {
            Reason::new("AI-31", "interrupted for one of the game master's points")
        }
        Way::Overridden {} => Reason::new("TK-5", "the game master set it"),
    }
}
