/** The contract of test/contracts/identity-source.ts, for each source that there is. */
import { INTERNAL_CALLER } from '../../src/domain/caller.ts';
import { internalSource } from '../../src/identity/internal-source.ts';
import { createProxyHeaderSource } from '../../src/identity/proxy-header-source.ts';
import { createSessionSource } from '../../src/identity/session-source.ts';
import { someRequest } from '../support/request-facts.ts';
import { itIsAnIdentitySource } from './identity-source.ts';

itIsAnIdentitySource('internal', {
  create: () => internalSource,
  good: [someRequest({ listener: 'internal' })],
  bad: [],
  foreign: [someRequest(), someRequest({}, [['X-Server-Port', '5000']])],
});

itIsAnIdentitySource('session', {
  create: () =>
    createSessionSource({
      cookieName: 'frigate_token',
      verify: async (token) =>
        token === 'good' ? { kind: 'valid', caller: INTERNAL_CALLER } : { kind: 'invalid', reason: 'signature' },
    }),
  good: [someRequest({}, [['Authorization', 'Bearer good']]), someRequest({}, [['Cookie', 'frigate_token=good']])],
  bad: [
    someRequest({}, [['Authorization', 'Bearer forged']]),
    someRequest({}, [['Authorization', 'Bearer pst_of_another_source']]),
    someRequest({}, [['Authorization', 'Bearer']]),
    someRequest({}, [
      ['Authorization', 'Bearer good'],
      ['Authorization', 'Bearer good'],
    ]),
    someRequest({}, [
      ['Authorization', 'Bearer forged'],
      ['Cookie', 'frigate_token=good'],
    ]),
    someRequest({}, [['Cookie', 'frigate_token=forged']]),
  ],
  foreign: [
    someRequest(),
    someRequest({}, [['Authorization', 'Basic eDp5']]),
    someRequest({}, [['Remote-User', 'root']]),
  ],
});

itIsAnIdentitySource('proxy-headers', {
  create: () =>
    createProxyHeaderSource({
      headerMap: { user: 'x-forwarded-user', role: 'x-forwarded-groups' },
      allowlist: new Set(['x-forwarded-user', 'x-forwarded-groups']),
      trustsPeer: () => true,
      separator: ',',
      roleMap: new Map(),
      defaultRole: 'none',
      customRoles: () => new Map(),
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
