/** Makes stores of 0.2.0 by its own code, with a row of every table, as dumps in SQL: `node test/upgrade/make-rows.ts CHECKOUT` (README.md). */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { event } from '../events/support/event.ts';
import { liveAt } from '../support/own-entries.ts';
import { newDirectory } from '../support/run-postern.ts';
import { startPostgres } from '../support/servers/postgres.ts';

const DATA = join(import.meta.dirname, 'data');
const ROWS = readFileSync(join(import.meta.dirname, 'rows-0.2.0.sql'), 'utf8');
const NOW = 1_760_000_000;
const DAY = 86_400;
/** In several months, before and after the years that have months, and one that is kept. */
const EVENTS = [-400, -65, -64, -31, -30, -1].map((days, at) =>
  event({
    id: `e${at}`,
    camera: at % 2 ? 'yard' : 'porch',
    start_time: NOW + days * DAY,
    retain_indefinitely: at === 0,
  }),
);
const BEYOND = [event({ id: 'early', start_time: -1000 }), event({ id: 'late', start_time: 7_300_000_000 })];

async function fill(checkout: string, url: string): Promise<void> {
  const { openStore } = await import(join(checkout, 'src/store/open-store.ts'));
  const { linkEntries } = await import(join(checkout, 'src/ledger/chain.ts'));
  const { daysOf } = await import(join(checkout, 'src/ledger/days.ts'));
  const { localClock } = await import(join(checkout, 'src/ledger/local-time.ts'));
  const { deletionEntry, isOfDeletion } = await import(join(checkout, 'src/ledger/closings.ts'));
  for (const [at, site] of ['', 'mill'].entries()) {
    const store = await openStore({ url, site });
    if (site === '') await store.writeEvents([...EVENTS, ...BEYOND]);
    // Two servers at once, where the engine has more than one, and a command beside them.
    const first = await store.ledger.claimChain(`aaaa${at}000`, NOW);
    const second = await store.ledger.claimChain(`bbbb${at}000`, NOW);
    const chains = [first.chain, second.chain, await store.ledger.commandChain(NOW)];
    for (const [n, chain] of chains.entries()) {
      const ended = [0, 1].map((more) => ({ entry: liveAt(NOW + 10 * n + more, { user: `user-${n}` }) }));
      const open = n === 0 ? [{ ...liveAt(NOW + 50, { user: 'gina' }), id: `span-${at}` }] : [];
      const entries = ended.map((one) => one.entry);
      await store.ledger.append(chain, { ended, open }, daysOf(entries, localClock('UTC')), NOW, linkEntries);
    }
    const cause = { at: NOW + 91 * DAY, before: NOW + 6, retentionDays: 90 };
    const recordOf = (closing: unknown) => deletionEntry(closing, cause);
    const forgetting = {
      before: cause.before,
      day: '2025-10-09',
      now: cause.at,
      recordOf,
      isOfDeletion,
      link: linkEntries,
    };
    await store.ledger.forgetBefore({ chain: first.chain, ...forgetting });
    await store.close();
  }
}

async function make(checkout: string): Promise<void> {
  const file = join(newDirectory(), 'postern.db');
  await fill(checkout, `sqlite:${file}`);
  const sqlite = new DatabaseSync(file);
  sqlite.exec(ROWS);
  sqlite.close();
  keep('sqlite', execFileSync('sqlite3', [file, '.dump'], { maxBuffer: 1e9 }));

  const server = await startPostgres();
  const url = await server.newDatabase();
  await fill(checkout, url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(ROWS);
  await client.query("insert into login_attempts values ('attempt', 'key', 1760000000000, 1760000900000, true)");
  await client.end();
  const words = ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=100', '--dbname', url];
  keep('postgres', execFileSync('pg_dump', words, { maxBuffer: 1e9 }));
  await server.stop();
}

const keep = (engine: string, dump: Buffer): void =>
  writeFileSync(join(DATA, `0.2.0-${engine}.sql.gz`), gzipSync(dump, { level: 9 }));

const [checkout] = process.argv.slice(2);
if (checkout === undefined) throw new Error('name the checkout of 0.2.0: make-rows.ts CHECKOUT');
await make(resolve(checkout));
