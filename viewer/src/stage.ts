// The picture: camera, world, container, obstacles, and the liquid in one of its looks.
//
// It is drawn only when something has changed. First everything solid goes to a texture, then how
// much water each ray passes, then both to the screen with the water in front.
import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { CacheSummary, Pack } from "./api";
import { arrowGeometry, type Arrows } from "./arrows";
import * as glsl from "./shaders";

export type Look = "water" | "wireframe" | "speed" | "cut";

const kSun = new three.Vector3(-0.45, -0.35, 0.82).normalize();
const kEyeDistance = 2.2; // half diagonals, if the scene names no camera
const kSlowMilliseconds = 120; // a picture that takes longer is drawn coarser while things move
const kStillMilliseconds = 350; // after which the picture is drawn finer
const kManyTriangles = 4e5; // that software draws only once for a coarse picture
const kFineMilliseconds = 1200; // that a finer picture may take

function screenTriangle(): three.BufferGeometry {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
  return geometry;
}

function material(
  vertexShader: string,
  fragmentShader: string,
  uniforms: Record<string, three.IUniform>,
  more: Partial<three.ShaderMaterialParameters> = {},
): three.RawShaderMaterial {
  return new three.RawShaderMaterial({ glslVersion: three.GLSL3, vertexShader, fragmentShader, uniforms, ...more });
}

// Straight into buffers of the graphics card; nothing is computed here.
function surfaceGeometry(pack: Pack): three.BufferGeometry {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.BufferAttribute(pack.arrays.position, 3));
  geometry.setAttribute("normal", new three.BufferAttribute(pack.arrays.normal, 4, true));
  geometry.setIndex(new three.BufferAttribute(pack.arrays.index, 1));
  return geometry;
}

function unculled<T extends three.Object3D>(object: T): T {
  object.frustumCulled = false; // culling would walk through all vertices first
  return object;
}

