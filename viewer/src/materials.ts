// What things are made of: a shader each, and the uniforms that all of them share.
import * as three from "three";
import * as glsl from "./shaders";

const kSun = new three.Vector3(-0.45, -0.35, 0.82).normalize();

export function sharedUniforms() {
  return {
    sunDirection: { value: kSun },
    domainMin: { value: new three.Vector3() },
    domainMax: { value: new three.Vector3(1, 1, 1) },
    size: { value: 1 }, // half the domain's diagonal
    eye: { value: new three.Vector3() },
    screenToWorld: { value: new three.Matrix4() },
    viewProjection: { value: new three.Matrix4() },
    screenSize: { value: new three.Vector2(1, 1) },
    thicknessSize: { value: new three.Vector2(1, 1) },
    depthRange: { value: new three.Vector2(0.01, 100) },
    pixelAngle: { value: 0.001 },
    range: { value: new three.Vector2(0, 1) }, // of what colours mean
    behind: { value: null as three.Texture | null },
    behindDepth: { value: null as three.Texture | null },
    thickness: { value: null as three.Texture | null },
    hasThickness: { value: 0 },
    // Maps of the floor (floor_light.ts).
    floorMap: { value: new three.Vector4(0, 0, 1, 1) },
    sunMeets: { value: null as three.Texture | null },
    sunMeetsDepth: { value: null as three.Texture | null },
    bentLight: { value: null as three.Texture | null },
    floorLight: { value: null as three.Texture | null },
  };
}

export type SharedUniforms = ReturnType<typeof sharedUniforms>;

export function makeMaterials(shared: SharedUniforms) {
  const make = (
    vertexShader: string,
    fragmentShader: string,
    own: Record<string, three.IUniform> = {},
    more: Partial<three.ShaderMaterialParameters> = {},
  ) =>
    new three.RawShaderMaterial({
      glslVersion: three.GLSL3,
      vertexShader,
      fragmentShader,
      uniforms: { ...shared, ...own },
      ...more,
    });
  const solid = (paint: [number, number, number], isShaded: boolean, more: Partial<three.ShaderMaterialParameters>) => {
    const own = { paint: { value: new three.Vector3(...paint) }, isShaded: { value: isShaded ? 1 : 0 } };
    return make(glsl.kSurfaceVertex, glsl.kSolidFragment, own, more);
  };
  const plain = (
    paint: [number, number, number, number],
    { onScreen = false, nearer = 0, ...more }: { onScreen?: boolean; nearer?: number } & Partial<three.ShaderMaterialParameters>,
  ) => {
    const own = {
      paint: { value: new three.Vector4(...paint) },
      pointSize: { value: 2.5 },
      onScreen: { value: onScreen ? 1 : 0 },
      nearer: { value: nearer },
    };
    return make(glsl.kPlainVertex, glsl.kPlainFragment, own, more);
  };
  const added = {
    side: three.DoubleSide,
    depthTest: false,
    depthWrite: false,
    transparent: true,
    blending: three.CustomBlending,
    blendEquation: three.AddEquation,
    blendSrc: three.OneFactor,
    blendDst: three.OneFactor,
  } as const;
  const marked = { onScreen: true, transparent: true, depthTest: false, depthWrite: false, side: three.DoubleSide };
  return {
    background: make(glsl.kScreenVertex, glsl.kBackgroundFragment, {}, { depthFunc: three.AlwaysDepth }),
    copy: make(glsl.kScreenVertex, glsl.kCopyFragment, {}, { depthFunc: three.AlwaysDepth }),
    water: make(glsl.kSurfaceVertex, glsl.kWaterFragment),
    thickness: make(glsl.kSurfaceVertex, glsl.kThicknessFragment, {}, added),
    shadow: make(glsl.kShadowVertex, glsl.kShadowFragment, { isWater: { value: 0 } }, { side: three.DoubleSide }),
    waterShadow: make(glsl.kShadowVertex, glsl.kShadowFragment, { isWater: { value: 1 } }, { side: three.DoubleSide }),
    bentLight: make(glsl.kBentLightVertex, glsl.kBentLightFragment, {}, added),
    floorLight: make(glsl.kScreenVertex, glsl.kFloorLightFragment, {}, { depthTest: false, depthWrite: false }),
    obstacle: solid([0.62, 0.42, 0.28], true, { side: three.DoubleSide }),
    pale: solid([0.36, 0.6, 0.72], false, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }),
    speed: make(glsl.kSpeedVertex, glsl.kSpeedFragment),
    cut: make(glsl.kCutVertex, glsl.kCutFragment, {}, { side: three.DoubleSide }),
    arrow: make(
      glsl.kArrowVertex,
      glsl.kArrowFragment,
      { lengthScale: { value: 1 }, range: { value: new three.Vector2(0, 1) } }, // tetrahedra may mean other things
      { side: three.DoubleSide },
    ),
    edge: make(glsl.kEdgeVertex, glsl.kEdgeFragment, { edgeLength: { value: 1 } }, { transparent: true, depthWrite: false }),
    container: plain([0.12, 0.14, 0.17, 1], {}),
    worst: plain([1.0, 0.03, 0.02, 0.55], marked),
    particle: plain([0.95, 0.98, 1, 1], { onScreen: true, nearer: 0.0005 }),
  };
}

export type Materials = ReturnType<typeof makeMaterials>;
