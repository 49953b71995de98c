// The words on the badge: who acts now, or who decides before the next turn, as the user's own token sees it.

const MOST = 24;

// "Ann, Bo or Cy"
const anyOf = (names) => [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" or ");

export function badge(encounter) {
  if (!encounter || encounter.status !== "running") return undefined;
  const { current, combatants, pending } = encounter;
  const namesOf = (ids = []) => ids.map((id) => combatants.find((one) => one.id === id)?.name).filter(Boolean);
  const between = pending?.decision === "someone_acts" ? "Someone" : anyOf(namesOf(pending?.combatants));
  const words = namesOf(current).join(", ") || between;
  const letters = [...words];
  return (letters.length > MOST ? `${letters.slice(0, MOST - 1).join("")}…` : words) || undefined;
}
