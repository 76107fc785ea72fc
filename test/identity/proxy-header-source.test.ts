/** Who the headers of an authentication proxy say is calling (interface 5.5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { IdentityVerdict } from '../../src/domain/caller.ts';
import { ALL_CAMERAS, type CustomRoles, toScope } from '../../src/domain/camera-scope.ts';
import type { Role } from '../../src/domain/names.ts';
import type { ActiveRoles } from '../../src/domain/rights.ts';
import type { IdentityTrace, ProxyTrace } from '../../src/identity/identity-trace.ts';
import {
  createProxyHeaderSource,
  createProxySecretCheck,
  type ProxySourceOptions,
} from '../../src/identity/proxy-header-source.ts';
import { type HeaderLine, someRequest } from '../support/request-facts.ts';

const PROXY = '10.0.0.1';
const roles = (map: Record<string, string[]>): ReadonlyMap<Role, string[]> =>
  new Map(Object.entries(map) as [Role, string[]][]);

const active = (cameras: CustomRoles): ActiveRoles => ({ cameras, limits: new Map(), zone: 'UTC' });

interface Changes extends Partial<Omit<ProxySourceOptions, 'proxy'>> {
  headerMap?: { user?: string; role?: string };
  encoding?: 'percent' | 'rfc2047';
  roleMap?: ReadonlyMap<Role, string[]>;
  defaultRole?: Role | 'none';
  separator?: string;
}

function options({
  headerMap,
  encoding,
  roleMap,
  defaultRole,
  separator,
  ...changes
}: Changes = {}): ProxySourceOptions {
  return {
    proxy: {
      header_map: { ...(headerMap ?? { user: 'x-forwarded-user', role: 'x-forwarded-groups' }), encoding },
      separator: separator ?? ',',
      role_map: roleMap ?? roles({}),
      default_role: defaultRole ?? ('viewer' as Role),
    },
    allowlist: new Set(['x-forwarded-user', 'x-forwarded-groups', 'remote-user', 'remote-groups']),
    trustsPeer: (peer) => peer === PROXY,
    roles: () => active(new Map([['gardener' as Role, ['garden', 'patio_*']]])),
    clock: { now: () => 0 },
    ...changes,
  };
}

const identify = (headers: readonly HeaderLine[], changes: Changes = {}, peer = PROXY) =>
  createProxyHeaderSource(options(changes))(someRequest({ peer }, headers)) as IdentityVerdict;

const brief = (verdict: IdentityVerdict): string => {
  if (verdict.kind !== 'identified') return verdict.kind === 'refused' ? verdict.reason : 'silent';
  return `${verdict.caller.name} as ${verdict.caller.role}`;
};

const user = (name: string): HeaderLine => ['X-Forwarded-User', name];
const groups = (value: string): HeaderLine => ['X-Forwarded-Groups', value];
/** As Node gives the bytes of a UTF-8 text. */
const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('The proxy header source', () => {
  it('gives name, role, cameras and credential', () => {
    assert.deepEqual(identify([user('vera'), groups('viewer')]), {
      kind: 'identified',
      caller: { name: 'vera', role: 'viewer', scope: ALL_CAMERAS, credential: { kind: 'proxy-headers' } },
    });
  });

  it('gives a custom role its own cameras', () => {
    assert.deepEqual(identify([user('carl'), groups('gardener')]), {
      kind: 'identified',
      caller: {
        name: 'carl',
        role: 'gardener',
        scope: toScope(['garden', 'patio_*']),
        credential: { kind: 'proxy-headers' },
      },
    });
  });

  it('asks for the custom roles anew at each request', () => {
    const made = new Map<Role, string[]>();
    const source = createProxyHeaderSource(options({ roles: () => active(made), defaultRole: 'none' }));
    const request = someRequest({ peer: PROXY }, [user('carl'), groups('porch')]);
    assert.equal(brief(source(request) as IdentityVerdict), 'proxy-role-denied');
    made.set('porch' as Role, ['porch']);
    assert.equal(brief(source(request) as IdentityVerdict), 'carl as porch');
  });

  const UNMAPPED = { headerMap: {} };
  const ADMIN_BY_DEFAULT = { defaultRole: 'admin' as Role };
  // biome-ignore format: a table
  const rows: [sentence: string, headers: HeaderLine[], expected: string, changes?: Changes, peer?: string][] = [
    ['names the headers without case',                                    [['x-FORWARDED-user', 'vera'], groups('viewer')],                      'vera as viewer'],
    ['splits the role header on the separator',                           [user('vera'), groups('x|admin')],                                     'vera as admin', { separator: '|' }],
    ['translates groups by role_map',                                     [user('vera'), groups('ops')],                                         'vera as admin', { roleMap: roles({ admin: ['ops'] }) }],
    ['may read user and role from one header',                            [user('alice')],                                                       'alice as admin', { headerMap: { user: 'x-forwarded-user', role: 'x-forwarded-user' }, roleMap: roles({ admin: ['alice'] }) }],
    ['denies when no group matches and default_role is none',             [user('vera'), groups('nosuch')],                                      'proxy-role-denied', { defaultRole: 'none' }],
    ['gives default_role when the role header is absent',                 [user('vera')],                                                        'vera as admin', ADMIN_BY_DEFAULT],
    ['gives viewer when default_role is unset too',                       [user('vera')],                                                        'vera as viewer'],
    ['gives default_role when no role header is mapped',                  [user('vera'), groups('admin')],                                       'vera as viewer', { headerMap: { user: 'x-forwarded-user' } }],
    ['knows the user as viewer when no user header is mapped',            [user('root')],                                                        'viewer as viewer', UNMAPPED],
    ['refuses when the mapped user header is absent',                     [groups('admin')],                                                     'proxy-user-missing'],
    ['refuses when it is empty',                                          [user(''), groups('admin')],                                           'proxy-user-missing'],
    ['refuses when it is blank',                                          [user('  '), groups('admin')],                                         'proxy-user-missing'],
    ['ignores the families that are not mapped',                          [user('vera'), groups('viewer'), ['Remote-User', 'root'], ['Remote-Groups', 'admin']], 'vera as viewer'],
    ['ignores Remote-Role',                                               [user('vera'), groups('viewer'), ['Remote-Role', 'admin']],            'vera as viewer'],

    ['does not believe a user header that is not on the allowlist',       [user('vera'), groups('admin')],                                       'proxy-user-missing', { allowlist: new Set(['x-forwarded-groups']) }],
    ['does not believe a role header that is not on the allowlist',       [user('vera'), groups('admin')],                                       'vera as viewer', { allowlist: new Set(['x-forwarded-user']) }],
    ['believes nothing with an empty allowlist',                          [user('vera'), groups('admin')],                                       'proxy-user-missing', { allowlist: new Set() }],
    ['does not believe a peer that is not trusted',                       [user('vera'), groups('admin')],                                       'proxy-user-missing', {}, '10.0.0.2'],
    ['judges such a peer as if it had sent none',                         [groups('admin')],                                                     'viewer as viewer', { headerMap: { role: 'x-forwarded-groups' } }, '10.0.0.2'],

    ['refuses a user header in two lines',                                [user('vera'), user('root'), groups('viewer')],                        'proxy-user-missing'],
    ['refuses a user header twice the same',                              [user('vera'), user('vera'), groups('viewer')],                        'proxy-user-missing'],
    ['denies a role header in two lines, and gives no default',           [user('vera'), groups('viewer'), groups('admin')],                     'proxy-role-denied', ADMIN_BY_DEFAULT],
    ['denies a second, empty role header',                                [user('vera'), groups('viewer'), groups('')],                          'proxy-role-denied', ADMIN_BY_DEFAULT],
    ['denies a role header with a control character',                     [user('vera'), groups('viewer\u0001')],                                'proxy-role-denied', ADMIN_BY_DEFAULT],
    ['does not read an underscore twin',                                  [['X_Forwarded_User', 'root'], groups('admin')],                       'proxy-user-missing'],
    ['does not read a name with a dot',                                   [['X.Forwarded.User', 'root'], groups('admin')],                       'proxy-user-missing'],
    ['does not read a name outside ASCII',                                [['X-Forwarded-U\u017fer', 'root'], groups('admin')],                  'proxy-user-missing'],
    ['does not let a twin spoil the mapped header',                       [user('vera'), ['X_Forwarded_User', 'root'], groups('viewer')],        'vera as viewer'],
    ['keeps the role header though Connection names it',                  [user('vera'), groups('viewer'), ['Connection', 'close, x-forwarded-groups']], 'vera as viewer', ADMIN_BY_DEFAULT],
    ['denies groups that are names on a prototype',                       [user('vera'), groups('constructor,__proto__')],                       'proxy-role-denied', { defaultRole: 'none' }],
    ['does not find a header on a prototype',                             [],                                                                    'proxy-user-missing', { headerMap: { user: 'constructor' }, allowlist: new Set(['constructor']) }],
    ['reads 64 KB of groups',                                             [user('vera'), groups(`${'g,'.repeat(32_000)}admin`)],                 'vera as admin'],
    ['refuses a user name of 64 KB',                                      [user('u'.repeat(65_536))],                                            'proxy-user-missing'],
  ];
  for (const [sentence, headers, expected, changes, peer] of rows) {
    it(sentence, () => assert.equal(brief(identify(headers, changes, peer)), expected));
  }
});

