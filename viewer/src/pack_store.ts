// Packs that were loaded, as many as fit into a bound of memory; the least recently used go first.
import { fetchPack, type Pack } from "./api";

interface Loading {
  promise: Promise<Pack>;
  abort: AbortController;
  wanted: number; // how many still wait for it
}

export class PackStore {
  private readonly packs = new Map<string, Pack>(); // the latest last
  private readonly loading = new Map<string, Loading>();
  private bytes = 0;

  constructor(private readonly mostBytes: number) {}

  get size(): { bytes: number; limit: number; packs: number } {
    return { bytes: this.bytes, limit: this.mostBytes, packs: this.packs.size };
  }

  has(url: string): boolean {
    return this.packs.has(url);
  }

  // Also of what is on its way.
  clear(): void {
    for (const loading of this.loading.values()) loading.abort.abort();
    this.loading.clear();
    this.packs.clear();
    this.bytes = 0;
  }

  // `signal` gives up waiting; the request itself ends when nobody waits any more.
  async get(url: string, signal?: AbortSignal): Promise<Pack> {
    const known = this.packs.get(url);
    if (known) {
      this.packs.delete(url);
      this.packs.set(url, known);
      return known;
    }
    const loading = this.loading.get(url) ?? this.load(url);
    ++loading.wanted;
    const giveUp = () => {
      if (--loading.wanted > 0) return;
      this.forget(url, loading); // at once: whoever asks next starts anew
      loading.abort.abort();
    };
    if (signal?.aborted) giveUp();
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      return await loading.promise;
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  private load(url: string): Loading {
    const abort = new AbortController();
    const promise = fetchPack(url, abort.signal);
    const loading = { promise, abort, wanted: 0 };
    this.loading.set(url, loading);
    promise
      .then((pack) => this.keep(url, pack))
      .catch(() => undefined) // each who waits is told
      .finally(() => this.forget(url, loading));
    return loading;
  }

  private forget(url: string, loading: Loading): void {
    if (this.loading.get(url) === loading) this.loading.delete(url);
  }

  private keep(url: string, pack: Pack): void {
    if (pack.bytes > this.mostBytes || this.packs.has(url)) return;
    this.packs.set(url, pack);
    this.bytes += pack.bytes;
    for (const [oldest, old] of this.packs) {
      if (this.bytes <= this.mostBytes) break;
      this.packs.delete(oldest);
      this.bytes -= old.bytes;
    }
  }
}
