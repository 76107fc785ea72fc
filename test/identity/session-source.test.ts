/** Who a session token says is calling (interface 5.1.2, 5.1.3, SPEC 3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Caller, SessionVerdict } from '../../src/domain/caller.ts';
import { ALL_CAMERAS } from '../../src/domain/camera-scope.ts';
import { type UserName, VIEWER } from '../../src/domain/names.ts';
import type { SourceTrace } from '../../src/identity/identity-trace.ts';
import { createSessionSource } from '../../src/identity/sources.ts';
import { type HeaderLine, someRequest } from '../support/request-facts.ts';

const sessionOf = (name: string, carriedBy: 'cookie' | 'bearer'): Caller => ({
  name: name as UserName,
  role: VIEWER,
  scope: ALL_CAMERAS,
  credential: { kind: 'session', tokenId: `id-${name}`, issuedAt: 1, expiresAt: 2, carriedBy },
});

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (header: object, claims: object): string => `${encoded(header)}.${encoded(claims)}.c2ln`;
/** A Bearer of ours by its form, and so a credential. */
const ours = (sub: string): string => jwt({ alg: 'HS256', typ: 'JWT' }, { sub, role: 'viewer', exp: 2, iat: 1 });
const VERAS = ours('good.vera');
const OLD = ours('old');
const PROVIDERS = jwt({ alg: 'RS256', kid: '1' }, { sub: 'good.vera', role: 'admin', exp: 2 });
const WITHOUT_ROLE = jwt({ alg: 'HS256' }, { sub: 'good.vera', exp: 2 });

/** `good.<name>` is a token of that user, alone or as `sub`; everything else is a forgery. */
function someSessions() {
  const asked: string[] = [];
  const traced: SourceTrace[] = [];
  const verifySession = async (token: string, carriedBy: 'cookie' | 'bearer'): Promise<SessionVerdict> => {
    asked.push(token);
    const [, claims] = token.split('.');
    const { sub = token } = token.startsWith('ey') ? JSON.parse(Buffer.from(claims ?? '', 'base64url').toString()) : {};
    const name = /^good\.(.+)$/.exec(sub)?.[1];
    return name ? { kind: 'valid', caller: sessionOf(name, carriedBy) } : { kind: 'invalid', reason: 'signature' };
  };
  const source = createSessionSource({
    cookieName: 'frigate_token',
    verifySession,
    trace: (entry) => traced.push(entry),
  });
  return { source, asked, traced };
}

const outcomeOf = async (headers: readonly HeaderLine[]): Promise<string> => {
  const verdict = await someSessions().source(someRequest({}, headers));
  if (verdict.kind !== 'identified') return verdict.kind === 'refused' ? verdict.reason : 'silent';
  const { name, credential } = verdict.caller;
  return `${name} by ${credential.kind === 'session' ? credential.carriedBy : credential.kind}`;
};

