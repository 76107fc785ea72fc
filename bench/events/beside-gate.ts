/** What forwarding feels of questions about events: requests through the gate to the NVR, alone and beside company. */
import { spawn } from 'node:child_process';
import { roundsOf } from '../load.ts';
import { openLoop } from '../open-loop.ts';
import type { StartedPostern } from '../start-postern.ts';
import { stopProcess } from '../start-server.ts';
import { median, printFindings, printTable, quantile } from '../table.ts';

const ROUNDS = 5;
const LOAD = { perSecond: 300, seconds: 4 };
/** Nothing is found, so every event is looked at: two seconds for a million of them. */
const SLOW = '/api/events?attributes=nothing&include_thumbnails=0';

interface Company {
  readonly name: string;
  /** Gives what ends it, which tells how long each of its questions took. */
  readonly start: () => () => Promise<readonly number[]>;
}

export async function measureBesideGate(postern: StartedPostern): Promise<void> {
  const companies: Company[] = [
    { name: 'alone', start: () => async () => [] },
    { name: 'beside a viewer with slow questions', start: () => questions(postern) },
    // On a machine with few cores whatever is busy costs something: so much has nothing to do with waiting.
    { name: 'beside any busy process', start: busyProcess },
  ];
  const rounds = await roundsOf(companies, ROUNDS, async ({ start }, isWarmUp) => {
    const end = start();
    const target = { url: `${postern.url}/api/version`, headers: postern.viewer };
    const { answered } = await openLoop(target, { ...LOAD, seconds: isWarmUp ? 1 : LOAD.seconds });
    return { p50: median(answered), p99: quantile(answered, 0.99), asked: await end() };
  });
  const p99 = (name: string): number => median((rounds.get(name) ?? []).map((round) => round.p99));
  console.log(
    `\nWhat is forwarded meanwhile: ${LOAD.perSecond} requests/s through the gate, medians of ${ROUNDS} rounds\n`,
  );
  printTable(
    ['', 'p50 ms', 'p99 ms', 'slow questions', 'each ms'],
    [...rounds].map(([name, each]) => {
      const asked = each.flatMap((round) => round.asked);
      const figures = [median(each.map(({ p50 }) => p50)), p99(name)].map((figure) => figure.toFixed(2));
      return [name, ...figures, String(asked.length), asked.length > 0 ? median(asked).toFixed(0) : ''];
    }),
  );
  console.log();
  const [alone, viewer, busy] = companies.map(({ name }) => p99(name)) as [number, number, number];
  printFindings([
    { what: 'forwarded p99 beside slow questions / alone', seen: viewer / alone },
    {
      what: 'forwarded p99 beside slow questions / beside any busy process',
      seen: viewer / busy,
      goal: { atMost: 1.5 },
    },
  ]);
}

/** One after another; what is given up for taking too long is as good as an answer here. */
function questions(postern: StartedPostern): () => Promise<readonly number[]> {
  const taken: number[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const begun = performance.now();
      const answer = await fetch(`${postern.url}${SLOW}`, { headers: postern.viewer });
      await answer.text();
      if (answer.status !== 200 && answer.status !== 503) throw new Error(`${SLOW}: ${answer.status}`);
      taken.push(performance.now() - begun);
    }
    return taken;
  })();
  return () => {
    isOver = true;
    return asking;
  };
}

function busyProcess(): () => Promise<readonly number[]> {
  const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
  return async () => {
    await stopProcess(child);
    return [];
  };
}
