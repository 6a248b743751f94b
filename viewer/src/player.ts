// Which frame is shown when: play, pause, loop, speed, and following a run that goes on.

export interface PlayerState {
  frame: number;
  isPlaying: boolean;
  loops: boolean;
  follows: boolean;
  speed: number;
}

export const kSpeeds = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  readonly state: PlayerState = { frame: 0, isPlaying: false, loops: true, follows: false, speed: 1 };
  private count = 0;
  private fps = 24;
  private startFrame = 0;
  private startTime = 0;
  private timer = 0;
  private isWaiting = false;

  // `show` resolves when the frame is on the screen or has failed; `changed` when the state differs.
  constructor(
    private readonly show: (frame: number) => Promise<void>,
    private readonly changed: () => void,
  ) {}

  get frames(): number {
    return this.count;
  }

  setFrames(count: number, fps: number): void {
    const grew = count > this.count;
    this.count = count;
    this.fps = fps;
    if (this.state.frame >= count) this.seek(Math.max(0, count - 1));
    else if (grew && this.state.follows) this.seek(count - 1);
    this.changed();
  }

  seek(frame: number): void {
    if (this.count === 0) return;
    const bounded = Math.max(0, Math.min(this.count - 1, Math.round(frame)));
    this.state.frame = bounded;
    this.restartClock();
    this.changed();
    void this.show(bounded);
  }

  step(by: number): void {
    this.pause();
    this.seek(this.state.frame + by);
  }

  toggle(): void {
    if (this.state.isPlaying) this.pause();
    else this.play();
  }

  play(): void {
    if (this.count < 2) return;
    this.state.isPlaying = true;
    this.state.follows = false;
    if (this.state.frame === this.count - 1) this.seek(0);
    this.restartClock();
    this.changed();
    this.schedule();
  }

  pause(): void {
    this.state.isPlaying = false;
    window.clearTimeout(this.timer);
    this.changed();
  }

  setSpeed(speed: number): void {
    this.state.speed = speed;
    this.restartClock();
    this.changed();
  }

  faster(by: 1 | -1): void {
    const next = kSpeeds.indexOf(this.state.speed) + by;
    if (next >= 0 && next < kSpeeds.length) this.setSpeed(kSpeeds[next]);
  }

  setLoops(loops: boolean): void {
    this.state.loops = loops;
    this.changed();
  }

  setFollows(follows: boolean): void {
    this.state.follows = follows;
    if (follows) {
      this.pause();
      this.seek(this.count - 1);
    }
    this.changed();
  }

  private restartClock(): void {
    this.startFrame = this.state.frame;
    this.startTime = performance.now();
  }

  private schedule(): void {
    window.clearTimeout(this.timer);
    if (!this.state.isPlaying) return;
    const rate = this.fps * this.state.speed;
    this.timer = window.setTimeout(() => void this.tick(), Math.max(4, Math.min(250, 400 / rate)));
  }

  // Frames that are late are skipped, but never is one asked for while another is on its way.
  private async tick(): Promise<void> {
    if (!this.state.isPlaying || this.isWaiting) return;
    const passed = ((performance.now() - this.startTime) / 1000) * this.fps * this.state.speed;
    let due = this.startFrame + Math.floor(passed);
    if (due > this.state.frame) {
      // At most one in the time of each picture, so that slow machines show every frame they can.
      due = Math.min(due, this.state.frame + Math.max(1, Math.round(this.state.speed)));
      if (due >= this.count) {
        if (!this.state.loops) {
          this.seek(this.count - 1);
          this.pause();
          return;
        }
        due = 0;
      }
      this.state.frame = due;
      this.changed();
      this.isWaiting = true;
      await this.show(due);
      this.isWaiting = false;
      const late = performance.now() - this.startTime - ((due - this.startFrame) * 1000) / (this.fps * this.state.speed);
      if (late > 250 || due < this.startFrame) this.restartClock();
    }
    this.schedule();
  }
}