describe('Names and groups that the proxy encodes', () => {
  const PERCENT = { encoding: 'percent' } as const;
  const WORDS = { encoding: 'rfc2047' } as const;
  const GUESTS = { roleMap: roles({ admin: ['Gäste, alle'], gardener: ['Gäste'] }), defaultRole: 'none' } as const;
  // biome-ignore format: a table
  const rows: [sentence: string, headers: HeaderLine[], expected: string, changes?: Changes][] = [
    ['are refused without the key, by their own reason: percent',       [user('J%C3%B6rg')],                                                'proxy-user-encoded'],
    ['are refused without the key, by their own reason: a line break',  [user('a%0d%0ab')],                                                 'proxy-user-encoded'],
    ['are refused without the key, by their own reason: rfc2047',       [user('=?utf-8?q?J=C3=B6rg?=')],                                    'proxy-user-encoded'],
    ['are read by percent',                                             [user('J%C3%B6rg')],                                                'Jörg as viewer', PERCENT],
    ['are read by percent where nothing is encoded',                    [user('vera+x@example.com')],                                       'vera+x@example.com as viewer', PERCENT],
    ['are read by rfc2047, quoted',                                     [user('=?utf-8?q?J=C3=B6rg_M.?=')],                                 'Jörg M. as viewer', WORDS],
    ['are read by rfc2047, in base64, in any case',                     [user(`=?UTF-8?B?${Buffer.from('Jörg').toString('base64')}?=`)],    'Jörg as viewer', WORDS],
    ['are read by rfc2047, in several words',                           [user('=?utf-8?q?J=C3=B6?= =?utf-8?q?rg?=')],                       'Jörg as viewer', WORDS],
    ['are read by rfc2047 where nothing is encoded',                    [user('vera@example.com')],                                         'vera@example.com as viewer', WORDS],
    ['are refused when they are encoded in another way',                [user('J%C3%B6rg')],                                                'proxy-user-encoded', WORDS],
    ['are refused when they are encoded in another way, too',           [user('=?utf-8?q?J=C3=B6rg?=')],                                    'proxy-user-encoded', PERCENT],
    ['are refused when they are encoded twice',                         [user('J%25C3%25B6rg')],                                            'proxy-user-encoded', PERCENT],
    ['are refused when they are not UTF-8',                             [user('J%F6rg')],                                                   'proxy-user-encoded', PERCENT],
    ['are refused when their word is not UTF-8',                        [user('=?utf-8?q?J=F6rg?=')],                                       'proxy-user-encoded', WORDS],
    ['are refused in another character set',                            [user('=?iso-8859-1?q?J=F6rg?=')],                                  'proxy-user-encoded', WORDS],
    ['are refused when their word does not end',                        [user('=?utf-8?q?J=C3=B6rg')],                                      'proxy-user-encoded', WORDS],
    ['hold no line break when they are decoded',                        [user('a%0Ab')],                                                    'proxy-user-encoded', PERCENT],
    ['are not anonymous when they are decoded',                         [user('%61nonymous')],                                              'proxy-user-encoded', PERCENT],
    ['give roles by groups, which are split before they are decoded',   [user('a'), groups('x,G%C3%A4ste%2C alle')],                        'a as admin', { ...PERCENT, ...GUESTS }],
    ['give roles by groups of rfc2047',                                 [user('a'), groups('x,=?utf-8?q?G=C3=A4ste?=')],                    'a as gardener', { ...WORDS, ...GUESTS }],
    ['give no role by groups without the key',                          [user('a'), groups('G%C3%A4ste')],                                  'proxy-role-denied', GUESTS],
    ['give no default role when a group cannot be decoded',             [user('a'), groups('x,100%')],                                      'proxy-role-denied', { ...PERCENT, defaultRole: 'admin' as Role }],
  ];
  for (const [sentence, headers, expected, changes] of rows)
    it(sentence, () => assert.equal(brief(identify(headers, changes)), expected));

  it('are told by their key in the trace', () => {
    const told = (name: string, changes: Changes = {}): string | undefined => {
      const traced: ProxyTrace[] = [];
      identify([user(name)], { ...changes, trace: (entry) => traced.push(entry) });
      return traced[0]?.headers[0]?.why;
    };
    assert.equal(told('J%C3%B6rg'), 'encoded: set proxy.header_map.encoding');
    assert.equal(told('J%F6rg', PERCENT), 'not encoded as proxy.header_map.encoding says (percent)');
  });
});

