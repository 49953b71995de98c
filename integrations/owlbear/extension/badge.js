// The words on the badge: who acts now, as the user's own token sees it.

const MOST = 24;

export function badge(encounter) {
  if (!encounter || encounter.status !== "running") return undefined;
  const { current, combatants, pending } = encounter;
  const names = current.map((id) => combatants.find((one) => one.id === id)?.name).filter(Boolean);
  const words = names.join(", ") || (pending?.decision === "someone_acts" ? "Someone" : "");
  const letters = [...words];
  return (letters.length > MOST ? `${letters.slice(0, MOST - 1).join("")}…` : words) || undefined;
}
