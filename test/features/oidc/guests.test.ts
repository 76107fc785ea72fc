/** A guest of a provider that creates accounts: after the end no login makes the account anew, until an admin opens it (SPEC 13). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { openForCommands } from '../../../src/app/commands.ts';
import { configSchema } from '../../../src/app/resources/features.ts';
import type { UserName } from '../../../src/domain/names.ts';
import { openStore, type Store } from '../../../src/store/open-store.ts';
import { ADMIN_PERSON } from '../../support/people.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../../support/servers/postgres.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { oidcConfig, SITE, Visitor, vouch } from './support/browser.ts';
import { type FakeProvider, startFakeProvider } from './support/fake-provider.ts';

const now = (): number => Math.floor(Date.now() / 1000);
const DAY = 86_400;

for (const [engine, skip] of [
  ['SQLite', false],
  ['PostgreSQL', withoutPostgres],
] as const)
  describe(`A guest of a provider, with the store on ${engine}`, { skip }, () => {
    let postgres: TestPostgres | undefined;
    let provider: FakeProvider;
    let instance: Runtime;
    let store: Store;
    let admin: Visitor;
    before(async () => {
      if (engine === 'PostgreSQL') postgres = await startPostgres();
      provider = await startFakeProvider(now);
      const url = await postgres?.newDatabase();
      const config = { nvr: { cameras: ['cam1', 'cam2'] }, ...oidcConfig(provider), ...(url && { store: { url } }) };
      instance = await startInstance({ config });
      store = await openStore({ url: url ?? `sqlite:${instance.directory}/postern.db` });
      admin = new Visitor(instance);
      await admin.ask('POST', '/api/login', { user: ADMIN_PERSON.name, password: ADMIN_PERSON.password });
    });
    after(async () => {
      await store.close();
      await instance.close();
      await provider.close();
      await postgres?.stop();
    });
    beforeEach(() => {
      provider.answers = {};
    });

    const signIn = async (sub: string): Promise<{ readonly status: number; readonly text: string }> => {
      const response = await new Visitor(instance).signIn(provider, { sub, groups: ['front'] });
      return { status: response.status, text: await response.text() };
    };
    /** The account was made by the provider, was that of a guest, and is deleted as every hour does. */
    const gone = async (name: string): Promise<void> => {
      assert.equal((await signIn(name)).status, 302);
      const valid_until = now() + 1;
      assert.equal((await admin.ask('PUT', `/api/users/${name}/validity`, { valid_until })).status, 200);
      const guest = { endedBefore: valid_until + 1, at: valid_until + 30 * DAY };
      assert.equal(await store.accounts.deleteUser(name as UserName, guest), 'deleted');
    };
    const closed = async () => (await (await admin.ask('GET', '/api/closed-guests')).json()) as { subject: string }[];
    const assertClosed = async (sub: string): Promise<void> => {
      const { status, text } = await signIn(sub);
      assert.equal(status, 403);
      assert.match(text, /Your access as a guest has ended: ask the administrator for an invitation/);
      assert.equal(await store.accounts.findUser(sub), undefined);
    };

    it('is closed, which admins see, and no page shows a name', async () => {
      await gone('gus');
      await assertClosed('gus');
      const [one] = await closed();
      assert.deepEqual(Object.keys(one ?? {}).sort(), ['known_until', 'provider', 'subject']);
      assert.equal(one?.subject, 'gus');
      const viewer = new Visitor(instance);
      await viewer.signIn(provider, { sub: 'vic', groups: ['front'] });
      assert.equal((await viewer.ask('GET', '/api/closed-guests')).status, 403);
    });

    it('comes back when an admin forgets the sign-in, and nobody else can', async () => {
      await gone('fin');
      const body = { provider: 'home', subject: 'fin' };
      const viewer = new Visitor(instance);
      await viewer.signIn(provider, { sub: 'vic', groups: ['front'] });
      assert.equal((await viewer.ask('POST', '/api/closed-guests/forget', body)).status, 403);
      await assertClosed('fin');
      assert.equal((await admin.ask('POST', '/api/closed-guests/forget', body)).status, 200);
      assert.equal((await signIn('fin')).status, 302);
    });

    it('comes back when the command line forgets the sign-in', async () => {
      await gone('fay');
      const commands = await openForCommands(
        { directory: instance.directory, schema: configSchema, env: {}, clock: instance.clock },
        'change',
      );
      const forget = (subject: string) =>
        commands.ask('POST /api/closed-guests/forget', { body: { provider: 'home', subject } });
      await assert.rejects(forget('nobody'), /There is no such closed guest/);
      await forget('fay');
      await commands.close();
      assert.equal((await signIn('fay')).status, 302);
    });

    it('comes back by an invitation that is accepted with the provider', async () => {
      await gone('ivy');
      const made = await admin.ask('POST', '/api/users/ivy2/invitation', { role: 'back_only' });
      const { url } = (await made.json()) as { url: string };
      const ivy = new Visitor(instance);
      const form = { method: 'POST', headers: { origin: instance.url } };
      const leading = await ivy.visit(`${new URL(url, SITE).pathname}/sign-in/home`, form);
      const { searchParams: asked } = new URL((leading.headers.get('refresh') ?? '').replace('0; url=', ''));
      await vouch(provider, { sub: 'ivy', nonce: asked.get('nonce') });
      assert.equal((await ivy.comeBack({ asked }, { iss: provider.issuer })).status, 302);
      assert.ok(!(await closed()).some(({ subject }) => subject === 'ivy'));
      assert.equal((await admin.ask('DELETE', '/api/users/ivy2')).status, 200);
      assert.equal((await signIn('ivy')).status, 302, 'the deletion of the account has forgotten the sign-in');
    });

    it('is forgotten at once where an admin deletes the account', async () => {
      assert.equal((await signIn('dan')).status, 302);
      await admin.ask('PUT', '/api/users/dan/validity', { valid_until: now() + 100 });
      assert.equal((await admin.ask('DELETE', '/api/users/dan')).status, 200);
      assert.equal((await signIn('dan')).status, 302);
    });
  });