describe('A user name from a header', () => {
  // biome-ignore format: a table
  const good: [sent: string, name: string][] = [
    ['vera', 'vera'], [' vera ', 'vera'], ['vera@example.com', 'vera@example.com'], ['Vera van Dijk', 'Vera van Dijk'], ["O'Brien-2_x.y+z", "O'Brien-2_x.y+z"],
    ['EXAMPLE\\vera', 'EXAMPLE\\vera'], [utf8('jörg'), 'jörg'], ['j\u00f6rg', 'jörg'], [utf8('真希'), '真希'], ['viewer', 'viewer'], ['v'.repeat(128), 'v'.repeat(128)],
    [utf8('ö'.repeat(128)), 'ö'.repeat(128)], [utf8('山田\u3000太郎'), '山田\u3000太郎'],
  ];
  for (const [sent, name] of good) {
    it(`may be ${name.slice(0, 20)}`, () => assert.equal(brief(identify([user(sent)])), `${name} as viewer`));
  }

  // biome-ignore format: a table
  const bad: [because: string, sent: string][] = [
    ['is anonymous, which the NVR takes for no user', 'anonymous'], ['is anonymous in any case', 'Anonymous'], ['is too long', 'v'.repeat(129)],
    ['holds a comma', 'vera,admin'], ['holds a semicolon', 'a;b'], ['holds a pipe', 'a|b'], ['holds a colon', 'a:b'], ['holds a quote', 'a"b'],
    ['holds a percent sign, for names are sent percent-encoded', '100%'], ['holds markup', '<b>'],
    ['holds a line break', 'a\nb'], ['ends in a line break', 'admin\u0085'], ['holds a tab', 'a\tb'], ['holds a NUL', 'a\0b'], ['holds DEL', 'a\u007fb'],
    ['holds an invisible character', utf8('ad\u200bmin')], ['turns its direction', utf8('\u202enimda')], ['holds a byte order mark', utf8('a\ufeffb')],
    ['holds a line separator', utf8('a\u2028b')], ['begins with a no-break space, which another user may not', utf8('\u00a0vera')],
    ['begins with one in Latin-1', '\u00a0vera'], ['ends in an ideographic space', utf8('vera\u3000')], ['is a no-break space alone', utf8('\u00a0')],
  ];
  for (const [because, sent] of bad) {
    it(`is refused when it ${because}`, () => assert.equal(brief(identify([user(sent)])), 'proxy-user-missing'));
  }

  it('never holds what breaks a header, whatever was sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (sent) => {
        const verdict = identify([user(sent)]);
        if (verdict.kind !== 'identified') return;
        assert.doesNotMatch(verdict.caller.name, /[\p{C},;|:"<>%]|^\s|\s$|^$/u);
        assert.ok(verdict.caller.name.length <= 256);
      }),
    );
  });
});

