/** `postern screens`: paired displays, listed and revoked at the command line (SPEC 1, 18). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { openForCommands } from '../../../src/app/commands.ts';
import { configSchema } from '../../../src/app/resources/features.ts';
import { NEW_GRANT } from '../../../src/domain/accounts/grant.ts';
import { handClock, NOW, person } from '../../accounts/support/people.ts';
import { tempDirectory } from '../../accounts/support/temp-directory.ts';
import { typed } from '../../support/terminal.ts';
import { openStore } from '../../support/whole-store.ts';

it('postern screens lists and revokes screens, which the ledger tells', async (t) => {
  const directory = tempDirectory(t);
  const run = async (...words: string[]) => {
    const place = { directory, schema: configSchema, env: {}, clock: handClock() };
    const openCommands = async () => openForCommands(place);
    const { out, err, code } = await typed(words, place, { openStore: openCommands });
    return { out, told: err, code };
  };
  assert.match((await run('screens', 'list')).out, /There are no screens/);

  const store = await openStore({ url: `sqlite:${join(directory, 'postern.db')}` });
  await store.accounts.addUser(await person('vera', { role: 'viewer' }));
  const createdAt = (await store.accounts.findUser('vera'))?.createdAt ?? 0;
  const code = {
    deviceHash: 'd',
    userHash: 'u',
    address: '192.0.2.1',
    agent: null,
    createdAt: NOW,
    expiresAt: NOW + 9,
  };
  await store.screenCodes.addCode({ ...code, state: 'pending', screenId: null }, 9);
  await store.screenCodes.addCode({ ...code, deviceHash: 'd2', userHash: 'u2', state: 'pending', screenId: null }, 9);
  const given = {
    ...NEW_GRANT,
    id: '00ff',
    secretHash: null,
    name: 'Hall',
    user: 'vera' as never,
    userCreatedAt: createdAt,
  };
  const terms = { cameras: ['porch'], createdAt: NOW, agent: null };
  assert.equal(await store.screenCodes.confirmCode('u', { ...given, ...terms }, 9), 'confirmed');
  const late = { ...given, ...terms, id: 'ff00', name: 'Late', createdAt: NOW - 1, expiresAt: Number.MAX_SAFE_INTEGER };
  assert.equal(await store.screenCodes.confirmCode('u2', late, 9), 'confirmed');
  await store.close();

  assert.match(
    (await run('screens', 'list')).out,
    /^ID .*\n00ff +Hall +vera +porch +never +never\nff00 +Late +vera +porch +\+275760-09-13 00:00 +never\n$/,
  );
  assert.match((await run('screens', 'revoke', '00ff')).out, /is revoked/);
  const again = await run('screens', 'revoke', '00ff');
  assert.deepEqual([again.code, /There is no screen 00ff/.test(again.told)], [1, true]);
  const ledger = await openStore({ url: `sqlite:${join(directory, 'postern.db')}` });
  const [record] = await ledger.ledger.find({ sight: undefined }, 1);
  await ledger.close();
  const { what, screenId, screen, user } = JSON.parse(record?.detail ?? '{}');
  assert.deepEqual(
    [what, screenId, screen, user, record?.address],
    ['screen-revoked', '00ff', 'Hall', 'vera', 'command-line'],
  );
});
