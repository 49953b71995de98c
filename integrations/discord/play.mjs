// Answers the interactions of Discord: slash commands, presses, and forms.

import { filled, modal, shorten } from "./forms.mjs";
import { readCombatants, wordsOf } from "./lines.mjs";
import { LONGEST_TABLE, askIfSure, block, digest, drawBoard, drawList, escaped, inList, isPrivate, post, timeOut, update, whisper } from "./messages.mjs";
import { Refusal, Turnkeeper } from "./turnkeeper.mjs";

const [PING, COMMAND, PRESS, TYPING, FORM] = [1, 2, 3, 4, 5];
const MOST_SUGGESTIONS = 25;
const LONGEST_SUGGESTION = 100;
const MOST_MENTIONS = 10;
// The id of a user.
const USER = /^\d{1,20}$/;

const noFight = () => new Refusal("No fight runs in this channel. Start one with /fight.");
const optionsOf = ({ options = [] }) => Object.fromEntries(options.map(({ name, value }) => [name, value]));
const suggest = (choices) => ({ type: 8, data: { choices: choices.slice(0, MOST_SUGGESTIONS) } });
const contains = (text, typed) => text.toLowerCase().includes(typed.trim().toLowerCase());
const isOfParty = ({ side }) => side === "players";

/** The names of combatants by their ids. Those of one name have numbers, as in the labels of options. */
function distinctNames(combatants) {
  const taken = new Set(combatants.map(({ name }) => name));
  const numbered = new Map();
  return new Map(combatants.map(({ id, name }) => {
    if (combatants.filter((other) => other.name === name).length === 1) return [id, name];
    let number = numbered.get(name) ?? 0;
    do number++; while (taken.has(`${name} #${number}`));
    numbered.set(name, number);
    return [id, `${name} #${number}`];
  }));
}

export class Bot {
  constructor({ server, appKey }, fights) {
    this.server = server;
    this.appKey = appKey;
    this.fights = fights;
  }

  async answer(interaction) {
    if (interaction.type === PING) return { type: 1 };
    const talk = new Talk(this, interaction);
    try {
      switch (interaction.type) {
        case COMMAND: return await talk.command();
        case PRESS: return await talk.press(interaction.data.values?.[0] ?? interaction.data.custom_id);
        case FORM: return await talk.press(interaction.data.custom_id);
        case TYPING: return await talk.suggestions();
        default: throw new Refusal("This bot does not know how to answer that.");
      }
    } catch (error) {
      if (interaction.type === TYPING) return suggest([]);
      if (error instanceof Refusal) return whisper(shorten(error.message, 1900));
      console.error(`An answer failed: ${error.stack}`);
      return whisper("Something went wrong. Show the fight with /turn, and try again.");
    }
  }

  /** The rulesets and presets, as /fight suggests them. */
  async games(turnkeeper) {
    if (this.known) return this.known;
    const [{ items }, { presets }] = await Promise.all([turnkeeper.games(), turnkeeper.manifest("custom")]);
    const rulesets = items.filter(({ id }) => id !== "custom").map(({ id, title, summary }) => ({ value: id, name: `${title}: ${summary}`, game: { ruleset: id } }));
    const ways = presets.map(({ id, title, plays }) => ({ value: `custom:${id}`, name: `${plays}: ${title}`, game: { ruleset: "custom", preset: id } }));
    this.known = [...rulesets, ...ways].map((game) => ({ ...game, name: shorten(game.name, LONGEST_SUGGESTION) }));
    return this.known;
  }
}

/** One interaction and its answer. */
class Talk {
  constructor(bot, { id, token, channel_id, member, user, data, message, type }) {
    this.bot = bot;
    this.turnkeeper = new Turnkeeper(bot.server, bot.appKey);
    this.fight = bot.fights.get(channel_id);
    this.channel = channel_id;
    this.user = (member?.user ?? user).id;
    this.isForm = type === FORM;
    Object.assign(this, { id, token, data, message });
  }

  get isMaster() {
    return this.user === this.fight.master;
  }

  needMaster() {
    if (!this.isMaster) throw new Refusal("Only the game master of this fight can do that.");
  }

  save() {
    this.bot.fights.set(this.channel, this.fight);
  }

  /** On a press the board takes the place of the message, unless only one user sees that message. A message that changes mentions nobody anew. */
  show(content, components, users = []) {
    return this.message && !isPrivate(this.message) && !users.length ? update(content, components) : post(content, components, users);
  }

  /** The users whose turns have started, but for the one who pressed: who took the combatant, or whom it mentions. Others see no hidden combatant. */
  starting(news, { combatants }) {
    const ids = news.filter(({ type }) => type === "turn_started").map(({ combatant }) => combatant);
    const visible = combatants.filter(({ id, hidden }) => ids.includes(id) && !hidden);
    const users = visible.map(({ id, mention }) => this.fight.seats[id] ?? mention).filter((user) => USER.test(user ?? "") && user !== this.user);
    return [...new Set(users)].slice(0, MOST_MENTIONS);
  }

