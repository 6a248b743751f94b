// A plot of lines over time on a canvas: the frame that is shown is marked, and values are said at
// the pointer or at that frame.
import type { PlotData, Series } from "./series";

// Told apart by brightness too; after [Okabe and Ito 2008, Color universal design].
const kColours = ["#56b4e9", "#e69f00", "#2fb98f", "#f0e442", "#e78ac3", "#d55e00", "#b8b8ff", "#ffffff"];
const kHeight = 120;
const kLeft = 52;
const kBottom = 18;
const kTop = 6;
const kRight = 8;

export function shortNumber(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return value.toLocaleString("en");
  if (size >= 1e6 || size < 1e-3) return value.toExponential(2);
  return String(Number(value.toPrecision(4)));
}

// 1, 2 or 5 times a power of ten, so that about `count` fit.
function niceStep(span: number, count: number): number {
  const raw = span / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const share = raw / power;
  return (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10) * power;
}

function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const step = niceStep(high - low, count);
  const result: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high + 1e-9 * step; value += step) result.push(value);
  return result;
}

function stacked(series: Series[]): Series[] {
  const sums: number[] = [];
  return series.map(({ name, values }) => ({
    name,
    values: values.map((value, i) => (sums[i] = (sums[i] ?? 0) + (value ?? 0))),
  }));
}

// The last point at or before a time; -1 if there is none.
export function pointAt(times: number[], time: number): number {
  let low = -1;
  let high = times.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (times[middle] <= time + 1e-9) low = middle;
    else high = middle - 1;
  }
  return low;
}

export class Plot {
  readonly element = document.createElement("figure");
  private readonly canvas = document.createElement("canvas");
  private readonly legend = document.createElement("ul");
  private data: PlotData | null = null;
  private drawn: Series[] = [];
  private low = 0;
  private high = 1;
  private endTime = 1;
  private time = 0;
  private hover: number | null = null; // s

