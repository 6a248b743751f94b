// How a picture is drawn: first everything solid into a texture, then how much water each ray
// passes, then both to the screen with the water in front.
import * as three from "three";
import { FloorLight } from "./floor_light";
import { emptySurface, screenTriangle, unculled } from "./geometries";
import { makeMaterials, sharedUniforms } from "./materials";

export interface Scenes {
  solid: three.Scene;
  front: three.Scene; // over everything else
  water: three.Mesh | null;
  opaque: three.Object3D[]; // what of `solid` throws shadows
}

// What software leaves out while things move.
export interface Effort {
  measuresThickness: boolean; // else the distance to what is behind the water has to do
  lightsFloor: boolean; // anew: the frame is another one
}

export class Passes {
  readonly shared = sharedUniforms();
  readonly materials = makeMaterials(this.shared);
  readonly isSoftware: boolean;
  private readonly renderer: three.WebGLRenderer;
  private readonly behind: three.WebGLRenderTarget;
  private readonly thickness: three.WebGLRenderTarget | null;
  readonly floorLight: FloorLight;
  private readonly screen = new three.Scene();
  private readonly screenCamera = new three.Camera();

  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new three.WebGLRenderer({ canvas, antialias: false, powerPreference: "high-performance" });
    this.renderer.autoClear = false;
    this.renderer.outputColorSpace = three.LinearSRGBColorSpace; // the shaders end on the screen
    const gl = this.renderer.getContext();
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    this.isSoftware = /swiftshader|llvmpipe|software/i.test(name);
    this.behind = new three.WebGLRenderTarget(1, 1, { type: three.HalfFloatType });
    this.behind.depthTexture = new three.DepthTexture(1, 1, three.FloatType);
    this.thickness = this.makeThickness(gl);
    this.shared.behind.value = this.behind.texture;
    this.shared.behindDepth.value = this.behind.depthTexture;
    this.shared.thickness.value = this.thickness?.texture ?? null;
    this.floorLight = new FloorLight(this.renderer, this.shared, this.materials);
    this.screen.add(unculled(new three.Mesh(screenTriangle(), this.materials.copy)));
  }

  // Null where distances cannot be added up: that to what is behind the water then has to do.
  private makeThickness(gl: WebGLRenderingContext | WebGL2RenderingContext): three.WebGLRenderTarget | null {
    if (!gl.getExtension("EXT_color_buffer_float") || !gl.getExtension("EXT_float_blend")) return null;
    const filter = gl.getExtension("OES_texture_float_linear") ? three.LinearFilter : three.NearestFilter;
    return new three.WebGLRenderTarget(1, 1, {
      type: three.FloatType,
      format: three.RedFormat,
      minFilter: filter,
      magFilter: filter,
      depthBuffer: false,
    });
  }

  get isLost(): boolean {
    return this.renderer.getContext().isContextLost();
  }

  get ratio(): number {
    return this.renderer.getPixelRatio();
  }

  get memory(): { geometries: number; textures: number } {
    return { geometries: this.renderer.info.memory.geometries, textures: this.renderer.info.memory.textures };
  }

  // In pixels of the page, and pixels of the picture for each of these.
  setSize(width: number, height: number, ratio: number, isFine: boolean): void {
    const old = this.renderer.getSize(new three.Vector2());
    if (this.ratio !== ratio) this.renderer.setPixelRatio(ratio);
    if (old.x !== width || old.y !== height) this.renderer.setSize(width, height, false);
    const size = this.renderer.getDrawingBufferSize(new three.Vector2());
    this.behind.setSize(size.x, size.y); // does nothing if it has that size
    this.shared.screenSize.value.copy(size);
    if (!isFine) size.multiplyScalar(0.5).ceil(); // thickness is smooth but for its rim
    this.thickness?.setSize(size.x, size.y);
    this.shared.thicknessSize.value.copy(size);
  }

  // Shaders are compiled when they are first used: water's, while the first frame is still on its way.
  warmUp(camera: three.PerspectiveCamera): void {
    const nothing = unculled(new three.Mesh(emptySurface(), this.materials.water));
    this.renderer.setRenderTarget(null);
    this.renderer.render(nothing, camera);
    nothing.geometry.dispose();
  }

  draw(scenes: Scenes, camera: three.PerspectiveCamera, effort: Effort): void {
    this.look(camera);
    const { renderer, shared, materials } = this;
    const { water } = scenes;
    if (effort.lightsFloor) this.floorLight.draw(scenes.opaque, water);
    renderer.setRenderTarget(this.behind);
    renderer.clear();
    renderer.render(scenes.solid, camera);
    const hasThickness = water !== null && this.thickness !== null && effort.measuresThickness;
    shared.hasThickness.value = hasThickness ? 1 : 0;
    if (water && hasThickness) {
      water.material = materials.thickness;
      renderer.setRenderTarget(this.thickness);
      renderer.setClearColor(0x000000, 0);
      renderer.clear();
      renderer.render(water, camera);
      water.material = materials.water;
    }
    renderer.setRenderTarget(null);
    renderer.clear();
    renderer.render(this.screen, this.screenCamera);
    if (water) renderer.render(water, camera);
    if (scenes.front.children.length > 0) renderer.render(scenes.front, camera);
  }

  private look(camera: three.PerspectiveCamera): void {
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    const { shared } = this;
    shared.eye.value.copy(camera.position);
    shared.depthRange.value.set(camera.near, camera.far);
    shared.viewProjection.value.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    shared.screenToWorld.value.copy(shared.viewProjection.value).invert();
    shared.pixelAngle.value = (camera.fov * Math.PI) / 180 / this.behind.height;
  }

  // Until the picture is there: drawing only hands it on.
  wait(): void {
    const gl = this.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }
}