  command() {
    if (this.data.name === "fight") return this.start();
    if (!this.fight) throw noFight();
    switch (this.data.name) {
      case "turn": return this.board();
      case "play": return this.takeSeat();
      case "add": return this.add();
      case "tools": return this.tools();
      default: throw new Refusal("This command is not known. Whoever runs the bot registers its commands again.");
    }
  }

  async suggestions() {
    const { name, value } = this.data.options.find(({ focused }) => focused);
    if (name === "game") {
      const games = await this.bot.games(this.turnkeeper);
      return suggest(games.filter((game) => contains(game.name, value) || contains(game.value, value)).map(({ name, value }) => ({ name, value })));
    }
    if (!this.fight) return suggest([]);
    const { combatants } = await this.turnkeeper.encounter(this.fight, this.fight.party);
    return suggest(combatants.filter(isOfParty).filter((one) => contains(one.name, value)).map(({ id, name }) => ({ name: shorten(name, LONGEST_SUGGESTION), value: id })));
  }

  async gameOf(typed) {
    const games = await this.bot.games(this.turnkeeper);
    const exact = games.filter(({ value, game }) => value === typed || game.preset === typed);
    const found = exact.length > 0 ? exact : games.filter(({ name }) => contains(name, typed));
    if (found.length !== 1) throw new Refusal(`"${shorten(typed, 50)}" fits ${found.length} games. Choose one from the list that /fight shows.`);
    return found[0].game;
  }

  async wordsOf({ ruleset, preset }) {
    const manifest = await this.turnkeeper.manifest(ruleset);
    return wordsOf(manifest, manifest.presets?.find(({ id }) => id === preset)?.definition);
  }

  async start() {
    if (this.fight && !(await this.isOver())) throw new Refusal("A fight runs in this channel. Show it with /turn. Its game master can end it with /tools.");
    const { game: typed, players, monsters } = optionsOf(this.data);
    const game = await this.gameOf(typed);
    const words = await this.wordsOf(game);
    const party = readCombatants(players, "players", words);
    if (party.length === 0) throw new Refusal("The party is empty. Name at least one character in \"players\".");
    const combatants = [...party, ...readCombatants(monsters, "monsters", words)];
    const options = game.preset ? { preset: game.preset } : {};
    // The token of an interaction is a secret of Discord and this bot, so nobody else knows the key.
    const { encounter, token } = await this.turnkeeper.create({ ruleset: game.ruleset, name: "Fight", options, combatants }, this.token);
    const fight = { id: encounter.id, gm: token, master: this.user, game, seats: {} };
    Object.assign(fight, await this.partyToken(fight, encounter));
    if (this.bot.fights.get(this.channel) !== this.fight) throw new Refusal("Another user has just started a fight in this channel. Show it with /turn.");
    this.fight = fight;
    this.save();
    return this.board({ note: `<@${this.user}> is the game master.` });
  }

  async isOver() {
    try {
      const { status } = await this.turnkeeper.encounter(this.fight);
      return status === "ended";
    } catch (error) {
      if (error.isGone) return true;
      throw error;
    }
  }

  /** A token for all characters of the party. */
  async partyToken(fight, { combatants }) {
    const { id, token } = await this.turnkeeper.newToken(fight, combatants.filter(isOfParty).map(({ id }) => id));
    return { party: token, partyId: id };
  }

  /** A token acts for the combatants that it was made for, so a character that joins needs a new one. */
  async renewParty(encounter) {
    const { partyId: old } = this.fight;
    Object.assign(this.fight, await this.partyToken(this.fight, encounter));
    this.save();
    // The old token is in no file any more, so a server that is away now does no harm.
    await this.turnkeeper.revoke(this.fight, old).catch(() => {});
  }

  async add() {
    this.needMaster();
    const { players = "", monsters = "", hidden = false } = optionsOf(this.data);
    const words = await this.wordsOf(this.fight.game);
    const joining = [...readCombatants(players, "players", words), ...readCombatants(monsters, "monsters", words)];
    if (joining.length === 0) throw new Refusal("No name is given. Fill in \"players\" or \"monsters\".");
    const commands = joining.map((details) => ({ type: "add_combatant", details: hidden ? { ...details, hidden } : details }));
    await this.turnkeeper.send(this.fight, this.fight.gm, commands, undefined, this.id);
    const encounter = await this.turnkeeper.encounter(this.fight);
    if (joining.some(isOfParty)) await this.renewParty(encounter);
    return whisper(`Joined${hidden ? ", hidden" : ""}: ${shorten(joining.map(({ name }) => escaped(name)).join(", "), 1500)}. Show the fight to all with /turn.`);
  }

  async takeSeat() {
    const { character, user = this.user } = optionsOf(this.data);
    if (user !== this.user) this.needMaster();
    const { combatants } = await this.turnkeeper.encounter(this.fight, this.fight.party);
    const found = combatants.filter(isOfParty).find(({ id, name }) => id === character || name.toLowerCase() === character.trim().toLowerCase());
    if (!found) throw new Refusal(`"${shorten(character, 50)}" is no character of the party. Choose one from the list that /play shows.`);
    const taken = this.fight.seats[found.id];
    if (taken && taken !== user && !this.isMaster) throw new Refusal(`Another user plays ${found.name}. The game master can give ${found.name} to you.`);
    this.fight.seats[found.id] = user;
    this.save();
    return post(`<@${user}> plays ${escaped(found.name)}.`);
  }

