/** Who a session token says is calling (interface 5.1.2, 5.1.3, SPEC 3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Caller } from '../../src/domain/caller.ts';
import { ALL_CAMERAS } from '../../src/domain/camera-scope.ts';
import { type UserName, VIEWER } from '../../src/domain/names.ts';
import type { SessionVerdict } from '../../src/domain/verdict.ts';
import type { SessionTrace } from '../../src/identity/identity-trace.ts';
import { createSessionSource } from '../../src/identity/session-source.ts';
import { type HeaderLine, someRequest } from '../support/request-facts.ts';

const sessionOf = (name: string, carriedBy: 'cookie' | 'bearer'): Caller => ({
  name: name as UserName,
  role: VIEWER,
  scope: ALL_CAMERAS,
  credential: { kind: 'session', tokenId: `id-${name}`, issuedAt: 1, expiresAt: 2, carriedBy },
});

/** `good.<name>` is a token of that user; everything else is a forgery. */
function someSessions() {
  const asked: string[] = [];
  const traced: SessionTrace[] = [];
  const verify = async (token: string, carriedBy: 'cookie' | 'bearer'): Promise<SessionVerdict> => {
    asked.push(token);
    const name = /^good\.(.+)$/.exec(token)?.[1];
    return name ? { kind: 'valid', caller: sessionOf(name, carriedBy) } : { kind: 'invalid', reason: 'signature' };
  };
  const source = createSessionSource({ cookieName: 'frigate_token', verify, trace: (entry) => traced.push(entry) });
  return { source, asked, traced };
}

const outcomeOf = async (headers: readonly HeaderLine[]): Promise<string> => {
  const verdict = await someSessions().source.identify(someRequest({}, headers));
  if (verdict.kind !== 'identified') return verdict.kind === 'refused' ? verdict.reason : 'silent';
  const { name, credential } = verdict.caller;
  return `${name} by ${credential.kind === 'session' ? credential.carriedBy : credential.kind}`;
};

describe('The session source', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, headers: HeaderLine[], expected: string][] = [
    ['is silent without credentials',                              [],                                                                                       'silent'],
    ['accepts the token as a cookie',                              [['Cookie', 'frigate_token=good.vera']],                                                  'vera by cookie'],
    ['accepts the same token as Authorization: Bearer',            [['Authorization', 'Bearer good.vera']],                                                  'vera by bearer'],
    ['reads the scheme without case',                              [['Authorization', 'bEARER good.vera']],                                                  'vera by bearer'],
    ['reads a token behind several blanks',                        [['Authorization', 'Bearer \t good.vera ']],                                              'vera by bearer'],
    ['takes the bearer before the cookie',                         [['Cookie', 'frigate_token=good.carl'], ['Authorization', 'Bearer good.vera']],           'vera by bearer'],
    ['finds the cookie among others',                              [['Cookie', 'a=1; frigate_token=good.vera; b=2']],                                        'vera by cookie'],
    ['finds the cookie in a second line',                          [['Cookie', 'a=1'], ['Cookie', 'frigate_token=good.vera']],                               'vera by cookie'],
    ['reads a quoted cookie',                                      [['Cookie', 'frigate_token="good.vera"']],                                                'vera by cookie'],
    ['takes the first of several cookies that verifies',           [['Cookie', 'frigate_token=old; frigate_token=good.vera; frigate_token=older']],          'vera by cookie'],
    ['refuses the cookies of two people',                          [['Cookie', 'frigate_token=good.vera; frigate_token=good.carl']],                         'token-invalid'],
    ['refuses the cookies of two people in two lines',             [['Cookie', 'frigate_token=good.vera'], ['Cookie', 'frigate_token=good.carl']],           'token-invalid'],
    ['refuses a bad cookie',                                       [['Cookie', 'frigate_token=old']],                                                        'token-invalid'],
    ['refuses when every cookie is bad',                           [['Cookie', 'frigate_token=old; frigate_token=older']],                                   'token-invalid'],
    ['refuses a bad bearer',                                       [['Authorization', 'Bearer old']],                                                        'token-invalid'],
    ['refuses a bad bearer beside a good cookie',                  [['Authorization', 'Bearer old'], ['Cookie', 'frigate_token=good.vera']],                 'token-invalid'],
    ['refuses an empty bearer beside a good cookie',               [['Authorization', 'Bearer'], ['Cookie', 'frigate_token=good.vera']],                     'token-invalid'],
    ['refuses a bearer of two words',                              [['Authorization', 'Bearer good.vera good.vera'], ['Cookie', 'frigate_token=good.vera']], 'token-invalid'],
    ['refuses a bearer behind a comma',                            [['Authorization', 'Bearer, good.vera']],                                                 'token-invalid'],
    ['refuses two bearers, though one is good',                    [['Authorization', 'Bearer good.vera'], ['Authorization', 'Bearer good.vera']],           'token-invalid'],
    ['ignores Basic, which is for the server behind',              [['Authorization', 'Basic dTpw']],                                                        'silent'],
    ['reads the cookie beside Basic',                              [['Authorization', 'Basic dTpw'], ['Cookie', 'frigate_token=good.vera']],                 'vera by cookie'],
    ['does not take another scheme for Bearer',                    [['Authorization', 'BearerX good.vera']],                                                 'silent'],
    ['is silent on the empty cookie that a logout leaves',         [['Cookie', 'frigate_token=""; frigate_token=']],                                         'silent'],
    ['reads the cookie name with case',                            [['Cookie', 'Frigate_Token=good.vera']],                                                  'silent'],
    ['does not take a longer cookie name for its own',             [['Cookie', 'xfrigate_token=good.vera; frigate_token2=good.vera']],                       'silent'],
  ];
  for (const [sentence, headers, expected] of rows) {
    it(sentence, async () => assert.equal(await outcomeOf(headers), expected));
  }

  it('does not show the verifier what cannot be a token', async () => {
    const { source, asked } = someSessions();
    await source.identify(
      someRequest({}, [['Cookie', 'frigate_token=<script>; frigate_token=\u00ff; frigate_token=a b']]),
    );
    assert.deepEqual(asked, []);
  });

  it('checks each of the cookies once, and eight at most', async () => {
    const { source, asked } = someSessions();
    const cookies = Array.from({ length: 40 }, (_, index) => `frigate_token=bad-${Math.floor(index / 2)}`);
    await source.identify(someRequest({}, [['Cookie', cookies.join('; ')]]));
    assert.deepEqual(asked, ['bad-0', 'bad-1', 'bad-2', 'bad-3', 'bad-4', 'bad-5', 'bad-6', 'bad-7']);
  });

  it('traces how each token fared, and never the token', async () => {
    const { source, traced } = someSessions();
    await source.identify(
      someRequest({}, [['Cookie', 'frigate_token=old; frigate_token=<>; frigate_token=good.vera']]),
    );
    assert.deepEqual(traced, [
      { source: 'session', carriedBy: 'cookie', outcomes: ['signature', 'malformed', 'valid'] },
    ]);
  });

  it('traces that there was no token', async () => {
    const { source, traced } = someSessions();
    await source.identify(someRequest({}, [['Authorization', 'Basic dTpw']]));
    assert.deepEqual(traced, [{ source: 'session', carriedBy: undefined, outcomes: [] }]);
  });

  it('passes a fault of the store on, rather than calling the token bad', async () => {
    const verify = async () => {
      throw new Error('the disk is gone');
    };
    const source = createSessionSource({ cookieName: 'frigate_token', verify });
    await assert.rejects(async () => source.identify(someRequest({}, [['Authorization', 'Bearer x']])), /disk is gone/);
  });
});
