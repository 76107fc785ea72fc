/** Could a page of another site have made this request (SPEC 5, CSRF)? */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isInternalHost } from '../../../src/domain/addresses.ts';
import { type Caller, type Credential, INTERNAL_CALLER } from '../../../src/domain/caller.ts';
import type { ListenerName } from '../../../src/domain/request.ts';
import { type CsrfFacts, isCrossSiteForgery } from '../../../src/gateway/decision/csrf.ts';
import { factsOf } from '../../support/facts.ts';

const carrying = (credential: Credential): Caller => ({ ...INTERNAL_CALLER, credential });
const SESSION = { kind: 'session', tokenId: 't', issuedAt: 0, expiresAt: 1 } as const;
const COOKIE = carrying({ ...SESSION, carriedBy: 'cookie' });
const BEARER = carrying({ ...SESSION, carriedBy: 'bearer' });
const SSO = carrying({ kind: 'proxy-headers' });
const TOKEN = carrying({ kind: 'api-token', tokenId: 't' });

interface Asked {
  readonly method?: string;
  readonly caller?: Caller;
  readonly encrypted?: boolean;
  readonly login?: boolean;
  readonly upgrade?: boolean;
  readonly listener?: ListenerName;
  readonly host?: string;
  readonly headers: Readonly<Record<string, string>>;
}

const forgeable = ({
  method = 'POST',
  caller,
  encrypted = false,
  login = false,
  upgrade = false,
  listener = 'external',
  host = 'nvr.test:8971',
  headers,
}: Asked): boolean => {
  const question: CsrfFacts = {
    caller,
    presentsCredentials: login,
    host,
    encrypted,
    publicOrigin: 'https://public.test',
  };
  return isCrossSiteForgery(factsOf({ method, listener, isUpgrade: upgrade, headers }), question);
};

