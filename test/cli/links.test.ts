/** `postern links`: the links of a store, made, listed and revoked at the command line (SPEC 1, 13). */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { Command } from 'commander';
import { createLinkAdmin } from '../../src/accounts/links/link-admin.ts';
import { registerLinksCommands } from '../../src/cli/commands/links.ts';
import { handClock, NOW, openInstanceStore, person } from '../accounts/support/people.ts';

describe('postern links', () => {
  it('creates, lists and revokes them', async (t) => {
    const store = await openInstanceStore(t);
    await store.accounts.addUser(await person('vera', { role: 'viewer' }));
    const lifetimes = { usual: 3600, most: 86_400 };
    const deps = { linkStore: store.links, store: store.accounts, clock: handClock(), authEnabled: true, lifetimes };
    const admin = createLinkAdmin(deps);
    const run = async (...words: string[]) => {
      const printed = { out: '', err: '', code: -1 };
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      stdout.on('data', (chunk) => void Object.assign(printed, { out: `${printed.out}${chunk}` }));
      stderr.on('data', (chunk) => void Object.assign(printed, { err: `${printed.err}${chunk}` }));
      const program = new Command();
      registerLinksCommands(program, {
        openStore: async () => ({
          links: {
            ...admin,
            async create(wanted) {
              const made = await admin.create(wanted);
              return made.ok ? { ok: true, value: { url: made.value.path, isWhole: false } } : made;
            },
          },
          close: async () => {},
        }),
        now: () => NOW,
        stdout,
        stderr,
        exit: (code) => void Object.assign(printed, { code }),
      });
      await program.parseAsync(['node', 'postern', 'links', ...words]);
      return printed;
    };
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
    const [link] = await admin.list();
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
