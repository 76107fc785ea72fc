/** What the gate adds to the delay of each frame of a stream: Server-Sent Events and MJPEG, beside the same streams without it. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostern } from './start-postern.ts';
import { startedTogether, startServer } from './start-server.ts';
import { type Finding, median, printFindings, printTable, quantile } from './table.ts';

const SECONDS = 15;
const WARM_UP_SECONDS = 2;

interface StreamKind {
  readonly name: string;
  readonly path: string;
  readonly streams: number;
  /** Takes what is whole off the front: the stamps of its frames, and what is left. */
  readonly take: (received: Buffer) => { readonly stamps: readonly bigint[]; readonly left: Buffer };
}

const KINDS: readonly StreamKind[] = [
  { name: 'Server-Sent Events', path: '/stream/events?frames=sse', streams: 20, take: takeEvents },
  { name: 'MJPEG of 40 KB', path: '/api/cam1?frames=mjpeg', streams: 8, take: takePictures },
];

export const benchmark = { title: `the delay of each frame, all streams at once, ${SECONDS} s`, run };

async function run(): Promise<void> {
  await using servers = startedTogether();
  const upstream = await servers.keep(startServer('upstream', 1));
  const postern = await servers.keep(startPostern({ upstream: upstream.url }));
  const sides = [
    { name: 'straight', url: upstream.url, headers: {} },
    { name: 'Postern', url: postern.url, headers: postern.viewer },
  ];
  const watched = KINDS.flatMap((kind) => sides.map((side) => ({ kind, side, delays: [] as number[] })));
  const streams = await Promise.all(
    watched.flatMap(({ kind, side, delays }) =>
      Array.from({ length: kind.streams }, () => watch(`${side.url}${kind.path}`, side.headers, kind, delays)),
    ),
  );
  await sleep(WARM_UP_SECONDS * 1000);
  for (const { delays } of watched) delays.length = 0;
  await sleep(SECONDS * 1000);
  for (const stream of streams) stream.destroy();
  printTable(
    ['', 'streams', 'frames', 'p50 ms', 'p99 ms', 'most ms'],
    watched.map(({ kind, side, delays }) => [
      `${kind.name}, ${side.name}`,
      String(kind.streams),
      String(delays.length),
      ...[median(delays), quantile(delays, 0.99), quantile(delays, 1)].map((figure) => figure.toFixed(2)),
    ]),
  );
  console.log();
  printFindings(KINDS.map(({ name }) => findingOf(name, watched)));
}

function findingOf(
  name: string,
  watched: readonly {
    readonly kind: StreamKind;
    readonly side: { readonly name: string };
    readonly delays: readonly number[];
  }[],
): Finding {
  const p99 = (side: string): number =>
    quantile(watched.find((each) => each.kind.name === name && each.side.name === side)?.delays ?? [], 0.99);
  return { what: `added p99, ${name}`, seen: p99('Postern') - p99('straight'), unit: 'ms', goal: { atMost: 5 } };
}

/** Writes down the delay of each frame, in milliseconds, as its last byte comes in. */
async function watch(
  url: string,
  headers: Readonly<Record<string, string>>,
  { take }: StreamKind,
  delays: number[],
): Promise<IncomingMessage> {
  const [answer] = (await once(get(url, { headers, agent: false }), 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode}`);
  let received: Buffer = Buffer.alloc(0);
  answer.on('data', (chunk: Buffer) => {
    const now = process.hrtime.bigint();
    const { stamps, left } = take(Buffer.concat([received, chunk]));
    received = left;
    for (const stamp of stamps) delays.push(Number(now - stamp) / 1e6);
  });
  answer.on('error', () => {}); // it is destroyed at the end
  return answer;
}

function takeEvents(received: Buffer): { stamps: bigint[]; left: Buffer } {
  const events = received.toString('latin1').split('\n\n');
  const left = events.pop() ?? '';
  return { stamps: events.map((event) => BigInt(event.slice('data: '.length))), left: Buffer.from(left, 'latin1') };
}

const PART_HEAD = /Content-Length: (?<length>\d+)\r\nX-Sent: (?<stamp>\d+)\r\n\r\n/;
const LONGEST_PART_HEAD = 200;

function takePictures(received: Buffer): { stamps: bigint[]; left: Buffer } {
  const stamps: bigint[] = [];
  for (let left = received; ; ) {
    const head = PART_HEAD.exec(left.toString('latin1', 0, LONGEST_PART_HEAD));
    const end = head ? head.index + head[0].length + Number(head.groups?.['length']) + 2 : Number.POSITIVE_INFINITY;
    if (end > left.length) return { stamps, left };
    stamps.push(BigInt(head?.groups?.['stamp'] ?? 0));
    left = left.subarray(end);
  }
}
