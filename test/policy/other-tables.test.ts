/** Every row of every shipped table but Frigate's, as every kind of caller; what the NVR saw is the proof (SPEC 5, 20). */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { makeSample } from '../../src/access/sample-request.ts';
import { parsePolicy, SHIPPED, tableSchema } from '../../src/config/policy/load-policy.ts';
import type { PolicyRow } from '../../src/routes/policy-row.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { OFFERS } from '../support/offers.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { type UpgradeOutcome, upgradeOutcome } from './support/upgrade-outcome.ts';

/** Frigate's has a walk of its own, by the operations that it describes. */
const OF_POSTERN: readonly string[] = ['postern', 'strict', 'frigate'];
const TABLES = readdirSync(SHIPPED)
  .map((file) => basename(file, '.yaml'))
  .filter((name) => !OF_POSTERN.includes(name));

/** Carl sees cam1 alone, ghost a camera that is not there any more. */
const [OWN, FOREIGN] = ['cam1', 'cam2'];
const GHOST: Person = { name: 'ghost', role: 'of_the_gone', password: 'GhostPassw0rd!!' };
type Who = 'admin' | 'vera' | 'carl, own' | 'carl, foreign' | 'ghost' | 'nobody';
const PEOPLE = { admin: ADMIN_PERSON, vera: VERA, carl: CARL, ghost: GHOST } as const;

const textOf = (name: string): string => readFileSync(join(SHIPPED, `${name}.yaml`), 'utf8');

for (const name of TABLES) {
  describe(`The table ${name}`, () => {
    const parsed = parsePolicy(textOf(name), `${name}.yaml`);
    const rows = parsed.ok ? parsed.value.rows : assert.fail(JSON.stringify(parsed.error));
    let nvr: FakeNvr;
    let instance: Runtime;
    const tokens = new Map<string, string>();
    let answer: unknown = {};
    before(async () => {
      nvr = await startFakeNvr();
      nvr.answer = (_, response) =>
        void response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      instance = await startInstance({
        people: Object.values(PEOPLE),
        config: {
          nvr: { url: nvr.url, cameras: [OWN, FOREIGN], policy: name },
          auth: { hash_iterations: 1000, roles: { front_only: [OWN], of_the_gone: ['gone'] } },
        },
      });
      for (const [who, person] of Object.entries(PEOPLE)) tokens.set(who, await instance.logIn(person));
    });
    after(async () => {
      await instance?.close();
      await nvr?.close();
    });

    /** The status; `leaked` when a refusal reached the NVR all the same. */
    async function ask(who: Who, method: string, row: PolicyRow): Promise<number | 'leaked'> {
      const { path, query } = makeSample(row, who === 'carl, own' ? OWN : FOREIGN);
      const target = query === '' ? path : `${path}?${query}`;
      const token = tokens.get(who.split(',')[0] ?? '');
      nvr.received.length = 0;
      answer = answerOf(row, who === 'carl, own' ? OWN : FOREIGN);
      const outcome: UpgradeOutcome =
        method === 'WS'
          ? await upgradeOutcome(`${instance.url}${target}`, token)
          : (await instance.ask(target, requestOf(method, row, token))).status;
      const isRefused = outcome >= 400 && outcome < 500;
      return isRefused && nvr.received.some(({ target: seen }) => seen === target) ? 'leaked' : outcome;
    }

    for (const row of rows)
      for (const method of row.methods.map((each) => (each === 'ANY' ? 'PUT' : each))) {
        const expected = expectedOf(row);
        it(`${method} ${row.path}: ${JSON.stringify(expected)}`, async () => {
          const found: Partial<Record<Who, string>> = {};
          for (const who of Object.keys(expected) as Who[]) found[who] = wordOf(await ask(who, method, row));
          assert.deepEqual(found, expected);
        });
      }

    it('says of each row that others than admins may use what its handler does, in each release that was read', () => {
      const { nvr: release, handlers = [], routes } = tableSchema.parse(parse(textOf(name)));
      assert.ok(handlers.includes(release ?? ''));
      const lacking = routes
        .filter(({ access }) => access !== 'admin' && access !== 'none')
        .filter(({ handler }) => JSON.stringify(handler?.checked) !== JSON.stringify(handlers));
      assert.deepEqual(
        lacking.map(({ route }) => route),
        [],
      );
    });

    it('says where the cameras are listed, and how the release is asked for', () =>
      assert.ok(parsed.ok && parsed.value.head.cameras && parsed.value.head.release && parsed.value.head.nvr));
  });
}

const wordOf = (outcome: number | 'leaked'): string => {
  if (outcome === 'leaked') return 'leaked';
  if (outcome === 101 || outcome < 400) return 'passed';
  return outcome === 401 || outcome === 403 || outcome === 404 ? 'refused' : `status ${outcome}`;
};

/** What the row says of its answer holds for this one. */
function answerOf({ answer, named_by = 'camera', paging }: PolicyRow, camera: string): unknown {
  if (paging) return { [paging.list]: [{ [named_by]: camera }], [paging.count]: 1, [paging.pages]: 1 };
  return answer === 'one' ? { [named_by]: camera } : {};
}

function requestOf(
  method: string,
  row: PolicyRow,
  token: string | undefined,
): RequestInit & { readonly token?: string } {
  const isOffer = row.signalling !== 'candidates';
  const type = isOffer ? 'application/sdp' : 'application/trickle-ice-sdpfrag';
  const body = row.signalling ? { headers: { 'content-type': type }, body: isOffer ? OFFERS.watch : 'a=mid:0' } : {};
  return { method, ...body, ...(token !== undefined && { token }) };
}

/** What the level of a row says. A row that names no camera shows what is left to everybody. */
function expectedOf({ access, cameras = [] }: PolicyRow): Partial<Record<Who, string>> {
  const nobody = access === 'public' ? 'passed' : 'refused';
  if (access === 'none') return { admin: 'refused', vera: 'refused', 'carl, own': 'refused', nobody };
  if (access === 'public') return { admin: 'passed', vera: 'passed', 'carl, own': 'passed', nobody };
  if (access === 'admin') return { admin: 'passed', vera: 'refused', 'carl, own': 'refused', ghost: 'refused', nobody };
  if (access === 'unrestricted')
    return { admin: 'passed', vera: 'passed', 'carl, own': 'refused', ghost: 'refused', nobody };
  const isNamed = cameras.some(({ kind, source }) => (kind === 'camera' || kind === 'stream') && source !== 'body');
  if (cameras.length > 0 && !isNamed)
    // By an id that nobody was given: unknown is as foreign.
    return { admin: 'passed', 'carl, own': 'refused', ghost: 'refused', nobody };
  return isNamed
    ? { admin: 'passed', vera: 'passed', 'carl, own': 'passed', 'carl, foreign': 'refused', ghost: 'refused', nobody }
    : { admin: 'passed', vera: 'passed', 'carl, own': 'passed', nobody };
}
