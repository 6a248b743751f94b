// What was measured in the run: loaded, plotted beside the picture, and saved as CSV.
import { fetchJson, fetchText, type CacheSummary } from "./api";
import { byId, say } from "./page";
import { Plot } from "./plot";
import { csvOf, plotOfProbe, plotsOf, type FrameStats, type PlotData } from "./series";
import type { Speeds } from "./stage";

export class Measurements {
  private stats: (FrameStats | null)[] = [];
  private readonly plots = new Map<string, Plot>();
  private latest: CacheSummary | null = null;

  constructor(private readonly seek: (time: number) => void) {}

  clear(): void {
    this.latest = null;
    this.stats = [];
    this.plots.clear();
    byId("plots").replaceChildren();
  }

  // Of a summary; an earlier one that is still on its way is forgotten.
  async load(summary: CacheSummary): Promise<void> {
    this.latest = summary;
    const data: PlotData[] = [];
    try {
      const stats = await fetchJson<(FrameStats | null)[]>("api/stats");
      data.push(...plotsOf(stats));
      for (const { name, kind } of summary.probes) {
        data.push(plotOfProbe(name, kind, await fetchText(`api/probes/${encodeURIComponent(name)}`)));
      }
      if (summary !== this.latest) return;
      this.stats = stats;
    } catch (error) {
      say(`What was measured cannot be read: ${(error as Error).message}`);
    }
    if (summary !== this.latest) return;
    const end = summary.frames.at(-1)?.time ?? 0;
    for (const plot of data) this.plotFor(plot.title).setData(plot, end);
  }

  private plotFor(title: string): Plot {
    const known = this.plots.get(title);
    if (known) return known;
    const plot = new Plot(title, this.seek);
    this.plots.set(title, plot);
    byId("plots").append(plot.element);
    return plot;
  }

  get speeds(): Speeds {
    const sorted = this.stats.map((frame) => frame?.max_speed ?? 0).filter((speed) => speed > 0);
    sorted.sort((a, b) => a - b);
    return { fastest: sorted.at(-1) ?? 1, usual: sorted[Math.floor(sorted.length / 2)] ?? 1 };
  }

  get csv(): string {
    return csvOf(this.stats);
  }

  setTime(time: number): void {
    for (const plot of this.plots.values()) plot.setTime(time);
  }

  redraw(): void {
    for (const plot of this.plots.values()) plot.draw();
  }

  valuesAt(title: string, time: number): { name: string; value: number | null }[] | undefined {
    return this.plots.get(title)?.valuesAt(time);
  }
}
