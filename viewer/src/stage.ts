// The picture: camera, world, container, obstacles, and the liquid in one of its looks. It is drawn
// only when something has changed.
import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { CacheSummary, Pack, Vec3 } from "./api";
import { arrowGeometry, type Arrows } from "./arrows";
import { meanLength, partOf, pointGeometry, screenTriangle, surfaceGeometry, unculled } from "./geometries";
import { Pace } from "./pace";
import { Passes } from "./passes";

// m/s, of a run; not 0.
export interface Speeds {
  fastest: number;
  usual: number; // of the fastest in each frame
}

export type Look = "water" | "wireframe" | "speed" | "cut";

const kEyeDistance = 2.2; // half diagonals, if the scene names no camera
const kStillMilliseconds = 350; // after which the picture is drawn finer
const kManyTriangles = 4e5; // that software draws only once for a coarse picture

export class Stage {
  private readonly camera = new three.PerspectiveCamera(40, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private readonly passes: Passes;
  private readonly pace = new Pace();
  private readonly solid = new three.Scene();
  private readonly front = new three.Scene();
  private readonly background: three.Mesh;
  private readonly obstacles: three.Mesh[] = [];
  private container: three.LineSegments | null = null;
  private water: three.Mesh | null = null;
  private shown: three.Object3D[] = []; // of the frame; disposed with it
  private summary: CacheSummary | null = null;
  private isLightOld = true; // that on the floor
  private isPending = false;
  private isFine = false;
  private stillTimer = 0;
  private pictures = 0; // drawn so far
  private firstPicture = 0; // of a frame: when it was there, in ms since the page was opened

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.passes = new Passes(canvas);
    this.background = unculled(new three.Mesh(screenTriangle(), this.materials.background));
    this.background.renderOrder = -1;
    this.solid.add(this.background);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.maxPolarAngle = 0.62 * Math.PI;
    this.controls.addEventListener("change", () => this.touch());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
    canvas.addEventListener("webglcontextrestored", () => this.touch());
  }

  private get materials() {
    return this.passes.materials;
  }

  private get shared() {
    return this.passes.shared;
  }

  // --- what stays from frame to frame ------------------------------------------------------

  // Domain and camera; the obstacles come later.
  setScene(summary: CacheSummary): void {
    this.summary = summary;
    const low = new three.Vector3(...summary.domain.min);
    const high = new three.Vector3(...summary.domain.max);
    const half = high.clone().sub(low).multiplyScalar(0.5).length();
    this.shared.domainMin.value.copy(low);
    this.shared.domainMax.value.copy(high);
    this.shared.size.value = half;
    this.passes.floorLight.setDomain();
    this.camera.near = 0.01 * half;
    this.camera.far = 60 * half;
    this.controls.minDistance = 0.05 * half;
    this.controls.maxDistance = 20 * half;
    this.container?.removeFromParent();
    this.container?.geometry.dispose();
    const box = new three.BoxGeometry(...high.clone().sub(low).toArray());
    this.container = unculled(new three.LineSegments(new three.EdgesGeometry(box), this.materials.container));
    box.dispose();
    this.container.position.copy(low).add(high).multiplyScalar(0.5);
    this.solid.add(this.container);
    this.isLightOld = true;
    this.passes.warmUp(this.camera);
    this.resetCamera();
  }

  resetCamera(): void {
    if (!this.summary) return;
    const { domain, camera } = this.summary;
    const middle = new three.Vector3(...domain.min).add(new three.Vector3(...domain.max)).multiplyScalar(0.5);
    if (camera) {
      this.camera.position.set(...camera.eye);
      this.controls.target.set(...camera.target);
      this.camera.fov = camera.fov;
    } else {
      this.controls.target.copy(middle);
      const away = new three.Vector3(0.45, -1, 0.5).normalize().multiplyScalar(kEyeDistance * this.shared.size.value);
      this.camera.position.copy(middle).add(away);
      this.camera.fov = 40;
    }
    this.keepInSight();
    this.controls.update();
    this.touch();
  }

  // On a narrow screen, from farther away: the width has to fit too.
  private keepInSight(): void {
    const narrow = Math.max(1, 1.05 / Math.max(this.camera.aspect, 0.1));
    const away = this.camera.position.clone().sub(this.controls.target).multiplyScalar(narrow);
    this.camera.position.copy(this.controls.target).add(away);
  }

  // For a plane that faces it.
  towardsEye(): Vec3 {
    return this.camera.position.clone().sub(this.controls.target).normalize().toArray();
  }

  setObstacles(pack: Pack): void {
    for (const mesh of this.obstacles) {
      mesh.removeFromParent();
      mesh.geometry.dispose();
    }
    this.obstacles.length = 0;
    const whole = surfaceGeometry(pack);
    for (const { first, count } of pack.about.parts as { first: number; count: number }[]) {
      const mesh = unculled(new three.Mesh(partOf(whole, first, count), this.materials.obstacle));
      this.obstacles.push(mesh);
      this.solid.add(mesh);
    }
    this.change();
  }

  setPoses(poses: (number[] | null)[]): void {
    this.obstacles.forEach((mesh, i) => {
      const pose = poses[i];
      if (!pose) return;
      mesh.quaternion.set(pose[0], pose[1], pose[2], pose[3]);
      mesh.position.set(pose[4], pose[5], pose[6]);
    });
    this.change();
  }

  showObstacles(isShown: boolean): void {
    for (const mesh of this.obstacles) mesh.visible = isShown;
    this.change();
  }

  // --- the frame ---------------------------------------------------------------------------

  // Nothing of a frame any more, and none of its buffers.
  clearFrame(): void {
    for (const object of this.shown) {
      object.removeFromParent();
      (object as three.Mesh).geometry.dispose();
    }
    this.shown = [];
    this.water = null;
    this.change();
  }

