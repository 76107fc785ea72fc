/** What a soak has shown: what clients met, how memory and files went, what was held at rest, and the verdict. */
import { tcpSockets } from '../machine.ts';
import type { Resources } from '../resources.ts';
import { type Finding, printTable, sparkline } from '../table.ts';
import type { Outcome } from './visits.ts';

export interface Sample {
  readonly resident: number;
  readonly files: number;
}

/** By the name of the visit: how often it ended how. */
export type Tally = Map<string, Map<Outcome, number>>;

export function printOutcomes(tally: Tally): void {
  const kinds = [...new Set([...tally.values()].flatMap((outcomes) => [...outcomes.keys()]))].sort();
  printTable(
    ['what clients did', ...kinds.map(String)],
    [...tally].sort().map(([name, outcomes]) => [name, ...kinds.map((kind) => String(outcomes.get(kind) ?? ''))]),
  );
  console.log();
}

export function printSamples(samples: readonly Sample[]): void {
  const line = (name: string, values: readonly number[]): string =>
    `${name} ${sparkline(values)}  ${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
  console.log(
    line(
      'resident MB',
      samples.map(({ resident }) => resident),
    ),
  );
  console.log(
    line(
      'open files ',
      samples.map(({ files }) => files),
    ),
  );
  console.log();
}

export interface Stages {
  readonly fresh: Resources;
  readonly warm: Resources;
  readonly end: Resources;
}

export function printResources({ fresh, warm, end }: Stages): void {
  const stages = [fresh, warm, end];
  const types = [...new Set(stages.flatMap(({ byType }) => Object.keys(byType)))].sort();
  const row = (name: string, of: (stage: Resources) => number): string[] => [
    name,
    ...stages.map((stage) => of(stage).toFixed(0)),
  ];
  printTable(
    ['what the gate holds, at rest', 'started', 'warmed up', 'at the end'],
    [
      row('resident MB', ({ residentMegabytes: megabytes }) => megabytes),
      row('heap MB', ({ heapMegabytes }) => heapMegabytes),
      row('external MB', ({ externalMegabytes }) => externalMegabytes),
      row('sockets', ({ sockets }) => sockets),
      row('open files', ({ files }) => files),
      ...types.map((type) => row(type, ({ byType }) => byType[type] ?? 0)),
    ],
  );
  console.log();
}

type Server = { readonly pid: number; readonly url: string };

/** Those that are nobody's any more: whose they were says where to look. */
export function printSockets({ pid, url }: Server, upstream: Server): void {
  const [own, nvr] = [Number(new URL(url).port), Number(new URL(upstream.url).port)];
  const left = tcpSockets(pid).filter(({ state }) => state !== 'listening');
  if (left.length === 0) return;
  const sideOf = ({ localPort, remotePort }: (typeof left)[number]): string => {
    if (remotePort === nvr) return 'to the NVR';
    return localPort === own ? 'from a client' : `${localPort} to ${remotePort}`;
  };
  const counts = new Map<string, number>();
  for (const socket of left) {
    const name = `${sideOf(socket)}, ${socket.state}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  printTable(
    ['sockets left', ''],
    [...counts].map(([name, count]) => [name, String(count)]),
  );
  console.log();
}

export function findingsOf(
  { fresh, warm, end }: Stages,
  tally: Tally,
  faults: readonly string[],
  isAlive: boolean,
): Finding[] {
  const types = new Set([...Object.keys(fresh.byType), ...Object.keys(end.byType)]);
  const moreHandles = [...types].map((type) => (end.byType[type] ?? 0) - (fresh.byType[type] ?? 0));
  const lookedWhole = [...tally.values()].reduce((sum, outcomes) => sum + (outcomes.get('looked whole') ?? 0), 0);
  for (const fault of faults.slice(0, 5)) console.log(fault);
  return [
    { what: 'more sockets than when started', seen: end.sockets - fresh.sockets, goal: { atMost: 0 } },
    { what: 'more open files than when started', seen: end.files - fresh.files, goal: { atMost: 0 } },
    { what: 'more handles of any one kind', seen: Math.max(0, ...moreHandles), goal: { atMost: 0 } },
    { what: 'more heap than warmed up', seen: end.heapMegabytes - warm.heapMegabytes, unit: 'MB', goal: { atMost: 3 } },
    {
      what: 'more resident than warmed up',
      seen: end.residentMegabytes - warm.residentMegabytes,
      unit: 'MB',
      goal: { atMost: 20 },
    },
    { what: 'cut answers that looked whole', seen: lookedWhole, goal: { atMost: 0 } },
    { what: 'faults in the log', seen: faults.length, goal: { atMost: 0 } },
    { what: 'is alive in the end', seen: Number(isAlive), goal: { atLeast: 1 } },
  ];
}
