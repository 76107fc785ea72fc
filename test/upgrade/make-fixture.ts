/** Makes the data directory of a release by its own code: `node test/upgrade/make-fixture.ts CHECKOUT PROGRAM`, once for each release (README.md). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newDirectory, type RunOptions, runPostern, servePostern } from '../support/run-postern.ts';

/** What a release wrote, and what its people keep: the answers of its own to compare with. */
export interface ReleaseFacts {
  readonly version: string;
  /** Unix seconds. */
  readonly madeAt: number;
  readonly passwords: Readonly<Record<string, string>>;
  /** The session cookie of each, `name=value`. */
  readonly sessions: Readonly<Record<string, string>>;
  readonly tokens: Readonly<Record<string, string>>;
  /** Answers by path, as the session of the admin got them. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** The path of a link to an event of the camera garden; undefined before links. */
  readonly link?: string;
  /** Lines of `postern ledger export`; undefined before the ledger. */
  readonly ledger?: readonly string[];
}

const CONFIG = `# Made for the upgrade test.
tls:
  enabled: false
auth:
  roles:
    gardener: [garden]
nvr:
  cameras: [garden, porch]
events:
  source: store
`;
const PASSWORDS = { vera: 'CalciumCandle55?', gustav: 'PorchPlaster81!' };
const EVENT = {
  id: '1700000000.5-abc',
  label: 'dog',
  camera: 'garden',
  start_time: 1_700_000_000.5,
  end_time: 1_700_000_009,
  has_clip: true,
  has_snapshot: true,
  zones: ['lawn'],
  thumbnail: '',
  data: { score: 0.8 },
};
const DATA = join(import.meta.dirname, 'data');

async function make(checkout: string, program: string): Promise<void> {
  const directory = newDirectory(CONFIG);
  const options: RunOptions = { directory, main: join(resolve(checkout), program) };
  const run = async (words: readonly string[], stdin = ''): Promise<string> => {
    const { code, stdout, stderr } = await runPostern(words, { ...options, stdin });
    assert.equal(code, 0, `postern ${words.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  const version = await run(['--version']);
  const knows = (command: string): Promise<boolean> =>
    runPostern([command, '--help'], options).then(({ stdout }) => stdout.includes(`postern ${command}`));
  const [hasLinks, hasLedger] = [await knows('links'), await knows('ledger')];
  const events = join(newDirectory(), 'events.ndjson');
  writeFileSync(events, `${JSON.stringify(EVENT)}\n`);

  const serving = await servePostern(options);
  const passwords = { admin: serving.adminPassword ?? assert.fail('no password was printed'), ...PASSWORDS };
  await run(['users', 'add', 'vera', '--role', 'viewer'], `${PASSWORDS.vera}\n`);
  await run(['users', 'add', 'gustav', '--role', 'gardener'], `${PASSWORDS.gustav}\n`);
  await run(['events', 'import', events]);
  const sessions: Record<string, string> = {};
  for (const [user, password] of Object.entries(passwords)) sessions[user] = await logIn(serving.url, user, password);
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${serving.url}${path}`, {
      ...init,
      headers: { Cookie: sessions['admin'] ?? '', 'X-CSRF-TOKEN': '1', 'Content-Type': 'application/json' },
    });
  const role = await ask('/api/roles/watchman', { method: 'PUT', body: '{"cameras": ["porch"]}' });
  assert.equal(role.status, 200, await role.text());
  const tokens = {
    vera: await run(['tokens', 'create', 'phone', '--user', 'vera', '--cameras', 'garden']),
    admin: await run(['tokens', 'create', 'backups', '--role', 'admin']),
  };
  const url = hasLinks && (await run(['links', 'create', '--user', 'vera', '--camera', 'garden', '--event', EVENT.id]));
  await fetch(`${serving.url}/api/events`, { headers: { Cookie: sessions['vera'] ?? '' } });
  const answers: Record<string, unknown> = {};
  for (const path of ['/api/users', '/api/roles', '/api/events']) answers[path] = await (await ask(path)).json();
  assert.equal(await serving.end(), 0);

  const facts: ReleaseFacts = {
    version,
    madeAt: Math.floor(Date.now() / 1000),
    passwords,
    sessions,
    tokens,
    answers,
    ...(url && { link: new URL(url, 'http://any').pathname }),
    ...(hasLedger && { ledger: (await run(['ledger', 'export'])).split('\n') }),
  };
  writeFileSync(join(DATA, `${version}.json`), `${JSON.stringify(facts, null, 2)}\n`);
  execFileSync('tar', ['-czf', join(DATA, `${version}.tar.gz`), '-C', directory, '.']);
}

async function logIn(url: string, user: string, password: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/api/login`, { method: 'POST', headers, body: JSON.stringify({ user, password }) });
  assert.equal(answer.status, 200, `${user}: ${await answer.text()}`);
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

export function readFacts(version: string): ReleaseFacts {
  return JSON.parse(readFileSync(join(DATA, `${version}.json`), 'utf8'));
}

/** Unpacks what the release left behind into the directory. */
export function unpackRelease(version: string, directory: string): void {
  execFileSync('tar', ['-xzf', join(DATA, `${version}.tar.gz`), '-C', directory]);
}

if (import.meta.main) {
  const [checkout, program = 'bundle/main.js'] = process.argv.slice(2);
  if (checkout === undefined) throw new Error('name the checkout of a release: make-fixture.ts CHECKOUT [PROGRAM]');
  await make(checkout, program);
}
