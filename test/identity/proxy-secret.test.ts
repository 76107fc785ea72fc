/** Interface 5.5.2: "The proxy must send it in header X-Proxy-Secret." */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createProxySecretCheck } from '../../src/identity/proxy-header-source.ts';
import { type HeaderLine, someRequest } from '../support/request-facts.ts';

const SECRET = 'k2Jd-correct-horse-battery';
const NEXT = 'n3xt-one-while-changing-it';
const carriesSecret = createProxySecretCheck([SECRET, NEXT]);

describe('The proxy secret', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, headers: HeaderLine[], expected: boolean][] = [
    ['passes when it is right',                       [['X-Proxy-Secret', SECRET]],                             true],
    ['passes under any case of the header name',      [['x-pROXY-secret', SECRET]],                             true],
    ['passes as any of the secrets in the list',      [['X-Proxy-Secret', NEXT]],                               true],
    ['fails when it is missing',                      [],                                                       false],
    ['fails when it is wrong',                        [['X-Proxy-Secret', 'wrong']],                            false],
    ['fails when it is empty',                        [['X-Proxy-Secret', '']],                                 false],
    ['fails with one more character',                 [['X-Proxy-Secret', `${SECRET}x`]],                       false],
    ['fails with one character less',                 [['X-Proxy-Secret', SECRET.slice(1)]],                    false],
    ['fails in another case',                         [['X-Proxy-Secret', SECRET.toUpperCase()]],               false],
    ['fails with two lines, the right one first',     [['X-Proxy-Secret', SECRET], ['X-Proxy-Secret', 'x']],    false],
    ['fails with two lines, the right one last',      [['X-Proxy-Secret', 'x'], ['X-Proxy-Secret', SECRET]],    false],
    ['fails with the right one twice',                [['X-Proxy-Secret', SECRET], ['X-Proxy-Secret', SECRET]], false],
    ['fails as the list that Node joins',             [['X-Proxy-Secret', `${SECRET}, ${NEXT}`]],               false],
    ['fails under the name of its underscore twin',   [['X_Proxy_Secret', SECRET]],                             false],
  ];
  for (const [sentence, headers, expected] of rows) {
    it(sentence, () => assert.equal(carriesSecret(someRequest({}, headers)), expected));
  }

  it('is never matched by an empty one, though an empty one were configured', () => {
    for (const secrets of [[''], []]) {
      assert.equal(createProxySecretCheck(secrets)(someRequest({}, [['X-Proxy-Secret', '']])), false);
      assert.equal(createProxySecretCheck(secrets)(someRequest()), false);
    }
  });

  it('is compared as bytes when it is not ASCII', () => {
    const asNodeReads = Buffer.from('schlüssel-für-den-proxy', 'utf8').toString('latin1');
    const check = createProxySecretCheck(['schlüssel-für-den-proxy']);
    assert.equal(check(someRequest({}, [['X-Proxy-Secret', asNodeReads]])), true);
  });

  it('is passed by nothing but itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constant(SECRET)), (shown) => {
        assert.equal(carriesSecret(someRequest({}, [['X-Proxy-Secret', shown]])), shown === SECRET);
      }),
    );
  });
});
