/** Every listed attack, byte for byte, against the whole instance: its answer, and what the NVR received. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { breaches } from './support/judge.ts';
import { replay, replayRepeatedly } from './support/replay.ts';
import type { Expectation, Vector } from './support/vector.ts';
import { startVectorInstances, type VectorInstances } from './support/vector-instances.ts';

const VECTORS: readonly Vector[] = JSON.parse(
  readFileSync(new URL('../data/attack-vectors.json', import.meta.url), 'utf8'),
);

interface Disagreement {
  readonly why: string;
  readonly expect: Partial<Expectation>;
}

/** Where a listed outcome is not ours, and by what the vector is judged instead. */
const DISAGREED: Readonly<Record<string, Disagreement>> = {
  'JWT-21': {
    why: 'The role in a token is never believed, whatever it says: vera is known, and is a viewer still (SPEC 11).',
    expect: { status: [403] },
  },
  'UP-01': {
    why: 'A viewer gets the statistics without command lines, so they are read whole first: a cut response is not sent.',
    expect: { status: [502, 'close'] },
  },
  'INT-01': {
    why: 'Postern answers /api/profile itself (interface 4), so the NVR sees nothing: the profile is the proof.',
    expect: {
      upstreamMustSee: { headers: [] },
      upstreamMustNotSee: { anything: true },
      clientMustSee: '"username":"anonymous","role":"admin"',
    },
  },
};

let instances: VectorInstances;
before(async () => {
  instances = await startVectorInstances();
});
after(() => instances.close());

const expectationOf = ({ id, expect }: Vector): Expectation => ({ ...expect, ...DISAGREED[id]?.expect });

for (const name of new Set(VECTORS.map((vector) => vector.class))) {
  describe(`Attacks of class ${name}`, () => {
    for (const vector of VECTORS.filter((candidate) => candidate.class === name)) {
      const title = `${vector.id}: ${vector.note || firstLine(vector)}`;
      if (vector.setup.repeat !== undefined) it(title, () => isLimited(vector));
      else
        it(title, async () =>
          assert.deepEqual(breaches(expectationOf(vector), await replay({ vector, instances })), []),
        );
    }
  });
}

async function isLimited(vector: Vector): Promise<void> {
  const outcomes = await replayRepeatedly({ vector, instances });
  assert.deepEqual(
    outcomes.flatMap((outcome) => breaches(vector.expect, outcome)),
    [],
  );
  assert.deepEqual(
    outcomes.slice(-2).map(({ status }) => status),
    [429, 429],
  );
}

function firstLine({ raw }: Vector): string {
  return JSON.stringify(raw.split('\r\n', 1)[0]);
}

describe('The list of attacks', () => {
  it('forges tokens that differ in one thing from a token that is believed', async () => {
    const [model] = VECTORS.filter(({ id }) => id === 'JWT-07');
    const recipe = model?.setup.jwt?.['T'];
    assert.ok(model && recipe);
    const vector = { ...model, setup: { ...model.setup, jwt: { T: { ...recipe, key: 'good' as const } } } };
    assert.equal((await replay({ vector, instances })).status, 200);
  });

  it('is whole: every vector has an id of its own', () => {
    assert.deepEqual([VECTORS.length, new Set(VECTORS.map(({ id }) => id)).size], [152, 152]);
  });

  it('is disagreed with only where it has such a vector', () => {
    const ids = VECTORS.map(({ id }) => id);
    assert.deepEqual(
      Object.keys(DISAGREED).filter((id) => !ids.includes(id)),
      [],
    );
  });
});
