/** The contract of test/contracts/identity-source.ts, for each source that there is. */
import { INTERNAL_CALLER } from '../../src/domain/caller.ts';
import { createProxyHeaderSource } from '../../src/identity/proxy-header-source.ts';
import { createApiTokenSource, createSessionSource, internalSource } from '../../src/identity/sources.ts';
import { someRequest } from '../support/request-facts.ts';
import { itIsAnIdentitySource } from './identity-source.ts';

itIsAnIdentitySource('internal', {
  create: () => internalSource,
  good: [someRequest({ listener: 'internal' })],
  bad: [],
  foreign: [someRequest(), someRequest({}, [['X-Server-Port', '5000']])],
});

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

itIsAnIdentitySource('api-token', {
  create: () =>
    createApiTokenSource({
      addressOf: () => '192.0.2.9',
      verifyApiToken: async (token, carriedBy) =>
        token === 'pst_good'
          ? {
              kind: 'valid',
              caller: { ...INTERNAL_CALLER, credential: { kind: 'api-token', tokenId: 'good', carriedBy } },
            }
          : { kind: 'invalid', reason: token === 'pst_flood' ? 'limited' : 'unknown' },
    }),
  good: [
    someRequest({}, [['Authorization', 'Bearer pst_good']]),
    someRequest({}, [['Authorization', 'bearer  pst_good ']]),
    someRequest({}, [['Authorization', basic('anybody:pst_good')]]),
    someRequest({}, [['Authorization', basic(':pst_good').replace('Basic', 'bASIC')]]),
    someRequest({}, [
      ['Authorization', 'Bearer pst_good'],
      ['Cookie', 'frigate_token=forged'],
    ]),
    someRequest({}, [
      ['Authorization', 'Basic eDp5'],
      ['Authorization', 'Bearer pst_good'],
    ]),
  ],
  bad: [
    someRequest({}, [['Authorization', 'Bearer pst_forged']]),
    someRequest({}, [['Authorization', 'Bearer pst_flood']]),
    someRequest({}, [['Authorization', 'Bearer pst_']]),
    someRequest({}, [['Authorization', 'Bearer pst_good, Bearer pst_good']]),
    someRequest({}, [['Authorization', basic('x:pst_forged')]]),
    someRequest({}, [['Authorization', basic('x:pst_good:')]]),
    someRequest({}, [
      ['Authorization', 'Bearer pst_good'],
      ['Authorization', 'Bearer pst_good'],
    ]),
  ],
  foreign: [
    someRequest(),
    someRequest({}, [['Authorization', 'Bearer a.b.c']]),
    someRequest({}, [['Authorization', basic('x:y')]]),
    someRequest({}, [['Authorization', basic('pst_good')]]),
    someRequest({}, [['Authorization', basic('pst_good:x')]]),
    someRequest({}, [['Authorization', 'Digest pst_good']]),
    someRequest({}, [['Cookie', 'frigate_token=pst_good']]),
  ],
});

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** A Bearer of ours by its form, and so a credential. */
const ours = (sub: string): string =>
  `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ sub, role: 'viewer', exp: 2, iat: 1 })}.c2ln`;
const [GOOD, FORGED] = [ours('good'), ours('forged')];

itIsAnIdentitySource('session', {
  create: () =>
    createSessionSource({
      cookieName: 'frigate_token',
      verifySession: async (token) =>
        token === 'good' || token === GOOD
          ? { kind: 'valid', caller: INTERNAL_CALLER }
          : { kind: 'invalid', reason: 'signature' },
    }),
  good: [someRequest({}, [['Authorization', `Bearer ${GOOD}`]]), someRequest({}, [['Cookie', 'frigate_token=good']])],
  bad: [
    someRequest({}, [['Authorization', `Bearer ${FORGED}`]]),
    someRequest({}, [['Authorization', 'Bearer pst_of_another_source']]),
    someRequest({}, [
      ['Authorization', `Bearer ${GOOD}`],
      ['Authorization', `Bearer ${GOOD}`],
    ]),
    someRequest({}, [
      ['Authorization', `Bearer ${FORGED}`],
      ['Cookie', 'frigate_token=good'],
    ]),
    someRequest({}, [['Cookie', 'frigate_token=forged']]),
  ],
  foreign: [
    someRequest(),
    someRequest({}, [['Authorization', 'Bearer']]),
    someRequest({}, [['Authorization', 'Bearer of-a-proxy']]),
    someRequest({}, [['Authorization', 'Basic eDp5']]),
    someRequest({}, [['Remote-User', 'root']]),
  ],
});

itIsAnIdentitySource('proxy-headers', {
  create: () =>
    createProxyHeaderSource({
      proxy: {
        header_map: { user: 'x-forwarded-user', role: 'x-forwarded-groups' },
        separator: ',',
        role_map: new Map(),
        default_role: 'none',
      },
      allowlist: new Set(['x-forwarded-user', 'x-forwarded-groups']),
      trustsPeer: () => true,
      roles: () => ({ cameras: new Map(), limits: new Map(), zone: 'UTC' }),
      clock: { now: () => 0 },
    }),
  good: [
    someRequest({}, [
      ['X-Forwarded-User', 'vera'],
      ['X-Forwarded-Groups', 'viewer'],
    ]),
  ],
  bad: [
    someRequest(),
    someRequest({}, [
      ['X-Forwarded-User', ''],
      ['X-Forwarded-Groups', 'admin'],
    ]),
    someRequest({}, [
      ['X-Forwarded-User', 'vera'],
      ['X-Forwarded-User', 'root'],
      ['X-Forwarded-Groups', 'admin'],
    ]),
    someRequest({}, [
      ['X-Forwarded-User', 'vera'],
      ['X-Forwarded-Groups', 'nosuch'],
    ]),
    someRequest({}, [
      ['X_Forwarded_User', 'root'],
      ['X-Forwarded-Groups', 'admin'],
    ]),
  ],
  foreign: [],
});
