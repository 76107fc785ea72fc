/** Tokens that are refused, each for another reason (SPEC 4.2, 4.4, 9). */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { findSigningSecret } from '../../../src/accounts/sessions/signing-secret.ts';
import { ADMIN_PERSON, CARL, VERA } from '../../support/people.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { moves } from '../support/driven.ts';

let instance: Runtime;
let admin: string;
before(async () => {
  instance = await startInstance({ config: { nvr: { cameras: ['cam1'] } } });
  admin = await instance.logIn(ADMIN_PERSON);
});
after(() => instance.close());

const JSON_BODY = { 'content-type': 'application/json' };
const asAdmin = (method: string, path: string, body?: object): Promise<Response> =>
  instance.ask(path, { method, token: admin, headers: JSON_BODY, ...(body && { body: JSON.stringify(body) }) });
const isRefused = (token: string, reason: string): Promise<void> =>
  moves(instance, ['tokens_rejected_total'], () => instance.ask('/api/profile', { token }), {
    [`tokens_rejected_total{reason="${reason}"}`]: 1,
  });

/** Signed by the instance itself, with claims that it never writes. */
async function signed(claims: object): Promise<string> {
  const places = { environment: {}, optionsFile: '/nonexistent', configDirectory: instance.directory };
  const secret = await findSigningSecret(places);
  if (!secret.ok) return assert.fail(secret.error);
  const parts = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = createHmac('sha256', secret.value.key).update(parts.join('.')).digest('base64url');
  return [...parts, signature].join('.');
}

describe('A token is refused', () => {
  it('because its session was ended', async () => {
    const token = await instance.logIn(VERA);
    await instance.ask('/logout', { method: 'POST', token });
    await isRefused(token, 'revoked');
  });

  it('because its user has another password', async () => {
    const token = await instance.logIn(VERA);
    instance.clock.advance(1);
    await asAdmin('PUT', '/api/users/vera/password', { password: VERA.password });
    await isRefused(token, 'password_changed');
  });

  it('because its user is gone', async () => {
    const token = await instance.logIn(CARL);
    await asAdmin('DELETE', '/api/users/carl');
    await isRefused(token, 'user_gone');
  });

  it('because its claims are none of ours', async () =>
    isRefused(await signed({ sub: 'vera', role: 'viewer', exp: 'soon' }), 'claims'));

  it('because too many bad ones came from its address', async () => {
    const bad = () => instance.ask('/api/profile', { token: `pst_${'0'.repeat(16)}_${'a'.repeat(64)}` });
    await moves(
      instance,
      ['tokens_rejected_total', 'rate_limit_hits_total', 'decisions_total'],
      async () => {
        for (let at = 0; at < 11; at += 1) await bad();
      },
      {
        'tokens_rejected_total{reason="unknown"}': 10,
        'tokens_rejected_total{reason="limited"}': 1,
        'rate_limit_hits_total{scope="apikey",clause="0"}': 1,
        'decisions_total{mode="none",result="unauthenticated"}': 11,
      },
    );
  });

  it('because it has expired', async () => {
    const token = await instance.logIn(VERA);
    instance.clock.advance(86_401);
    await isRefused(token, 'expired');
  });
});

describe('A token of a program', () => {
  it('is another way to be known', async () => {
    admin = await instance.logIn(ADMIN_PERSON);
    const made = (await (await asAdmin('POST', '/api/tokens', { name: 'a doorbell' })).json()) as { token: string };
    const families = ['decisions_total', 'decision_duration_seconds_count'];
    await moves(instance, families, () => instance.ask('/api/profile', { token: made.token }), {
      'decisions_total{mode="apikey",result="allow"}': 1,
      'decision_duration_seconds_count{mode="apikey"}': 1,
    });
  });
});
