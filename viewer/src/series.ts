// What was measured, as lines of plots and as CSV.

export interface FrameStats {
  frame: number;
  time: number;
  steps?: number;
  tets?: number;
  triangles?: number;
  volume?: number;
  volume_drift?: number;
  energy?: number;
  max_speed?: number;
  residual?: number;
  iterations?: number;
  seconds?: Record<string, number>;
  peak_bytes?: number;
  ledger?: {
    expected?: number;
    kinetic?: number;
    potential?: number;
    bodies?: { id: number; volume: number; target: number }[];
    [key: string]: unknown;
  };
}

export interface Series {
  name: string;
  values: (number | null)[]; // by point of the plot
}

export interface PlotData {
  title: string;
  unit: string;
  times: number[]; // s, ascending
  series: Series[];
  isStacked?: boolean;
  download?: string; // where its file is
}

type Stats = (FrameStats | null)[];
const kMostBodies = 6;
const kLeastBody = 1e-3; // of the largest: drops below it would be lines along the axis
const kPhases = ["surface", "mesh", "advect", "project", "other"];

function line(name: string, stats: Stats, value: (frame: FrameStats) => number | undefined): Series {
  return { name, values: stats.map((frame) => (frame ? value(frame) : undefined) ?? null) };
}

function hasValues(series: Series): boolean {
  return series.values.some((value) => value !== null && Number.isFinite(value));
}

// The bodies that were largest at any time, in the order of their numbers.
function bodySeries(stats: Stats): Series[] {
  const largest = new Map<number, number>();
  for (const frame of stats) {
    for (const body of frame?.ledger?.bodies ?? []) {
      largest.set(body.id, Math.max(largest.get(body.id) ?? 0, body.volume));
    }
  }
  const most = Math.max(0, ...largest.values());
  const ids = [...largest]
    .filter(([, volume]) => volume >= kLeastBody * most)
    .sort((a, b) => b[1] - a[1])
    .slice(0, kMostBodies)
    .map(([id]) => id);
  return ids
    .sort((a, b) => a - b)
    .map((id) => line(`body ${id}`, stats, (frame) => frame.ledger?.bodies?.find((body) => body.id === id)?.volume));
}

export function plotsOf(stats: Stats): PlotData[] {
  const times = stats.map((frame) => frame?.time ?? 0);
  const plots: PlotData[] = [
    {
      title: "Volume",
      unit: "m³",
      times,
      series: [
        line("total", stats, (f) => f.volume),
        line("expected", stats, (f) => f.ledger?.expected),
        ...bodySeries(stats),
      ],
    },
    {
      title: "Energy",
      unit: "J",
      times,
      series: [
        line("total", stats, (f) => f.energy),
        line("kinetic", stats, (f) => f.ledger?.kinetic),
        line("potential", stats, (f) => f.ledger?.potential),
      ],
    },
    {
      title: "Time per phase",
      unit: "s",
      times,
      series: kPhases.map((phase) => line(phase, stats, (f) => f.seconds?.[phase])),
      isStacked: true,
    },
    {
      title: "Tetrahedra and triangles",
      unit: "",
      times,
      series: [line("tets", stats, (f) => f.tets), line("triangles", stats, (f) => f.triangles)],
    },
    {
      title: "Iterations",
      unit: "",
      times,
      series: [line("iterations", stats, (f) => f.iterations), line("steps", stats, (f) => f.steps)],
    },
    { title: "Greatest speed", unit: "m/s", times, series: [line("speed", stats, (f) => f.max_speed)] },
  ];
  for (const plot of plots) plot.series = plot.series.filter(hasValues);
  return plots.filter((plot) => plot.series.length > 0);
}

const kProbeUnits: Record<string, string> = { height: "m", pressure: "Pa", velocity: "m/s" };

export function plotOfProbe(name: string, kind: string, csv: string): PlotData {
  const lines = csv.trim().split("\n");
  const names = (lines[0] ?? "time").split(",").slice(1);
  const rows = lines.slice(1).map((row) => row.split(",").map(Number));
  return {
    title: `Probe ${name}`,
    unit: kProbeUnits[kind] ?? "",
    times: rows.map((row) => row[0]),
    series: names.map((label, i) => ({ name: label, values: rows.map((row) => row[i + 1] ?? null) })),
    download: `api/probes/${encodeURIComponent(name)}`,
  };
}

function flatten(value: unknown, prefix: string, into: Map<string, string>): void {
  if (value !== null && typeof value === "object") {
    for (const [key, part] of Object.entries(value)) flatten(part, prefix ? `${prefix}.${key}` : key, into);
  } else if (prefix) {
    into.set(prefix, value === null ? "" : String(value));
  }
}

// All that was measured, a row for every frame; bodies by their numbers.
export function csvOf(stats: Stats): string {
  const rows = stats.map((frame) => {
    const row = new Map<string, string>();
    if (!frame) return row;
    const { bodies, ...ledger } = frame.ledger ?? {};
    flatten({ ...frame, ledger }, "", row);
    for (const body of bodies ?? []) row.set(`body.${body.id}.volume`, String(body.volume));
    return row;
  });
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows.map((row) => columns.map((column) => quoted(row.get(column) ?? "")).join(","));
  return [columns.join(","), ...lines].join("\n") + "\n";
}
