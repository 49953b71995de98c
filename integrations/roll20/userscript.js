// Follows an encounter in the game master's page, and relays its turn order to the Mod script as a chat command.
import { Turnkeeper, toRoll20, toText } from "turnkeeper-client";

/** fetch by the user script manager, which the content policy of the page does not bind. */
const send = (url, { method = "GET", headers, body, signal } = {}) =>
  new Promise((resolve, reject) => {
    const answered = ({ status, responseText }) => resolve(new Response(responseText, { status }));
    const call = GM_xmlhttpRequest({ url: String(url), method, headers, data: body, onload: answered, onerror: reject, ontimeout: reject });
    signal?.addEventListener("abort", () => (call?.abort?.(), reject(signal.reason)));
  });

/** Sends a line to the chat, and keeps what the game master is typing. */
function say(line) {
  const input = document.querySelector("#textchat-input textarea");
  const typed = input.value;
  input.value = line;
  document.querySelector("#textchat-input button").click();
  input.value = typed;
}

async function relay(address, token) {
  const [, url, id] = /^(.*)\/v1\/encounters\/([^/]+)\/?$/.exec(address) ?? [];
  if (!url) return alert("The address of an encounter ends with /v1/encounters/ and its id.");
  const encounter = new Turnkeeper(url, { fetch: send, retryFor: Infinity }).encounter(id, token);
  const headers = { authorization: `Bearer ${token}` };
  for (let said = ""; ; ) {
    const seen = await encounter.read();
    // A block of code would show its fence in this chat.
    const order = { turns: toRoll20(seen), text: toText(seen).split("\n").slice(1, -1).join("\n") };
    const line = `!turnkeeper ${encodeURIComponent(JSON.stringify(order))}`;
    if (line !== said) say(line);
    said = line;
    if (seen.status === "ended") return;
    // A long poll: it answers when something happens.
    const news = await send(`${encounter.url}/events?limit=1&wait=25&after=${seen.version}`, { headers }).catch(() => undefined);
    if (!news?.ok) await new Promise((again) => setTimeout(again, 2000));
  }
}

GM_registerMenuCommand("Follow an encounter", async () => {
  await GM_setValue("address", prompt("The encounter's address: https://.../v1/encounters/..."));
  await GM_setValue("token", prompt("A spectator's token, so that nothing hidden reaches the tracker"));
  location.reload();
});

const [address, token] = await Promise.all([GM_getValue("address"), GM_getValue("token")]);
if (address && token) relay(address, token).catch((error) => alert(`Turnkeeper: ${error.message}`));
