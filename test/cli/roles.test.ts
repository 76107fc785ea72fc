/** `postern roles`: roles of the store from a shell (SPEC 4.3, 8). */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { stringify } from 'yaml';
import { configSchema } from '../../src/app/resources/features.ts';
import { handClock } from '../accounts/support/people.ts';
import { tempDirectory } from '../accounts/support/temp-directory.ts';
import { typed } from '../support/terminal.ts';

it('postern roles makes, changes, lists, takes over and removes roles', async (t) => {
  const directory = tempDirectory(t);
  writeFileSync(join(directory, 'config.yaml'), stringify({ auth: { roles: { gardener: ['garden'] } } }));
  const place = { directory, schema: configSchema, env: {}, clock: handClock() };
  const run = async (...words: string[]): Promise<string> => {
    const { out, err } = await typed(['roles', ...words], place);
    return `${out}${err}`;
  };
  const lineOf = async (role: string): Promise<readonly string[] | undefined> =>
    (await run('list'))
      .split('\n')
      .find((line) => line.startsWith(`${role} `))
      ?.split(/ {2,}/);

  assert.match(
    await run('set', 'cleaner', 'hall, patio_*'),
    /The role cleaner is saved\. Give it to a user: postern users role NAME cleaner/,
  );
  assert.deepEqual(await lineOf('cleaner'), ['cleaner', 'hall,patio_*', '-', 'store', '0']);
  await run(
    'set',
    'cleaner',
    'hall',
    '--hours',
    'Mon-Fri 07:00-18:00; Sat 09:00-12:00',
    '--deny',
    'export',
    '--history-since',
    '7d',
  );
  const limits = 'not export; Mon-Fri 07:00-18:00; Sat 09:00-12:00; since 7d';
  assert.deepEqual(await lineOf('cleaner'), ['cleaner', 'hall', limits, 'store', '0']);
  await run('set', 'cleaner', 'hall,garden');
  assert.deepEqual(
    await lineOf('cleaner'),
    ['cleaner', 'hall,garden', limits, 'store', '0'],
    'limits that are left out stay',
  );
  await run('set', 'cleaner', 'hall', '--hours', 'none', '--deny', 'none');
  assert.deepEqual(await lineOf('cleaner'), ['cleaner', 'hall', 'since 7d', 'store', '0']);
  assert.match(await run('delete', 'cleaner'), /The role cleaner is removed/);
  assert.equal(await lineOf('cleaner'), undefined);

  assert.match(await run('set', 'gardener', 'patio'), /defined in the configuration file/);
  assert.match(await run('take-over', 'gardener'), /Until auth\.roles\.gardener is deleted in the configuration file/);
  assert.deepEqual(await lineOf('gardener'), ['gardener', 'garden', '-', 'file, taken over', '0']);
});
