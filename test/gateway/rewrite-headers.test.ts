/** What the next hop is told: the client's claims are gone, the gate's own stand once (interface 5.5.4, SPEC 6). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Caller } from '../../src/domain/caller.ts';
import { ALL_CAMERAS } from '../../src/domain/camera-scope.ts';
import { type UserName, VIEWER } from '../../src/domain/names.ts';
import { normalizedHeaderName } from '../../src/domain/request.ts';
import type { Client } from '../../src/gateway/decision/request-facts.ts';
import { type HeaderRules, rewriteHeaders } from '../../src/gateway/forward/judged-request.ts';
import { factsOf } from '../support/facts.ts';

const RULES: HeaderRules = {
  identityHeaders: new Set(['remote-user', 'x-company-user']),
  nvrSecret: undefined,
  cookieName: 'frigate_token',
};
const CALLER: Caller = {
  name: 'vera' as UserName,
  role: VIEWER,
  scope: ALL_CAMERAS,
  credential: { kind: 'proxy-headers' },
};
const CLIENT: Client = { address: '198.51.100.7', encrypted: false, host: 'nvr.test', viaTrustedProxy: false };
const OWN = {
  'x-forwarded-for': '198.51.100.7',
  'x-forwarded-proto': 'http',
  'x-forwarded-host': 'nvr.test',
  'x-real-ip': '198.51.100.7',
  'x-request-id': 'r1',
  'remote-user': 'vera',
  'remote-role': 'viewer',
};

const rewrite = (
  headers: Record<string, string>,
  more: Partial<{
    method: string;
    client: Client;
    caller: Caller | undefined;
    rules: HeaderRules;
    isUpgrade: boolean;
  }> = {},
) =>
  rewriteHeaders(
    factsOf({
      headers: { host: 'nvr.test', ...headers },
      peer: '198.51.100.7',
      ...(more.method ? { method: more.method } : {}),
      isUpgrade: more.isUpgrade ?? false,
    }),
    { caller: 'caller' in more ? more.caller : CALLER, client: more.client ?? CLIENT, requestId: 'r1' },
    more.rules ?? RULES,
  );

describe('The headers that are sent on', () => {
  // biome-ignore format: a table
  const gone: [sentence: string, headers: Record<string, string>][] = [
    ['lose a forged role',                                   { 'remote-role': 'admin' }],
    ['lose every remote-* name, known or not',               { 'remote-groups': 'admins', 'remote-anything': 'x' }],
    ['lose the families of other proxies',                   { 'x-authentik-username': 'root', 'x-auth-request-user': 'root', 'x-forwarded-user': 'root' }],
    ['lose an identity header of the operator\'s own list',   { 'x-company-user': 'root' }],
    ['lose what tells an NVR which port or path was asked',  { 'x-server-port': '5000', 'x-original-url': 'http://x/assets', 'x-rewrite-url': '/api/config' }],
    ['lose what tells an NVR to take another method',        { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE', 'x-http-method': 'DELETE' }],
    ['lose what is written into the NVR\'s pages',           { 'x-ingress-path': '"><script>' }],
    ['lose the proxy secret',                                { 'x-proxy-secret': 's3cret' }],
    ['lose hop-by-hop headers',                              { connection: 'close', 'keep-alive': 'timeout=5', te: 'trailers', trailer: 'x', expect: '100-continue', upgrade: 'h2c', 'http2-settings': 'AAMA' }],
    ['lose what Connection names',                           { connection: 'close, x-told', 'x-told': '1' }],
    ['lose a bearer token',                                  { authorization: 'bearer abc' }],
    ['lose the session cookie',                              { cookie: 'frigate_token=abc' }],
    ['do not carry a chain from an untrusted peer',          { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1', 'x-real-ip': '127.0.0.1' }],
  ];
  for (const [sentence, headers] of gone) {
    it(sentence, () => assert.deepEqual(rewrite(headers), { host: 'nvr.test', ...OWN }));
  }

  it('tell the scheme that the client used, and below which path it sees the service', () => {
    const client = { ...CLIENT, encrypted: true, basePath: '/nvr' };
    const expected = { host: 'nvr.test', ...OWN, 'x-forwarded-proto': 'https', 'x-ingress-path': '/nvr' };
    assert.deepEqual(rewrite({ 'x-ingress-path': '/theirs' }, { client }), expected);
  });

  it('keep other cookies', () =>
    assert.equal(rewrite({ cookie: 'a=1; frigate_token=abc; b=2;frigate_token=x' }).cookie, 'a=1; b=2'));
  it("keep Basic credentials, which are the NVR's own", () =>
    assert.equal(rewrite({ authorization: 'Basic abc' }).authorization, 'Basic abc'));
  it('lose any password, where the NVR would take the client for another of its own users', () => {
    const rules = { ...RULES, dropsAuthorization: true };
    assert.deepEqual(rewrite({ authorization: 'Basic dTpw' }, { rules }), rewrite({}, { rules }));
  });

  it('keep Host, framing and cookies though Connection names them', () => {
    const sent = rewrite({ connection: 'host, content-length, cookie', 'content-length': '3', cookie: 'a=1' });
    assert.deepEqual([sent.host, sent['content-length'], sent.cookie], ['nvr.test', '3', 'a=1']);
  });
  it('say who calls even when Connection asks to drop it', () =>
    assert.equal(rewrite({ connection: 'close, remote-role, remote-user' })['remote-role'], 'viewer'));
  it('name no user on a public route when the caller is unknown', () =>
    assert.equal(
      'remote-user' in rewriteHeaders(factsOf({}), { caller: undefined, client: CLIENT, requestId: 'r1' }, RULES),
      false,
    ));
  it('give an empty body its length', () => assert.equal(rewrite({}, { method: 'POST' })['content-length'], '0'));
  it('percent-encode a name outside ASCII', () =>
    assert.equal(rewrite({}, { caller: { ...CALLER, name: 'jörg' as UserName } })['remote-user'], 'j%C3%B6rg'));
  it('keep the chain of a trusted proxy, and add that proxy to it', () =>
    assert.equal(
      rewrite({ 'x-forwarded-for': '203.0.113.9' }, { client: { ...CLIENT, viaTrustedProxy: true } })[
        'x-forwarded-for'
      ],
      '203.0.113.9, 198.51.100.7',
    ));
  it('carry the secret for an NVR that asks for one, which takes groups for the role', () => {
    const sent = rewrite({ 'remote-groups': 'admin' }, { rules: { ...RULES, nvrSecret: 'nvr-secret' } });
    assert.deepEqual(
      ['x-proxy-secret', 'remote-user', 'remote-role', 'remote-groups'].map((name) => sent[name]),
      ['nvr-secret', 'vera', 'viewer', 'viewer'],
    );
  });
  it('ask for a WebSocket and nothing else when upgrading', () => {
    const sent = rewrite({ connection: 'keep-alive, Upgrade', upgrade: 'websocket' }, { isUpgrade: true });
    assert.deepEqual([sent.connection, sent.upgrade], ['Upgrade', 'websocket']);
  });

  it('never hold a claim that the client made, whatever it sends', () => {
    const family = fc.constantFrom('remote-', 'x-forwarded-', 'x-original-', 'x-authentik-', 'x-auth-request-');
    const name = fc.tuple(family, fc.stringMatching(/^[a-z-]{1,12}$/)).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.dictionary(name, fc.constant('FORGED')), fc.array(name), (headers, connection) => {
        const sent = rewrite({ ...headers, connection: connection.join(', ') });
        assert.deepEqual(
          Object.values(sent).filter((value) => String(value).includes('FORGED')),
          [],
        );
        assert.deepEqual(Object.keys(sent).map(normalizedHeaderName).sort(), Object.keys({ host: '', ...OWN }).sort());
      }),
    );
  });
});
