/** The keys of a signed identity: asked for when they are needed, kept for a grace, renewed for an unknown key (SPEC 17). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportJWK, type FlattenedJWSInput, generateKeyPair, type JWK } from 'jose';
import { createKeySet, KeysAway } from '../../src/identity/proxy-jwt-source.ts';
import { movableClock } from '../support/clock.ts';
import { until } from '../support/until.ts';

const TOKEN = { payload: '', signature: '' } as FlattenedJWSInput;
const header = (kid: string) => ({ alg: 'ES256', kid });

async function started() {
  const clock = movableClock();
  const state = { kids: ['a'], isAway: false, isUnfit: false, asked: 0, answers: [] as string[] };
  const made = new Map<string, JWK>();
  const fetch = async (): Promise<Response> => {
    state.asked += 1;
    if (state.isAway) throw new Error('nobody answers');
    if (state.isUnfit) return Response.json({ keys: [null] });
    for (const kid of state.kids)
      if (!made.has(kid)) made.set(kid, { ...(await exportJWK((await generateKeyPair('ES256')).publicKey)), kid });
    return Response.json({ keys: state.kids.map((kid) => made.get(kid)) });
  };
  const onAnswer = (why?: string): void => void state.answers.push(why === undefined ? 'up' : 'down');
  const keys = createKeySet({ url: 'https://sso.example.org/jwks', fetch, clock, onAnswer });
  const has = (kid: string): Promise<boolean> =>
    Promise.resolve(keys(header(kid), TOKEN)).then(
      () => true,
      (fault: unknown) => {
        if (fault instanceof KeysAway) throw fault;
        return false;
      },
    );
  return { clock, state, has };
}

describe('The keys of a proxy', () => {
  it('are asked for once by all who need them first', async () => {
    const { state, has } = await started();
    assert.deepEqual(await Promise.all([has('a'), has('a'), has('a')]), [true, true, true]);
    assert.equal(state.asked, 1);
  });

  it('are asked for anew for an unknown key, at most once a minute', async () => {
    const { clock, state, has } = await started();
    assert.equal(await has('a'), true);
    state.kids = ['a', 'b'];
    assert.equal(await has('b'), false);
    clock.advance(59);
    assert.equal(await has('b'), false);
    assert.equal(state.asked, 1);
    clock.advance(1);
    assert.equal(await has('b'), true);
    for (const kid of ['x', 'y', 'z']) assert.equal(await has(kid), false);
    assert.equal(state.asked, 2);
  });

  it('that are withdrawn are gone after ten minutes, also where nothing was asked in the meantime', async () => {
    const { clock, state, has } = await started();
    assert.equal(await has('a'), true);
    state.kids = ['b'];
    clock.advance(599);
    assert.equal(await has('a'), true);
    clock.advance(1);
    assert.deepEqual(await Promise.all([has('a'), has('b'), has('a')]), [false, true, false]);
    assert.equal(state.asked, 2);
  });

  it('are used in their grace while they cannot be read, and no longer', async () => {
    const { clock, state, has } = await started();
    assert.equal(await has('a'), true);
    state.isAway = true;
    clock.advance(600);
    assert.equal(await has('a'), true);
    await until('that is known', () => state.answers.at(-1) === 'down');
    clock.advance(3599);
    assert.equal(await has('a'), true);
    await until('it is asked again', () => state.asked >= 3);
    clock.advance(1);
    await assert.rejects(has('a'), KeysAway);
    state.isAway = false;
    await assert.rejects(has('a'), KeysAway, 'it was asked a moment ago');
    clock.advance(5);
    assert.equal(await has('a'), true);
  });

  it('are kept when the answer holds something else than keys, and at first there are none', async () => {
    const { clock, state, has } = await started();
    state.isUnfit = true;
    await assert.rejects(has('a'), KeysAway);
    state.isUnfit = false;
    clock.advance(5);
    assert.equal(await has('a'), true);
    state.isUnfit = true;
    clock.advance(600);
    assert.equal(await has('a'), true);
    await until('that is known', () => state.answers.at(-1) === 'down');
    assert.equal(await has('a'), true);
  });
});