describe('A request that a page of another site could have made', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, asked: Asked, expected: boolean][] = [
    ['changes something, by cookie, from another origin',          { caller: COOKIE, headers: { Origin: 'http://evil.test' } },                        true],
    ['comes from a page without an origin',                        { caller: COOKIE, headers: { Origin: 'null' } },                                    true],
    ['hides its origin, and the browser says it is of another site', { caller: COOKIE, headers: { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' } },  true],
    ['opens a WebSocket with a hidden origin, which browsers never do', { caller: COOKIE, upgrade: true, method: 'GET', headers: { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' } }, true],
    ['is not one that hides its origin, and that the browser calls ours', { caller: COOKIE, headers: { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' } }, false],
    ['is not one from server.public_url',                          { caller: COOKIE, headers: { Origin: 'https://public.test' } },                     false],
    ['comes from server.public_url, on the internal listener',     { caller: INTERNAL_CALLER, listener: 'internal', headers: { Origin: 'https://public.test' } }, true],
    ['comes from the same host on another port',                   { caller: COOKIE, headers: { Origin: 'http://nvr.test:1' } },                       true],
    ['comes from a name that only begins like ours',               { caller: COOKIE, headers: { Origin: 'http://nvr.test:8971.evil.test' } },          true],
    ['is called cross-site by the browser',                        { caller: COOKIE, headers: { 'Sec-Fetch-Site': 'cross-site' } },                    true],
    ['is called same-site: a neighbour is not us',                 { caller: COOKIE, headers: { 'Sec-Fetch-Site': 'same-site' } },                     true],
    ['rides on the session of the proxy in front',                 { caller: SSO, headers: { Origin: 'http://evil.test' } },                           true],
    ['needs nothing, on the internal listener',                    { caller: INTERNAL_CALLER, headers: { Origin: 'http://evil.test' } },               true],
    ['logs a user in',                                             { login: true, headers: { Origin: 'http://evil.test' } },                           true],
    ['comes over plain HTTP to a client of ours on TLS',           { caller: COOKIE, encrypted: true, headers: { Origin: 'http://nvr.test:8971' } },   true],
    ['opens a WebSocket by cookie',                                { caller: COOKIE, upgrade: true, method: 'GET', headers: { Origin: 'http://evil.test' } }, true],
    ['opens a WebSocket on the internal listener',                 { caller: INTERNAL_CALLER, upgrade: true, method: 'GET', headers: { Origin: 'http://evil.test' } }, true],
    ['does so though it carries a header of its own',              { caller: COOKIE, upgrade: true, method: 'GET', headers: { Origin: 'null', 'X-CSRF-TOKEN': '1' } }, true],
    ['is not one that comes from our own page',                    { caller: COOKIE, headers: { Origin: 'http://nvr.test:8971', 'Sec-Fetch-Site': 'same-origin' } }, false],
    ['is not one from our own page behind TLS that ended in front', { caller: COOKIE, headers: { Origin: 'https://nvr.test:8971' } },                  false],
    ['is not one that a person made by hand',                      { caller: COOKIE, headers: { 'Sec-Fetch-Site': 'none' } },                          false],
    ['is not one without either header: that is no browser',       { caller: COOKIE, headers: {} },                                                    false],
    ['is not one that carries a header no other site can add',     { caller: COOKIE, headers: { Origin: 'http://evil.test', 'X-CSRF-TOKEN': '1' } },   false],
    ['is not one that only reads',                                 { caller: COOKIE, method: 'GET', headers: { 'Sec-Fetch-Site': 'cross-site' } },     false],
    ['is not one with a bearer token',                             { caller: BEARER, headers: { Origin: 'http://evil.test' } },                        false],
    ['is not one with an API token',                               { caller: TOKEN, headers: { Origin: 'http://evil.test' } },                         false],
    ['is not one without a caller',                                { headers: { Origin: 'http://evil.test' } },                                        false],
    ['is not a WebSocket of our own page',                         { caller: COOKIE, upgrade: true, method: 'GET', headers: { Origin: 'http://nvr.test:8971' } }, false],
    ['is not a WebSocket without a page',                          { caller: COOKIE, upgrade: true, method: 'GET', headers: {} },                      false],
    ['comes from the other scheme, whose default port is ours',     { caller: COOKIE, host: 'nvr.test:80', headers: { Origin: 'https://nvr.test' } },   true],
    ['is not one from our page on the default port of https',      { caller: COOKIE, host: 'nvr.test:443', headers: { Origin: 'https://nvr.test' } },  false],
    ['is not one from our page on the default port of http',       { caller: COOKIE, host: 'nvr.test:80', headers: { Origin: 'http://nvr.test' } },    false],
    ['is not one from our page on a port that is default elsewhere', { caller: COOKIE, host: 'nvr.test:443', headers: { Origin: 'http://nvr.test:443' } }, false],
  ];
  for (const [sentence, asked, expected] of rows) {
    it(sentence, () => assert.equal(forgeable(asked), expected));
  }
});

describe('A request that only reads, on the internal listener', () => {
  const foreign = { 'Sec-Fetch-Site': 'cross-site' };
  const navigation = { ...foreign, 'Sec-Fetch-Mode': 'navigate' };
  // biome-ignore format: a table
  const rows: [sentence: string, asked: Pick<Asked, 'method' | 'headers'>, expected: boolean][] = [
    ['for another site is a forgery',                   { method: 'GET', headers: foreign },                              true],
    ['as a picture of another site is one',             { method: 'GET', headers: { ...foreign, 'Sec-Fetch-Mode': 'no-cors' } }, true],
    ['by a method that no navigation has is one',       { method: 'HEAD', headers: navigation },                          true],
    ['as the preflight of another origin is one',       { method: 'OPTIONS', headers: { Origin: 'http://evil.test' } },   true],
    ['as a preflight of our own page is none',          { method: 'OPTIONS', headers: { Origin: 'http://nvr.test:8971' } }, false],
    ['with an Origin of another site but no word of the browser is none', { method: 'GET', headers: { Origin: 'http://evil.test' } }, false],
    ['by a link that leads here is none',               { method: 'GET', headers: navigation },                           false],
    ['for a neighbour is none',                         { method: 'GET', headers: { 'Sec-Fetch-Site': 'same-site' } },    false],
  ];
  for (const [sentence, asked, expected] of rows) {
    it(sentence, () => assert.equal(forgeable({ ...asked, caller: INTERNAL_CALLER, listener: 'internal' }), expected));
    it(`${sentence}; on the external listener it is none`, () =>
      assert.equal(forgeable({ ...asked, caller: INTERNAL_CALLER }), false));
  }
});

describe('The internal listener', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, host: string, expected: boolean][] = [
    ['answers to an IPv4 address',                      '192.168.1.5:5000',  true],
    ['answers to an IPv6 address',                      '[fd00::5]:5000',    true],
    ['answers to localhost',                            'localhost:5000',    true],
    ['answers to a single-label name',                  'frigate:5000',      true],
    ['answers to a name that is listed',                'nvr.example.lan',   true],
    ['answers to a name that is listed, on any port',   'nvr.example.lan:8971', true],
    ['answers to a name and port as they are listed',   'NVR.example.org:5000', true],
    ['does not answer to that name on another port',    'nvr.example.org:5001', false],
    ['does not answer to a public name',                'evil.test:5000',    false],
    ['does not answer to one that begins like a listed', 'nvr.example.lan.evil.test', false],
    ['does not answer to an address as a label',        '127.0.0.1.evil.test', false],
  ];
  for (const [sentence, host, expected] of rows) {
    it(sentence, () => assert.equal(isInternalHost(host, ['nvr.example.lan', 'NVR.example.org:5000']), expected));
  }
});
