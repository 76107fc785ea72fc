import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  importSigningKey,
  readSessionToken,
  signSessionToken,
  timeFault,
} from '../../../src/accounts/sessions/session-jwt.ts';
import { signingKey } from '../../../src/accounts/sessions/signing-secret.ts';
import type { Role, UserName } from '../../../src/domain/names.ts';
import { base64url, handMadeToken, OTHER_SECRET, SIGNING_SECRET } from '../support/hand-made-token.ts';

const NOW = 1_800_000_000;
const key = await importSigningKey(signingKey(SIGNING_SECRET));
const GOOD = { sub: 'vera', role: 'viewer', iat: NOW - 10, exp: NOW + 3600, jti: 'one' };
const CLAIMS = { userName: 'vera', role: 'viewer', issuedAt: NOW - 10, expiresAt: NOW + 3600, tokenId: 'one' };

const without = (name: keyof typeof GOOD): object => ({ ...GOOD, [name]: undefined });
/** The same payload with one claim written as this JSON text. */
const written = (name: string, json: string): string => JSON.stringify({ ...GOOD, [name]: '@' }).replace('"@"', json);
const signatureOf = (token: string): string => token.split('.')[2] ?? '';

/** What is wrong with a token at a time, its form first. */
async function fault(token: string, now = NOW): Promise<string | undefined> {
  const read = await readSessionToken(token, key);
  return read.ok ? timeFault(read.value, now) : read.error;
}