  isOthers({ list, option: { actor } }) {
    const seat = this.fight.seats[actor];
    return list === "p" && seat !== undefined && seat !== this.user && !this.isMaster;
  }

  /** The fight as the party sees it. The game master's options are on it as long as nothing is hidden. */
  async board({ note, since: version } = {}) {
    const { fight, turnkeeper } = this;
    const [table, news, options, all, encounter] = await Promise.all([
      turnkeeper.table(fight, fight.party, LONGEST_TABLE),
      version === undefined ? [] : turnkeeper.news(fight, fight.party, version),
      turnkeeper.options(fight, fight.party),
      turnkeeper.options(fight, fight.gm),
      turnkeeper.encounter(fight),
    ]);
    const told = news.flatMap(({ text }) => text ?? []);
    if (encounter.status === "ended") {
      const { combatants } = await turnkeeper.statistics(fight, fight.party);
      return this.show(...drawBoard({ note, news: told, table, statistics: combatants }));
    }
    const party = inList("p", options);
    const known = new Set(party.map(({ option }) => digest(option)));
    // Something may be hidden since the encounter was read.
    const hasSecrets = encounter.version !== all.version || [...encounter.combatants, ...encounter.effects].some(({ hidden }) => hidden);
    const others = hasSecrets ? [] : inList("g", all).filter(({ option }) => !known.has(digest(option)));
    const items = party.some(({ option }) => option.primary) ? [...party, ...others] : [...others, ...party];
    const users = this.starting(news, encounter);
    const mentions = users.map((user) => `<@${user}>`).join(" ");
    // The channel learns of no turn that the party does not see.
    const { since } = encounter.turn_seconds && hasSecrets ? await turnkeeper.encounter(fight, fight.party) : encounter;
    const ends = timeOut({ ...encounter, since });
    return this.show(...drawBoard({ note: [mentions, note, ends].filter(Boolean).join(" "), news: told, table, items }), users);
  }

  /** Everything that a user may choose now. The game master's list names hidden combatants. */
  async more() {
    if (this.isMaster) {
      const table = await this.turnkeeper.table(this.fight, this.fight.gm, LONGEST_TABLE);
      return whisper(...await this.list("g", block(table)));
    }
    const [content, components] = await this.list("p", "Your options:");
    return whisper(components.length > 0 ? content : "You can do nothing now.", components);
  }

  async tools() {
    this.needMaster();
    return whisper(...await this.list("t", "The tools of the game master:"));
  }

  /** The options of a list, all or those of one combatant. */
  async list(list, content, actor) {
    const token = this.tokenOf(list);
    const [options, { combatants }] = await Promise.all([this.turnkeeper.options(this.fight, token, list === "t"), this.turnkeeper.encounter(this.fight, token)]);
    const items = inList(list, options).filter((item) => !this.isOthers(item));
    return drawList(content, items, distinctNames(combatants), actor);
  }

  tokenOf(list) {
    return list === "p" ? this.fight.party : this.fight.gm;
  }

  async press(pressed) {
    if (!this.fight) throw noFight();
    const [verb, list, version, wanted, form = "0"] = pressed.split(":");
    if (verb === "show") return this.board();
    if (verb === "more") return this.more();
    if (!["act", "form", "sure", "of"].includes(verb)) throw new Refusal("This button is not known. Show the fight with /turn.");
    if (list !== "p") this.needMaster();
    // An id may have colons.
    if (verb === "of") return update(...await this.list(list, "Choose:", pressed.split(":").slice(2).join(":")));
    const options = await this.turnkeeper.options(this.fight, this.tokenOf(list), list === "t");
    const item = inList(list, options).find(({ option }) => digest(option) === wanted);
    if (String(options.version) !== version || !item) return this.late();
    if (this.isOthers(item)) throw new Refusal("Another user plays this character.");
    const { option, forms } = item;
    if (option.command.type === "end_encounter" && verb !== "sure") return update(...askIfSure(item));
    if (verb !== "form" && option.complete) return this.send(list, option.command, options.version);
    const chosen = forms[Number(form)];
    if (!chosen) return this.late();
    if (chosen.fields.length > 0 && !this.isForm) return modal(["form", list, version, wanted, form].join(":"), chosen);
    return this.send(list, filled(option, chosen, this.data.components ?? []), options.version);
  }

  /** The message shows an older state than that of the fight. */
  late() {
    if (isPrivate(this.message)) return update("The fight has changed since. Nothing was sent. Show it with /turn, and choose again.");
    return this.board({ note: "The fight had changed since. Nothing was sent. It is now:" });
  }

  async send(list, command, version) {
    try {
      await this.turnkeeper.send(this.fight, this.tokenOf(list), command, version, this.id);
    } catch (error) {
      if (error.code === "stale_version") return this.late();
      throw error;
    }
    return this.board({ since: version });
  }
}
