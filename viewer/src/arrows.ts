// Velocity arrows: one for every so many vertices, which lie close to each other in memory where
// they do in space.
import * as three from "three";
import type { Pack } from "./api";

const kMostArrows = 1500;
const kSides = 5;

export interface Arrows {
  count: number;
  origin: Float32Array;
  velocity: Float32Array;
}

export function chooseArrows(surface: Pack, velocity: Pack): Arrows {
  const vertices = velocity.arrays.velocity.length / 3;
  const step = Math.max(1, Math.ceil(vertices / kMostArrows));
  const count = Math.floor((vertices + step - 1) / step);
  const arrows = { count, origin: new Float32Array(3 * count), velocity: new Float32Array(3 * count) };
  for (let i = 0; i < count; ++i) {
    const from = 3 * i * step;
    arrows.origin.set(surface.arrays.position.subarray(from, from + 3), 3 * i);
    arrows.velocity.set(velocity.arrays.velocity.subarray(from, from + 3), 3 * i);
  }
  return arrows;
}

// A shaft and a tip along z, of length 1.
function unitArrow(): number[] {
  const shaft = 0.03;
  const tip = 0.1;
  const neck = 0.7;
  const corners: number[] = [];
  for (let k = 0; k < kSides; ++k) {
    const [a, b] = [k, k + 1].map((i) => (2 * Math.PI * i) / kSides);
    const ring = (angle: number, radius: number, z: number) => [radius * Math.cos(angle), radius * Math.sin(angle), z];
    corners.push(...ring(a, shaft, 0), ...ring(b, shaft, 0), ...ring(b, shaft, neck));
    corners.push(...ring(a, shaft, 0), ...ring(b, shaft, neck), ...ring(a, shaft, neck));
    corners.push(...ring(a, tip, neck), ...ring(b, tip, neck), 0, 0, 1);
  }
  return corners;
}

export function arrowGeometry(arrows: Arrows): three.InstancedBufferGeometry {
  const geometry = new three.InstancedBufferGeometry();
  geometry.setAttribute("position", new three.BufferAttribute(new Float32Array(unitArrow()), 3));
  geometry.setAttribute("origin", new three.InstancedBufferAttribute(arrows.origin, 3));
  geometry.setAttribute("velocity", new three.InstancedBufferAttribute(arrows.velocity, 3));
  geometry.instanceCount = arrows.count;
  return geometry;
}
