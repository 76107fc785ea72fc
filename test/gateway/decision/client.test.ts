/** Step 2: whether the client came over TLS, as far as a trusted proxy says so (SPEC 1, `auth.cookie_secure`). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findClient } from '../../../src/gateway/decision/request-facts.ts';
import { type HeaderLine, someRequest } from '../../support/request-facts.ts';

const TRUSTED = { includes: (address: string) => address === '10.0.0.1' };

describe('A client', () => {
  // biome-ignore format: a table
  const ROWS: [sentence: string, isTls: boolean, said: string[], peer: string, isOverTls: boolean][] = [
    ['is over TLS as the connection is, where the proxy says nothing', true,  [],                  '10.0.0.1',  true],
    ['is over TLS where the proxy says https',                         false, ['HTTPS'],           '10.0.0.1',  true],
    ['is over TLS where the proxy says wss of a WebSocket',            false, ['wss'],             '10.0.0.1',  true],
    ['is not over TLS where the proxy says http',                      true,  ['http'],            '10.0.0.1',  false],
    ['is as its connection is where the proxy says nothing clear',     true,  ['https, http'],     '10.0.0.1',  true],
    ['is as its connection is where the proxy says it twice',          true,  ['http', 'https'],   '10.0.0.1',  true],
    ['is as its connection is where the header is empty',              true,  [''],                '10.0.0.1',  true],
    ['is not over TLS by a word of its own',                           false, ['https'],           '192.0.2.9', false],
  ];
  for (const [sentence, encrypted, said, peer, isOverTls] of ROWS)
    it(sentence, () => {
      const headers = said.map((value): HeaderLine => ['X-Forwarded-Proto', value]);
      assert.equal(findClient(someRequest({ encrypted, peer }, headers), TRUSTED).encrypted, isOverTls);
    });
});