export class Stage {
  readonly camera = new three.PerspectiveCamera(40, 1, 0.01, 100);
  readonly controls: OrbitControls;
  readonly isSoftware: boolean;
  private readonly renderer: three.WebGLRenderer;
  private readonly solid = new three.Scene();
  private readonly liquid = new three.Scene();
  private readonly front = new three.Scene();
  private readonly screen = new three.Scene();
  private readonly screenCamera = new three.Camera();
  private behind: three.WebGLRenderTarget;
  private thickness: three.WebGLRenderTarget | null = null;
  private readonly shared: Record<string, three.IUniform>;
  private readonly materials: Record<string, three.RawShaderMaterial>;
  private readonly obstacles: three.Mesh[] = [];
  private water: three.Mesh | null = null;
  private shown: three.Object3D[] = []; // of the frame; disposed with it
  private arrows: three.Mesh | null = null;
  private particles: three.Points | null = null;
  private frame: three.LineSegments | null = null;
  private summary: CacheSummary | null = null;
  private pending = false;
  private ratio = 1;
  private isFine = false;
  private stillTimer = 0;
  private lastMilliseconds = 0; // that a coarse picture took,
  private lastRatio = 1; // and its pixels for each of the page's
  pictures = 0; // drawn so far
  firstPicture = 0; // of a frame: when it was there, in ms since the page was opened

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.renderer = new three.WebGLRenderer({ canvas, antialias: false, powerPreference: "high-performance" });
    this.renderer.autoClear = false;
    this.renderer.outputColorSpace = three.LinearSRGBColorSpace; // the shaders end on the screen
    const gl = this.renderer.getContext();
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    this.isSoftware = /swiftshader|llvmpipe|software/i.test(name);
    this.behind = this.makeBehind();
    const canAdd = gl.getExtension("EXT_color_buffer_float") && gl.getExtension("EXT_float_blend");
    const canFilter = gl.getExtension("OES_texture_float_linear") !== null;
    if (canAdd) {
      this.thickness = new three.WebGLRenderTarget(1, 1, {
        type: three.FloatType,
        format: three.RedFormat,
        minFilter: canFilter ? three.LinearFilter : three.NearestFilter,
        magFilter: canFilter ? three.LinearFilter : three.NearestFilter,
        depthBuffer: false,
      });
    }
    this.shared = {
      sunDirection: { value: kSun },
      domainMin: { value: new three.Vector3() },
      domainMax: { value: new three.Vector3(1, 1, 1) },
      eye: { value: this.camera.position },
      screenToWorld: { value: new three.Matrix4() },
      viewProjection: { value: new three.Matrix4() },
      screenSize: { value: new three.Vector2(1, 1) },
      thicknessSize: { value: new three.Vector2(1, 1) },
      depthRange: { value: new three.Vector2(0.01, 100) },
      pixelAngle: { value: 0.001 },
      size: { value: 1 },
      range: { value: new three.Vector2(0, 1) },
      behind: { value: this.behind.texture },
      behindDepth: { value: this.behind.depthTexture },
      thickness: { value: this.thickness?.texture ?? null },
      hasThickness: { value: this.thickness ? 1 : 0 },
    };
    this.materials = this.makeMaterials();
    const background = unculled(new three.Mesh(screenTriangle(), this.materials.background));
    background.renderOrder = -1;
    this.solid.add(background);
    this.screen.add(unculled(new three.Mesh(screenTriangle(), this.materials.copy)));
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.maxPolarAngle = 0.62 * Math.PI;
    this.controls.addEventListener("change", () => this.touch());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
    canvas.addEventListener("webglcontextrestored", () => this.touch());
  }

  private makeBehind(): three.WebGLRenderTarget {
    const target = new three.WebGLRenderTarget(1, 1, {
      type: three.HalfFloatType,
      minFilter: three.LinearFilter,
      magFilter: three.LinearFilter,
    });
    target.depthTexture = new three.DepthTexture(1, 1, three.FloatType);
    return target;
  }

  private makeMaterials(): Record<string, three.RawShaderMaterial> {
    const shared = this.shared;
    const paint = (r: number, g: number, b: number) => ({ value: new three.Vector3(r, g, b) });
    const plain = (paint: three.Vector4, onScreen: number, nearer: number, more = {}) =>
      material(
        glsl.kPlainVertex,
        glsl.kPlainFragment,
        { ...shared, paint: { value: paint }, pointSize: { value: 2.5 }, onScreen: { value: onScreen }, nearer: { value: nearer } },
        more,
      );
    return {
      background: material(glsl.kScreenVertex, glsl.kBackgroundFragment, shared, { depthFunc: three.AlwaysDepth }),
      copy: material(glsl.kScreenVertex, glsl.kCopyFragment, shared, { depthFunc: three.AlwaysDepth }),
      water: material(glsl.kSurfaceVertex, glsl.kWaterFragment, shared),
      thickness: material(glsl.kSurfaceVertex, glsl.kThicknessFragment, shared, {
        side: three.DoubleSide,
        depthTest: false,
        depthWrite: false,
        transparent: true,
        blending: three.CustomBlending,
        blendEquation: three.AddEquation,
        blendSrc: three.OneFactor,
        blendDst: three.OneFactor,
      }),
      obstacle: material(
        glsl.kSurfaceVertex,
        glsl.kSolidFragment,
        { ...shared, paint: paint(0.62, 0.42, 0.28) },
        { side: three.DoubleSide },
      ),
      pale: material(
        glsl.kSurfaceVertex,
        glsl.kSolidFragment,
        { ...shared, paint: paint(0.36, 0.6, 0.72) },
        { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 },
      ),
      speed: material(glsl.kSpeedVertex, glsl.kSpeedFragment, shared),
      cut: material(glsl.kCutVertex, glsl.kCutFragment, { ...shared, edges: { value: 1 } }, { side: three.DoubleSide }),
      arrow: material(glsl.kArrowVertex, glsl.kArrowFragment, { ...shared, lengthScale: { value: 1 } }, { side: three.DoubleSide }),
      edge: plain(new three.Vector4(0.01, 0.03, 0.05, 1), 0, 0),
      container: plain(new three.Vector4(0.12, 0.14, 0.17, 1), 0, 0),
      worst: plain(new three.Vector4(1.0, 0.03, 0.02, 0.55), 1, 0, { transparent: true, depthTest: false, depthWrite: false, side: three.DoubleSide }),
      particle: plain(new three.Vector4(0.95, 0.98, 1, 1), 1, 0.0005),
    };
  }

  // Domain and camera; the obstacles come later.
  setScene(summary: CacheSummary): void {
    this.summary = summary;
    const low = new three.Vector3(...summary.domain.min);
    const high = new three.Vector3(...summary.domain.max);
    const half = high.clone().sub(low).multiplyScalar(0.5).length();
    (this.shared.domainMin.value as three.Vector3).copy(low);
    (this.shared.domainMax.value as three.Vector3).copy(high);
    this.shared.size.value = half;
    this.camera.near = 0.01 * half;
    this.camera.far = 60 * half;
    (this.shared.depthRange.value as three.Vector2).set(this.camera.near, this.camera.far);
    this.controls.minDistance = 0.05 * half;
    this.controls.maxDistance = 20 * half;
    if (this.frame) {
      this.solid.remove(this.frame);
      this.frame.geometry.dispose();
    }
    const box = new three.BoxGeometry(...high.clone().sub(low).toArray());
    this.frame = unculled(new three.LineSegments(new three.EdgesGeometry(box), this.materials.container));
    box.dispose();
    this.frame.position.copy(low).add(high).multiplyScalar(0.5);
    this.solid.add(this.frame);
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
      const size = this.shared.size.value as number;
      this.controls.target.copy(middle);
      this.camera.position.copy(middle).add(new three.Vector3(0.45, -1, 0.5).normalize().multiplyScalar(kEyeDistance * size));
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

  setObstacles(pack: Pack): void {
    for (const mesh of this.obstacles) {
      this.solid.remove(mesh);
      mesh.geometry.dispose();
    }
    this.obstacles.length = 0;
    const whole = surfaceGeometry(pack);
    for (const part of pack.about.parts as { first: number; count: number }[]) {
      const geometry = new three.BufferGeometry();
      geometry.setAttribute("position", whole.getAttribute("position"));
      geometry.setAttribute("normal", whole.getAttribute("normal"));
      geometry.setIndex(whole.getIndex());
      geometry.setDrawRange(part.first, part.count);
      const mesh = unculled(new three.Mesh(geometry, this.materials.obstacle));
      this.obstacles.push(mesh);
      this.solid.add(mesh);
    }
    this.touch();
  }

  setPoses(poses: (number[] | null)[]): void {
    this.obstacles.forEach((mesh, i) => {
      const pose = poses[i];
      if (!pose) return;
      mesh.quaternion.set(pose[0], pose[1], pose[2], pose[3]);
      mesh.position.set(pose[4], pose[5], pose[6]);
    });
  }

  showObstacles(isShown: boolean): void {
    for (const mesh of this.obstacles) mesh.visible = isShown;
    this.touch();
  }

  // Nothing of a frame any more, and none of its buffers.
  clearFrame(): void {
    for (const object of this.shown) {
      object.removeFromParent();
      (object as three.Mesh).geometry.dispose();
    }
    this.shown = [];
    this.water = null;
    this.arrows = null;
    this.particles = null;
    this.touch();
  }

  private show<T extends three.Object3D>(scene: three.Scene, object: T): T {
    scene.add(unculled(object));
    this.shown.push(object);
    this.touch();
    return object;
  }

  showWater(surface: Pack): void {
    this.water = this.show(this.liquid, new three.Mesh(surfaceGeometry(surface), this.materials.water));
  }

  showWireframe(surface: Pack, edges: Pack): void {
    const geometry = surfaceGeometry(surface);
    this.show(this.solid, new three.Mesh(geometry, this.materials.pale));
    const lines = new three.BufferGeometry();
    lines.setAttribute("position", geometry.getAttribute("position"));
    lines.setIndex(new three.BufferAttribute(edges.arrays.index, 1));
    this.show(this.solid, new three.LineSegments(lines, this.materials.edge));
  }

  showSpeed(surface: Pack, velocity: Pack, fastest: number): void {
    const geometry = surfaceGeometry(surface);
    geometry.setAttribute("velocity", new three.BufferAttribute(velocity.arrays.velocity, 3));
    this.setRange(0, fastest);
    this.show(this.solid, new three.Mesh(geometry, this.materials.speed));
  }

  showCut(cut: Pack, low: number, high: number, marksWorst: boolean): void {
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", new three.BufferAttribute(cut.arrays.position, 3));
    geometry.setAttribute("value", new three.BufferAttribute(cut.arrays.value, 1));
    this.setRange(low, high);
    this.show(this.solid, new three.Mesh(geometry, this.materials.cut));
    if (!marksWorst) return;
    const worst = new three.BufferGeometry();
    worst.setAttribute("position", new three.BufferAttribute(cut.arrays.worst, 3));
    this.show(this.front, new three.Mesh(worst, this.materials.worst));
  }

  showArrows(arrows: Arrows, fastest: number): void {
    if (arrows.count === 0) return;
    const reach = 0.2 * (this.shared.size.value as number);
    this.materials.arrow.uniforms.lengthScale.value = reach / Math.max(fastest, 1e-12);
    this.setRange(0, fastest);
    this.arrows = this.show(this.front, new three.Mesh(arrowGeometry(arrows), this.materials.arrow));
  }

  showParticles(particles: Pack): void {
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", new three.BufferAttribute(particles.arrays.position, 3));
    this.particles = this.show(this.front, new three.Points(geometry, this.materials.particle));
  }

  private setRange(low: number, high: number): void {
    (this.shared.range.value as three.Vector2).set(low, high);
  }

  // Towards the eye, for a plane that faces it.
  towardsEye(): three.Vector3 {
    return this.camera.position.clone().sub(this.controls.target).normalize();
  }

  get memory(): { geometries: number; textures: number } {
    return { geometries: this.renderer.info.memory.geometries, textures: this.renderer.info.memory.textures };
  }

  get state(): { milliseconds: number; ratio: number; objects: number; arrows: boolean; particles: boolean } {
    return {
      milliseconds: this.lastMilliseconds,
      ratio: this.renderer.getPixelRatio(),
      objects: this.shown.length,
      arrows: this.arrows !== null,
      particles: this.particles !== null,
    };
  }

  // Something has changed: draw soon, and finer once it stays as it is.
  touch(): void {
    this.isFine = false;
    window.clearTimeout(this.stillTimer);
    this.stillTimer = window.setTimeout(() => this.refine(), kStillMilliseconds);
    this.schedule();
  }

  private schedule(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  private refine(): void {
    this.isFine = true;
    if (this.water || this.pixelRatio() !== this.renderer.getPixelRatio()) this.schedule();
  }

  // Drawn at its finest, with nothing left to do?
  get isAtRest(): boolean {
    return this.isFine && !this.pending;
  }

  // Else the distance to what is behind the water has to do.
  private measuresThickness(): boolean {
    const isLarge = (this.water?.geometry.index?.count ?? 0) > 3 * kManyTriangles;
    return this.thickness !== null && (this.isFine || !this.isSoftware || !isLarge);
  }

  private pixelRatio(): number {
    const device = Math.min(window.devicePixelRatio || 1, 2);
    if (!this.isFine) return device * this.ratio;
    // Up to twice as fine, where that takes little time: edges then look smooth. If all of the time
    // goes into pixels it grows with their number.
    const affordable = this.lastRatio * Math.sqrt(kFineMilliseconds / Math.max(this.lastMilliseconds, 1));
    return Math.max(device, Math.min(2, Math.round(4 * affordable) / 4));
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement ?? this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    this.touch();
  }

  private prepare(): void {
    const parent = this.canvas.parentElement ?? this.canvas;
    const width = Math.max(parent.clientWidth, 1);
    const height = Math.max(parent.clientHeight, 1);
    const ratio = this.pixelRatio();
    const old = this.renderer.getSize(new three.Vector2());
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    if (old.x !== width || old.y !== height) this.renderer.setSize(width, height, false);
    const size = this.renderer.getDrawingBufferSize(new three.Vector2());
    this.behind.setSize(size.x, size.y); // does nothing if it has that size
    (this.shared.screenSize.value as three.Vector2).copy(size);
    if (!this.isFine) size.multiplyScalar(0.5).ceil(); // thickness is smooth but for its rim
    this.thickness?.setSize(size.x, size.y);
    (this.shared.thicknessSize.value as three.Vector2).copy(size);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    const viewProjection = this.shared.viewProjection.value as three.Matrix4;
    viewProjection.multiplyMatrices(this.camera.projectionMatrix, this.camera.matrixWorldInverse);
    (this.shared.screenToWorld.value as three.Matrix4).copy(viewProjection).invert();
    this.shared.pixelAngle.value = (this.camera.fov * Math.PI) / 180 / this.behind.height;
  }

  private draw(): void {
    if (!this.summary || this.renderer.getContext().isContextLost()) return;
    const start = performance.now();
    this.prepare();
    const renderer = this.renderer;
    renderer.setRenderTarget(this.behind);
    renderer.clear();
    renderer.render(this.solid, this.camera);
    const hasThickness = this.water !== null && this.measuresThickness();
    this.shared.hasThickness.value = hasThickness ? 1 : 0;
    if (this.water && hasThickness) {
      this.water.material = this.materials.thickness;
      renderer.setRenderTarget(this.thickness);
      renderer.setClearColor(0x000000, 0);
      renderer.clear();
      renderer.render(this.liquid, this.camera);
      this.water.material = this.materials.water;
    }
    renderer.setRenderTarget(null);
    renderer.clear();
    renderer.render(this.screen, this.screenCamera);
    if (this.water) renderer.render(this.liquid, this.camera);
    if (this.front.children.length > 0) renderer.render(this.front, this.camera);
    this.measure(start);
    ++this.pictures;
  }

  // Waits for the picture, so that a slow machine gets coarser pictures rather than late ones.
  private measure(start: number): void {
    if (this.shown.length === 0) return;
    const gl = this.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    this.firstPicture ||= performance.now();
    if (this.isFine) return;
    this.lastMilliseconds = performance.now() - start;
    this.lastRatio = this.renderer.getPixelRatio();
    if (this.lastMilliseconds > kSlowMilliseconds) this.ratio = Math.max(0.5, this.ratio * 0.8);
    else if (this.lastMilliseconds < 0.4 * kSlowMilliseconds) this.ratio = Math.min(1, this.ratio * 1.25);
  }

  // The picture as it is, at its finest.
  picture(): Promise<Blob> {
    this.isFine = true;
    this.draw();
    return new Promise((resolve, reject) => {
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture cannot be saved"))), "image/png");
    });
  }
}
