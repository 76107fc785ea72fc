/** Session tokens: none is accepted that our key has not signed, and claims are what they are taken for. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { importSigningKey, readSessionToken, signSessionToken } from '../../../src/accounts/sessions/session-jwt.ts';
import type { FuzzTarget } from './target.ts';

const OURS = Buffer.alloc(32, 1);
const KEY = await importSigningKey(OURS);
const encoded = (text: string | Buffer): string => Buffer.from(text).toString('base64url');
const mac = (text: string, key: Buffer): string => createHmac('sha256', key).update(text).digest('base64url');
const signed = (header: string, payload: Buffer | string, key = OURS): string => {
  const text = `${encoded(header)}.${encoded(payload)}`;
  return `${text}.${mac(text, key)}`;
};
const HEADER = '{"alg":"HS256","typ":"JWT"}';
const CLAIMS = '{"sub":"vera","role":"viewer","iat":1700000000,"exp":1700086400,"jti":"t1"}';

/** `*HEADER\nPAYLOAD` is signed with our key before it is read; anything else is read as it is. */
const tokenOf = (text: string): string => {
  if (!text.startsWith('*')) return text;
  const cut = text.indexOf('\n');
  return cut < 0 ? signed(HEADER, text.slice(1)) : signed(text.slice(1, cut), text.slice(cut + 1));
};

export const fuzzTarget: FuzzTarget = {
  outcomes: ['malformed', 'signature', 'claims', 'accepted'],
  longest: 700,
  seeds: [
    `*${HEADER}\n${CLAIMS}`,
    `*${HEADER}\n{"sub":"vera","role":"viewer","iat":1,"exp":2,"nbf":1,"auth_time":1,"proof_time":1,"gen":"g","jti":"x"}`,
    '*{"alg":"HS256"}\n{"sub":"ü","role":"front_only","iat":1,"exp":9999999999}',
    '*{"alg":"none"}\n{}',
    signed(HEADER, CLAIMS, Buffer.alloc(32, 2)),
    `${encoded('{"alg":"none"}')}.${encoded(CLAIMS)}.`,
    `${encoded(HEADER)}.${encoded(CLAIMS)}.AAAA`,
    signed(HEADER, CLAIMS),
  ],
  words: [
    '"iat":',
    '"exp":',
    '1e999',
    '-1',
    'null',
    '"admin"',
    '"crit":["b64"]',
    '"b64":false',
    '"HS512"',
    '.',
    '"__proto__":',
  ],
  async judge(input) {
    const token = tokenOf(input.toString('utf8'));
    const read = await readSessionToken(token, KEY);
    if (!read.ok) return read.error;
    const [header = '', payload = '', signature = ''] = token.split('.');
    assert.equal(signature, mac(`${header}.${payload}`, OURS), 'another signature than ours was accepted');
    assert.equal(JSON.parse(Buffer.from(header, 'base64url').toString()).alg, 'HS256');
    const said = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const {
      userName,
      role,
      issuedAt,
      expiresAt,
      authenticatedAt = issuedAt,
      provenAt = issuedAt,
      tokenId,
    } = read.value;
    assert.deepEqual([userName, role, issuedAt, expiresAt], [said.sub, said.role, said.iat, said.exp]);
    for (const time of [issuedAt, expiresAt, authenticatedAt, provenAt]) assert.ok(Number.isSafeInteger(time));
    assert.ok(authenticatedAt <= issuedAt && provenAt <= issuedAt, 'a login after the token');
    assert.ok(tokenId.length > 0 && tokenId.length <= 128 && /^[\w.]+$/.test(role));
    const again = await readSessionToken(await signSessionToken(read.value, KEY), KEY);
    const { notBefore: _, ...written } = read.value;
    assert.deepEqual(again, { ok: true, value: written });
    return 'accepted';
  },
};
