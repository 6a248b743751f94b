// The look of things: a procedural world of sky and floor, water in it, and plain surfaces.
//
// Everything is computed from a few uniforms, without textures, so that software rendering keeps up
// and nothing has to be loaded. Colours are linear until toScreen().

export const kPrecision = "precision highp float;\nprecision highp int;\n";

// Where sunlight falls: maps of the floor (floor_light.ts).
const kFloorPlace = /* glsl */ `
uniform vec3 sunDirection, domainMin, domainMax;
uniform vec4 floorMap; // its corner, and 1 / its size
// Where the ray of the sun through a point meets the floor.
vec2 shadowOf(vec3 p) { return p.xy - (p.z - domainMin.z) / sunDirection.z * sunDirection.xy; }
vec2 onFloorMap(vec2 p) { return (p - floorMap.xy) * floorMap.zw; }
`;

// Sky and floor, as seen from anywhere in any direction.
export const kWorld = kFloorPlace + /* glsl */ `
uniform sampler2D floorLight;

// Part of the sun's light that arrives.
vec3 floorSun(vec2 p) {
  vec2 uv = onFloorMap(p);
  if (clamp(uv, 0.0, 1.0) != uv) return vec3(1.0);
  return texture(floorLight, uv).rgb;
}

// Without sines, which software rendering compiles and computes slowly.
float hash(vec2 p) {
  vec3 q = fract(p.xyx * 0.1031);
  q += dot(q, q.yzx + 33.33);
  return fract((q.x + q.y) * q.z);
}
float noise(vec2 p) {
  vec2 i = floor(p), f = fract(p);
  f = f * f * (3.0 - 2.0 * f);
  return mix(mix(hash(i), hash(i + vec2(1, 0)), f.x),
             mix(hash(i + vec2(0, 1)), hash(i + vec2(1, 1)), f.x), f.y);
}
vec3 sky(vec3 d) {
  float up = max(d.z, 0.0);
  vec3 colour = mix(vec3(0.74, 0.81, 0.87), vec3(0.10, 0.27, 0.58), pow(up, 0.5));
  vec2 p = d.xy / (up + 0.25) * 1.7;
  float cloud = smoothstep(0.48, 0.9, 0.65 * noise(p + 3.1) + 0.35 * noise(2.7 * p));
  colour = mix(colour, vec3(1.0), 0.75 * cloud * smoothstep(0.02, 0.25, up));
  float sun = max(dot(d, sunDirection), 0.0);
  return colour + vec3(1.0, 0.85, 0.6) * (0.25 * pow(sun, 24.0) + 6.0 * smoothstep(0.9985, 0.9995, sun));
}
// Lines between tiles, as wide as a pixel at least; "pixel" is its size on the floor.
float tileLines(vec2 p, float tile, float pixel) {
  vec2 away = abs(fract(p / tile - 0.5) - 0.5) * tile;
  float width = max(0.012 * tile, 0.5 * pixel);
  float share = clamp(0.012 * tile / width, 0.0, 1.0);
  vec2 line = 1.0 - smoothstep(vec2(width - 0.5 * pixel), vec2(width + 0.5 * pixel), away);
  return max(line.x, line.y) * share;
}
vec3 floorColour(vec2 p, float distance, float pixel) {
  vec2 middle = 0.5 * (domainMin.xy + domainMax.xy), half_ = 0.5 * (domainMax.xy - domainMin.xy);
  float size = max(half_.x, half_.y);
  vec2 outside = max(abs(p - middle) - half_, 0.0);
  float away = length(outside) / size;
  vec3 ground = vec3(0.27, 0.285, 0.30);
  float tile = pow(2.0, floor(log2(size / 4.0)));
  if (away <= 0.0) {
    float checks = mod(floor((p.x - domainMin.x) / tile) + floor((p.y - domainMin.y) / tile), 2.0);
    ground = mix(vec3(0.50, 0.50, 0.49), vec3(0.36, 0.37, 0.38), checks * clamp(1.5 - pixel / tile, 0.0, 1.0));
    ground = mix(ground, vec3(0.22, 0.24, 0.26), 0.6 * tileLines(p - domainMin.xy, tile, pixel));
  }
  // The tank stands there: less of the sky is seen next to it.
  float open = 0.8 + 0.2 * smoothstep(0.0, 0.6, away);
  ground *= open * vec3(0.34, 0.40, 0.46) + vec3(0.84, 0.80, 0.72) * floorSun(p);
  float fog = 1.0 - exp(-0.0009 * distance * distance / (size * size));
  return mix(ground, vec3(0.74, 0.81, 0.87), fog);
}
vec3 world(vec3 origin, vec3 d, float pixelAngle) {
  if (d.z >= -1e-4 || origin.z <= domainMin.z) return sky(d);
  float t = (domainMin.z - origin.z) / d.z;
  vec3 p = origin + t * d;
  return floorColour(p.xy, t, pixelAngle * t / max(-d.z, 0.05));
}
`;

