/** A store copied from one engine to the other and back: nothing is lost, and a copy that was interrupted goes on. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { NEW_GRANT } from '../../src/domain/accounts/grant.ts';
import type { Role, UserName } from '../../src/domain/names.ts';
import { openingPart } from '../../src/features/links/openings.ts';
import { type CopyMode, copiedTables, copyStore } from '../../src/store/copy-store.ts';
import { importRecorded } from '../events/support/served-events.ts';
import { batchOf } from '../support/own-entries.ts';
import { EVERYBODY, moveIn } from '../support/people.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { openStore, type Store } from '../support/whole-store.ts';
import { makeScratch } from './support/scratch-store.ts';

const KEPT_BY_THE_ENGINE = [
  'event_writes',
  'kysely_migration',
  'kysely_migration_lock',
  'login_blocks',
  'screen_codes',
  'store_identity',
];

it('every table of the store is copied', async () => {
  const scratch = makeScratch();
  const store = await openStore({ url: scratch.url });
  const { rows } = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(store.db);
  await store.close();
  scratch.remove();
  const copied = [...copiedTables(), ...KEPT_BY_THE_ENGINE];
  assert.deepEqual(rows.map(({ name }) => name).sort(), copied.sort());
});

/** A row in each table of second factors. */
async function writeFactors({
  db,
  accounts,
  secondFactor,
  signIns,
  grants,
  screenCodes,
  ledger,
  curtain,
  sites,
  settings,
  part,
}: Store): Promise<void> {
  const vera = 'vera' as UserName;
  const drawn = { camera: 'hall*', until: 1_900_000_000, by: 'admin', drawnAt: 5 };
  await curtain.changeCurtain({ drawn: [drawn], opened: [] });
  await sites.publishSite({ site: 'barn', cameras: ['hall'], roles: [], keyId: 'k1', changedAt: 5 });
  await settings.changeSettings({ 'auth.timezone': 'UTC' });
  await secondFactor.startTotp(vera, 'k.sealed', 1_900_000_000);
  const known = (await accounts.findUser(vera)) ?? { passwordChangedAt: null };
  const first = { epoch: 'e1', recoveryCodes: ['h1'], known };
  await secondFactor.confirmTotp(vera, { sealed: 'k.sealed', step: 7, first });
  const passkey = { id: 'p1', user_name: vera, user_handle: 'u1', public_key: 'k', counter: 3, transports: '["usb"]' };
  const flags = { is_backup_eligible: 1, is_backed_up: 0, name: 'key', created_at: 1, last_used_at: null };
  await db
    .insertInto('passkeys')
    .values({ ...passkey, ...flags })
    .execute();
  const signIn = { provider: 'home', issuer: 'https://id.example.com', subject: 'v1', user: vera };
  await signIns.connect({ ...signIn, connectedAt: 1, lastUsedAt: 2 }, 1_700_000_000);
  const closed = { id: `${signIn.issuer} g1`, subject: 'g1', provider: 'home', known_until: 1_900_000_000 };
  await db.insertInto('closed_sign_ins').values(closed).execute();
  await signIns.noteSession({ sessionId: 's1', issuer: signIn.issuer, subject: 'v1', expiresAt: 9 });
  await db.insertInto('known_clients').values({ id: 'k1', user_name: vera, last_seen: 1 }).execute();
  const owned = { ...NEW_GRANT, user: vera, userCreatedAt: 1_700_000_000, createdAt: 1, expiresAt: 9 };
  await grants.add('invitation', { ...owned, id: 'i1', secretHash: 't1', madeBy: 'admin' });
  const shown = { thing: { kind: 'live', camera: 'front' }, tokenId: null, uses: 3, pinHash: null } as const;
  const link = { ...shown, id: 'l1', secretHash: 's1', role: 'viewer' as Role, notifiesOnOpen: false };
  await grants.add('link', { ...owned, ...link }, 10);
  await part(openingPart).openLink('l1', { id: undefined, client: 'c', address: '192.0.2.1', agent: null }, 2);
  const code = { deviceHash: 'd1', userHash: 'u1', address: '192.0.2.1', agent: null, createdAt: 1, expiresAt: 9 };
  await screenCodes.addCode({ ...code, state: 'pending', screenId: null }, 10);
  const screen = { id: 's1', secretHash: null, name: 'hall', cameras: ['front'], agent: null };
  await screenCodes.confirmCode('u1', { ...owned, ...screen }, 10);
  const span = {
    kind: 'live' as const,
    user: vera,
    credential: 'session',
    address: '192.0.2.1',
    camera: 'cam1',
    from: 1.001,
    to: 2,
  };
  const entry = { ...span, watchedFrom: null, watchedTo: 5, detail: '{}' } as const;
  const day = {
    day: '2026-11-22',
    user: vera,
    viewer: '',
    kind: 'live',
    camera: 'cam1',
    seconds: 0.999,
    records: 1,
  } as const;
  const batch = batchOf([entry, { ...entry, kind: 'login' }, entry], [{ id: 'open', ...entry }]);
  await ledger.append(batch, 1, () => [day]);
  await ledger.append(batchOf([{ ...entry, to: 9 }]), 1);
  await ledger.forgetBefore({ at: 9, before: 9, day: '2026-11-22', retentionDays: 1 });
}

