/** Rows of version 0.2.0 about sites and the curtain, after the update: a camera never opens by it (SPEC 19, 20). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { namesOfCameras } from '../../src/store/migrations/029-baseline.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { openStore } from '../support/whole-store.ts';
import { makeScratch } from './support/scratch-store.ts';

// biome-ignore format: a table
const DRAWN: readonly (readonly [camera: string, until: number | null, roles: string | null])[] = [
  ['attic',           9_000_000_000, '["viewer"]'],
  ['barn:barn:odd',   null,          null],
  ['barn:garden',     9_000_000_000, '["viewer"]'],
  ['barn:h*',         null,          null],
  ['garden',          8_000_000_000, null],
  ['house:',          null,          null],
  ['house:yard',      null,          '["guest"]'],
  ['moat:pond',       null,          null],
  ['yard',            8_000_000_000, null],
];

/** Undoes the step, writes the rows, and takes the step again. */
async function updated(url: string, rows = DRAWN) {
  const store = await openStore({ url });
  const roles = [{ role: 'gardener', cameras: ['house:garden'] }];
  for (const site of ['', 'barn', 'house'])
    await store.sites.publishSite({ site, cameras: ['garden'], roles: roles as never, keyId: 'k', changedAt: 1 });
  await sql`alter table curtain add column roles text`.execute(store.db);
  for (const [camera, until, roles] of rows)
    await sql`insert into curtain (camera, until, roles, drawn_by, drawn_at) values (${camera}, ${until}, ${roles}, 'paul', 5)`.execute(
      store.db,
    );
  await namesOfCameras(store.db as never);
  const found = { drawn: await store.curtain.listDrawn(), sites: await store.sites.listSites() };
  await store.close();
  return found;
}

function suite(newUrl: () => Promise<string>): void {
  let found: Awaited<ReturnType<typeof updated>>;
  before(async () => {
    found = await updated(await newUrl());
  });

  it('entries for some roles are drawn for all, and those that name a site have the bare name, with the later end', () => {
    assert.deepEqual(
      found.drawn.map(({ camera, until, by }) => [camera, until, by]),
      [
        ['attic', 9_000_000_000, 'paul'],
        ['barn:odd', undefined, 'paul'],
        ['garden', 9_000_000_000, 'paul'],
        ['h*', undefined, 'paul'],
        ['moat:pond', undefined, 'paul'],
        ['pond', undefined, 'paul'],
        ['yard', undefined, 'paul'],
      ],
    );
    assert.deepEqual(Object.keys(found.drawn[0] ?? {}).sort(), ['by', 'camera', 'drawnAt', 'until']);
  });

  it('a site tells the names of the roles of its file', () => {
    assert.deepEqual(
      found.sites.map(({ site, roles }) => [site, roles]),
      ['', 'barn', 'house'].map((site) => [site, ['gardener']]),
    );
  });
}

describe('Rows of 0.2.0 on SQLite', () => {
  const [scratch, other] = [makeScratch(), makeScratch()];
  after(() => {
    scratch.remove();
    other.remove();
  });
  suite(async () => scratch.url);

  it('a curtain whose one entry names a site and no camera is empty', async () => {
    assert.deepEqual((await updated(other.url, [['house:', null, null]])).drawn, []);
  });
});

describe('Rows of 0.2.0 on PostgreSQL', { skip: withoutPostgres }, () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());
  suite(() => postgres.newDatabase());
});
