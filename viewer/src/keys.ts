// Keys, and the page that lists them.

type Key = [keys: string[], label: string, meaning: string, act: () => void];

// While these have the focus, keys mean what they always mean there.
function isTakenBy(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLSelectElement || target.closest("dialog")) return true;
  const moves = key.startsWith("Arrow") || key === "Home" || key === "End";
  if (target instanceof HTMLInputElement) {
    if (target.type === "range" || target.type === "radio") return moves;
    return key === " ";
  }
  return key === " " && (target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement);
}

export function keysOf(list: HTMLElement, keys: Key[]): void {
  for (const [, label, meaning] of keys) {
    const term = document.createElement("dt");
    const words = document.createElement("dd");
    term.textContent = label;
    words.textContent = meaning;
    list.append(term, words);
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTakenBy(event.target, event.key)) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const found = keys.find(([names]) => names.includes(name));
    if (!found) return;
    event.preventDefault();
    found[3]();
  });
}