export const kScreen = /* glsl */ `
// The curve of [Narkowicz 2015, ACES filmic tone mapping curve], then sRGB.
vec3 toScreen(vec3 c) {
  c *= 0.8;
  c = clamp((c * (2.51 * c + 0.03)) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
  return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}
`;

// Vertices carry mean normals; where a facet differs much, there is an edge, and the facet's holds.
const kNormal = /* glsl */ `
vec3 shadingNormal(vec3 smooth_, vec3 place) {
  vec3 facet = normalize(cross(dFdx(place), dFdy(place)));
  vec3 mean = normalize(smooth_ + 1e-6);
  if (dot(facet, mean) < 0.0) facet = -facet;
  return normalize(mix(facet, mean, smoothstep(0.74, 0.88, dot(facet, mean))));
}
`;

const kVertexHead = /* glsl */ `
uniform mat4 modelMatrix, viewMatrix, projectionMatrix;
in vec3 position;
`;

export const kSurfaceVertex = kPrecision + kVertexHead + /* glsl */ `
in vec4 normal;
out vec3 place, smoothNormal;
out float depth;
void main() {
  vec4 at = modelMatrix * vec4(position, 1.0);
  vec4 seen = viewMatrix * at;
  place = at.xyz;
  smoothNormal = mat3(modelMatrix) * normal.xyz;
  depth = -seen.z;
  gl_Position = projectionMatrix * seen;
}
`;

// The world behind everything: a triangle that covers the screen.
export const kScreenVertex = kPrecision + /* glsl */ `
in vec3 position;
out vec2 uv;
void main() {
  uv = 0.5 * position.xy + 0.5;
  gl_Position = vec4(position.xy, 1.0, 1.0);
}
`;

export const kBackgroundFragment = kPrecision + kWorld + /* glsl */ `
uniform mat4 screenToWorld;
uniform vec3 eye;
uniform vec2 depthRange;
uniform mat4 viewProjection;
uniform float pixelAngle;
in vec2 uv;
out vec4 colour;
void main() {
  vec4 far = screenToWorld * vec4(2.0 * uv - 1.0, 1.0, 1.0);
  vec3 d = normalize(far.xyz / far.w - eye);
  colour = vec4(world(eye, d, pixelAngle), 1.0);
  gl_FragDepth = 1.0;
  if (d.z < -1e-4 && eye.z > domainMin.z) {
    vec4 hit = viewProjection * vec4(eye + (domainMin.z - eye.z) / d.z * d, 1.0);
    gl_FragDepth = clamp(0.5 * hit.z / hit.w + 0.5, 0.0, 1.0);
  }
}
`;

// What is behind the water, to the screen with its depth.
export const kCopyFragment = kPrecision + kScreen + /* glsl */ `
uniform sampler2D behind, behindDepth;
in vec2 uv;
out vec4 colour;
void main() {
  colour = vec4(toScreen(texture(behind, uv).rgb), 1.0);
  gl_FragDepth = texture(behindDepth, uv).r;
}
`;

// Distances of back faces minus those of front faces: how much water a ray passes.
export const kThicknessFragment = kPrecision + /* glsl */ `
uniform sampler2D behindDepth;
uniform vec2 depthRange, thicknessSize;
in float depth;
out vec4 thickness;
float linearDepth(float d) {
  return depthRange.x * depthRange.y / (depthRange.y - d * (depthRange.y - depthRange.x));
}
void main() {
  float end = linearDepth(texture(behindDepth, gl_FragCoord.xy / thicknessSize).r);
  float reached = min(depth, end);
  thickness = vec4(gl_FrontFacing ? -reached : reached, 0.0, 0.0, 0.0);
}
`;

