import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPasswordHasher, PBKDF2_ITERATIONS, parseHash } from '../../../src/accounts/passwords/password-hash.ts';

/** Made by the reference. */
const OLDER = 'pbkdf2_sha256$260000$8ece7835ed3396a4a6f6ec2263b437b0$zKPnYfUkAkIpTMEceFQ7FjINPApqC2ZOjJptDEMUgPg=';
const FAMILY = 'pbkdf2_sha256$600000$2aac0e42af332a98855ae86f4543fcaa$VX29bFH+1pgaVMOO/EjVFK42pnPfWi0dvMloPjtFmK4=';
const ADMIN = 'pbkdf2_sha256$600000$77e74c1c3d4aa4d19bdd2a0a78939697$uCi3HMcRJWMjFTgOvVDUvZgyNxq0htr+4oH42FTG/Ps=';
const NO_SALT = 'pbkdf2_sha256$600000$nosalt';

const quick = (onHash?: (iterations: number) => void) =>
  createPasswordHasher({ iterations: 10, concurrency: 1, queue: 32, ...(onHash && { onHash }) });
const hashed = async (password: string, iterations = 10): Promise<string> => {
  const outcome = await createPasswordHasher({ iterations, concurrency: 1, queue: 0 }).hash(password);
  return outcome ?? assert.fail('busy');
};

describe('A password', () => {
  const rows: [sentence: string, password: string, stored: string | undefined, outcome: 'match' | 'mismatch'][] = [
    ['matches a hash that the reference made', 'correct horse battery', ADMIN, 'match'],
    ['matches a hash of fewer iterations', 'hashed-with-fewer-rounds', OLDER, 'match'],
    ['matches when it is not ASCII', 'größe, naïveté & 日本', FAMILY, 'match'],
    ['does not match in another letter case', 'Correct horse battery', ADMIN, 'mismatch'],
    ['does not match without its accents', 'grosse, naivete & 日本', FAMILY, 'mismatch'],
    ['matches nothing when the user is unknown', 'correct horse battery', undefined, 'mismatch'],
    ['matches nothing when the stored hash is malformed', 'anything', NO_SALT, 'mismatch'],
    ['matches nothing when the algorithm is another', 'x', ADMIN.replace('sha256', 'sha512'), 'mismatch'],
    ['matches nothing when the row asks for no iterations', 'x', ADMIN.replace('600000', '0'), 'mismatch'],
    ['matches nothing when the row asks for too many', 'x', ADMIN.replace('600000', '10000001'), 'mismatch'],
    ['matches nothing when the key is cut', 'correct horse battery', ADMIN.slice(0, -4), 'mismatch'],
    ['matches nothing when the hash is empty', '', '', 'mismatch'],
  ];
  for (const [sentence, password, stored, outcome] of rows) {
    it(sentence, async () => assert.deepEqual(await quick().check(password, stored), outcome));
  }

  it('is hashed with 600,000 iterations of PBKDF2-SHA256, a 32-byte key, a salt of 32 hex digits (interface 2.1)', async () => {
    const stored = await hashed('correct horse battery', PBKDF2_ITERATIONS);
    assert.match(stored, /^pbkdf2_sha256\$600000\$[0-9a-f]{32}\$[A-Za-z0-9+/]{43}=$/);
    assert.equal(parseHash(stored)?.key.length, 32);
    assert.deepEqual(await quick().check('correct horse battery', stored), 'match');
  });

  it('is hashed with a new salt each time', async () => assert.notEqual(await hashed('same'), await hashed('same')));
});

describe('The hasher', () => {
  it('does the same work for a wrong password for known and unknown users, so that it does not tell who exists (G18, G19)', async () => {
    const work: number[][] = [];
    for (const stored of [undefined, await hashed('secret', 10), await hashed('secret', 4), NO_SALT]) {
      const pieces: number[] = [];
      await quick((iterations) => pieces.push(iterations)).check('wrong', stored);
      work.push(pieces);
    }
    assert.deepEqual(work, [[10], [10], [4, 6], [10]]);
  });

  it('takes at most ten times its own count, and what the NVR writes', async () => {
    const dear = (count: number): string => ADMIN.replace('600000', String(count));
    const pieces: number[] = [];
    const hasher = (iterations: number) =>
      createPasswordHasher({ iterations, concurrency: 1, queue: 0, onHash: (count) => pieces.push(count) });
    await hasher(10).check('x', dear(600_001));
    await hasher(60_001).check('x', dear(600_010));
    await hasher(60_001).check('x', dear(600_011));
    assert.deepEqual(pieces, [10, 600_010, 60_001]);
  });

  it('costs what the hashes in the store do: one that is gone costs nothing any more', async () => {
    const pieces: number[] = [];
    const hasher = quick((iterations) => pieces.push(iterations));
    hasher.follow([10, 50]);
    await hasher.check('wrong', undefined);
    hasher.follow([10]);
    await hasher.check('wrong', undefined);
    assert.deepEqual(pieces, [10, 40, 10]);
  });

  it('does as much for all as the dearest hash has cost that it has seen', async () => {
    const pieces: number[] = [];
    const hasher = quick((iterations) => pieces.push(iterations));
    for (const stored of [undefined, await hashed('secret', 14), undefined, await hashed('secret', 4)])
      await hasher.check('wrong', stored);
    assert.deepEqual(pieces, [10, 14, 10, 4, 4, 10]);
  });

  it('strengthens an older hash of the same password, under the same salt', async () => {
    const older = await hashed('correct horse battery', 5);
    const outcome = await quick().strengthen('correct horse battery', older);
    assert.ok(outcome !== undefined);
    assert.deepEqual(parseHash(outcome)?.salt, parseHash(older)?.salt);
    assert.equal(parseHash(outcome)?.iterations, 10);
    assert.deepEqual(await quick().check('correct horse battery', outcome), 'match');
  });

  it('leaves a hash of as many or more iterations as it is', async () => {
    assert.equal(await quick().strengthen('secret', await hashed('secret', 10)), undefined);
    assert.equal(await quick().strengthen('secret', await hashed('secret', 11)), undefined);
  });

  it('is busy once the line is full, and serves again when it is not', async () => {
    const hasher = createPasswordHasher({ iterations: 10, concurrency: 2, queue: 3 });
    const kinds = await Promise.all(Array.from({ length: 8 }, () => hasher.check('x', undefined)));
    assert.deepEqual(kinds, [...Array(5).fill('mismatch'), ...Array(3).fill('busy')]);
    assert.equal(hasher.waiting(), 0);
    assert.deepEqual(await hasher.check('x', undefined), 'mismatch');
  });

  it('leaves a thread of Node for files and DNS, on however many cores (G22)', async () => {
    const hasher = createPasswordHasher({ iterations: 10, concurrency: 63, queue: 0 });
    const kinds = await Promise.all(Array.from({ length: 4 }, () => hasher.check('x', undefined)));
    assert.deepEqual(kinds, ['mismatch', 'mismatch', 'mismatch', 'busy']);
  });
});
