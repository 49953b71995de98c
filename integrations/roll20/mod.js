// Turnkeeper for Roll20, the Mod script: shows a turn order that a game master pastes, or that the user script relays, in the turn tracker
// and in the chat. The sandbox has no HTTP, so the order comes as a chat command: !turnkeeper {"turns": [...], "text": "..."}
// !turnkeeper tokens whispers the selected tokens as the body that creates an encounter with them.
on("ready", function () {
  "use strict";
  const COMMAND = "!turnkeeper ";
  const MOST_TURNS = 500;
  let said = "";

  const isTurn = (turn) => turn !== null && typeof turn === "object" && typeof turn.id === "string" && ["string", "number"].includes(typeof turn.pr);
  const whisper = (text) => sendChat("Turnkeeper", `/w gm ${text}`, null, { noarchive: true });
  // Names must not become rolls, macros or HTML.
  const escape = (text) => text.replace(/[^\p{L}\p{N}\s.,:;!()>-]/gu, (character) => `&#${character.codePointAt(0)};`);

  function read(content) {
    try {
      // The user script encodes the order, so that Roll20 finds no macros and rolls in it. Pasted JSON may be plain.
      const { turns, text } = JSON.parse(decodeURIComponent(content.slice(COMMAND.length).trim()));
      if (!Array.isArray(turns) || turns.length > MOST_TURNS || !turns.every(isTurn)) return null;
      return { turns, text: typeof text === "string" ? text : "" };
    } catch (error) {
      return null;
    }
  }

  // A token that a player controls, by itself or as its character, is of the players' side.
  function combatant(token) {
    const character = getObj("character", token.get("represents"));
    const controlled = token.get("controlledby") || (character && character.get("controlledby"));
    return { id: token.get("_id"), name: token.get("name") || "Unnamed", side: controlled ? "players" : "monsters" };
  }

  function list(selected) {
    const tokens = (selected || []).map(({ _type, _id }) => _type === "graphic" && getObj("graphic", _id)).filter(Boolean);
    if (tokens.length === 0) return whisper("Select the tokens that fight, and send !turnkeeper tokens again.");
    const metadata = { _pageid: tokens[0].get("_pageid") };
    whisper(escape(JSON.stringify({ ruleset: "custom", metadata, combatants: tokens.map(combatant), tokens: [{ role: "spectator" }] })));
  }

  on("chat:message", function (message) {
    if (message.type !== "api" || !message.content.startsWith(COMMAND) || !playerIsGM(message.playerid)) return;
    if (message.content.trim() === `${COMMAND}tokens`) return list(message.selected);
    const order = read(message.content);
    if (!order) return whisper("This is no turn order. Copy the whole line.");
    const turns = JSON.stringify(order.turns);
    if (Campaign().get("turnorder") !== turns) Campaign().set("turnorder", turns);
    if (!Campaign().get("initiativepage")) Campaign().set("initiativepage", Campaign().get("playerpageid"));
    if (!order.text || order.text === said) return;
    said = order.text;
    sendChat("Turnkeeper", escape(order.text).replace(/\n/g, "<br>"), null, { noarchive: true });
  });
});
