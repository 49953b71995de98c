// Seals links, so that only one player's browser can read them: everyone in a room reads its metadata.

const CURVE = { name: "ECDH", namedCurve: "P-256" };
const CIPHER = { name: "AES-GCM", length: 256 };

const toText = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
const toBytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));

// The key pair of this browser, as text that can be stored.
export async function createKeys() {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(CURVE, true, ["deriveKey"]);
  return {
    own: await crypto.subtle.exportKey("jwk", privateKey),
    open: toText(await crypto.subtle.exportKey("raw", publicKey)),
  };
}

async function shared(privateKey, open, use) {
  const publicKey = await crypto.subtle.importKey("raw", toBytes(open), CURVE, false, []);
  return crypto.subtle.deriveKey({ name: "ECDH", public: publicKey }, privateKey, CIPHER, false, [use]);
}

// Seals a text for the browser with the public key `open`.
export async function seal(text, open) {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(CURVE, false, ["deriveKey"]);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const key = await shared(privateKey, open, "encrypt");
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, new TextEncoder().encode(text));
  return { from: toText(await crypto.subtle.exportKey("raw", publicKey)), iv: toText(iv), sealed: toText(sealed) };
}

// The text of a seal, or undefined if it is not for this browser.
export async function unseal({ from, iv, sealed }, own) {
  try {
    const privateKey = await crypto.subtle.importKey("jwk", own, CURVE, false, ["deriveKey"]);
    const key = await shared(privateKey, from, "decrypt");
    return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-GCM", iv: toBytes(iv) }, key, toBytes(sealed)));
  } catch {
    return undefined;
  }
}