export const kWaterFragment = kPrecision + kWorld + kScreen + kNormal + /* glsl */ `
uniform mat4 viewMatrix;
uniform vec3 eye;
uniform sampler2D behind, behindDepth, thickness;
uniform vec2 screenSize, depthRange;
uniform float size, pixelAngle, hasThickness;
in vec3 place, smoothNormal;
in float depth;
out vec4 colour;
float linearDepth(float d) {
  return depthRange.x * depthRange.y / (depthRange.y - d * (depthRange.y - depthRange.x));
}
void main() {
  vec3 toEye = normalize(eye - place);
  vec3 n = shadingNormal(smoothNormal, place);
  float facing = dot(n, toEye);
  if (facing < 0.02) n = normalize(n + (0.02 - facing) * toEye);
  facing = clamp(dot(n, toEye), 0.0, 1.0);
  vec2 uv = gl_FragCoord.xy / screenSize;

  float along = 1.0 / max(dot(toEye, vec3(viewMatrix[0].z, viewMatrix[1].z, viewMatrix[2].z)), 0.2);
  float deep = linearDepth(texture(behindDepth, uv).r) - depth;
  if (hasThickness > 0.5) deep = texture(thickness, uv).r;
  deep = clamp(deep * along, 0.0, 2.0 * size);

  // Seen through: bent towards the normal, more the thicker the water is.
  vec2 bend = (mat3(viewMatrix) * n).xy * -0.10 * clamp(6.0 * deep / size, 0.15, 1.0);
  vec2 bent = clamp(uv + bend * vec2(screenSize.y / screenSize.x, 1.0), 0.001, 0.999);
  if (linearDepth(texture(behindDepth, bent).r) < depth) bent = uv;
  vec3 through = texture(behind, bent).rgb;
  float path = deep / size;
  vec3 passed = exp(-vec3(5.5, 1.6, 1.0) * path);
  vec3 inside = vec3(0.01, 0.13, 0.19);
  through = through * passed + inside * (1.0 - exp(-2.2 * path));

  vec3 r = reflect(-toEye, n);
  // Schlick's form of Fresnel's law, with the 2 % of water seen straight on.
  float fresnel = 0.02 + 0.98 * pow(1.0 - facing, 5.0);
  vec3 mirrored = world(place, r, 4.0 * pixelAngle);
  vec3 glint = vec3(1.0, 0.9, 0.75) * 1.6 * pow(max(dot(r, sunDirection), 0.0), 180.0);
  colour = vec4(toScreen(mix(through, mirrored, fresnel) + glint * (0.15 + fresnel)), 1.0);
}
`;

const kLight = kFloorPlace + /* glsl */ `
// "arrived" is the part of the sun's light that nothing has stopped before.
vec3 lit(vec3 paint, vec3 n, float arrived) {
  float sun = arrived * max(dot(n, sunDirection), 0.0);
  float above = 0.5 + 0.5 * n.z;
  return paint * (mix(vec3(0.24, 0.23, 0.22), vec3(0.50, 0.56, 0.64), above) + 0.75 * sun * vec3(1.0, 0.95, 0.86));
}
`;

export const kSolidFragment = kPrecision + kLight + kNormal + /* glsl */ `
uniform vec3 eye, paint;
uniform sampler2D sunMeets, sunMeetsDepth;
uniform float isShaded;
in vec3 place, smoothNormal;
in float depth;
out vec4 colour;
// Water lets part of the light through; both are soft at their edges.
float arrivedAt(vec3 p) {
  vec2 uv = onFloorMap(shadowOf(p)), pixel = 1.0 / vec2(textureSize(sunMeets, 0));
  float height = (p.z - domainMin.z) / (domainMax.z - domainMin.z) + 0.03;
  float sum = 0.0;
  for (int k = 0; k < 4; ++k) {
    vec2 at = uv + 0.8 * pixel * vec2(2 * (k & 1) - 1, (k & 2) - 1);
    bool isFree = 1.0 - texture(sunMeetsDepth, at).r < height;
    sum += isFree ? 0.25 : texture(sunMeets, at).r * 0.17;
  }
  return sum;
}
void main() {
  vec3 n = shadingNormal(smoothNormal, place);
  if (!gl_FrontFacing) n = -n;
  vec3 toEye = normalize(eye - place);
  float arrived = isShaded > 0.5 ? arrivedAt(place) : 1.0;
  vec3 shine = vec3(0.25) * pow(max(dot(reflect(-toEye, n), sunDirection), 0.0), 30.0);
  colour = vec4(lit(paint, n, arrived) + arrived * shine, 1.0);
}
`;

