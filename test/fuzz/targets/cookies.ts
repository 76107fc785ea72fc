/** Cookies: whatever a line holds, no reader finds the session cookie in what is sent on, and we find what a browser sends. */

import assert from 'node:assert/strict';
import { cookieValues } from '../../../src/domain/sent-credentials.ts';
import { strippedHeaders } from '../../../src/gateway/forward/judged-request.ts';
import { responseHeaders } from '../../../src/gateway/response/response-headers.ts';
import { someRequest } from '../../support/request-facts.ts';
import type { FuzzTarget } from './target.ts';

const NAME = 'frigate_token';
const RULES = {
  identityHeaders: new Set<string>(),
  cookieName: NAME,
};

/** Names as servers read them: by `;`, without the blanks around. */
const namesIn = (line: string): string[] => line.split(';').map((pair) => (pair.split('=', 1)[0] ?? '').trim());

export const fuzzTarget: FuzzTarget = {
  outcomes: ['nothing left', 'others', 'with ours'],
  longest: 300,
  seeds: [
    '; ;',
    'frigate_token=abc',
    'a=b; frigate_token="abc"; c=d',
    ' frigate_token =x;;=;frigate_token',
    'theme=dark; x="a;b"; frigate_token=; frigate_token=1',
  ],
  words: ['frigate_token', '=', '; ', '"', ',', 'frigate_token=a'],
  judge(input) {
    const line = input.toString('latin1').replaceAll(/[\r\n\0]/g, '');
    const ours = cookieValues(line, NAME);
    assert.ok(ours.length <= 8 && ours.every((value) => value !== '' && !value.includes(';')));
    const browsers = line.split('; ').filter((pair) => /^frigate_token=[\w.-]+$/.test(pair));
    for (const pair of browsers.slice(0, 1))
      if (ours.length < 8) assert.ok(ours.includes(pair.slice(NAME.length + 1)), 'ours was not found');

    const { cookie } = strippedHeaders(someRequest({}, [['Cookie', line]]), RULES);
    assert.ok(!namesIn(cookie ?? '').includes(NAME), `${cookie} still has ours`);
    if (cookie !== undefined) {
      const again = strippedHeaders(someRequest({}, [['Cookie', cookie]]), RULES);
      assert.equal(again.cookie, cookie);
      assert.deepEqual(cookieValues(cookie, NAME), []);
    }
    const set = responseHeaders(
      { statusCode: 200, headers: { 'set-cookie': [line] } },
      { cookieName: NAME, isPublic: true },
    );
    // What a browser keeps under our name, or would send as if it were.
    const [pair = ''] = (set[1] ?? 'x=').split(';', 1);
    assert.ok(
      pair.includes('=') && !['', NAME].includes(pair.slice(0, pair.indexOf('=')).trim()),
      `a browser keeps ${pair}`,
    );
    if (ours.length > 0) return 'with ours';
    return cookie === undefined ? 'nothing left' : 'others';
  },
};
