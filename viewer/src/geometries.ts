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

// Some of the indices of another geometry, whose buffers both use.
export function partOf(whole: three.BufferGeometry, first: number, count: number): three.BufferGeometry {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", whole.getAttribute("position"));
  geometry.setAttribute("normal", whole.getAttribute("normal"));
  geometry.setIndex(whole.getIndex());
  geometry.setDrawRange(first, count);
  return geometry;
}
