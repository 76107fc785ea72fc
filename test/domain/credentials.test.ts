/** Each kind of credential against each trait: what one may do must not change with another one's row (SPEC 3, 5, 9, 11, 13, 19). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_ADAPTER } from '../../src/access/nvr-adapter.ts';
import { compileRouteTable } from '../../src/access/route-table.ts';
import type { Caller, Credential } from '../../src/domain/caller.ts';
import { ALL_CAMERAS } from '../../src/domain/camera-scope.ts';
import {
  actualSender,
  COMMAND_LINE_CALLER,
  CREDENTIALS,
  callerEnd,
  credentialMode,
  credentialName,
  hasFreshProof,
  holderId,
  isAutomatic,
  mayManageAccounts,
  traitsFor,
} from '../../src/domain/credentials.ts';
import { ADMIN, type UserName } from '../../src/domain/names.ts';
import { acceptedCaller } from '../../src/gateway/decision/admit.ts';
import { someRequest } from '../support/request-facts.ts';

const NOW = 10_000;
const caller = (credential: Credential): Caller => ({
  name: 'vera' as UserName,
  role: ADMIN,
  scope: ALL_CAMERAS,
  credential,
});
const session = { kind: 'session', tokenId: 's1', issuedAt: 0, expiresAt: NOW + 9, carriedBy: 'cookie' } as const;
const token = { kind: 'api-token', tokenId: 't1' } as const;
const SHOWN = { camera: 'garden' as never, kind: 'live' } as const;

const KINDS = {
  session,
  'session as bearer': { ...session, carriedBy: 'bearer', provenAt: NOW - 599 },
  'session proven long ago': { ...session, provenAt: NOW - 600 },
  'session proven by a clock far ahead': { ...session, provenAt: NOW + 61 },
  'api-token': token,
  'api-token as Basic': { ...token, carriedBy: 'basic', managesAccounts: true },
  'api-token at a login': { ...token, carriedBy: 'cookie', session: { tokenId: 's2', expiresAt: NOW } },
  link: { kind: 'link', linkId: 'l1', thing: SHOWN, expiresAt: NOW + 5 },
  screen: { kind: 'screen', screenId: 'd1', screenName: 'hall' },
  'proxy-headers': { kind: 'proxy-headers', expiresAt: NOW + 7 },
  'internal-listener': { kind: 'internal-listener' },
  'view-as': { kind: 'view-as', by: { ...caller({ ...session, provenAt: NOW }), name: 'ada' as UserName } },
  'command-line': { kind: 'command-line' },
} as const satisfies Readonly<Record<string, Credential>>;

type Row = readonly (string | number | boolean)[];
const NEVER = Number.POSITIVE_INFINITY;
const HEADS =
  'name, mode, automatic, secret, knownOnPublic, allRows, refusedAs, byOwner, person, viewAs, accounts, proven, link, end';

// biome-ignore format: a table
const EXPECTED: Readonly<Record<keyof typeof KINDS, Row>> = {
  session:                               ['session:s1',   'session', true,  'on-public-routes', true,  true,  'cause',     true,  true,  true,  true,  false, 'account', NOW + 9],
  'session as bearer':                   ['session:s1',   'bearer',  false, 'on-public-routes', true,  true,  'cause',     true,  true,  true,  true,  true,  'account', NOW + 9],
  'session proven long ago':             ['session:s1',   'session', true,  'on-public-routes', true,  true,  'cause',     true,  true,  true,  true,  false, 'account', NOW + 9],
  'session proven by a clock far ahead': ['session:s1',   'session', true,  'on-public-routes', true,  true,  'cause',     true,  true,  true,  true,  false, 'account', NOW + 9],
  'api-token':                           ['token:t1',     'apikey',  false, 'everywhere',       true,  true,  'cause',     true,  false, false, false, false, 'token',   NEVER],
  'api-token as Basic':                  ['token:t1',     'apikey',  true,  'everywhere',       true,  true,  'cause',     true,  false, false, true,  false, 'token',   NEVER],
  'api-token at a login':                ['token:t1',     'apikey',  true,  'everywhere',       true,  true,  'cause',     true,  false, false, false, false, 'token',   NEVER],
  link:                                  ['link:l1',      'link',    false, 'everywhere',       true,  true,  'link-over', false, false, false, false, false, 'none',    NOW + 5],
  screen:                                ['screen:d1',    'screen',  true,  'on-public-routes', false, false, 'cause',     false, false, false, false, false, 'none',    NEVER],
  'proxy-headers':                       ['proxy',        'proxy',   true,  'nowhere',          true,  true,  'cause',     true,  true,  false, true,  true,  'proxy',   NOW + 7],
  'internal-listener':                   ['internal',     'network', true,  'nowhere',          true,  true,  'cause',     true,  false, false, true,  true,  'none',    NEVER],
  'view-as':                             ['session:s1',   'session', true,  'nowhere',          true,  true,  'cause',     true,  false, false, false, false, 'none',    NOW + 9],
  'command-line':                        ['command-line', 'none',    true,  'nowhere',          false, true,  'cause',     true,  false, false, true,  true,  'command', NEVER],
};

function rowOf(credential: Credential): Row {
  const traits = traitsFor(credential);
  const one = caller(credential);
  return [
    ...[credentialName(credential), credentialMode(one), isAutomatic(one), traits.withoutProxySecret ?? 'nowhere'],
    ...[traits.isKnownOnPublicRoutes, traits.usesAllRows].map((trait) => trait ?? false),
    traits.refusedAs,
    ...[traits.isUsedByOwner, traits.isPerson, traits.mayViewAs].map((trait) => trait ?? false),
    ...[mayManageAccounts(one), hasFreshProof(one, NOW), traits.madeBy ?? 'none', callerEnd(one)],
  ];
}

describe(`CREDENTIALS (${HEADS})`, () => {
  for (const [kind, credential] of Object.entries(KINDS) as [keyof typeof KINDS, Credential][])
    it(`says for ${kind} what it may do and how it is named`, () =>
      assert.deepEqual(rowOf(credential), EXPECTED[kind]));

  it('is asked about every kind here', () => {
    const kinds = new Set(Object.values(KINDS).map(({ kind }) => kind));
    assert.deepEqual([...kinds].sort(), Object.keys(CREDENTIALS).sort());
  });

  it('is no way in for the command line: a source that gives it is refused on every route', () => {
    const { credential } = COMMAND_LINE_CALLER;
    assert.deepEqual(
      Object.values(KINDS).filter((one) => !traitsFor(one).isFromRequest),
      [credential],
    );
    const table = compileRouteTable(
      [
        { methods: ['GET'], path: '/public', line: 1, access: 'public', own: true },
        { methods: ['GET'], path: '/any', line: 2, access: 'any', own: true },
      ],
      NO_ADAPTER,
    );
    for (const listener of ['external', 'internal'] as const)
      for (const path of ['/public', '/any']) {
        const request = { ...someRequest({ target: path }), listener };
        const identity = { kind: 'identified', caller: COMMAND_LINE_CALLER } as const;
        const verdict = acceptedCaller(request, table.match('GET', [path.slice(1)]), identity, undefined);
        assert.deepEqual(verdict, { ok: false, error: 'token-invalid' });
      }
  });
});

describe('The sender and the holder of what a caller opens', () => {
  it('is the admin, for a response as another person gets it', () => {
    assert.equal(actualSender(caller(KINDS['view-as'])).name, 'ada');
    assert.equal(actualSender(caller(session)).name, 'vera');
  });

  const holder = (credential: Credential, more: Partial<Caller> = {}) => holderId({ ...caller(credential), ...more });
  // biome-ignore format: a table
  const PAIRS: readonly (readonly [string, string | undefined, string | undefined, boolean])[] = [
    ['two requests of a session',            holder(session), holder({ ...session }), true],
    ['two sessions',                         holder(session), holder({ ...session, tokenId: 's2' }), false],
    ['an API token and a login with it',     holder(token), holder(KINDS['api-token at a login']), false],
    ['two links',                            holder(KINDS.link), holder({ ...KINDS.link, linkId: 'l2' }), false],
    ['two screens',                          holder(KINDS.screen), holder({ ...KINDS.screen, screenId: 'd2' }), false],
    ['two users of a proxy',                 holder({ kind: 'proxy-headers' }), holder({ kind: 'proxy-headers' }, { name: 'ben' as UserName }), false],
    ['two signed tokens of a proxy',         holder({ kind: 'proxy-headers', expiresAt: 1 }), holder({ kind: 'proxy-headers', expiresAt: 2 }), false],
    ['other roles of a proxy\'s user',       holder({ kind: 'proxy-headers' }), holder({ kind: 'proxy-headers' }, { roles: ['a', 'b'] as never }), false],
    ['an admin and the person looked at',    holder(session), holder(KINDS['view-as']), false],
  ];
  for (const [what, one, other, isSame] of PAIRS)
    it(`${isSame ? 'is one' : 'are two'} for ${what}`, () => {
      assert.ok(one !== undefined && other !== undefined);
      assert.equal(one === other, isSame);
    });

  it('is none where rights cannot end', () => {
    assert.equal(holder(KINDS['internal-listener']), undefined);
    assert.equal(holder(KINDS['command-line']), undefined);
  });
});