describe('The session source', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, headers: HeaderLine[], expected: string][] = [
    ['is silent without credentials',                              [],                                                                                       'silent'],
    ['accepts the token as a cookie',                              [['Cookie', 'frigate_token=good.vera']],                                                  'vera by cookie'],
    ['accepts a token as Authorization: Bearer',                   [['Authorization', `Bearer ${VERAS}`]],                                                   'vera by bearer'],
    ['reads the scheme without case',                              [['Authorization', `bEARER ${VERAS}`]],                                                   'vera by bearer'],
    ['reads a token behind several blanks',                        [['Authorization', `Bearer \t ${VERAS} `]],                                               'vera by bearer'],
    ['takes the bearer before the cookie',                         [['Cookie', 'frigate_token=good.carl'], ['Authorization', `Bearer ${VERAS}`]],            'vera by bearer'],
    ['finds the cookie among others',                              [['Cookie', 'a=1; frigate_token=good.vera; b=2']],                                        'vera by cookie'],
    ['finds the cookie in a second line',                          [['Cookie', 'a=1'], ['Cookie', 'frigate_token=good.vera']],                               'vera by cookie'],
    ['reads a quoted cookie',                                      [['Cookie', 'frigate_token="good.vera"']],                                                'vera by cookie'],
    ['takes the first of several cookies that verifies',           [['Cookie', 'frigate_token=old; frigate_token=good.vera; frigate_token=older']],          'vera by cookie'],
    ['refuses the cookies of two people',                          [['Cookie', 'frigate_token=good.vera; frigate_token=good.carl']],                         'token-invalid'],
    ['refuses the cookies of two people in two lines',             [['Cookie', 'frigate_token=good.vera'], ['Cookie', 'frigate_token=good.carl']],           'token-invalid'],
    ['refuses a bad cookie',                                       [['Cookie', 'frigate_token=old']],                                                        'token-invalid'],
    ['refuses when every cookie is bad',                           [['Cookie', 'frigate_token=old; frigate_token=older']],                                   'token-invalid'],
    ['refuses a bad bearer',                                       [['Authorization', `Bearer ${OLD}`]],                                                     'token-invalid'],
    ['refuses a bad bearer beside a good cookie',                  [['Authorization', `Bearer ${OLD}`], ['Cookie', 'frigate_token=good.vera']],              'token-invalid'],
    ['refuses a bearer of two words',                              [['Authorization', `Bearer x ${VERAS}`], ['Cookie', 'frigate_token=good.vera']],          'token-invalid'],
    ['refuses a bearer behind a comma',                            [['Authorization', `Bearer, x,${VERAS}`]],                                                'token-invalid'],
    ['refuses two bearers of ours, though one is good',            [['Authorization', `Bearer ${VERAS}`], ['Authorization', `Bearer ${VERAS}`]],             'token-invalid'],
    ['refuses a bearer of ours beside an API token',               [['Authorization', `Bearer ${VERAS}`], ['Authorization', 'Bearer pst_x']],                'token-invalid'],
    ['reads the one of two lines that is ours',                    [['Authorization', 'Bearer opaque'], ['Authorization', `Bearer ${VERAS}`]],               'vera by bearer'],
    ['takes no bearer of a provider for a credential',             [['Authorization', `Bearer ${PROVIDERS}`]],                                               'silent'],
    ['reads the cookie beside the bearer of a provider',           [['Authorization', `Bearer ${PROVIDERS}`], ['Cookie', 'frigate_token=good.vera']],        'vera by cookie'],
    ['reads the cookie beside a bearer without a role',            [['Authorization', `Bearer ${WITHOUT_ROLE}`], ['Cookie', 'frigate_token=good.vera']],     'vera by cookie'],
    ['reads the cookie beside an opaque bearer',                   [['Authorization', 'Bearer old'], ['Cookie', 'frigate_token=good.vera']],                 'vera by cookie'],
    ['refuses a bad cookie beside an opaque bearer',               [['Authorization', 'Bearer old'], ['Cookie', 'frigate_token=old']],                       'token-invalid'],
    ['reads the cookie beside an empty bearer',                    [['Authorization', 'Bearer'], ['Cookie', 'frigate_token=good.vera']],                     'vera by cookie'],
    ['reads the cookie beside two bearers of others',              [['Authorization', 'Bearer a'], ['Authorization', `Bearer ${PROVIDERS}`], ['Cookie', 'frigate_token=good.vera']], 'vera by cookie'],
    ['ignores Basic, which is for the server behind',              [['Authorization', 'Basic dTpw']],                                                        'silent'],
    ['reads the cookie beside Basic',                              [['Authorization', 'Basic dTpw'], ['Cookie', 'frigate_token=good.vera']],                 'vera by cookie'],
    ['does not take another scheme for Bearer',                    [['Authorization', `BearerX ${VERAS}`]],                                                  'silent'],
    ['is silent on the empty cookie that a logout leaves',         [['Cookie', 'frigate_token=""; frigate_token=']],                                         'silent'],
    ['reads the cookie name with case',                            [['Cookie', 'Frigate_Token=good.vera']],                                                  'silent'],
    ['does not take a longer cookie name for its own',             [['Cookie', 'xfrigate_token=good.vera; frigate_token2=good.vera']],                       'silent'],
  ];
  for (const [sentence, headers, expected] of rows) {
    it(sentence, async () => assert.equal(await outcomeOf(headers), expected));
  }

  it('does not show the verifier what cannot be a token', async () => {
    const { source, asked } = someSessions();
    await source(someRequest({}, [['Cookie', 'frigate_token=<script>; frigate_token=\u00ff; frigate_token=a b']]));
    assert.deepEqual(asked, []);
  });

  it('checks each of the cookies once, and eight at most', async () => {
    const { source, asked } = someSessions();
    const cookies = Array.from({ length: 40 }, (_, index) => `frigate_token=bad-${Math.floor(index / 2)}`);
    await source(someRequest({}, [['Cookie', cookies.join('; ')]]));
    assert.deepEqual(asked, ['bad-0', 'bad-1', 'bad-2', 'bad-3', 'bad-4', 'bad-5', 'bad-6', 'bad-7']);
  });

  it('traces how each token fared, and never the token', async () => {
    const { source, traced } = someSessions();
    await source(someRequest({}, [['Cookie', 'frigate_token=old; frigate_token=<>; frigate_token=good.vera']]));
    assert.deepEqual(traced, [
      { source: 'session', carriedBy: 'cookie', outcomes: ['signature', 'malformed', 'valid'] },
    ]);
  });

  it('traces that there was no token', async () => {
    const { source, traced } = someSessions();
    await source(someRequest({}, [['Authorization', 'Basic dTpw']]));
    assert.deepEqual(traced, [{ source: 'session', outcomes: [] }]);
  });

  it('passes a fault of the store on, rather than calling the token bad', async () => {
    const verifySession = async () => {
      throw new Error('the disk is gone');
    };
    const source = createSessionSource({ cookieName: 'frigate_token', verifySession });
    await assert.rejects(async () => source(someRequest({}, [['Authorization', `Bearer ${OLD}`]])), /disk is gone/);
  });
});