describe('Unrelated headers', () => {
  it('change no verdict, whatever they are (non-interference)', () => {
    const names = fc.oneof(
      fc.constantFrom(
        'Remote-User',
        'Remote-Role',
        'Remote_Role',
        'X_Forwarded_User',
        'X-Forwarded-User2',
        'Connection',
        'Forwarded',
        'X-Proxy-Secret',
      ),
      fc.string(),
    );
    const mapped = new Set(['x-forwarded-user', 'x-forwarded-groups']);
    const others = fc.array(
      fc.tuple(
        names.filter((name) => !mapped.has(name.toLowerCase())),
        fc.string(),
      ),
    );
    fc.assert(
      fc.property(others, (added) => {
        assert.deepEqual(
          identify([...added, user('vera'), groups('viewer'), ...added]),
          identify([user('vera'), groups('viewer')]),
        );
      }),
    );
  });
});

describe('Identity headers of a peer that is not trusted', () => {
  const countOf = (headers: readonly HeaderLine[], peer: string): number => {
    let count = 0;
    identify(headers, { onUntrustedHeaders: () => count++ }, peer);
    return count;
  };
  // biome-ignore format: a table
  const rows: [sentence: string, headers: HeaderLine[], peer: string, expected: number][] = [
    ['are counted once for a request',                         [user('vera'), groups('admin')], '10.0.0.2', 1],
    ['are counted though they are not mapped',                 [['Remote-User', 'vera']],       '10.0.0.2', 1],
    ['are not counted when they are not on the allowlist',     [['X-Elsewhere', 'vera']],       '10.0.0.2', 0],
    ['are not counted when there are none',                    [],                              '10.0.0.2', 0],
    ['and those of a trusted peer are not counted',            [user('vera'), groups('admin')], PROXY,      0],
  ];
  for (const [sentence, headers, peer, expected] of rows)
    it(sentence, () => assert.equal(countOf(headers, peer), expected));
});

