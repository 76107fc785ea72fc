/** WebSocket messages to and fro over 200 sockets: passed through as they are, and judged one by one. */
import { roundsOf } from '../load.ts';
import { processorSeconds } from '../machine.ts';
import { startPostern } from '../start-postern.ts';
import { type StartedServer, startedTogether, startServer } from '../start-server.ts';
import { type Finding, median, printTable } from '../table.ts';
import { exchangeMessages, openWebSockets, type WebSocketTarget } from '../websocket-client.ts';

const SOCKETS = 200;
const ROUNDS = 5;
const SECONDS = 2;
/** A camera's live stream is a raw pipe once it is allowed. */
const PASSED_THROUGH = '/live/mse/api/ws?src=cam1';
/** The NVR's own topics are about all cameras: whoever is no admin has each message judged. */
const JUDGED = '/ws';

interface Subject extends WebSocketTarget {
  readonly name: string;
  readonly pid: number;
}

interface Figures {
  readonly perSecond: number;
  readonly microseconds: number;
}

export async function measureWebSockets(): Promise<Finding[]> {
  await using servers = startedTogether();
  const upstream = await servers.keep(startServer('upstream', 1));
  const bare = await servers.keep(startServer('bare-proxy', 1, upstream.url, '1.18.1'));
  const inUse = await servers.keep(startServer('bare-proxy', 1, upstream.url));
  const postern = await servers.keep(startPostern({ upstream: upstream.url }));
  const through = (name: string, { url, pid }: StartedServer, path: string, headers = {}): Subject => ({
    name,
    pid,
    url: `${url}${path}`,
    headers,
  });
  const subjects: Subject[] = [
    through('straight to the upstream', upstream, PASSED_THROUGH),
    through('http-proxy 1.18.1', bare, PASSED_THROUGH),
    through('http-proxy in use', inUse, PASSED_THROUGH),
    through('Postern, passed through', postern, PASSED_THROUGH, postern.viewer),
    through('Postern, an admin', postern, JUDGED, postern.admin),
    through('Postern, each judged', postern, JUDGED, postern.viewer),
  ];
  const rounds = await roundsOf(subjects, ROUNDS, oneRound);
  const figures = new Map([...rounds].map(([name, each]) => [name, medians(each)]));
  print(figures);
  const rate = (name: string): number => figures.get(name)?.perSecond ?? Number.NaN;
  const ratio = (name: string, base: string): number => rate(name) / rate(base);
  return [
    {
      what: 'WebSocket messages / http-proxy 1.18.1',
      seen: ratio('Postern, passed through', 'http-proxy 1.18.1'),
      goal: { atLeast: 0.9 },
    },
    { what: 'the same, of an admin on /ws', seen: ratio('Postern, an admin', 'http-proxy 1.18.1') },
    { what: 'the same, each judged', seen: ratio('Postern, each judged', 'http-proxy 1.18.1') },
  ];
}

/** With sockets of its own: an idle one would be asked for a sign of life, which these clients do not give. */
async function oneRound(subject: Subject, isWarmUp: boolean): Promise<Figures> {
  const seconds = isWarmUp ? 1 : SECONDS;
  const sockets = await openWebSockets(subject, SOCKETS);
  const before = processorSeconds(subject.pid) ?? Number.NaN;
  const messages = await exchangeMessages(sockets, seconds);
  const spent = (processorSeconds(subject.pid) ?? Number.NaN) - before;
  for (const socket of sockets) socket.destroy();
  return { perSecond: messages / seconds, microseconds: (spent / messages) * 1e6 };
}

const medians = (rounds: readonly Figures[]): Figures => ({
  perSecond: median(rounds.map(({ perSecond }) => perSecond)),
  microseconds: median(rounds.map(({ microseconds }) => microseconds)),
});

function print(figures: ReadonlyMap<string, Figures>): void {
  console.log(
    `WebSocket messages and their echoes, ${SOCKETS} sockets, ${ROUNDS} rounds of ${SECONDS} s in turn, medians\n`,
  );
  printTable(
    ['', 'messages/s', 'processor µs/message'],
    [...figures].map(([name, { perSecond, microseconds }]) => [name, perSecond.toFixed(0), microseconds.toFixed(0)]),
  );
  console.log();
}