// Dark blue to yellow, rising in brightness, for those who see few colours too.
export const kColourMap = /* glsl */ `
uniform vec2 range;
vec3 mapped(float value) {
  float t = clamp((value - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
  const vec3 c[6] = vec3[6](vec3(0.058, 0.001, 0.090), vec3(0.055, 0.066, 0.257), vec3(0.014, 0.203, 0.270),
                            vec3(0.024, 0.365, 0.205), vec3(0.240, 0.560, 0.075), vec3(0.984, 0.799, 0.018));
  float s = 5.0 * t;
  int i = int(min(s, 4.0));
  return mix(c[i], c[i + 1], s - float(i));
}
`;

export const kSpeedVertex = kSurfaceVertex
  .replace("in vec4 normal;", "in vec4 normal;\nin vec3 velocity;\nout float value;")
  .replace("depth = -seen.z;", "depth = -seen.z;\n  value = length(velocity);");

export const kSpeedFragment = kPrecision + kLight + kNormal + kColourMap + /* glsl */ `
in vec3 place, smoothNormal;
in float depth, value;
out vec4 colour;
void main() {
  vec3 n = shadingNormal(smoothNormal, place);
  colour = vec4(mix(mapped(value), lit(mapped(value), n, 1.0), 0.6), 1.0);
}
`;

// Triangles that share no vertices: three in a row, so that their numbers say the corner.
export const kCutVertex = kPrecision + kVertexHead + /* glsl */ `
in float value;
out vec3 place, corner;
out float amount;
void main() {
  int k = gl_VertexID % 3;
  corner = vec3(k == 0, k == 1, k == 2);
  amount = value;
  place = position;
  gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0);
}
`;

export const kCutFragment = kPrecision + kLight + kColourMap + /* glsl */ `

in vec3 place, corner;
in float amount;
out vec4 colour;
void main() {
  vec3 n = normalize(cross(dFdx(place), dFdy(place)));
  vec3 paint = mapped(amount);
  vec3 shaded = mix(paint, lit(paint, n, 1.0), 0.65);
  // Lines a pixel wide, fainter where triangles are hardly wider than that.
  vec3 width = fwidth(corner);
  vec3 near = smoothstep(vec3(0.0), 1.3 * width, corner);
  float line = 1.0 - min(min(near.x, near.y), near.z);
  float crowded = smoothstep(0.15, 0.6, max(max(width.x, width.y), width.z));
  colour = vec4(mix(shaded, 0.12 * shaded, line * (1.0 - crowded)), 1.0);
}
`;

export const kPlainVertex = kPrecision + kVertexHead + /* glsl */ `
uniform float pointSize, nearer;
void main() {
  gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0);
  gl_Position.z -= nearer * gl_Position.w;
  gl_PointSize = pointSize;
}
`;

export const kPlainFragment = kPrecision + kScreen + /* glsl */ `
uniform vec4 paint;
uniform float onScreen;
out vec4 colour;
void main() { colour = onScreen > 0.5 ? vec4(toScreen(paint.rgb), paint.a) : paint; }
`;

// Edges of triangles, a pixel wide: fainter where they are so close to each other that they would
// cover everything.
export const kEdgeVertex = kPrecision + kVertexHead + /* glsl */ `
uniform float edgeLength, pixelAngle;
out float strength;
void main() {
  vec4 seen = viewMatrix * vec4(position, 1.0);
  float pixels = edgeLength / max(-seen.z * pixelAngle, 1e-9);
  strength = clamp((pixels - 1.0) / 9.0, 0.12, 1.0);
  gl_Position = projectionMatrix * seen;
}
`;

export const kEdgeFragment = kPrecision + /* glsl */ `
in float strength;
out vec4 colour;
void main() { colour = vec4(0.01, 0.03, 0.05, strength); }
`;