describe('A session token', () => {
  it('is read back as it was signed, with jti', async () => {
    const claims = { ...CLAIMS, userName: 'vera' as UserName, role: 'viewer' as Role, secretsDigest: 'g1' };
    assert.deepEqual(await readSessionToken(await signSessionToken(claims, key), key), { ok: true, value: claims });
  });

  it('has the header that the reference writes, integer times, no more claims than are said', async () => {
    const claims = { ...CLAIMS, userName: 'vera' as UserName, role: 'viewer' as Role };
    const [header, payload] = (await signSessionToken(claims, key))
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString());
    assert.deepEqual(JSON.parse(header ?? ''), { alg: 'HS256', typ: 'JWT' });
    assert.deepEqual(JSON.parse(payload ?? ''), GOOD);
  });

  it('made by the reference, without jti, is known by its signature', async () => {
    const token = handMadeToken({ payload: without('jti') });
    const tokenId = createHash('sha256').update(signatureOf(token)).digest('base64url');
    assert.deepEqual(await readSessionToken(token, key), { ok: true, value: { ...CLAIMS, tokenId } });
  });

  // biome-ignore format: a table
  const rows: [sentence: string, token: string, fault: string | undefined][] = [
    ['is good without typ',                       handMadeToken({ header: { alg: 'HS256' }, payload: GOOD }), undefined],
    ['is good with a custom role',                handMadeToken({ payload: { ...GOOD, role: 'night.guard_1' } }), undefined],

    ['is not unsigned (alg none, F01)',           `${base64url({ alg: 'none' })}.${base64url(GOOD)}.`, 'malformed'],
    ['is not unsigned (nOnE)',                    `${base64url({ alg: 'nOnE' })}.${base64url(GOOD)}.`, 'malformed'],
    ['is not unsigned (NONE, with a signature)',  handMadeToken({ header: { alg: 'NONE' }, payload: GOOD }), 'malformed'],
    ['is not unsigned (alg null)',                handMadeToken({ header: { alg: null }, payload: GOOD }), 'malformed'],
    ['is not unsigned (alg in a list)',           handMadeToken({ header: { alg: ['HS256'] }, payload: GOOD }), 'malformed'],
    ['is not without alg',                        handMadeToken({ header: { typ: 'JWT' }, payload: GOOD }), 'malformed'],
    ['has a signature',                           `${base64url({ alg: 'HS256' })}.${base64url(GOOD)}.`, 'malformed'],
    ['is not hs256 in small letters',             handMadeToken({ header: { alg: 'hs256' }, payload: GOOD }), 'malformed'],
    ['is not HS384 (F02)',                        handMadeToken({ header: { alg: 'HS384' }, payload: GOOD, hash: 'sha384' }), 'malformed'],
    ['is not HS512',                              handMadeToken({ header: { alg: 'HS512' }, payload: GOOD, hash: 'sha512' }), 'malformed'],
    ['is not HS384 under the name of HS256',      handMadeToken({ payload: GOOD, hash: 'sha384' }), 'signature'],
    ['is not RS256 with an HMAC',                 handMadeToken({ header: { alg: 'RS256' }, payload: GOOD }), 'malformed'],
    ['is not signed with an empty key (F03)',     handMadeToken({ payload: GOOD, secret: '' }), 'signature'],
    ['is not signed with another key (F04)',      handMadeToken({ payload: GOOD, secret: OTHER_SECRET }), 'signature'],

    ['has exp (F06)',                             handMadeToken({ payload: without('exp') }), 'claims'],
    ['has iat',                                   handMadeToken({ payload: without('iat') }), 'claims'],
    ['has sub',                                   handMadeToken({ payload: without('sub') }), 'claims'],
    ['has role',                                  handMadeToken({ payload: without('role') }), 'claims'],
    ['has no exp as a string (F07)',              handMadeToken({ payload: { ...GOOD, exp: '9999999999' } }), 'claims'],
    ['has no exp in a list',                      handMadeToken({ payload: { ...GOOD, exp: [9999999999] } }), 'claims'],
    ['has no exp null',                           handMadeToken({ payload: { ...GOOD, exp: null } }), 'claims'],
    ['has no exp true',                           handMadeToken({ payload: { ...GOOD, exp: true } }), 'claims'],
    ['has no exp with a fraction',                handMadeToken({ payload: { ...GOOD, exp: NOW + 3600.5 } }), 'claims'],
    ['has no exp 1e999, which is infinite',       handMadeToken({ payload: written('exp', '1e999') }), 'claims'],
    ['has no iat as a string',                    handMadeToken({ payload: { ...GOOD, iat: `${NOW}` } }), 'claims'],
    ['has no nbf as a string',                    handMadeToken({ payload: { ...GOOD, nbf: '0' } }), 'claims'],
    ['is over when exp is now (F08)',             handMadeToken({ payload: { ...GOOD, exp: NOW } }), 'expired'],
    ['is over when exp is past',                  handMadeToken({ payload: { ...GOOD, exp: NOW - 1 } }), 'expired'],
    ['is over when exp is negative',              handMadeToken({ payload: { ...GOOD, exp: -1 } }), 'expired'],
    ['lasts until the second before exp',         handMadeToken({ payload: { ...GOOD, exp: NOW + 1 } }), undefined],
    ['does not hold before its nbf (F09)',        handMadeToken({ payload: { ...GOOD, nbf: NOW + 1 } }), 'claims'],
    ['holds from its nbf on',                     handMadeToken({ payload: { ...GOOD, nbf: NOW } }), undefined],
    ['is not from more than a minute ahead',      handMadeToken({ payload: { ...GOOD, iat: NOW + 61 } }), 'claims'],
    ['may be from a clock a minute ahead',        handMadeToken({ payload: { ...GOOD, iat: NOW + 60 } }), undefined],

    ['has no role in a list (F12)',               handMadeToken({ payload: { ...GOOD, role: ['admin'] } }), 'claims'],
    ['has no two roles',                          handMadeToken({ payload: { ...GOOD, role: 'viewer,admin' } }), 'claims'],
    ['has no reserved role',                      handMadeToken({ payload: { ...GOOD, role: 'none' } }), 'claims'],
    ['has no sub that is an object (F13)',        handMadeToken({ payload: { ...GOOD, sub: { name: 'vera' } } }), 'claims'],
    ['has no sub with a line break',              handMadeToken({ payload: { ...GOOD, sub: 'vera\r\nremote-role: admin' } }), 'claims'],
    ['is never for anonymous',                    handMadeToken({ payload: { ...GOOD, sub: 'anonymous' } }), 'claims'],
    ['has no empty jti',                          handMadeToken({ payload: { ...GOOD, jti: '' } }), 'claims'],
    ['has no jti that is a number',               handMadeToken({ payload: { ...GOOD, jti: 7 } }), 'claims'],
    ['has no jti without end',                    handMadeToken({ payload: { ...GOOD, jti: 'j'.repeat(129) } }), 'claims'],
    ['has a payload that is an object',           handMadeToken({ payload: '["vera"]' }), 'claims'],
    ['has a payload that is JSON',                handMadeToken({ payload: '{"sub":' }), 'claims'],

    ['asks for nothing critical (F14)',           handMadeToken({ header: { alg: 'HS256', crit: ['b64'], b64: false }, payload: GOOD }), 'malformed'],
    ['asks for no other payload encoding',        handMadeToken({ header: { alg: 'HS256', b64: false }, payload: GOOD }), 'malformed'],
    ['brings no key of its own',                  handMadeToken({ header: { alg: 'HS256', jwk: { kty: 'oct', k: base64url('x') } }, payload: GOOD, secret: 'x' }), 'malformed'],
    ['names no key',                              handMadeToken({ header: { alg: 'HS256', kid: '../../dev/null' }, payload: GOOD, secret: '' }), 'malformed'],
    ['names no key set',                          handMadeToken({ header: { alg: 'HS256', jku: 'http://198.51.100.7/keys' }, payload: GOOD }), 'malformed'],
    ['is of no other type (F16)',                 handMadeToken({ header: { alg: 'HS256', typ: 'at+jwt' }, payload: GOOD }), 'malformed'],
    ['has not five parts (F15)',                  `${base64url({ alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2147483647 })}.a.a.a.a`, 'malformed'],
    ['has not two parts',                         handMadeToken({ payload: GOOD }).split('.').slice(0, 2).join('.'), 'malformed'],
    ['is not garbage (F17)',                      'garbage', 'malformed'],
    ['is not empty',                              '', 'malformed'],
    ['is not all dots',                           '.'.repeat(200), 'malformed'],
    ['is not 12 KB long',                         handMadeToken({ payload: { ...GOOD, padding: 'x'.repeat(9000) } }), 'malformed'],
    ['has no byte order mark',                    `\ufeff${handMadeToken({ payload: GOOD })}`, 'malformed'],
    ['has no padding (F18)',                      `${handMadeToken({ payload: GOOD })}=`, 'malformed'],
    ['has no trailing junk',                      `${handMadeToken({ payload: GOOD })}\n`, 'malformed'],
  ];
  for (const [sentence, token, expected] of rows) it(sentence, async () => assert.equal(await fault(token), expected));

  it('has one spelling: no other last character of the signature will do (F18)', async () => {
    const token = handMadeToken({ payload: GOOD });
    const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].map(
      (last) => token.slice(0, -1) + last,
    );
    const alike = spellings.filter((text) =>
      Buffer.from(signatureOf(text), 'base64url').equals(Buffer.from(signatureOf(token), 'base64url')),
    );
    assert.equal(alike.length, 4);
    const good = await Promise.all(spellings.map(async (text) => ((await fault(text)) === undefined ? text : '')));
    assert.deepEqual(good.filter(Boolean), [token]);
  });

  it('has one alphabet: + and / are not - and _ (F18)', async () => {
    const signed = Array.from({ length: 50 }, (_, at) => handMadeToken({ payload: { ...GOOD, jti: `${at}` } }));
    const token = signed.find((text) => /[-_]/.test(signatureOf(text))) ?? assert.fail('none has - or _');
    assert.equal(await fault(token), undefined);
    assert.equal(await fault(token.replaceAll('-', '+').replaceAll('_', '/')), 'malformed');
  });

  it('is refused, not thrown at, whatever the text', async () => {
    const part = fc.oneof(fc.string(), fc.json().map(base64url), fc.constant(base64url({ alg: 'HS256' })));
    const text = fc.oneof(
      fc.string(),
      fc.tuple(part, part, part).map((parts) => parts.join('.')),
    );
    await fc.assert(
      fc.asyncProperty(text, async (token) => assert.equal((await readSessionToken(token, key)).ok, false)),
    );
  });

  it('is refused when any one of its characters is changed', async () => {
    const token = handMadeToken({ payload: GOOD });
    const place = fc.nat(token.length - 1);
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom(...'Az09-_.'), async (at, character) => {
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        assert.equal((await readSessionToken(changed, key)).ok, changed === token);
      }),
    );
  });
});