describe('The trace at debug', () => {
  const traceOf = (headers: readonly HeaderLine[], changes: Changes = {}, peer = PROXY) => {
    const traced: IdentityTrace[] = [];
    identify(headers, { ...changes, trace: (entry) => traced.push(entry) }, peer);
    return traced;
  };

  it('says which headers were received, kept and dropped, and by which rule the role came', () => {
    // biome-ignore format: a table
    const headers: HeaderLine[] = [user(utf8('jörg')), groups('ops,staff'), ['Remote-User', 'root'], ['Remote_Role', 'admin'], ['Accept', '*/*']];
    assert.deepEqual(traceOf(headers, { roleMap: roles({ admin: ['ops'] }) }), [
      {
        source: 'proxy-headers',
        proxySecret: 'none is set',
        headers: [
          { name: 'x-forwarded-user', value: 'jörg', fate: 'kept', why: undefined },
          { name: 'x-forwarded-groups', value: 'ops,staff', fate: 'kept', why: undefined },
          { name: 'remote-user', value: 'root', fate: 'dropped', why: 'not mapped' },
          { name: 'remote_role', value: 'admin', fate: 'dropped', why: 'not mapped' },
        ],
        groups: ['ops', 'staff'],
        rule: 'the group "ops" gives admin by proxy.role_map',
        user: 'jörg',
        role: 'admin',
        refused: undefined,
      },
    ]);
  });

  it('names headers that are meant as an identity and are not on the list, without their values, which may be credentials', () => {
    // biome-ignore format: a table
    const headers: HeaderLine[] = [['X-Auth-Request-Groups', 'staff'], ['Cf_Access_Authenticated_User_Email', 'a@b'], ['User-Agent', 'curl'], ['X-Api-Key', 'k'], user('vera')];
    const [entry] = traceOf(headers);
    const dropped = { value: '[not shown]', fate: 'dropped', why: 'neither mapped nor on the allowlist' };
    assert.deepEqual(entry?.headers, [
      { name: 'x-auth-request-groups', ...dropped },
      { name: 'cf_access_authenticated_user_email', ...dropped },
      { name: 'x-forwarded-user', value: 'vera', fate: 'kept', why: undefined },
    ]);
  });

  // biome-ignore format: a table
  const rows: [why: string, headers: HeaderLine[], changes?: Changes, peer?: string][] = [
    ['not on the allowlist',                            [user('vera')], { allowlist: new Set() }],
    ['sent by a peer that is not trusted',              [user('vera')], {}, '10.0.0.2'],
    ['sent more than once',                             [user('vera'), user('root')]],
    ['holds control characters',                        [user('ve\u0001ra')]],
    ['empty',                                           [user(' ')]],
    ['longer than 128 characters',                      [user('u'.repeat(129))]],
    ['holds a character that no user name may hold',    [user('a|b')]],
    ['a reserved name',                                 [user('anonymous')]],
  ];
  for (const [why, headers, changes, peer] of rows) {
    it(`says of a dropped user header: ${why}`, () => {
      const [entry] = traceOf(headers, changes, peer);
      assert.ok(entry?.source === 'proxy-headers');
      assert.deepEqual(
        entry.headers,
        headers.map(([name, value]) => ({ name: name.toLowerCase(), value, fate: 'dropped', why })),
      );
      assert.deepEqual([entry.user, entry.role, entry.refused], [undefined, undefined, 'proxy-user-missing']);
    });
  }

  it('says whether the proxy showed its secret, and never the secret', () => {
    const carriesProxySecret = createProxySecretCheck(['hush']);
    const secretOf = (headers: readonly HeaderLine[]) =>
      traceOf(headers, { carriesProxySecret }).map((entry) => entry.source === 'proxy-headers' && entry.proxySecret);
    assert.deepEqual(secretOf([user('vera'), ['X-Proxy-Secret', 'hush']]), ['right']);
    assert.deepEqual(secretOf([user('vera'), ['X-Proxy-Secret', 'wrong']]), ['missing or wrong']);
    assert.deepEqual(secretOf([user('vera')]), ['missing or wrong']);
  });

  it('shows neither secret nor cookie nor token, even when a header of that name is mapped', () => {
    // biome-ignore format: a table
    const headers: HeaderLine[] = [['X-Proxy-Secret', 'hush-1'], ['Cookie', 'frigate_token=hush-2'], ['Authorization', 'Bearer hush-3'], user('vera')];
    for (const mapped of ['x-proxy-secret', 'cookie', 'authorization']) {
      const changes = {
        headerMap: { user: 'x-forwarded-user', role: mapped },
        allowlist: new Set(['x-forwarded-user', mapped]),
      };
      assert.doesNotMatch(JSON.stringify(traceOf(headers, changes)[0]), /hush/);
    }
  });

  it('cuts a long value and a long list of groups', () => {
    const [entry] = traceOf([user('vera'), groups('g,'.repeat(10_000))]);
    assert.ok(entry?.source === 'proxy-headers');
    assert.equal(entry.headers[1]?.value, `${'g,'.repeat(128)}…`);
    assert.equal(entry.groups.length, 50);
  });
});