export const kArrowVertex = kPrecision + kVertexHead + /* glsl */ `
in vec3 origin, velocity;
uniform float lengthScale;
out vec3 place;
out float value;
void main() {
  value = length(velocity);
  vec3 along = velocity / max(value, 1e-20);
  vec3 side = normalize(cross(along, abs(along.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0)));
  vec3 other = cross(along, side);
  float reach = lengthScale * value;
  place = origin + along * position.z * reach + (side * position.x + other * position.y) * reach;
  gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
}
`;

export const kArrowFragment = kPrecision + kLight + kScreen + kColourMap + /* glsl */ `
in vec3 place;
in float value;
out vec4 colour;
void main() {
  vec3 n = normalize(cross(dFdx(place), dFdy(place)));
  vec3 paint = mapped(value) + 0.05;
  colour = vec4(toScreen(mix(paint, lit(paint, n, 1.0), 0.5)), 1.0);
}
`;

// --- where sunlight falls (floor_light.ts) ---------------------------------------------------

// Heights are depths, so that what the sun meets first is left.
export const kShadowVertex = kPrecision + kFloorPlace + /* glsl */ `
uniform mat4 modelMatrix;
in vec3 position;
void main() {
  vec3 at = (modelMatrix * vec4(position, 1.0)).xyz;
  float height = (at.z - domainMin.z) / (domainMax.z - domainMin.z);
  gl_Position = vec4(2.0 * onFloorMap(shadowOf(at)) - 1.0, 1.0 - 2.0 * clamp(height, 0.0, 1.0), 1.0);
}
`;

export const kShadowFragment = kPrecision + /* glsl */ `
uniform float isWater;
out vec4 colour;
void main() { colour = vec4(isWater, 0.0, 0.0, 1.0); }
`;

// The surface, where the sun's rays through it end.
export const kBentLightVertex = kPrecision + kFloorPlace + /* glsl */ `
uniform float size;
in vec3 position;
in vec4 normal;
out vec2 before; // where the ray would end without water
out vec3 light;
out float height;
void main() {
  vec3 n = normalize(normal.xyz + 1e-6);
  float facing = dot(n, sunDirection);
  vec3 ray = facing > 0.0 ? refract(-sunDirection, n, 1.0 / 1.33) : -sunDirection;
  float way = (position.z - domainMin.z) / max(-ray.z, 0.3);
  before = shadowOf(position);
  height = (position.z - domainMin.z) / (domainMax.z - domainMin.z);
  float passed = facing > 0.0 ? 0.98 - 0.98 * pow(1.0 - facing, 5.0) : 0.0;
  light = passed * exp(-vec3(2.6, 0.75, 0.45) * way / size);
  gl_Position = vec4(2.0 * onFloorMap(position.xy + way * ray.xy) - 1.0, 0.0, 1.0);
}
`;

export const kBentLightFragment = kPrecision + kFloorPlace + /* glsl */ `
uniform sampler2D sunMeets, sunMeetsDepth;
in vec2 before;
in vec3 light;
in float height;
out vec4 colour;
void main() {
  vec2 uv = onFloorMap(before);
  // Only what the sun meets first: the light of what is below has been counted.
  if (texture(sunMeets, uv).r < 0.5 || height < 1.0 - texture(sunMeetsDepth, uv).r - 0.02) discard;
  // As much light as fell on the area that the ray would have met, gathered on that of a pixel.
  vec2 x = dFdx(uv), y = dFdy(uv), pixels = vec2(textureSize(sunMeets, 0));
  float gathered = abs(x.x * y.y - x.y * y.x) * pixels.x * pixels.y;
  colour = vec4(light * min(gathered, 6.0), 1.0);
}
`;

export const kFloorLightFragment = kPrecision + /* glsl */ `
uniform sampler2D sunMeets, bentLight;
in vec2 uv;
out vec4 colour;
void main() {
  vec2 pixel = 1.0 / vec2(textureSize(sunMeets, 0));
  vec3 sum = vec3(0.0);
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      vec2 at = uv + 1.2 * vec2(x, y) * pixel;
      float weight = float((2 - abs(x)) * (2 - abs(y))) / 16.0;
      sum += weight * (texture(bentLight, at).rgb + 1.0 - texture(sunMeets, at).a);
    }
  }
  colour = vec4(sum, 1.0);
}
`;