  constructor(title: string, private readonly seek: (time: number) => void) {
    const caption = document.createElement("figcaption");
    caption.textContent = title;
    this.element.className = "plot";
    this.element.dataset.plot = title;
    this.element.append(caption, this.canvas, this.legend);
    this.canvas.setAttribute("role", "img");
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => this.unpoint());
    this.canvas.addEventListener("click", (event) => this.seek(this.timeAt(event)));
  }

  setData(data: PlotData, endTime: number): void {
    this.data = data;
    this.endTime = Math.max(endTime, 1e-9);
    const caption = this.element.querySelector("figcaption") as HTMLElement;
    caption.textContent = data.unit ? `${data.title} (${data.unit})` : data.title;
    if (data.download) {
      const link = document.createElement("a");
      link.href = data.download;
      link.download = `${data.title.replace(/^Probe /, "")}.csv`;
      link.textContent = "CSV";
      caption.append(" ", link);
    }
    this.drawn = data.isStacked ? stacked(data.series) : data.series;
    const all = this.drawn.flatMap((series) => series.values).filter((v): v is number => v !== null && Number.isFinite(v));
    const least = all.reduce((a, b) => Math.min(a, b), Infinity);
    const most = all.reduce((a, b) => Math.max(a, b), -Infinity);
    this.low = Math.min(0, least);
    this.high = most;
    if (!(this.high > this.low)) this.high = this.low + 1;
    this.high += 0.06 * (this.high - this.low);
    this.draw();
  }

  setTime(time: number): void {
    this.time = time;
    this.draw();
  }

  // Of each line at a time.
  valuesAt(time: number): { name: string; value: number | null }[] {
    if (!this.data) return [];
    const i = pointAt(this.data.times, time);
    return this.data.series.map((series) => ({ name: series.name, value: i < 0 ? null : series.values[i] }));
  }

  private timeAt(event: PointerEvent | MouseEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const share = (event.clientX - box.left - kLeft) / Math.max(1, box.width - kLeft - kRight);
    return Math.max(0, Math.min(1, share)) * this.endTime;
  }

  private point(event: PointerEvent): void {
    this.hover = this.timeAt(event);
    this.draw();
  }

  private unpoint(): void {
    this.hover = null;
    this.draw();
  }

  draw(): void {
    if (!this.data) return;
    const width = this.canvas.clientWidth;
    if (width === 0) return; // not on the page
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(kHeight * ratio);
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.scale(ratio, ratio);
    context.font = "11px system-ui, sans-serif";
    const x = (time: number) => kLeft + (time / this.endTime) * (width - kLeft - kRight);
    const y = (value: number) => kTop + (1 - (value - this.low) / (this.high - this.low)) * (kHeight - kTop - kBottom);
    this.drawAxes(context, x, y, width);
    this.drawn.forEach((_, i) => {
      // From the top of a stack down, so that each covers what is below it.
      const k = this.data?.isStacked ? this.drawn.length - 1 - i : i;
      this.drawLine(context, x, y, k);
    });
    this.drawMark(context, x(this.time), "#ffffff");
    if (this.hover !== null) this.drawMark(context, x(this.hover), "#8fa3b5");
    this.sayValues();
  }

  private drawAxes(context: CanvasRenderingContext2D, x: (t: number) => number, y: (v: number) => number, width: number): void {
    context.strokeStyle = "#33414e";
    context.fillStyle = "#b4c2ce";
    context.lineWidth = 1;
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const value of ticks(this.low, this.high, 4)) {
      context.beginPath();
      context.moveTo(kLeft, y(value));
      context.lineTo(width - kRight, y(value));
      context.stroke();
      context.fillText(shortNumber(Number(value.toPrecision(6))), kLeft - 5, y(value));
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const value of ticks(0, this.endTime, 4)) {
      const text = `${shortNumber(Number(value.toPrecision(6)))} s`;
      context.fillText(text, Math.min(x(value), width - 16), kHeight - kBottom + 4);
    }
  }

  private drawLine(context: CanvasRenderingContext2D, x: (t: number) => number, y: (v: number) => number, k: number): void {
    const times = this.data?.times ?? [];
    const colour = kColours[k % kColours.length];
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = 1.6;
    context.setLineDash(this.drawn[k].name === "expected" ? [5, 4] : []);
    context.beginPath();
    let isDown = false;
    let last = 0;
    this.drawn[k].values.forEach((value, i) => {
      if (value === null || !Number.isFinite(value)) {
        isDown = false;
        return;
      }
      if (isDown) context.lineTo(x(times[i]), y(value));
      else context.moveTo(x(times[i]), y(value));
      isDown = true;
      last = i;
    });
    context.stroke();
    context.setLineDash([]);
    if (times.length === 1) context.fillRect(x(times[0]) - 2, y(this.drawn[k].values[0] ?? 0) - 2, 4, 4);
    if (!this.data?.isStacked || times.length < 2) return;
    context.lineTo(x(times[last]), y(this.low));
    context.lineTo(x(times[0]), y(this.low));
    context.globalAlpha = 0.75;
    context.fill();
    context.globalAlpha = 1;
  }

  private drawMark(context: CanvasRenderingContext2D, at: number, colour: string): void {
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(at, kTop);
    context.lineTo(at, kHeight - kBottom);
    context.stroke();
  }

  private sayValues(): void {
    const time = this.hover ?? this.time;
    const values = this.valuesAt(time);
    const words = values.map(({ name, value }) => `${name} ${shortNumber(value)}`);
    this.canvas.setAttribute("aria-label", `${this.data?.title} at ${shortNumber(time)} seconds: ${words.join(", ")}`);
    this.legend.replaceChildren(
      ...values.map(({ name, value }, i) => {
        const item = document.createElement("li");
        const swatch = document.createElement("span");
        swatch.className = "swatch";
        swatch.style.background = kColours[i % kColours.length];
        const number = document.createElement("b");
        number.textContent = shortNumber(value);
        item.dataset.series = name;
        item.append(swatch, `${name} `, number);
        return item;
      }),
    );
  }
}
