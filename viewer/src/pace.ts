// How fine pictures are drawn: coarser while things move if the machine is slow, and as fine as takes
// little time once they rest.

const kSlowMilliseconds = 120; // a picture that takes longer is drawn coarser while things move
const kFineMilliseconds = 1200; // that a finer picture may take

export class Pace {
  private share = 1; // of the screen's pixels, along a line, while things move
  private lastRatio = 1;
  milliseconds = 0; // that the last picture of something in motion took

  // Pixels of the picture for each of the page's.
  ratio(isFine: boolean): number {
    const device = Math.min(window.devicePixelRatio || 1, 2);
    if (!isFine) return device * this.share;
    // Up to twice as fine: edges then look smooth. If all of the time goes into pixels it grows with
    // their number.
    const affordable = this.lastRatio * Math.sqrt(kFineMilliseconds / Math.max(this.milliseconds, 1));
    return Math.max(device, Math.min(2, Math.round(4 * affordable) / 4));
  }

  // A picture of something in motion took that long.
  note(milliseconds: number, ratio: number): void {
    this.milliseconds = milliseconds;
    this.lastRatio = ratio;
    if (milliseconds > kSlowMilliseconds) this.share = Math.max(0.5, this.share * 0.8);
    else if (milliseconds < 0.4 * kSlowMilliseconds) this.share = Math.min(1, this.share * 1.25);
  }
}
