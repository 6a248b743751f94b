// From packs to what the graphics card draws: straight into its buffers, nothing is computed here.
import * as three from "three";
import type { Pack } from "./api";

export function unculled<T extends three.Object3D>(object: T): T {
  object.frustumCulled = false; // culling would walk through all vertices first
  return object;
}

export function screenTriangle(): three.BufferGeometry {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
  return geometry;
}

// Of points alone, unless more is added.
export function pointGeometry(position: Pack["arrays"][string]): three.BufferGeometry {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.BufferAttribute(position, 3));
  return geometry;
}

export function surfaceGeometry(pack: Pack): three.BufferGeometry {
  const geometry = pointGeometry(pack.arrays.position);
  geometry.setAttribute("normal", new three.BufferAttribute(pack.arrays.normal, 4, true));
  geometry.setIndex(new three.BufferAttribute(pack.arrays.index, 1));
  return geometry;
}

// Of some of the edges, which are pairs of vertices.
export function meanLength(position: Pack["arrays"][string], pairs: Pack["arrays"][string]): number {
  const step = 2 * Math.max(1, Math.floor(pairs.length / 2000));
  let [sum, count] = [0, 0];
  for (let i = 0; i + 1 < pairs.length; i += step, ++count) {
    const [a, b] = [3 * pairs[i], 3 * pairs[i + 1]];
    sum += Math.hypot(position[a] - position[b], position[a + 1] - position[b + 1], position[a + 2] - position[b + 2]);
  }
  return count > 0 ? sum / count : 1;
}

// A triangle without area.
export function emptySurface(): three.BufferGeometry {
  const arrays = { position: new Float32Array(9), normal: new Int8Array(12), index: new Uint32Array([0, 1, 2]) };
  return surfaceGeometry({ about: {}, arrays, bytes: 0 });
}

// Some of the indices of another geometry, whose buffers both use.
export function partOf(whole: three.BufferGeometry, first: number, count: number): three.BufferGeometry {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", whole.getAttribute("position"));
  geometry.setAttribute("normal", whole.getAttribute("normal"));
  geometry.setIndex(whole.getIndex());
  geometry.setDrawRange(first, count);
  return geometry;
}