  // Water is drawn by itself, everything else in a scene.
  private show(object: three.Mesh | three.LineSegments | three.Points, scene: three.Scene | null): void {
    scene?.add(unculled(object));
    this.shown.push(object);
    this.change();
  }

  showWater(surface: Pack): void {
    this.water = unculled(new three.Mesh(surfaceGeometry(surface), this.materials.water));
    this.show(this.water, null);
  }

  showWireframe(surface: Pack, edges: Pack): void {
    const geometry = surfaceGeometry(surface);
    this.show(new three.Mesh(geometry, this.materials.pale), this.solid);
    const lines = new three.BufferGeometry();
    lines.setAttribute("position", geometry.getAttribute("position"));
    lines.setIndex(new three.BufferAttribute(edges.arrays.index, 1));
    this.materials.edge.uniforms.edgeLength.value = meanLength(surface.arrays.position, edges.arrays.index);
    this.show(new three.LineSegments(lines, this.materials.edge), this.solid);
  }

  showSpeed(surface: Pack, velocity: Pack, fastest: number): void {
    const geometry = surfaceGeometry(surface);
    geometry.setAttribute("velocity", new three.BufferAttribute(velocity.arrays.velocity, 3));
    this.shared.range.value.set(0, fastest);
    this.show(new three.Mesh(geometry, this.materials.speed), this.solid);
  }

  showCut(cut: Pack, low: number, high: number, marksWorst: boolean): void {
    const geometry = pointGeometry(cut.arrays.position);
    geometry.setAttribute("value", new three.BufferAttribute(cut.arrays.value, 1));
    this.shared.range.value.set(low, high);
    this.show(new three.Mesh(geometry, this.materials.cut), this.solid);
    if (marksWorst) this.show(new three.Mesh(pointGeometry(cut.arrays.worst), this.materials.worst), this.front);
  }

  // An arrow of the usual speed is a good part of the tank long.
  showArrows(arrows: Arrows, { usual, fastest }: Speeds): void {
    if (arrows.count === 0) return;
    this.materials.arrow.uniforms.lengthScale.value = (0.2 * this.shared.size.value) / usual;
    this.materials.arrow.uniforms.range.value.set(0, fastest);
    this.show(new three.Mesh(arrowGeometry(arrows), this.materials.arrow), this.front);
  }

  showParticles(particles: Pack): void {
    this.show(new three.Points(pointGeometry(particles.arrays.position), this.materials.particle), this.front);
  }

  // --- drawing -----------------------------------------------------------------------------

  // Something has changed: draw soon, and finer once it stays as it is.
  touch(): void {
    this.isFine = false;
    window.clearTimeout(this.stillTimer);
    this.schedule();
  }

  // The same, and shadows change too.
  private change(): void {
    this.isLightOld = true;
    this.touch();
  }

  private schedule(): void {
    if (this.isPending) return;
    this.isPending = true;
    requestAnimationFrame(() => {
      this.isPending = false;
      this.draw();
    });
  }

  private refine(): void {
    this.isFine = true;
    if (this.water || this.isLightOld || this.pace.ratio(true) !== this.passes.ratio) this.schedule();
  }

  // Drawn at its finest, with nothing left to do?
  get isAtRest(): boolean {
    return this.isFine && !this.isPending;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement ?? this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.touch();
  }

  private draw(): void {
    if (!this.summary || this.passes.isLost) return;
    const start = performance.now();
    const { clientWidth, clientHeight } = this.canvas.parentElement ?? this.canvas;
    const ratio = this.pace.ratio(this.isFine);
    this.passes.setSize(Math.max(clientWidth, 1), Math.max(clientHeight, 1), ratio, this.isFine);
    const isLarge = (this.water?.geometry.index?.count ?? 0) > 3 * kManyTriangles;
    const isThorough = this.isFine || !this.passes.isSoftware || !isLarge;
    const { solid, front, water } = this;
    const opaque = solid.children.filter((child) => child.visible && this.throwsShadow(child));
    const effort = { measuresThickness: isThorough, lightsFloor: isThorough && this.isLightOld };
    this.passes.draw({ solid, front, water, opaque }, this.camera, effort);
    if (isThorough) this.isLightOld = false;
    if (this.shown.length > 0) this.passes.wait(); // so that a slow machine gets coarser pictures rather than late ones
    this.note(performance.now() - start, ratio);
  }

  private note(milliseconds: number, ratio: number): void {
    ++this.pictures;
    if (this.shown.length > 0) this.firstPicture ||= performance.now();
    if (this.isFine) return;
    if (this.shown.length > 0) this.pace.note(milliseconds, ratio);
    window.clearTimeout(this.stillTimer);
    this.stillTimer = window.setTimeout(() => this.refine(), kStillMilliseconds);
  }

  private throwsShadow(object: three.Object3D): boolean {
    return object instanceof three.Mesh && object !== this.background;
  }

  // The picture as it is, at its finest.
  picture(): Promise<Blob> {
    this.isFine = true;
    this.draw();
    return new Promise((resolve, reject) => {
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture cannot be saved"))), "image/png");
    });
  }

  inspect() {
    const shows = (material: three.Material) => this.shown.some((object) => (object as three.Mesh).material === material);
    return {
      memory: this.passes.memory,
      pictures: this.pictures,
      firstPicture: this.firstPicture,
      isSoftware: this.passes.isSoftware,
      eye: this.camera.position.toArray(),
      stage: {
        milliseconds: this.pace.milliseconds,
        ratio: this.passes.ratio,
        objects: this.shown.length,
        arrows: shows(this.materials.arrow),
        particles: shows(this.materials.particle),
      },
    };
  }
}
