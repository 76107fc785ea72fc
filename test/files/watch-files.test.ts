/** Each way in which the content of a file changes, done to real files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { appendFile, link, mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { watchFiles } from '../../src/files/watch-files.ts';

const TIMING = { quietMs: 20, pollMs: 50 };

interface Watched {
  readonly directory: string;
  readonly at: (name: string) => string;
  watch(names: readonly string[]): Promise<void>;
  note(): Promise<void>;
  /** How often a change was told. */
  told(): number;
  /** Resolves when the next change is told. */
  next(): Promise<void>;
}

async function watched(t: TestContext, ...names: string[]): Promise<Watched> {
  const directory = await mkdtemp(join(tmpdir(), 'postern-watch-'));
  const at = (name: string): string => join(directory, name);
  await mkdir(at('..first'));
  await writeFile(at('..first/config.yaml'), 'one');
  await symlink('..first', at('..data'));
  await symlink('..data/config.yaml', at('linked.yaml'));
  for (const release of ['one', 'two']) {
    await mkdir(at(`releases/${release}`), { recursive: true });
    await writeFile(at(`releases/${release}/config.yaml`), release);
  }
  await symlink('one', at('releases/current'));
  await writeFile(at('..first/also'), 'one');
  await link(at('..first/also'), at('alone'));
  await writeFile(at('config.yaml'), 'one');
  await writeFile(at('secret'), 'one');
  let told = 0;
  let change = Promise.withResolvers<void>();
  const files = watchFiles(() => {
    told += 1;
    change.resolve();
    change = Promise.withResolvers();
  }, TIMING);
  await files.watch(names.map(at));
  t.after(async () => {
    files.close();
    await rm(directory, { recursive: true });
  });
  return {
    directory,
    at,
    watch: (next) => files.watch(next.map(at)),
    note: files.note,
    told: () => told,
    next: () => change.promise,
  };
}

