// The page's storage in this browser, used at the reader's wish.

// Services below other paths of the same host keep their own.
const NAME = `turnkeeper${new URL("..", import.meta.url).pathname}`;

// Browsers may refuse storage: then nothing is kept.
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(NAME + name));
  } catch {
    return null;
  }
}

// Keeps a value, or forgets it if it is null. Says whether the browser did so.
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(NAME + name);
    else localStorage.setItem(NAME + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
