/** The ledger: a million records on disk, lists of them by each filter, and requests with the ledger on against off, in the same run. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEDGER_KINDS, type LedgerEntry, type LedgerQuestion } from '../src/domain/ledger.ts';
import { linkEntries } from '../src/ledger/chain.ts';
import { openStore } from '../src/store/open-store.ts';
import { type Figures, inTurn, type Target } from './load.ts';
import { createRandom, type Random } from './random.ts';
import { startPostern } from './start-postern.ts';
import { startedTogether, startServer } from './start-server.ts';
import { type Finding, findingOf, printFindings } from './table.ts';

export const benchmark = { title: 'a million records, lists by each filter, and requests with and without', run };

const RECORDS = Number(process.env['LEDGER_RECORDS'] ?? 1_000_000);
const AT_ONCE = 1000;
const DAYS = 90;
const ASKED = 200;
const NOW = 1_795_000_000;
const PAGE = 100;

async function run(): Promise<void> {
  const load = loadavg().map((each) => each.toFixed(1));
  console.log(`load of this machine before: ${load.join(' ')}\n`);
  printFindings([...(await millionRecords()), ...(await requests())]);
}

async function millionRecords(): Promise<readonly Finding[]> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  const file = join(directory, 'postern.db');
  const store = await openStore({ url: `sqlite:${file}` });
  const random = createRandom(7);
  const since = performance.now();
  await store.ledger.claimChain('bench', NOW);
  for (let at = 0; at < RECORDS; at += AT_ONCE) {
    const ended = Array.from({ length: AT_ONCE }, (_, more) => ({ entry: sample(at + more, random) }));
    await store.ledger.append('main', { ended, open: [] }, [], NOW, linkEntries);
  }
  const seconds = (performance.now() - since) / 1000;
  const findings: Finding[] = [
    { what: `bytes of the file for each of ${RECORDS} records`, seen: statSync(file).size / RECORDS },
    { what: 'records written each second, 1000 at once', seen: RECORDS / seconds },
  ];
  for (const [what, question] of QUESTIONS) {
    const times: number[] = [];
    for (let asked = 0; asked < ASKED; asked += 1) {
      const before = NOW - random.below(DAYS * 86_400);
      const begun = performance.now();
      await store.ledger.find({ before, sight: undefined, ...question }, PAGE);
      times.push(performance.now() - begun);
    }
    times.sort((one, other) => one - other);
    findings.push({ what: `p95 of ${what}, ms`, seen: times[Math.floor(ASKED * 0.95)] ?? Number.NaN });
  }
  await store.close();
  rmSync(directory, { recursive: true });
  return findings;
}

const QUESTIONS: readonly (readonly [what: string, question: Partial<LedgerQuestion>])[] = [
  ['a page of all', {}],
  ['a page of one person', { user: 'user7' }],
  ['a page of one camera', { cameras: ['cam3'] }],
  ['a page of one kind', { kinds: ['export'] }],
  ['a page of one person and camera', { user: 'user7', cameras: ['cam3'] }],
  ['a page of one person, camera and rare kind', { user: 'user7', cameras: ['cam3'], kinds: ['refusal'] }],
  ['a page of a person who is not there', { user: 'nobody' }],
  ['a page of what a role of two cameras sees', { sight: { own: 'user7', cameras: ['cam1', 'cam2'], others: true } }],
];

/** Spread over 90 days, 40 people and 16 cameras; most are viewings. */
function sample(at: number, random: Random): LedgerEntry {
  const isViewing = random.chance(0.9);
  const kind = isViewing
    ? (['live', 'live', 'live', 'history', 'history', 'export'] as const)[random.below(6)]
    : LEDGER_KINDS[3 + random.below(6)];
  const from = NOW - DAYS * 86_400 + Math.round((at / RECORDS) * DAYS * 86_400 * 1000) / 1000;
  return {
    kind: kind ?? 'live',
    user: `user${random.below(40)}`,
    credential: 'session',
    address: `192.0.2.${random.below(250)}`,
    camera: isViewing ? `cam${random.below(16)}` : null,
    from,
    to: from + random.below(600),
    watchedFrom: kind === 'history' ? from - 3600 : null,
    watchedTo: kind === 'history' ? from - 3000 : null,
    detail: isViewing ? null : '{"what":"custom-role-changed","role":"porch"}',
  };
}

const STARTS = 4;
const LOAD = { rounds: 3, seconds: 2 };
const MODES = ['off', 'on'] as const;

/** Pictures that are polled, the viewing with the most requests. Two starts of one program differ by more than the ledger costs. */
async function requests(): Promise<readonly Finding[]> {
  const upstream = await startServer('upstream', 1);
  const starts: Map<string, Figures>[] = [];
  for (let start = 0; start < STARTS; start += 1)
    starts.push(await oneStart(`http://127.0.0.1:${upstream.lines[0]}`, start % 2 === 0 ? MODES : MODES.toReversed()));
  await upstream.stop();
  const all = (mode: (typeof MODES)[number], figure: 'requestsPerSecond' | 'microseconds'): readonly number[] =>
    starts.map((figures) => figures.get(mode)?.[figure] ?? Number.NaN);
  const ratios = all('on', 'requestsPerSecond').map((rate, at) => rate / (all('off', 'requestsPerSecond')[at] ?? 0));
  return [
    ...MODES.map((mode) => findingOf(`requests/s of a polled picture, ledger ${mode}`, all(mode, 'requestsPerSecond'))),
    ...MODES.map((mode) => findingOf(`µs of processor time for each, ledger ${mode}`, all(mode, 'microseconds'))),
    findingOf('on / off', ratios, { atLeast: 0.95 }),
  ];
}

async function oneStart(upstream: string, modes: readonly (typeof MODES)[number][]): Promise<Map<string, Figures>> {
  await using servers = startedTogether();
  const targets: Target[] = [];
  for (const mode of modes) {
    const { url, viewer, pid } = await servers.keep(startPostern({ upstream, ledger: { enabled: mode === 'on' } }));
    targets.push({ name: mode, url: `${url}/api/cam1/latest.jpg`, headers: viewer, pid });
  }
  return await inTurn(targets, LOAD);
}