describe('A file that is watched', () => {
  const WAYS: [sentence: string, name: string, change: (at: Watched['at']) => Promise<unknown>][] = [
    ['may be written in place', 'config.yaml', (at) => writeFile(at('config.yaml'), 'two')],
    ['may be added to', 'config.yaml', (at) => appendFile(at('config.yaml'), 'two')],
    [
      'may be saved as editors do, by another file that takes its name',
      'config.yaml',
      async (at) => {
        await writeFile(at('.config.yaml.swp'), 'two');
        await rename(at('.config.yaml.swp'), at('config.yaml'));
      },
    ],
    [
      'may be swapped as Kubernetes does, by a link two steps before it',
      'linked.yaml',
      async (at) => {
        await mkdir(at('..second'));
        await writeFile(at('..second/config.yaml'), 'two');
        await symlink('..second', at('..data_tmp'));
        await rename(at('..data_tmp'), at('..data'));
        await rm(at('..first'), { recursive: true });
      },
    ],
    ['may be written where its link leads', 'linked.yaml', (at) => writeFile(at('..first/config.yaml'), 'two')],
    [
      'may be swapped by a link in the middle of its path, of which no directory beside it tells',
      'releases/current/config.yaml',
      async (at) => {
        await symlink('two', at('releases/next'));
        await rename(at('releases/next'), at('releases/current'));
      },
    ],
    [
      'may be written by another name, as a file that is mounted alone is',
      'alone',
      (at) => writeFile(at('..first/also'), 'two'),
    ],
    ['may go', 'config.yaml', (at) => rm(at('config.yaml'))],
    ['may come', 'later.yaml', (at) => writeFile(at('later.yaml'), 'one')],
  ];
  for (const [sentence, name, change] of WAYS) {
    it(sentence, { timeout: 300_000 }, async (t) => {
      const files = await watched(t, name);
      const next = files.next();
      await change(files.at);
      await next;
      assert.equal(files.told(), 1);
    });
  }

  it('may change again and again, also after it was away', { timeout: 300_000 }, async (t) => {
    const files = await watched(t, 'config.yaml');
    for (const change of [
      () => writeFile(files.at('config.yaml'), 'two'),
      () => rm(files.at('config.yaml')),
      () => writeFile(files.at('config.yaml'), 'three'),
      () => writeFile(files.at('config.yaml'), 'four'),
    ]) {
      const next = files.next();
      await change();
      await next;
    }
    assert.equal(files.told(), 4);
  });

  it('is told once of what is written in pieces', { timeout: 300_000 }, async (t) => {
    const files = await watched(t, 'config.yaml', 'secret');
    const next = files.next();
    writeFileSync(files.at('config.yaml'), '');
    appendFileSync(files.at('config.yaml'), 'tw');
    writeFileSync(files.at('secret'), 'two');
    appendFileSync(files.at('config.yaml'), 'o');
    await next;
    assert.equal(files.told(), 1);
  });

  it('reads the same after a touch, after the same text, and when other files beside it change', {
    timeout: 30_000,
  }, async (t) => {
    const files = await watched(t, 'config.yaml');
    const next = files.next();
    const otherChange = Promise.withResolvers<void>();
    const other = watchFiles(() => otherChange.resolve(), TIMING);
    t.after(other.close);
    await other.watch([files.at('secret')]);
    await utimes(files.at('config.yaml'), 1, 1);
    await writeFile(files.at('config.yaml'), 'one');
    await writeFile(files.at('postern.db-wal'), 'x');
    await writeFile(files.at('secret'), 'two');
    await otherChange.promise;
    assert.equal(files.told(), 0);
    await writeFile(files.at('config.yaml'), 'two'); // and this is told, alone
    await next;
    assert.equal(files.told(), 1);
  });

  it('is not reported when a reload reads it anyway', { timeout: 300_000 }, async (t) => {
    const files = await watched(t, 'config.yaml');
    const next = files.next();
    writeFileSync(files.at('config.yaml'), 'two');
    await files.note();
    const otherChange = Promise.withResolvers<void>();
    const other = watchFiles(() => otherChange.resolve(), TIMING);
    t.after(other.close);
    await other.watch([files.at('secret')]);
    await writeFile(files.at('secret'), 'two');
    await otherChange.promise;
    assert.equal(files.told(), 0);
    await writeFile(files.at('config.yaml'), 'three');
    await next;
  });

  it('that changes between the report and the reload is reported again', { timeout: 300_000 }, async (t) => {
    const files = await watched(t, 'config.yaml');
    const next = files.next();
    await writeFile(files.at('config.yaml'), 'two');
    await next;
    const again = files.next();
    writeFileSync(files.at('config.yaml'), 'three');
    await files.watch(['config.yaml', 'secret']);
    await again;
    assert.equal(files.told(), 2);
  });

  it('is watched in the place of those before', { timeout: 300_000 }, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'postern-watch-'));
    t.after(() => rm(directory, { recursive: true }));
    const changes: string[] = [];
    const change = Promise.withResolvers<void>();
    let current = 'old';
    const files = watchFiles(() => {
      changes.push(current);
      change.resolve();
    }, TIMING);
    t.after(files.close);
    await files.watch([join(directory, 'old')]);
    await files.watch([join(directory, 'new')]);
    await writeFile(join(directory, 'old'), 'x');
    current = 'new';
    await writeFile(join(directory, 'new'), 'x');
    await change.promise;
    assert.deepEqual(changes, ['new']);
  });

  it('may be a bind mount of one file', { timeout: 300_000 }, async (t) => {
    const files = await watched(t, 'mounted');
    await writeFile(files.at('mounted'), '');
    const mount = spawnSync('mount', ['--bind', files.at('..first/also'), files.at('mounted')]);
    if (mount.status !== 0) return t.skip('no file can be mounted here');
    // At once: the file may be read at this moment, and a busy mount stays without this.
    const unmount = () => spawnSync('umount', ['-l', files.at('mounted')]);
    t.after(unmount);
    await files.note();
    const next = files.next();
    await writeFile(files.at('..first/also'), 'two');
    await next;
    const unmounted = files.next();
    unmount();
    await unmounted;
  });
});
