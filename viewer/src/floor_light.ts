// Sunlight on the floor: shadows, and light that water has bent, once for every frame.
//
// All maps lie on the floor, from above. The first says what the sun meets first, with its height;
// the second collects the light that comes through the water [Wyman and Davis 2006, Interactive
// Image-Space Techniques for Approximating Caustics: light counts where its ray ends]; the third is the
// sum of both, smoothed.
import * as three from "three";
import { screenTriangle, unculled } from "./geometries";
import type { Materials, SharedUniforms } from "./materials";

const kPixels = 640; // along the longer side

export class FloorLight {
  private readonly met: three.WebGLRenderTarget;
  private readonly bent: three.WebGLRenderTarget;
  private readonly light: three.WebGLRenderTarget;
  private readonly screen = new three.Scene();
  private readonly camera = new three.Camera();

  constructor(
    private readonly renderer: three.WebGLRenderer,
    private readonly shared: SharedUniforms,
    private readonly materials: Materials,
  ) {
    this.met = new three.WebGLRenderTarget(1, 1);
    this.met.depthTexture = new three.DepthTexture(1, 1, three.FloatType);
    this.bent = new three.WebGLRenderTarget(1, 1, { type: three.HalfFloatType, depthBuffer: false });
    this.light = new three.WebGLRenderTarget(1, 1, { type: three.HalfFloatType, depthBuffer: false });
    shared.sunMeets.value = this.met.texture;
    shared.sunMeetsDepth.value = this.met.depthTexture;
    shared.bentLight.value = this.bent.texture;
    shared.floorLight.value = this.light.texture;
    this.screen.add(unculled(new three.Mesh(screenTriangle(), materials.floorLight)));
  }

  // Around the tank and its shadow.
  setDomain(): void {
    const { domainMin, domainMax, sunDirection, floorMap } = this.shared;
    const [low, high, sun] = [domainMin.value, domainMax.value, sunDirection.value];
    const reach = (high.z - low.z) / sun.z;
    const area = new three.Box2();
    for (const corner of [low, high]) {
      area.expandByPoint(new three.Vector2(corner.x, corner.y));
      area.expandByPoint(new three.Vector2(corner.x - reach * sun.x, corner.y - reach * sun.y));
    }
    const size = area.getSize(new three.Vector2());
    area.expandByScalar(0.05 * Math.max(size.x, size.y));
    area.getSize(size);
    floorMap.value.set(area.min.x, area.min.y, 1 / size.x, 1 / size.y);
    const scale = kPixels / Math.max(size.x, size.y);
    for (const map of [this.met, this.bent, this.light]) map.setSize(Math.ceil(scale * size.x), Math.ceil(scale * size.y));
    this.draw([], null);
  }

  // What is opaque stops light, water bends it.
  draw(opaque: three.Object3D[], water: three.Mesh | null): void {
    const { renderer, materials } = this;
    renderer.setClearColor(0x000000, 0);
    renderer.setRenderTarget(this.met);
    renderer.clear();
    for (const object of opaque) this.drawAs(object, materials.shadow);
    if (water) this.drawAs(water, materials.waterShadow);
    renderer.setRenderTarget(this.bent);
    renderer.clear();
    if (water) this.drawAs(water, materials.bentLight);
    renderer.setRenderTarget(this.light);
    renderer.render(this.screen, this.camera);
  }

  private drawAs(object: three.Object3D, material: three.Material): void {
    const mesh = object as three.Mesh;
    const own = mesh.material;
    mesh.material = material;
    this.renderer.render(mesh, this.camera);
    mesh.material = own;
  }
}
