// What the server of `spindrift view` says: its JSON, and its packs of arrays (view_pack.hpp).

export type Vec3 = [number, number, number];

export interface CacheFrame {
  time: number;
  files: Record<string, { bytes: number; triangles: number }>;
  // Of each obstacle: a quaternion (x, y, z, w) and a place; null if it does not move.
  poses: (number[] | null)[];
}

export interface CacheSummary {
  scene: string;
  spindrift: string;
  run: string;
  fps: number;
  frames_asked: number;
  domain: { min: Vec3; max: Vec3; open: boolean[] };
  camera: { eye: Vec3; target: Vec3; fov: number } | null;
  obstacles: number;
  probes: { name: string; kind: "height" | "pressure" | "velocity"; at: Vec3 }[];
  frames: CacheFrame[];
}

type NumberArray = Float32Array | Uint32Array | Int8Array;

export interface Pack {
  about: Record<string, unknown>;
  arrays: Record<string, NumberArray>;
  bytes: number;
}

// What went wrong, in the server's words.
export class ServerError extends Error {
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

async function request(url: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ServerError("the server does not answer; is spindrift view still running?", 0);
  }
  if (response.ok) return response;
  let message = `the server says ${response.status}`;
  try {
    const said = (await response.json()) as { problem?: string; advice?: string };
    if (said.problem) message = said.advice ? `${said.problem}; ${said.advice}` : said.problem;
  } catch {
    // Not JSON: the status has to do.
  }
  throw new ServerError(message, response.status);
}

export async function fetchJson<T>(url: string): Promise<T> {
  return (await request(url)).json() as Promise<T>;
}

export async function fetchText(url: string): Promise<string> {
  return (await request(url)).text();
}

const kTypes = { Float32Array, Uint32Array, Int8Array };

export function unpack(buffer: ArrayBuffer): Pack {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8 || view.getUint32(0, false) !== 0x53504456) {
    throw new Error("this is no pack of arrays");
  }
  const length = view.getUint32(4, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 8, length));
  const head = JSON.parse(text) as {
    about: Record<string, unknown>;
    arrays: { name: string; type: keyof typeof kTypes; components: number; rows: number; offset: number }[];
  };
  const arrays: Record<string, NumberArray> = {};
  for (const array of head.arrays) {
    arrays[array.name] = new kTypes[array.type](buffer, 8 + length + array.offset, array.components * array.rows);
  }
  return { about: head.about, arrays, bytes: buffer.byteLength };
}

export async function fetchPack(url: string, signal?: AbortSignal): Promise<Pack> {
  return unpack(await (await request(url, signal)).arrayBuffer());
}
