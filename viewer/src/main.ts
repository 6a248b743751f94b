// The page: what the controls do, and what of a frame is loaded for the look that is chosen.
import { fetchJson, fetchPack, fetchText, ServerError, type CacheSummary, type Pack } from "./api";
import { chooseArrows } from "./arrows";
import { kSpeeds, Player } from "./player";
import { PackStore } from "./pack_store";
import { Plot, shortNumber } from "./plot";
import { csvOf, plotOfProbe, plotsOf, type FrameStats, type PlotData } from "./series";
import { Stage, type Look } from "./stage";
import { keysOf } from "./keys";
import "./style.css";

const kPollMilliseconds = 1500; // while frames are still to come
const kIdlePollMilliseconds = 10000;
const kMegabytes = 256; // of frames that are kept; ?memory=MB changes it
const kAhead = 3; // frames that are loaded before they are due

function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no ${id}`);
  return element as T;
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const kMeasureWords: Record<string, string> = {
  size: "edge length of the tetrahedra, m",
  angle: "smallest dihedral angle, degrees",
  pressure: "pressure, Pa",
  speed: "speed, m/s",
};

class Viewer {
  private stage!: Stage; // from begin() on
  private readonly store: PackStore;
  private readonly player = new Player((frame) => this.show(frame), () => this.updateTimeline());
  private summary: CacheSummary | null = null;
  private stats: (FrameStats | null)[] = [];
  private readonly plots = new Map<string, Plot>();
  private loading = new AbortController();
  private shownFrame = -1;
  private cutNormal: [number, number, number] = [0, 1, 0];
  private hasPlane = false;
  private isConnected = true;
  private isLoading = false;

  constructor() {
    const wish = Number(new URLSearchParams(location.search).get("memory"));
    this.store = new PackStore((wish > 0 ? wish : kMegabytes) * 1e6);
  }

  async start(): Promise<void> {
    await this.waitForCache();
    this.stage = new Stage(byId<HTMLCanvasElement>("canvas"));
    this.connectControls();
    // For tests and for the curious.
    Object.assign(window, { spindrift: this.inspect() });
    await this.poll();
    this.pollLater();
  }

  // The first frame is on its way while the browser still gets ready to draw.
  private async waitForCache(): Promise<void> {
    try {
      const { frames } = await fetchJson<CacheSummary>("api/cache");
      if (frames[0]?.files["surface.ply"]) void this.store.get("api/frames/0/surface").catch(() => undefined);
    } catch {
      // poll() says what is wrong.
    }
  }

  private inspect() {
    return {
      state: () => ({
        frame: this.player.state.frame,
        shownFrame: this.shownFrame,
        frames: this.player.frames,
        isPlaying: this.player.state.isPlaying,
        isAtRest: !this.isLoading && this.stage.isAtRest,
        store: this.store.size,
        memory: this.stage.memory,
        stage: this.stage.state,
        pictures: this.stage.pictures,
        firstPicture: this.stage.firstPicture,
        isSoftware: this.stage.isSoftware,
        eye: this.stage.camera.position.toArray(),
      }),
      seek: (frame: number) => this.player.seek(frame),
      values: (plot: string, time: number) => this.plots.get(plot)?.valuesAt(time),
    };
  }

  // --- the cache ---------------------------------------------------------------------------

  private pollLater(): void {
    const asked = this.summary?.frames_asked ?? Infinity;
    const wait = this.player.frames < asked ? kPollMilliseconds : kIdlePollMilliseconds;
    window.setTimeout(() => void this.poll().then(() => this.pollLater()), wait);
  }

  private async poll(): Promise<void> {
    try {
      const summary = await fetchJson<CacheSummary>("api/cache");
      const isAnother = summary.run !== this.summary?.run;
      const hasGrown = summary.frames.length !== this.summary?.frames.length;
      this.summary = summary;
      if (isAnother) this.begin(summary);
      if (isAnother || hasGrown) void this.loadMeasurements();
      if (!this.isConnected) this.say("");
      this.isConnected = true;
      this.player.setFrames(summary.frames.length, summary.fps);
      if (isAnother || this.shownFrame < 0) this.player.seek(this.player.state.frame);
    } catch (error) {
      this.isConnected = false;
      this.say(`The cache cannot be read: ${(error as Error).message}`);
    }
    this.updateStatus();
  }

  private begin(summary: CacheSummary): void {
    document.title = `${summary.scene} – Spindrift`;
    byId("title").textContent = summary.scene;
    if (this.shownFrame >= 0) this.store.clear(); // of another run
    this.shownFrame = -1;
    this.plots.clear();
    byId("plots").replaceChildren();
    this.stage.setScene(summary);
    if (summary.obstacles > 0) void this.loadObstacles();
  }

  private async loadObstacles(): Promise<void> {
    try {
      this.stage.setObstacles(await fetchPack("api/obstacles"));
      const frame = this.summary?.frames[Math.max(0, this.shownFrame)];
      if (frame) this.stage.setPoses(frame.poses);
    } catch (error) {
      this.say(`The obstacles cannot be shown: ${(error as Error).message}`);
    }
  }

  private async loadMeasurements(): Promise<void> {
    const summary = this.summary;
    if (!summary) return;
    const data: PlotData[] = [];
    try {
      this.stats = await fetchJson<(FrameStats | null)[]>("api/stats");
      data.push(...plotsOf(this.stats));
      for (const probe of summary.probes) {
        const csv = await fetchText(`api/probes/${encodeURIComponent(probe.name)}`);
        data.push(plotOfProbe(probe.name, probe.kind, csv));
      }
    } catch (error) {
      this.say(`What was measured cannot be read: ${(error as Error).message}`);
    }
    const end = summary.frames.at(-1)?.time ?? 0;
    if (summary !== this.summary) return; // a later one is on its way
    for (const plot of data) this.setPlot(plot, end);
    this.updateTimeline();
  }

  private setPlot(data: PlotData, end: number): void {
    let plot = this.plots.get(data.title);
    if (!plot) {
      plot = new Plot(data.title, (time) => this.player.seek(time * (this.summary?.fps ?? 1)));
      this.plots.set(data.title, plot);
      byId("plots").append(plot.element);
    }
    plot.setData(data, end);
  }

  // --- the frame ---------------------------------------------------------------------------

  private get look(): Look {
    const chosen = document.querySelector<HTMLInputElement>('input[name="look"]:checked');
    return (chosen?.value ?? "water") as Look;
  }

  private isOn(id: string): boolean {
    return byId<HTMLInputElement>(id).checked;
  }

  private get fastest(): number {
    const speeds = this.stats.map((frame) => frame?.max_speed ?? 0);
    return speeds.reduce((a, b) => Math.max(a, b), 0) || 1;
  }

  private cutQuery(): string {
    const domain = this.summary?.domain ?? { min: [0, 0, 0], max: [1, 1, 1] };
    const sign = this.isOn("cut-flip") ? -1 : 1;
    const n = this.cutNormal.map((x) => sign * x);
    // From one end of the domain to the other, along the normal.
    const ends = [0, 0];
    n.forEach((x, i) => {
      ends[0] += Math.min(x * domain.min[i], x * domain.max[i]);
      ends[1] += Math.max(x * domain.min[i], x * domain.max[i]);
    });
    const raw = byId<HTMLInputElement>("cut-place").valueAsNumber / 1000;
    const share = sign > 0 ? raw : 1 - raw;
    const offset = ends[0] + share * (ends[1] - ends[0]);
    const by = byId<HTMLSelectElement>("cut-by").value;
    return `plane=${[...n, offset].map((x) => Number(x.toPrecision(7))).join(",")}&by=${by}`;
  }

  // What the look needs of a frame, by name.
  private urlsOf(frame: number): Record<string, string> {
    const base = `api/frames/${frame}`;
    const urls: Record<string, string> = {};
    const look = this.look;
    if (look === "cut") urls.cut = `${base}/cut?${this.cutQuery()}`;
    else urls.surface = `${base}/surface`;
    if (look === "wireframe") urls.edges = `${base}/edges`;
    if (this.isOn("arrows")) urls.surface = `${base}/surface`;
    if (this.isOn("arrows") || look === "speed") urls.velocity = `${base}/velocity`;
    if (this.summary?.frames[frame]?.files["particles.ply"] && this.isOn("particles")) urls.particles = `${base}/particles`;
    return urls;
  }

  private async show(frame: number): Promise<void> {
    this.loading.abort();
    const loading = (this.loading = new AbortController());
    this.isLoading = true;
    const names = Object.entries(this.urlsOf(frame));
    try {
      const packs = await Promise.all(names.map(([, url]) => this.store.get(url, loading.signal)));
      if (loading.signal.aborted) return;
      this.draw(frame, Object.fromEntries(names.map(([name], i) => [name, packs[i]])));
      this.say("");
    } catch (error) {
      if (loading.signal.aborted) return;
      this.stage.clearFrame();
      this.showScale("");
      const where = error instanceof ServerError && error.status === 404 ? "" : " The file may be damaged.";
      this.say(`Frame ${frame} cannot be shown: ${(error as Error).message}.${where}`);
    }
    this.shownFrame = frame;
    this.isLoading = false;
    this.loadAhead(frame);
    await new Promise((done) => requestAnimationFrame(done));
  }

  private draw(frame: number, packs: Record<string, Pack>): void {
    const stage = this.stage;
    stage.clearFrame();
    this.showScale("");
    stage.setPoses(this.summary?.frames[frame]?.poses ?? []);
    const look = this.look;
    if (look === "water") stage.showWater(packs.surface);
    if (look === "wireframe") stage.showWireframe(packs.surface, packs.edges);
    if (look === "speed") stage.showSpeed(packs.surface, packs.velocity, this.fastest);
    if (look === "cut") this.drawCut(packs.cut);
    if (packs.particles) stage.showParticles(packs.particles);
    if (this.isOn("arrows")) stage.showArrows(chooseArrows(packs.surface, packs.velocity), this.fastest);
    if (look === "speed" || (look !== "cut" && this.isOn("arrows"))) this.showScale("speed, m/s", 0, this.fastest);
  }

  private drawCut(pack: Pack): void {
    const about = pack.about as {
      tets: number;
      left: number;
      range: [number, number] | null;
      measures: string[];
      worst: { smallest: number; largest: number }[];
    };
    const by = byId<HTMLSelectElement>("cut-by");
    for (const option of by.options) option.disabled = !about.measures.includes(option.value);
    const [low, high] = about.range ?? [0, 1];
    this.stage.showCut(pack, low, high, this.isOn("cut-worst"));
    const smallest = Math.min(...about.worst.map((tet) => tet.smallest));
    const largest = Math.max(...about.worst.map((tet) => tet.largest));
    const worst = about.worst.length > 0 ? ` Worst: ${smallest.toFixed(1)}° and ${largest.toFixed(1)}°.` : "";
    const note = `${about.left.toLocaleString("en")} of ${about.tets.toLocaleString("en")} tetrahedra.${worst}`;
    this.showScale(about.range ? kMeasureWords[by.value] : `the frame has no ${by.value}`, low, high, note);
  }

  private loadAhead(frame: number): void {
    if (!this.player.state.isPlaying) return;
    for (let k = 1; k <= kAhead; ++k) {
      const next = (frame + k) % this.player.frames;
      for (const url of Object.values(this.urlsOf(next))) {
        if (!this.store.has(url)) void this.store.get(url).catch(() => undefined); // said when it is due
      }
    }
  }

  private reshow(): void {
    if (this.player.frames > 0) void this.show(this.player.state.frame);
  }

  // --- words -------------------------------------------------------------------------------

  private say(text: string): void {
    const message = byId("message");
    message.hidden = text === "";
    message.textContent = text;
  }

  private showScale(title: string, low = 0, high = 1, note = ""): void {
    byId("scale").hidden = title === "";
    byId("scale-title").textContent = title;
    byId("scale-low").textContent = shortNumber(low);
    byId("scale-high").textContent = shortNumber(high);
    byId("scale-note").textContent = note;
  }

  private updateStatus(): void {
    const summary = this.summary;
    if (!summary) return;
    const done = summary.frames.length;
    const words = done < summary.frames_asked ? `${done} of ${summary.frames_asked} frames; waiting for more` : `${done} frames`;
    byId("status").textContent = this.isConnected ? words : "no connection";
    if (done === 0) this.say("No frame is finished yet; the first appears here as soon as it is.");
    byId("particles-label").hidden = !summary.frames.some((frame) => frame.files["particles.ply"]);
    const cut = document.querySelector<HTMLInputElement>('input[value="cut"]');
    const hasTets = summary.frames.some((frame) => frame.files["mesh.vtu"]);
    if (cut) cut.disabled = !hasTets;
    const why = hasTets ? "4" : "The cache has no tetrahedra: run the scene with output.mesh = true";
    cut?.parentElement?.setAttribute("title", why);
  }

  private updateTimeline(): void {
    const { frame, isPlaying, loops, follows, speed } = this.player.state;
    const timeline = byId<HTMLInputElement>("timeline");
    timeline.max = String(Math.max(0, this.player.frames - 1));
    timeline.value = String(frame);
    const time = this.summary?.frames[frame]?.time ?? 0;
    timeline.setAttribute("aria-valuetext", `frame ${frame}, ${time.toFixed(3)} seconds`);
    byId("frame-label").textContent = `frame ${frame}, ${time.toFixed(3)} s`;
    byId("play").textContent = isPlaying ? "Pause" : "Play";
    byId<HTMLInputElement>("loop").checked = loops;
    byId<HTMLInputElement>("follow").checked = follows;
    byId<HTMLSelectElement>("speed").value = String(speed);
    for (const plot of this.plots.values()) plot.setTime(time);
  }

  // --- controls ----------------------------------------------------------------------------

  private connectControls(): void {
    const on = (id: string, event: string, handle: () => void) => byId(id).addEventListener(event, handle);
    const speed = byId<HTMLSelectElement>("speed");
    for (const value of kSpeeds) speed.add(new Option(`${value}×`, String(value), value === 1, value === 1));
    on("play", "click", () => this.player.toggle());
    on("back", "click", () => this.player.step(-1));
    on("forth", "click", () => this.player.step(1));
    on("timeline", "input", () => {
      const frame = byId<HTMLInputElement>("timeline").valueAsNumber; // before the player sets it
      this.player.pause();
      this.player.seek(frame);
    });
    on("loop", "change", () => this.player.setLoops(this.isOn("loop")));
    on("follow", "change", () => this.player.setFollows(this.isOn("follow")));
    on("speed", "change", () => this.player.setSpeed(Number(speed.value)));
    on("save-picture", "click", () => void this.savePicture());
    on("save-data", "click", () => this.saveData());
    on("toggle-plots", "click", () => this.togglePlots());
    on("help-button", "click", () => byId<HTMLDialogElement>("help").showModal());
    on("obstacles", "change", () => this.stage.showObstacles(this.isOn("obstacles")));
    for (const radio of document.querySelectorAll('input[name="look"]')) {
      radio.addEventListener("change", () => this.changeLook());
    }
    for (const id of ["arrows", "particles", "cut-worst", "cut-flip", "cut-by"]) on(id, "change", () => this.reshow());
    on("cut-place", "input", () => this.reshow());
    on("cut-axis", "change", () => this.turnPlane());
    byId("tools").addEventListener("submit", (event) => event.preventDefault());
    this.connectKeys();
    window.addEventListener("resize", () => this.plots.forEach((plot) => plot.draw()));
  }

  private connectKeys(): void {
    const click = (id: string) => () => byId(id).click();
    const choose = (look: Look) => () => document.querySelector<HTMLInputElement>(`input[value="${look}"]`)?.click();
    const movePlane = (by: number) => () => {
      const place = byId<HTMLInputElement>("cut-place");
      place.valueAsNumber += by;
      this.reshow();
    };
    keysOf(byId("keys"), [
      [[" "], "space", "play or pause", () => this.player.toggle()],
      [["ArrowLeft"], "←", "frame before", () => this.player.step(-1)],
      [["ArrowRight"], "→", "frame after", () => this.player.step(1)],
      [["Home"], "Home", "first frame", () => this.player.seek(0)],
      [["End"], "End", "last frame", () => this.player.seek(this.player.frames - 1)],
      [["+", "="], "+", "faster", () => this.player.faster(1)],
      [["-"], "−", "slower", () => this.player.faster(-1)],
      [["l"], "L", "loop", click("loop")],
      [["f"], "F", "follow the run", click("follow")],
      [["1"], "1", "water", choose("water")],
      [["2"], "2", "wireframe", choose("wireframe")],
      [["3"], "3", "speed", choose("speed")],
      [["4"], "4", "cut open", choose("cut")],
      [["["], "[", "plane back", movePlane(-20)],
      [["]"], "]", "plane forth", movePlane(20)],
      [["v"], "V", "velocity arrows", click("arrows")],
      [["o"], "O", "obstacles", click("obstacles")],
      [["r"], "R", "first camera", () => this.stage.resetCamera()],
      [["p"], "P", "plots", click("toggle-plots")],
      [["s"], "S", "save the picture", click("save-picture")],
      [["d"], "D", "save the data", click("save-data")],
      [["?"], "?", "this help", click("help-button")],
    ]);
  }

  private changeLook(): void {
    byId("cut-tools").hidden = this.look !== "cut";
    if (this.look === "cut" && !this.hasPlane) this.turnPlane();
    else this.reshow();
  }

  private turnPlane(): void {
    const axis = byId<HTMLSelectElement>("cut-axis").value;
    const eye = this.stage.towardsEye();
    this.cutNormal = axis === "eye" ? [eye.x, eye.y, eye.z] : [+(axis === "x"), +(axis === "y"), +(axis === "z")];
    // What is nearer goes, so that the cut is seen.
    const faces = this.cutNormal[0] * eye.x + this.cutNormal[1] * eye.y + this.cutNormal[2] * eye.z;
    byId<HTMLInputElement>("cut-flip").checked = faces < 0;
    this.hasPlane = true;
    this.reshow();
  }

  private togglePlots(): void {
    const isHidden = document.querySelector("main")?.classList.toggle("no-plots") ?? false;
    byId("toggle-plots").setAttribute("aria-pressed", String(!isHidden));
    this.plots.forEach((plot) => plot.draw());
  }

  private get fileName(): string {
    return (this.summary?.scene ?? "spindrift").replace(/[^\w.-]+/g, "_");
  }

  private async savePicture(): Promise<void> {
    const number = String(this.player.state.frame).padStart(6, "0");
    save(await this.stage.picture(), `${this.fileName}.${number}.png`);
  }

  private saveData(): void {
    save(new Blob([csvOf(this.stats)], { type: "text/csv" }), `${this.fileName}.csv`);
  }
}

new Viewer().start().catch((error: Error) => {
  const message = byId("message");
  message.hidden = false;
  message.textContent = `This browser cannot draw the picture (WebGL 2 is missing): ${error.message}`;
});
