/** The allowlist file while Postern runs: replaced, written anew, broken, removed (interface 5.5.7). */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { mappingProblems, openTrustedHeaders, readTrustedHeaders } from '../../src/identity/trusted-headers.ts';

const SHIPPED = 'Remote-User\n';
/** No header is mapped: there are no warnings. */
const WITH_ACCOUNTS = { settings: { auth: { enabled: true }, proxy: {} } } as never;

/** A directory with the two files, the mounted one only when its text is given, and what the watch says next. */
async function watched(t: TestContext, mountedText?: string) {
  const directory = mkdtempSync(join(tmpdir(), 'postern-list-'));
  mkdirSync(join(directory, 'mounted'));
  const files = { mounted: join(directory, 'mounted', 'list.conf'), shipped: join(directory, 'shipped.conf') };
  writeFileSync(files.shipped, SHIPPED);
  if (mountedText !== undefined) writeFileSync(files.mounted, mountedText);
  const said: string[] = [];
  let heard = (): void => {};
  const say = (text: string): void => {
    said.push(text);
    heard();
  };
  const log = {
    info: () => say([...list.current.names].join(',')),
    warn: say,
    error: (problem: string) => say(problem.replace(directory, '').replace('; the previous list stays in use', '')),
  };
  const timing = { quietMs: 20, pollMs: 50 };
  const list = await openTrustedHeaders(files, () => WITH_ACCOUNTS, log as never, timing);
  const first = [...list.current.names];
  t.after(() => {
    list.close();
    rmSync(directory, { recursive: true });
  });
  const next = async (act: () => void): Promise<string> => {
    const spoken = new Promise<void>((resolve) => {
      heard = resolve;
    });
    act();
    await spoken;
    return said.at(-1) ?? '';
  };
  return { directory, files, first, next };
}

const PATIENCE = { timeout: 300_000 };

describe('The allowlist file', PATIENCE, () => {
  it('is the shipped one when none is mounted, and the mounted one as soon as it is there', async (t) => {
    const { files, first, next } = await watched(t);
    assert.deepEqual(first, ['remote-user']);
    assert.equal(await next(() => writeFileSync(files.mounted, 'X-User\n')), 'x-user');
    assert.equal(await next(() => rmSync(files.mounted)), 'remote-user');
  });

  it('is read again when it is written in place', async (t) => {
    const { files, next } = await watched(t, 'X-User\n');
    assert.equal(await next(() => writeFileSync(files.mounted, 'X-User\nX-Groups\n')), 'x-user,x-groups');
  });

  it('is read again when an editor puts another in its place', async (t) => {
    const { directory, files, next } = await watched(t, 'X-User\n');
    writeFileSync(join(directory, 'new'), 'X-Other\n');
    assert.equal(await next(() => renameSync(join(directory, 'new'), files.mounted)), 'x-other');
    assert.equal(await next(() => writeFileSync(files.mounted, 'X-Again\n')), 'x-again');
  });

  it('is read again when a volume swaps the link behind it, as Kubernetes does', async (t) => {
    const { directory, files, next } = await watched(t);
    const volume = join(directory, 'mounted');
    for (const version of ['one', 'two']) {
      mkdirSync(join(volume, version));
      writeFileSync(join(volume, version, 'list.conf'), `X-${version}\n`);
    }
    symlinkSync('one', join(volume, '..data'));
    assert.equal(await next(() => symlinkSync('..data/list.conf', files.mounted)), 'x-one');
    const swap = (): void => {
      symlinkSync('two', join(volume, '..new'));
      renameSync(join(volume, '..new'), join(volume, '..data'));
    };
    assert.equal(await next(swap), 'x-two');
  });

  it('is read again when a link in the middle of its path leads elsewhere', async (t) => {
    const { directory, files, next } = await watched(t);
    for (const version of ['one', 'two']) {
      mkdirSync(join(directory, version));
      writeFileSync(join(directory, version, 'list.conf'), `X-${version}\n`);
    }
    symlinkSync('one', join(directory, 'current'));
    assert.equal(await next(() => symlinkSync('../current/list.conf', files.mounted)), 'x-one');
    const swap = (): void => {
      symlinkSync('two', join(directory, 'next'));
      renameSync(join(directory, 'next'), join(directory, 'current'));
    };
    assert.equal(await next(swap), 'x-two');
  });

  it('keeps the old list when the new one is bad, says why with its line, and takes the next good one', async (t) => {
    const { files, next } = await watched(t, 'X-User\n');
    assert.equal(
      await next(() => writeFileSync(files.mounted, 'X-User\nproxy_set_header X-A $http_b;\n')),
      '/mounted/list.conf:2: "proxy_set_header X-A $http_b;" fills X-A from another header: write $http_x_a',
    );
    assert.equal(await next(() => writeFileSync(files.mounted, 'X-Groups\n')), 'x-groups');
  });

  it('keeps the old list when neither file is there any more, and says so', async (t) => {
    const { files, next } = await watched(t, 'X-User\n');
    rmSync(files.shipped);
    assert.equal(
      await next(() => rmSync(files.mounted)),
      '/shipped.conf is missing: it is part of the service, so install the service again',
    );
    assert.equal(await next(() => writeFileSync(files.mounted, 'X-Again\n')), 'x-again');
  });

  it('is a reason not to start when it cannot be read', async (t) => {
    const { files } = await watched(t);
    mkdirSync(files.mounted);
    assert.deepEqual(await readTrustedHeaders(files), {
      ok: false,
      error: `${files.mounted} cannot be read (EISDIR): make it a file that this user may read`,
    });
  });
});

describe('A mapped header', () => {
  const list = { file: 'list.conf', names: new Set(['remote-user', 'cookie']) };
  const ready = (name: string): string | undefined => (name === 'x-auth-user' ? 'ready.conf' : undefined);
  // biome-ignore format: a table
  const rows: [sentence: string, headerMap: { user?: string; role?: string; encoding?: string }, key?: string, message?: string][] = [
    ['is fine when it is on the allowlist',       { user: 'remote-user', encoding: 'percent' }],
    ['is fine when there is none',                {}],
    ['is a problem when it is not on it',         { user: 'remote-user', role: 'x-groups' }, 'role', '"x-groups" is not on the allowlist list.conf, so it is never trusted: add it there, or map another header'],
    ['is fatal when it is the user\'s',           { user: 'x-auth-user' }, 'user', '"x-auth-user" is not on the allowlist list.conf, so it is never trusted and every request would be 401: mount ready.conf at /usr/local/nginx/conf/proxy_trusted_headers.conf, add it there, or map another header'],
    ['is a problem when it holds credentials',    { user: 'cookie' }, 'user', '"cookie" holds credentials and is never trusted: map another header'],
  ];
  for (const [sentence, headerMap, key, message] of rows) {
    const expected =
      key === undefined ? [] : [{ path: ['proxy', 'header_map', key], message, isFatal: key === 'user' }];
    it(sentence, () => assert.deepEqual(mappingProblems(headerMap, list, ready), expected));
  }
});
