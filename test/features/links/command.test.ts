/** `postern links`: the links of a store, made, listed and revoked at the command line (SPEC 1, 13). */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { derivedKey } from '../../../src/accounts/second-factor/sealing.ts';
import { signingKey } from '../../../src/accounts/sessions/signing-secret.ts';
import { openForCommands } from '../../../src/app/commands.ts';
import { configSchema } from '../../../src/app/resources/features.ts';
import { storeAddress } from '../../../src/config/schema/store-schema.ts';
import type { Role, UserName } from '../../../src/domain/names.ts';
import { createLinkPasses, PINS } from '../../../src/features/links/links.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { handClock, NOW, person } from '../../accounts/support/people.ts';
import { tempDirectory } from '../../accounts/support/temp-directory.ts';
import { typed } from '../../support/terminal.ts';

const SECRET = 'ab'.repeat(64);
/** Its directory, and its command line. */
async function service(t: TestContext, more = '') {
  const directory = tempDirectory(t);
  writeFileSync(
    join(directory, 'config.yaml'),
    `nvr: {cameras: [porch, attic]}\nauth: {roles: {front: [porch]}}\n${more}`,
  );
  const clock = handClock();
  const place = { directory, schema: configSchema, env: {}, clock };
  const opened = await openForCommands(place);
  const url = storeAddress(opened.settings.store.url);
  await opened.close();
  const store = await openStore({ url });
  await store.accounts.addUser(await person('vera', { role: 'viewer' }));
  t.after(store.close);
  const run = async (words: string, piped = '') => {
    return typed(words.split(' '), place, { stdin: piped });
  };
  return { directory, store, run };
}

describe('postern links', () => {
  it('creates, lists and revokes them', async (t) => {
    const { store, run: typedWords } = await service(t, 'links: {max_lifetime: 86400}');
    const run = (...words: string[]) => typedWords(['links', ...words].join(' '));
    const made = await run(
      'create',
      '--user',
      'vera',
      '--camera',
      'garden',
      '--event',
      '1.5-a',
      '--uses',
      '2',
      '--expires',
      '2h',
    );
    assert.match(made.out, /^\/s\/[\w-]{43}\n$/);
    assert.match(made.err, /only once.*\n.*public_url/);
    const [link] = await store.grants.list('link');
    assert.deepEqual(link?.thing, { kind: 'event', id: '1.5-a', camera: 'garden' });
    assert.equal(link?.expiresAt, NOW + 7200);
    const list = await run('list');
    assert.match(list.out, new RegExp(`^ID .*\\n${link?.id} +event +garden +vera +\\S+ \\S+ +0 of 2\\n$`));
    assert.deepEqual(await run('revoke', link?.id ?? ''), {
      out: `The link ${link?.id} is revoked.\n`,
      err: '',
      code: 0,
    });
    assert.equal((await run('revoke', link?.id ?? '')).code, 1);
    const span = ['--from', '2026-01-01T10:00:00Z', '--to', '2026-01-01T10:05:00Z'];
    assert.equal((await run('create', '--user', 'vera', '--camera', 'garden', ...span)).code, 0);
    for (const [wrong, ...words] of [
      ['no such user', '--user', 'none', '--camera', 'garden', '--live'],
      ['two things', '--user', 'vera', '--camera', 'garden', '--live', '--snapshot'],
      ['too long', '--user', 'vera', '--camera', 'garden', '--live', '--expires', '2d'],
      ['no number', '--user', 'vera', '--camera', 'garden', '--live', '--uses', 'many'],
    ] as const) {
      const { out, err, code } = await run('create', ...words);
      assert.deepEqual([out, code], ['', 1], wrong);
      assert.notEqual(err, '');
    }
  });
});

describe('Of a service that has been started', () => {
  const CREATE = 'links create --user vera --camera porch --live';

  it('a link gets a PIN from standard input, which the service knows again, and which is in no argument', async (t) => {
    const { directory, store, run } = await service(t);
    const early = await run(`${CREATE} --pin`, '4711\n');
    assert.deepEqual([early.code, early.out], [1, '']);
    assert.match(early.err, /no \.jwt_secret in .*: "postern serve" makes it/);
    writeFileSync(join(directory, '.jwt_secret'), SECRET, { mode: 0o600 });
    const made = await run(`${CREATE} --pin`, '4711\nnot this line\n');
    assert.deepEqual([made.code, /4711/.test(made.out + made.err)], [0, false]);
    const [link] = await store.grants.list('link');
    const passes = createLinkPasses(derivedKey(signingKey(SECRET), PINS));
    assert.ok(link && passes.isPin(link, '4711') && !passes.isPin(link, 'not this line'));
    for (const [piped, why] of [
      ['12\n', /4 to 64 characters/],
      ['', /there is no PIN on standard input/],
    ] as const) {
      const { code, err } = await run(`${CREATE} --pin`, piped);
      assert.equal(code, 1);
      assert.match(err, why);
    }
    assert.equal((await store.grants.list('link')).length, 1);
  });

  it('explain says what a link is worth now, and prints no secret', async (t) => {
    const { directory, store, run } = await service(t);
    writeFileSync(join(directory, '.jwt_secret'), SECRET, { mode: 0o600 });
    const url = (await run(CREATE)).out.trim();
    const explained = async (file = 'snapshot.jpg', link = url): Promise<string> => {
      const { out, code } = await run(`explain GET ${link}/${file}`);
      assert.equal(code, 0);
      assert.equal(out.includes(link.slice(-43)), false, out);
      return out;
    };
    const shown = await explained();
    assert.match(shown, /verdict +admitted/);
    assert.match(shown, /user +vera[\s\S]*cameras +porch/);
    assert.match(await explained('clip.mp4'), /refused, 404 link-over/);
    const secured = (await run(`${CREATE} --pin`, '4711\n')).out.trim();
    assert.match(await explained('snapshot.jpg', secured), /refused, 403 link-pin-missing/);
    await store.accounts.setRole('vera' as UserName, 'front' as Role, NOW);
    assert.match(await explained(), /verdict +admitted/);
    const link = (await store.grants.list('link')).find(({ pinHash }) => pinHash === null);
    assert.equal((await run(`links revoke ${link?.id}`)).code, 0);
    assert.match(await explained(), /refused, 404 link-over/);
  });
});
