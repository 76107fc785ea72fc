/** The ledger: a million records on disk, lists of them by each filter, and requests with the ledger on against off, in the same run. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEDGER_KINDS, type LedgerEntry, type LedgerQuestion } from '../src/domain/ledger.ts';
import { linkEntries } from '../src/ledger/chain.ts';
import { openStore } from '../src/store/open-store.ts';
import { inTurn } from './load.ts';
import { createRandom, type Random } from './random.ts';
import { startPostern } from './start-postern.ts';
import { startServer } from './start-server.ts';
import { type Finding, printFindings } from './table.ts';

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
  ['a page of one camera', { camera: 'cam3' }],
  ['a page of one kind', { kinds: ['export'] }],
  ['a page of one person and camera', { user: 'user7', camera: 'cam3' }],
  ['a page of one person, camera and rare kind', { user: 'user7', camera: 'cam3', kinds: ['refusal'] }],
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

const ROUNDS = 5;
const SECONDS = 3;

/** Pictures that are polled, the viewing with the most requests. */
async function requests(): Promise<readonly Finding[]> {
  const upstream = await startServer('upstream', 1);
  const direct = `http://127.0.0.1:${upstream.lines[0]}`;
  const [off, on] = [
    await startPostern({ upstream: direct, ledger: { enabled: false } }),
    await startPostern({ upstream: direct, ledger: { enabled: true } }),
  ];
  const target = (name: string, { url, viewer }: typeof on) => ({
    name,
    url: `${url}/api/cam1/latest.jpg`,
    headers: viewer,
  });
  const figures = await inTurn([target('off', off), target('on', on)], { rounds: ROUNDS, seconds: SECONDS });
  await Promise.all([off.stop(), on.stop()]);
  await upstream.stop();
  const rate = (name: string): number => figures.get(name)?.requestsPerSecond ?? Number.NaN;
  return [
    { what: 'requests/s of a polled picture, ledger off', seen: rate('off') },
    { what: 'requests/s of a polled picture, ledger on', seen: rate('on') },
    { what: 'on / off', seen: rate('on') / rate('off'), goal: { atLeast: 0.95 } },
  ];
}