describe('A store that is copied', { skip: withoutPostgres }, () => {
  const scratches = [makeScratch(), makeScratch()];
  let postgres: TestPostgres;
  let source: Store;
  let target: Store;
  before(async () => {
    postgres = await startPostgres();
    source = await openStore({ url: scratches[0]?.url ?? '' });
    await moveIn(EVERYBODY, source.accounts, 1_700_000_000);
    await source.accounts.revokeToken('ended', 1_900_000_000);
    await source.roles.changeRoles({ saved: [{ role: 'front_only' as never, cameras: ['front_*'] }], deleted: [] });
    await writeFactors(source);
    await importRecorded(source);
    target = await openStore({ url: await postgres.newDatabase() });
  });
  after(async () => {
    await Promise.all([source.close(), target.close()]);
    await postgres.stop();
    for (const scratch of scratches) scratch.remove();
  });

  /** What was copied, by table. */
  const copied = async (mode: CopyMode, from = source, to = target) => {
    const all = await copyStore(from, to, mode, () => {});
    return Object.fromEntries(all.map(({ table, rows }) => [table, rows]));
  };
  const factors = {
    totp_secrets: 1,
    recovery_codes: 1,
    passkeys: 1,
    sign_ins: 1,
    closed_sign_ins: 1,
    oidc_sessions: 1,
    known_clients: 1,
    ledger_records: 2,
    ledger_open: 1,
    ledger_chains: 1,
    ledger_closings: 1,
    ledger_days: 1,
  };
  const whole = {
    users: 3,
    custom_roles: 1,
    curtain: 1,
    sites: 1,
    settings: 1,
    grants: 3,
    token_rights: 0,
    link_terms: 1,
    openings: 1,
    screen_displays: 1,
    invitation_terms: 1,
    ...factors,
    revoked_tokens: 1,
    seen_sessions: 0,
    events: 6000,
  };
  it('is whole in PostgreSQL', async () => assert.deepEqual(await copied('refuse'), whole));

  it('is not copied onto rows that are there', async () => {
    await assert.rejects(copied('refuse'), /not empty \(table users\).*--continue.*--replace/);
  });

  it('is not put into service when it was interrupted, and goes on', async () => {
    const scratch = makeScratch();
    const half = await openStore({ url: scratch.url, isCopyTarget: true });
    const isCut = new Error('cut');
    await assert.rejects(
      copyStore(source, half, 'refuse', ({ table, done }) => {
        if (table === 'events' && done > 1000) throw isCut;
      }),
      isCut,
    );
    await half.close();
    for (const readOnly of [false, true])
      await assert.rejects(openStore({ url: scratch.url, readOnly }), /half of a copy.*--continue.*--replace/);
    const again = await openStore({ url: scratch.url, isCopyTarget: true });
    assert.deepEqual(await copied('continue', source, again), whole);
    await again.close();
    const served = await openStore({ url: scratch.url });
    assert.equal((await served.identity()).id.length, 36);
    await served.close();
    scratch.remove();
  });

  it('goes on where it was interrupted', async () => {
    await target.db.deleteFrom('events').where('id', '>', '17').execute();
    assert.deepEqual(await copied('continue'), whole);
  });

  it('is told to differ when the target holds something else', async () => {
    await target.db.updateTable('users').set({ role: 'admin' }).where('name', '=', 'carl').execute();
    await assert.rejects(copied('continue'), /^Error: table users differs/);
  });

  it('replaces what is there when it is told to', async () => assert.deepEqual(await copied('replace'), whole));

  it('comes back the same', async () => {
    const back = await openStore({ url: scratches[1]?.url ?? '' });
    assert.deepEqual(await copied('refuse', target, back), whole);
    assert.deepEqual(await copied('continue', source, back), whole);
    await back.close();
  });
});
