// One frame on the stage: what the chosen look needs of it is loaded, and then drawn.
import { ServerError, type CacheSummary, type Pack } from "./api";
import { chooseArrows } from "./arrows";
import type { CutPlane } from "./cut_plane";
import type { PackStore } from "./pack_store";
import { byId, chosenLook, isOn, say, showScale } from "./page";
import type { Speeds, Stage } from "./stage";

const kAhead = 3; // frames that are loaded before they are due

const kMeasureWords: Record<string, string> = {
  size: "edge length of the tetrahedra, m",
  angle: "smallest dihedral angle, degrees",
  pressure: "pressure, Pa",
  speed: "speed, m/s",
};

// What the server says about a cut (view_tets.hpp).
interface CutAbout {
  tets: number;
  left: number;
  range: [number, number] | null;
  measures: string[];
  worst: { smallest: number; largest: number }[];
}

export class FrameView {
  shownFrame = -1;
  isLoading = false;
  speeds: Speeds = { fastest: 1, usual: 1 }; // of the whole run: the colours of all frames then mean the same
  private loading = new AbortController();

  constructor(
    private readonly stage: Stage,
    private readonly store: PackStore,
    private readonly plane: CutPlane,
    private readonly summary: () => CacheSummary | null,
  ) {}

  // Resolves when the frame is on the screen or has failed; at once if another is wanted meanwhile.
  async show(frame: number): Promise<void> {
    this.loading.abort();
    const loading = (this.loading = new AbortController());
    this.isLoading = true;
    const names = Object.entries(this.urlsOf(frame));
    try {
      const packs = await Promise.all(names.map(([, url]) => this.store.get(url, loading.signal)));
      if (loading.signal.aborted) return;
      this.draw(frame, Object.fromEntries(names.map(([name], i) => [name, packs[i]])));
      say("");
    } catch (error) {
      if (loading.signal.aborted) return;
      this.stage.clearFrame();
      showScale(null);
      const where = error instanceof ServerError && error.status === 404 ? "" : " The file may be damaged.";
      say(`Frame ${frame} cannot be shown: ${(error as Error).message}.${where}`);
    }
    this.shownFrame = frame;
    this.isLoading = false;
    await new Promise((done) => requestAnimationFrame(done));
  }

  loadAhead(): void {
    const frames = this.summary()?.frames.length ?? 0;
    for (let k = 1; k <= kAhead && frames > 0; ++k) {
      for (const url of Object.values(this.urlsOf((this.shownFrame + k) % frames))) {
        if (!this.store.has(url)) void this.store.get(url).catch(() => undefined); // said when it is due
      }
    }
  }

  private urlsOf(frame: number): Record<string, string> {
    const base = `api/frames/${frame}`;
    const urls: Record<string, string> = {};
    const look = chosenLook();
    const summary = this.summary();
    if (look === "cut" && summary) {
      const by = byId<HTMLSelectElement>("cut-by").value;
      urls.cut = `${base}/cut?plane=${this.plane.query(summary.domain)}&by=${by}`;
    } else {
      urls.surface = `${base}/surface`;
    }
    if (look === "wireframe") urls.edges = `${base}/edges`;
    if (isOn("arrows")) urls.surface = `${base}/surface`;
    if (isOn("arrows") || look === "speed") urls.velocity = `${base}/velocity`;
    if (summary?.frames[frame]?.files["particles.ply"] && isOn("particles")) urls.particles = `${base}/particles`;
    return urls;
  }

  private draw(frame: number, packs: Record<string, Pack>): void {
    const { stage, speeds } = this;
    const look = chosenLook();
    stage.clearFrame();
    stage.setPoses(this.summary()?.frames[frame]?.poses ?? []);
    const hasSpeed = look === "speed" || isOn("arrows");
    showScale(hasSpeed ? { title: "speed, m/s", low: 0, high: speeds.fastest } : null);
    if (look === "water") stage.showWater(packs.surface);
    if (look === "wireframe") stage.showWireframe(packs.surface, packs.edges);
    if (look === "speed") stage.showSpeed(packs.surface, packs.velocity, speeds.fastest);
    if (look === "cut") this.drawCut(packs.cut);
    if (packs.particles) stage.showParticles(packs.particles);
    if (isOn("arrows")) stage.showArrows(chooseArrows(packs.surface, packs.velocity), speeds);
  }

  private drawCut(pack: Pack): void {
    const about = pack.about as unknown as CutAbout;
    const by = byId<HTMLSelectElement>("cut-by");
    for (const option of by.options) option.disabled = !about.measures.includes(option.value);
    const [low, high] = about.range ?? [0, 1];
    this.stage.showCut(pack, low, high, isOn("cut-worst"));
    const smallest = Math.min(...about.worst.map((tet) => tet.smallest));
    const largest = Math.max(...about.worst.map((tet) => tet.largest));
    const worst = about.worst.length > 0 ? ` Worst: ${smallest.toFixed(1)}° and ${largest.toFixed(1)}°.` : "";
    const note = `${about.left.toLocaleString("en")} of ${about.tets.toLocaleString("en")} tetrahedra.${worst}`;
    const title = about.range ? kMeasureWords[by.value] : `the frame has no ${by.value}`;
    showScale({ title, low, high, note });
  }
}
