// The plane that cuts the mesh open, as its controls say.
import type { CacheSummary, Vec3 } from "./api";
import { byId, isOn } from "./page";

const kSteps = 1000; // of the slider, from one end of the domain to the other

const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export class CutPlane {
  private normal: Vec3 | null = null;

  get isPlaced(): boolean {
    return this.normal !== null;
  }

  // Across the axis that is chosen, with what is nearer to the eye cut away, so that the cut is seen.
  turn(towardsEye: Vec3): void {
    const axis = byId<HTMLSelectElement>("cut-axis").value;
    this.normal = axis === "eye" ? towardsEye : [+(axis === "x"), +(axis === "y"), +(axis === "z")];
    byId<HTMLInputElement>("cut-flip").checked = dot(this.normal, towardsEye) < 0;
  }

  move(steps: number): void {
    byId<HTMLInputElement>("cut-place").valueAsNumber += steps;
  }

  // As the server wants it: what is beyond the plane is left out.
  query({ min, max }: CacheSummary["domain"]): string {
    const sign = isOn("cut-flip") ? -1 : 1;
    const normal = (this.normal ?? [0, 1, 0]).map((x) => sign * x) as Vec3;
    const least = normal.map((x, i) => (x > 0 ? min[i] : max[i])) as Vec3;
    const most = normal.map((x, i) => (x > 0 ? max[i] : min[i])) as Vec3;
    const raw = byId<HTMLInputElement>("cut-place").valueAsNumber / kSteps;
    const share = sign > 0 ? raw : 1 - raw;
    const offset = (1 - share) * dot(normal, least) + share * dot(normal, most);
    return [...normal, offset].map((x) => Number(x.toPrecision(7))).join(",");
  }
}
