/** Attacks on framing and headers, sent twice on one connection and cut in pieces: no request behind them is harmed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Received } from '../support/fake-nvr.ts';
import { CARL } from '../support/people.ts';
import { behaveWell } from './support/faults.ts';
import { breaches } from './support/judge.ts';
import { openConnection } from './support/raw-connection.ts';
import { replay } from './support/replay.ts';
import type { Vector } from './support/vector.ts';
import { rawOf, startVectorInstances, type VectorInstances } from './support/vector-instances.ts';
import { asRole, claimsIn, HOST, head } from './support/watched-instance.ts';

const VECTORS: readonly Vector[] = JSON.parse(
  readFileSync(new URL('../data/attack-vectors.json', import.meta.url), 'utf8'),
);
const smuggling = VECTORS.filter((vector) => vector.class === 'SMUG');
const headers = VECTORS.filter((vector) => vector.class === 'HDR');

let instances: VectorInstances;
before(async () => {
  instances = await startVectorInstances();
});
after(() => instances.close());

/** What the victim asks for; the NVR says it back. */
const VICTIM = '/api/cam1/latest.jpg?victim';
const VICTIMS_ANSWER = JSON.stringify({ method: 'GET', target: VICTIM, bodyBytes: 0 });

describe('An attack that is sent twice on one connection, with a request of another user behind it', () => {
  for (const vector of smuggling) {
    it(`${vector.id}: ${vector.note || 'nothing is left behind'}`, async () => {
      const instance = await instances.instanceFor(vector.setup);
      behaveWell(instances.nvr);
      instances.nvr.received.length = 0;
      const raw = await rawOf(vector, instance);
      const victim = head(`GET ${VICTIM} HTTP/1.1`, HOST, `Authorization: Bearer ${await instance.logIn(CARL)}`);
      const attack = await openConnection(instance.port);
      await attack.send(raw + raw + victim);
      await attack.settled();
      const answers = await victimsAnswers(instance.port, victim);
      attack.close();

      assert.deepEqual(answers, [VICTIMS_ANSWER, VICTIMS_ANSWER, VICTIMS_ANSWER]);
      const [first] = attack.answers();
      const isVictims = ({ target }: Received): boolean => target === VICTIM;
      const received = instances.nvr.received.filter((request) => !isVictims(request));
      const { upstreamMaxRequests = 2, ...expect } = vector.expect;
      assert.deepEqual(breaches(expect, { status: first?.status, text: attack.text(), received }), []);
      assert.ok(received.length <= 2 * upstreamMaxRequests, `the NVR received ${received.length} requests`);
      for (const request of instances.nvr.received.filter(isVictims)) {
        assert.deepEqual(claimsIn(request), asRole('carl', 'front_only'));
      }
    });
  }
});

/** Three in a row, on a connection of the victim's own: an answer too many upstream would shift them all. */
async function victimsAnswers(port: number, victim: string): Promise<string[]> {
  const connection = await openConnection(port);
  for (let count = 1; count <= 3; count += 1) {
    await connection.send(victim);
    await connection.settled(count);
  }
  connection.close();
  return connection.answers().map(({ body }) => body);
}

describe('An attack that arrives in pieces', () => {
  for (const vector of [...headers, ...smuggling]) {
    it(`${vector.id}: has the same outcome wherever it is cut`, async () => {
      for (const cuts of [cutAll, cutLines, cutBody, cutEnds]) {
        const outcome = await replay({ vector, instances, cuts });
        assert.deepEqual(breaches(vector.expect, outcome), []);
      }
    });
  }
});

/** Inside the method, before the last byte. */
const cutEnds = (raw: string): readonly number[] => [1, raw.length - 1];
/** Between CR and LF of the request line, and of the line behind it. */
const cutLines = (raw: string): readonly number[] => {
  const first = raw.indexOf('\n');
  const second = raw.indexOf('\n', first + 1);
  return [first, second].filter((at) => at > 0);
};
/** Between the head and what is behind it, and one byte into that. */
const cutBody = (raw: string): readonly number[] => {
  const end = raw.indexOf('\r\n\r\n') + 4;
  return end < 4 || end >= raw.length ? [raw.length - 3] : [end - 1, end, Math.min(end + 1, raw.length - 1)];
};
/** In eight pieces of one size. */
const cutAll = (raw: string): readonly number[] =>
  Array.from({ length: 7 }, (_, index) => Math.floor(((index + 1) * raw.length) / 8));
