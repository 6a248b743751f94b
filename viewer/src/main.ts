// The page: follows a cache, and shows its frames and what was measured.
import { fetchJson, fetchPack, type CacheSummary } from "./api";
import { connectControls } from "./controls";
import { CutPlane } from "./cut_plane";
import { FrameView } from "./frame_view";
import { Measurements } from "./measurements";
import { PackStore } from "./pack_store";
import { byId, say } from "./page";
import { Player } from "./player";
import { Stage } from "./stage";
import "./style.css";

const kPollMilliseconds = 1500; // while frames are still to come
const kIdlePollMilliseconds = 10000;
const kMegabytes = 256; // of frames that are kept; ?memory=MB changes it

class Viewer {
  private readonly stage = new Stage(byId<HTMLCanvasElement>("canvas"));
  private readonly plane = new CutPlane();
  private readonly view: FrameView;
  private readonly player = new Player((frame) => this.show(frame), () => this.updateTimeline());
  private readonly measurements = new Measurements((time) => this.player.seek(time * (this.summary?.fps ?? 1)));
  private summary: CacheSummary | null = null;
  private isConnected = true;

  constructor(private readonly store: PackStore) {
    this.view = new FrameView(this.stage, store, this.plane, () => this.summary);
  }

  async start(): Promise<void> {
    connectControls({
      player: this.player,
      stage: this.stage,
      plane: this.plane,
      measurements: this.measurements,
      reshow: () => {
        if (this.player.frames > 0) void this.show(this.player.state.frame);
      },
      fileName: () => (this.summary?.scene ?? "spindrift").replace(/[^\w.-]+/g, "_"),
    });
    // For tests and for the curious.
    Object.assign(window, { spindrift: this.inspect() });
    await this.poll();
    this.pollLater();
  }

  private inspect() {
    return {
      state: () => ({
        frame: this.player.state.frame,
        shownFrame: this.view.shownFrame,
        frames: this.player.frames,
        isPlaying: this.player.state.isPlaying,
        isAtRest: !this.view.isLoading && this.stage.isAtRest,
        store: this.store.size,
        ...this.stage.inspect(),
      }),
      seek: (frame: number) => this.player.seek(frame),
      values: (plot: string, time: number) => this.measurements.valuesAt(plot, time),
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
      if (isAnother || hasGrown) void this.measure(summary);
      if (!this.isConnected) say("");
      this.isConnected = true;
      this.player.setFrames(summary.frames.length, summary.fps);
      if (isAnother || this.view.shownFrame < 0) this.player.seek(this.player.state.frame);
    } catch (error) {
      this.isConnected = false;
      say(`The cache cannot be read: ${(error as Error).message}`);
    }
    this.updateStatus();
  }

  private begin(summary: CacheSummary): void {
    document.title = `${summary.scene} – Spindrift`;
    byId("title").textContent = summary.scene;
    if (this.view.shownFrame >= 0) this.store.clear(); // of another run
    this.view.shownFrame = -1;
    this.measurements.clear();
    this.stage.setScene(summary);
    if (summary.obstacles > 0) void this.loadObstacles();
  }

  private async loadObstacles(): Promise<void> {
    try {
      this.stage.setObstacles(await fetchPack("api/obstacles"));
      const frame = this.summary?.frames[Math.max(0, this.view.shownFrame)];
      if (frame) this.stage.setPoses(frame.poses);
    } catch (error) {
      say(`The obstacles cannot be shown: ${(error as Error).message}`);
    }
  }

  private async measure(summary: CacheSummary): Promise<void> {
    await this.measurements.load(summary);
    this.view.speeds = this.measurements.speeds;
    this.updateTimeline();
  }

  private async show(frame: number): Promise<void> {
    await this.view.show(frame);
    if (this.player.state.isPlaying) this.view.loadAhead();
  }

  // --- words -------------------------------------------------------------------------------

  private updateStatus(): void {
    const summary = this.summary;
    if (!summary) return;
    const done = summary.frames.length;
    const words = done < summary.frames_asked ? `${done} of ${summary.frames_asked} frames; waiting for more` : `${done} frames`;
    byId("status").textContent = this.isConnected ? words : "no connection";
    if (done === 0) say("No frame is finished yet; the first appears here as soon as it is.");
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
    this.measurements.setTime(time);
  }
}

function makeStore(): PackStore {
  const wish = Number(new URLSearchParams(location.search).get("memory"));
  return new PackStore((wish > 0 ? wish : kMegabytes) * 1e6);
}

// The first frame is on its way while the browser still gets ready to draw.
async function fetchFirstFrame(store: PackStore): Promise<void> {
  try {
    const { frames } = await fetchJson<CacheSummary>("api/cache");
    if (frames[0]?.files["surface.ply"]) void store.get("api/frames/0/surface").catch(() => undefined);
  } catch {
    // The viewer says what is wrong.
  }
}

try {
  const store = makeStore();
  await fetchFirstFrame(store);
  await new Viewer(store).start();
} catch (error) {
  say(`This browser cannot draw the picture (WebGL 2 is missing): ${(error as Error).message}`);
}
