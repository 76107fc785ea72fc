/** After a clean stop everything is in `postern.db`: a copy of that file alone is the whole store (SPEC 10). */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { newDirectory, runPostern, servePostern } from '../support/run-postern.ts';
import { firstCookie } from '../support/sessions.ts';

const CONFIG = 'tls: {enabled: false}\nauth: {hash_iterations: 1000}\nevents: {sample: 50}\n';
const env = { POSTERN__SERVER__INTERNAL: 'false' };

/** Of a copy of the one file. */
function usersIn(directory: string): readonly string[] {
  const copy = join(newDirectory(), 'copy.db');
  copyFileSync(join(directory, 'postern.db'), copy);
  const database = new DatabaseSync(copy, { readOnly: true });
  const rows = database.prepare('select name from users order by name').all();
  database.close();
  return rows.map((row) => String(row['name']));
}

const logSize = (directory: string): number => {
  const log = join(directory, 'postern.db-wal');
  return existsSync(log) ? statSync(log).size : 0;
};

const addUser = (directory: string, name: string) =>
  runPostern(['users', 'add', name, '--role', 'viewer'], { directory, stdin: 'CalciumCandle55?\n' });

describe('The file of the store', () => {
  it('is whole after a clean stop, with an events worker that has read it', async () => {
    const directory = newDirectory(CONFIG);
    const postern = await servePostern({ directory, env });
    const login = await fetch(`${postern.url}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ user: 'admin', password: postern.adminPassword }),
    });
    const cookie = firstCookie(login);
    const events = await fetch(`${postern.url}/api/events?limit=5`, { headers: { cookie } });
    assert.equal(((await events.json()) as unknown[]).length, 5);
    assert.ok(logSize(directory) > 0);
    assert.equal(await postern.end(), 0);
    assert.deepEqual([usersIn(directory), logSize(directory)], [['admin'], 0]);
  });

  it('is whole after a command, beside a stopped and beside a running service', async () => {
    const directory = newDirectory(CONFIG);
    const added = await addUser(directory, 'ann');
    assert.equal(added.code, 0, added.stderr);
    assert.deepEqual([usersIn(directory), logSize(directory)], [['ann'], 0]);
    const postern = await servePostern({ directory, env });
    assert.equal((await addUser(directory, 'ben')).code, 0);
    assert.equal((await runPostern(['users', 'list'], { directory })).code, 0);
    assert.equal(await postern.end(), 0);
    assert.deepEqual([usersIn(directory), logSize(directory)], [['ann', 'ben'], 0]);
  });
});
