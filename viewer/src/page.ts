// The elements of index.html, and the words that stand on the picture.
import { shortNumber } from "./plot";
import type { Look } from "./stage";

export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no ${id}`);
  return element as T;
}

export function isOn(id: string): boolean {
  return byId<HTMLInputElement>(id).checked;
}

export function chosenLook(): Look {
  const chosen = document.querySelector<HTMLInputElement>('input[name="look"]:checked');
  return (chosen?.value ?? "water") as Look;
}

// Nothing is said by "".
export function say(text: string): void {
  const message = byId("message");
  message.hidden = text === "";
  message.textContent = text;
}

export interface Scale {
  title: string;
  low: number;
  high: number;
  note?: string;
}

// What the colours mean, if there are any.
export function showScale(scale: Scale | null): void {
  byId("scale").hidden = scale === null;
  if (!scale) return;
  byId("scale-title").textContent = scale.title;
  byId("scale-low").textContent = shortNumber(scale.low);
  byId("scale-high").textContent = shortNumber(scale.high);
  byId("scale-note").textContent = scale.note ?? "";
}

export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
