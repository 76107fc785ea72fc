/** The decision as a table: every reason that `admit()` can give, and which one it gives when two apply (SPEC 3, 5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { layoutOfNames } from '../../../src/access/recorder-layout.ts';
import { compileRouteTable } from '../../../src/access/route-table.ts';
import { thingTarget } from '../../../src/access/thing-paths.ts';
import type { Caller, Closed, Credential, IdentityVerdict, SharedThing } from '../../../src/domain/caller.ts';
import { ALL_CAMERAS, type CameraScope, scopeOfNames } from '../../../src/domain/camera-scope.ts';
import type { CameraName, Role, UserName } from '../../../src/domain/names.ts';
import { REFUSALS, type RefusalReason, refusalSentence } from '../../../src/domain/refusal.ts';
import type { ListenerName } from '../../../src/domain/request.ts';
import { acceptedCaller, admit, credentialFault, type Rules } from '../../../src/gateway/decision/admit.ts';
import { FRIGATE } from '../../../src/nvr/frigate/frigate.ts';
import type { PolicyRow } from '../../../src/routes/policy-row.ts';
import { type HeaderLine, someRequest } from '../../support/request-facts.ts';
import { locatorsOf, narrowingOf } from '../../support/routes.ts';

const COOKIE: Credential = { kind: 'session', tokenId: 't', issuedAt: 0, expiresAt: 9e9, carriedBy: 'cookie' };
const SCOPES: Readonly<Record<string, CameraScope>> = {
  gardener: scopeOfNames(['garden']),
  neighbour: scopeOfNames(['garden', 'street']),
  ghost: scopeOfNames([]),
};
const callerWith = (role: string, credential: Credential = COOKIE): Caller => ({
  name: 'vera' as UserName,
  role: role as Role,
  scope: SCOPES[role] ?? ALL_CAMERAS,
  ...(role === 'gardener' && { denied: ['ptz'] }),
  credential,
});

const row = (route: string, more: Omit<PolicyRow, 'methods' | 'path' | 'line'>): PolicyRow => {
  const [methods = '', path = ''] = route.split(' ');
  return { methods: methods.split(','), path, line: 1, ...more };
};
const TABLE = compileRouteTable(
  [
    row('GET,POST /login', { access: 'public', secret: true, own: true }),
    row('GET /own', { access: 'any', own: true }),
    row('POST /enrol', { access: 'any', own: true, enrolment: true }),
    row('GET /open', { access: 'public' }),
    row('GET /s/{secret}/{file}', { access: 'public', own: true, stands_for: 'nvr' }),
    row('GET /api/{camera}/latest.jpg', {
      access: 'camera',
      cameras: locatorsOf('path:camera'),
      narrow: narrowingOf('check'),
      views: 'live',
    }),
    row('GET,POST,WS /any', { access: 'any' }),
    row('GET,WS /admin', { access: 'admin' }),
    row('GET /hidden', { access: 'none' }),
    row('GET /few', { access: 'any', query: { path: { shape: { kind: 'text', longest: 9 }, isRequired: false } } }),
    row('GET /move', { access: 'any', verb: 'ptz' }),
    row('GET,WS /camera/{camera}', {
      access: 'camera',
      cameras: locatorsOf('path:camera'),
      narrow: narrowingOf('check'),
    }),
    row('GET /list', {
      access: 'any',
      cameras: locatorsOf('query:cameras'),
      narrow: narrowingOf('rewrite:cameras'),
      answer: 'array',
    }),
    row('GET /names', { access: 'any', cameras: locatorsOf('query:camera'), narrow: narrowingOf('fanout:camera') }),
    row('GET /item/{id}', {
      access: 'any',
      verb: 'history',
      cameras: locatorsOf('event:path:id'),
      narrow: narrowingOf('lookup'),
      answer: 'one',
    }),
    row('GET /whole', { access: 'any', narrow: narrowingOf('deny') }),
    row('GET /special', { access: 'any', admin_parameters: ['raw'] }),
  ],
  FRIGATE,
);

/** One request and what it meets; the default is admitted. */
interface Scene {
  listener: ListenerName;
  method: string;
  target: string;
  headers: HeaderLine[];
  rawHeaders?: readonly string[];
  isUpgrade: boolean;
  identity: IdentityVerdict;
  hasSecret: boolean | undefined;
  harmful: string | undefined;
  malformed: string | undefined;
  layout: readonly string[] | undefined;
  owners: RefusalReason | undefined;
}

const identified = (role: string, credential?: Credential): IdentityVerdict => ({
  kind: 'identified',
  caller: callerWith(role, credential),
});
/** Must set up a second factor before anything else. */
const enrolling = (): IdentityVerdict => ({ kind: 'identified', caller: { ...callerWith('admin'), mustEnrol: true } });
/** Known, and may do nothing now. */
const closedBy = (reason: Closed['reason']): IdentityVerdict => ({
  kind: 'identified',
  caller: { ...callerWith('admin'), mustEnrol: true, closed: { reason } },
});
const seeingDays = (): IdentityVerdict => ({
  kind: 'identified',
  caller: { ...callerWith('gardener'), history: { seconds: 86_400 } },
});
/** A link to the garden, made by a gardener or one who sees nothing. */
const THING: SharedThing = { kind: 'snapshot', camera: 'garden' };
const linked = (role = 'gardener'): IdentityVerdict =>
  identified(role, { kind: 'link', linkId: 'l1', thing: THING, expiresAt: 9e9 });
/** A screen of a gardener. */
const onScreen = (): IdentityVerdict => identified('gardener', { kind: 'screen', screenId: 's1', screenName: 'hall' });
const refusedBy = (reason: RefusalReason): IdentityVerdict => ({ kind: 'refused', reason });
const STRANGER: IdentityVerdict = { kind: 'silent' };
const HANDSHAKE: readonly HeaderLine[] = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
];

const scene = (changes: Partial<Scene> = {}): Scene => ({
  listener: 'external',
  method: 'GET',
  target: '/any',
  headers: [],
  isUpgrade: false,
  identity: identified('viewer'),
  hasSecret: undefined,
  harmful: undefined,
  malformed: undefined,
  layout: ['garden', 'street'],
  owners: undefined,
  ...changes,
});

function rulesOf(of: Scene): Rules {
  const { hasSecret } = of;
  const source = () => of.identity;
  return {
    trusted: { includes: () => false },
    routes: TABLE,
    sources: { internal: [source], external: [source] },
    carriesProxySecret: hasSecret === undefined ? undefined : () => hasSecret,
    internalHosts: [],
    surroundings: () => ({
      layout: of.layout && layoutOfNames(of.layout as CameraName[]),
      now: 1_800_000_000,
    }),
    owners: { denial: async () => of.owners },
    standsFor: ([, pathSecret = '', ...file], _, things) => {
      if (pathSecret === 'limited') return 'links-limited';
      const target = pathSecret === 'known' ? thingTarget(things, THING, file) : undefined;
      return target === undefined ? 'link-over' : { target, pathSecret };
    },
    harmfulIn: () => of.harmful,
    malformedIn: () => of.malformed,
  };
}

async function outcome(of: Scene): Promise<string> {
  const { listener, method, target, rawHeaders, isUpgrade } = of;
  const head = { listener, method, target, isUpgrade, ...(rawHeaders && { rawHeaders }) };
  const headers = isUpgrade ? [...HANDSHAKE, ...of.headers] : of.headers;
  const admission = await admit(someRequest(head, headers), rulesOf(of));
  return admission.kind === 'refused' ? admission.reason : admission.kind;
}

// biome-ignore format: a table
const SINGLE: readonly [outcome: RefusalReason | 'admitted' | 'nothing-visible', why: string, changes: Partial<Scene>][] = [
  ['admitted',              'nothing stands against it',                       {}],
  ['admitted',              'a public route needs no caller',                  { target: '/open', identity: STRANGER }],
  ['admitted',              'a bad credential is ignored on a public route',   { target: '/open', identity: refusedBy('token-invalid') }],
  ['admitted',              'an upgrade',                                      { isUpgrade: true }],
  ['admitted',              'the internal listener, by address',               { listener: 'internal', rawHeaders: ['Host', '127.0.0.1:5000'] }],
  ['admitted',              'the proxy secret is there',                       { hasSecret: true }],
  ['admitted',              'an API token needs no proxy secret',              { hasSecret: false, identity: identified('viewer', { kind: 'api-token', tokenId: 'x' }) }],
  ['admitted',              'the internal listener needs no proxy secret',     { hasSecret: false, listener: 'internal', rawHeaders: ['Host', 'localhost'] }],
  ['nothing-visible',       'a list, for a role without cameras',              { target: '/list', identity: identified('ghost') }],
  ['slash-doubled',         'an empty segment',                                { target: '/any//x' }],
  ['target-too-long',       'more than 16 KB',                                 { target: `/any?${'x'.repeat(16_384)}` }],
  ['target-not-plain',      'a semicolon in a narrowed query',                 { target: '/list?a=;b', identity: identified('gardener') }],
  ['headers-not-plain',     'a second Host',                                   { headers: [['Host', 'other.test']] }],
  ['headers-too-many',      '201 lines',                                       { headers: Array.from({ length: 201 }, (_, at): HeaderLine => [`X-${at}`, '1']) }],
  ['framing-not-plain',     'length and coding',                               { method: 'POST', headers: [['Content-Length', '1'], ['Transfer-Encoding', 'chunked']] }],
  ['upgrade-not-plain',     'an old version of the protocol',                  { isUpgrade: true, headers: [['Content-Length', '5']] }],
  ['parameters-too-many',   '201 pairs',                                       { target: `/any?${'a=1&'.repeat(200)}a=1` }],
  ['method-unknown',        'a method that is not listed',                     { method: 'PROPFIND' }],
  ['expectation-unknown',   'another expectation',                             { headers: [['Expect', 'the-spanish-inquisition']] }],
  ['host-unknown',          'a public name at the internal listener',          { listener: 'internal', rawHeaders: ['Host', 'evil.example.com'] }],
  ['token-invalid',         'a bad session',                                   { identity: refusedBy('token-invalid') }],
  ['admitted',              'a file of a link, as the path that it stands for', { target: '/s/known/snapshot.jpg?x=1', identity: linked() }],
  ['link-over',             'an unknown link',                                 { target: '/s/unknown/snapshot.jpg', identity: linked() }],
  ['link-over',             'a file that the link does not have',              { target: '/s/known/clip.mp4', identity: linked() }],
  ['path-not-found',        'a link in another spelling',                      { target: '/S/known/snapshot.jpg', identity: linked() }],
  ['path-not-found',        'a link at another method',                        { target: '/s/known/snapshot.jpg', method: 'POST', identity: linked() }],
  ['path-not-found',        'a path that the link does not stand for',         { target: '/camera/garden', identity: linked() }],
  ['path-not-found',        'a public path, by a link',                        { target: '/open', identity: linked() }],
  ['camera-not-in-role',    'a link whose maker does not see its camera now',  { target: '/s/known/snapshot.jpg', identity: linked('ghost') }],
  ['link-over',             'a link that has ended',                           { target: '/s/known/snapshot.jpg', identity: refusedBy('link-over') }],
  ['link-pin-missing',      'a link whose PIN was not given',                  { target: '/s/known/snapshot.jpg', identity: refusedBy('link-pin-missing') }],
  ['links-limited',         'too many links that do not hold',                 { target: '/s/known/snapshot.jpg', identity: refusedBy('links-limited') }],
  ['admitted',              'what is public, as a stranger, by a screen',      { target: '/open', identity: onScreen() }],
  ['screen-not-allowed',    'what is for every role, by a screen',             { identity: onScreen() }],
  ['screen-not-allowed',    'what a camera has recorded, by a screen',         { target: '/item/1', identity: onScreen() }],
  ['screen-over',           'a screen that has ended',                         { identity: refusedBy('screen-over') }],
  ['screens-limited',       'too many requests of such screens',               { identity: refusedBy('screens-limited') }],
  ['links-limited',         'a link, after too many',                          { target: '/s/limited/snapshot.jpg', identity: linked() }],
  ['tokens-limited',        'too many bad tokens',                             { identity: refusedBy('tokens-limited') }],
  ['store-unavailable',     'the store does not answer',                       { identity: refusedBy('store-unavailable') }],
  ['proxy-user-missing',    'the proxy names no user',                         { identity: refusedBy('proxy-user-missing') }],
  ['proxy-user-encoded',    'the proxy encodes the name',                      { identity: refusedBy('proxy-user-encoded') }],
  ['proxy-role-denied',     'no group is mapped',                              { identity: refusedBy('proxy-role-denied') }],
  ['proxy-secret-mismatch', 'the secret is missing',                           { hasSecret: false }],
  ['proxy-secret-mismatch', 'the secret is missing where passwords are taken', { hasSecret: false, method: 'POST', target: '/login', identity: STRANGER }],
  ['origin-hidden',         'a form whose page is hidden',                     { method: 'POST', headers: [['Origin', 'null']] }],
  ['cross-site',            'a form of another site',                          { method: 'POST', headers: [['Origin', 'https://evil.test']] }],
  ['cross-site',            'a login from a page of another site',             { method: 'POST', target: '/login', identity: STRANGER, headers: [['Sec-Fetch-Site', 'cross-site']] }],
  ['cross-site',            'a read at the internal listener',                 { listener: 'internal', rawHeaders: ['Host', 'localhost', 'Sec-Fetch-Site', 'cross-site'] }],
  ['cross-site',            'an upgrade by a page of another site',            { isUpgrade: true, headers: [['Origin', 'https://evil.test']] }],
  ['no-credentials',        'a stranger',                                      { identity: STRANGER }],
  ['second-factor-required', 'a user without the factor that is asked for',    { identity: enrolling() }],
  ['second-factor-required', "an own row that does not name itself",           { target: '/own', identity: enrolling() }],
  ['admitted',              'the row where that user sets it up',              { method: 'POST', target: '/enrol', identity: enrolling() }],
  ['second-factor-required', 'a public route of the NVR, for that user',      { target: '/open', identity: enrolling() }],
  ['admitted',              "one of Postern's own public routes, for that user", { method: 'POST', target: '/login', identity: enrolling() }],
  ['account-ended',         'a guest whose time is over, admin or not',        { identity: closedBy('account-ended') }],
  ['role-missing',          'an account to which its provider gives no role',     { identity: closedBy('role-missing') }],
  ['account-not-begun',     'a guest before the time, at a public route of the NVR', { target: '/open', identity: closedBy('account-not-begun') }],
  ['outside-hours',         'a role outside its hours, where a factor is set up', { method: 'POST', target: '/enrol', identity: closedBy('outside-hours') }],
  ['admitted',              "one of Postern's own public routes, for those",   { method: 'POST', target: '/login', identity: closedBy('outside-hours') }],
  ['history-not-judged',    'footage of an unknown age, for a role that sees back to a time', { target: '/item/1', identity: seeingDays() }],
  ['role-too-low',          'a viewer at an admin route',                      { target: '/admin' }],
  ['route-unlisted',        'a path that no row names',                        { target: '/nowhere' }],
  ['verb-denied',           'a verb that the role is denied',                  { target: '/move', identity: identified('gardener') }],
  ['camera-not-in-role',    'a foreign camera',                                { target: '/camera/street', identity: identified('gardener') }],
  ['field-admin-only',      'a parameter for admins',                          { target: '/special?raw=1', identity: identified('gardener') }],
  ['not-narrowable',        'a response that cannot be narrowed',              { target: '/whole', identity: identified('gardener') }],
  ['parameter-repeated',    'two lists of cameras',                            { target: '/list?cameras=garden&cameras=garden', identity: identified('gardener') }],
  ['query-field-refused',   'a parameter that the row does not take',          { target: '/few?path=a&jwt=b' }],
  ['path-not-found',        'a row that is for no one',                        { target: '/hidden' }],
  ['path-not-found',        "another method at one of Postern's own paths",    { method: 'DELETE', target: '/own', identity: identified('admin') }],
  ['path-not-found',        "an upgrade at one of Postern's own paths",        { isUpgrade: true, target: '/own', identity: identified('admin') }],
  ['cameras-unknown',       'the cameras were never read',                     { target: '/list', identity: identified('gardener'), layout: undefined }],
  ['parameter-refused',     'a query that could stall the NVR',                { harmful: 'limit' }],
  ['parameter-refused',     'the same, for a role without cameras',            { target: '/list', identity: identified('ghost'), malformed: 'limit' }],
  ['method-not-allowed',    'the head of a narrowed list',                     { method: 'HEAD', target: '/list', identity: identified('gardener') }],
  ['method-not-allowed',    'the head of a list that is joined',               { method: 'HEAD', target: '/names', identity: identified('neighbour') }],
  ['camera-not-in-role',    'the id of a foreign camera',                      { target: '/item/1', identity: identified('gardener'), owners: 'camera-not-in-role' }],
  ['name-not-unique',       'the id of a picture that the NVR finds by the beginning of a name', { target: '/item/1', identity: identified('gardener'), owners: 'name-not-unique' }],
  ['ids-too-many',          'more ids than are looked up',                     { target: '/item/1', identity: identified('gardener'), owners: 'ids-too-many' }],
  ['nvr-unreachable',       'the owner cannot be asked',                       { target: '/item/1', identity: identified('gardener'), owners: 'nvr-unreachable' }],
  ['nvr-timeout',           'the owner is not told in time',                   { target: '/item/1', identity: identified('gardener'), owners: 'nvr-timeout' }],
  ['nvr-failed',            'the NVR fails when asked',                        { target: '/item/1', identity: identified('gardener'), owners: 'nvr-failed' }],
];

/** Reasons that are found out behind the decision: on the way to the NVR, in a body, at `/auth`, in Postern's own routes. */
// biome-ignore format: a table
const LATER: readonly RefusalReason[] = [
  'history-too-old', 'link-file-absent', 'client-busy', 'nvr-busy', 'rights-changed',
  'body-unreadable', 'body-field-refused', 'body-too-large', 'body-too-slow', 'description-refused', 'person-needed', 'password-off', 'reauthentication-required', 'view-as-refused', 'no-nvr', 'offer-unreadable', 'offer-sends', 'offer-too-large',
  'backend-unavailable', 'events-unreadable', 'answers-too-large', 'filter-ended', 'query-too-slow', 'nvr-unexpected-form', 'nvr-bad-answer',
  'nvr-framing-ambiguous', 'nvr-status-invalid', 'nvr-name-unknown', 'nvr-certificate-refused', 'nvr-tls-failed',
  'internal-error',
  // The routes of a sign-in with a provider.
  'sign-in-away',
  'sign-in-busy',
  'sign-in-declined',
  'sign-in-guest-over',
  'sign-in-invitation-void',
  'sign-in-name-taken',
  'sign-in-name-unfit',
  'sign-in-no-role',
  'sign-in-not-connected',
  'sign-in-not-proven',
  'sign-in-of-other',
  'sign-in-over',
  'sign-in-unfit',
  'sign-in-unknown',
  // What a signed token of a proxy lacks is one verdict of its source.
  'proxy-token-missing',
  'proxy-token-expired',
  'proxy-token-future',
  'proxy-token-audience',
  'proxy-token-issuer',
  'proxy-token-key',
  'proxy-token-signature',
  'proxy-token-unfit',
  'proxy-token-user',
  'proxy-token-keys-away',
];

const CROSS_SITE_READ: Partial<Scene> = {
  listener: 'internal',
  rawHeaders: ['Host', 'localhost', 'Sec-Fetch-Site', 'cross-site'],
};

/** One fault for each step that can refuse, in the order of the steps; `set` adds it to a request. */
// biome-ignore format: a table
const STEPS: readonly { readonly step: string; readonly reason: RefusalReason; readonly set: (to: Scene) => Partial<Scene> }[] = [
  { step: 'strict target',  reason: 'slash-doubled',         set: ({ target }) => ({ target: `${target}//` }) },
  { step: 'host',           reason: 'host-unknown',          set: () => ({ listener: 'internal', rawHeaders: ['Host', 'evil.example.com', 'Sec-Fetch-Site', 'cross-site'] }) },
  { step: 'identity',       reason: 'token-invalid',         set: () => ({ identity: refusedBy('token-invalid') }) },
  { step: 'proxy secret',   reason: 'proxy-secret-mismatch', set: () => ({ hasSecret: false }) },
  { step: 'CSRF',           reason: 'cross-site',            set: ({ method }) => (method === 'HEAD' ? CROSS_SITE_READ : { method: 'POST', headers: [['Origin', 'https://evil.test']] }) },
  { step: 'open',           reason: 'account-ended',         set: () => ({ identity: closedBy('account-ended') }) },
  { step: 'second factor',  reason: 'second-factor-required', set: () => ({ identity: enrolling() }) },
  { step: 'authorization',  reason: 'role-too-low',          set: () => ({ target: '/admin' }) },
  { step: 'query bounds',   reason: 'parameter-refused',     set: () => ({ harmful: 'limit' }) },
  { step: 'HEAD',           reason: 'method-not-allowed',    set: () => ({ method: 'HEAD', target: '/item/1', identity: identified('gardener') }) },
  { step: 'owner lookup',   reason: 'camera-not-in-role',    set: () => ({ target: '/item/1', identity: identified('gardener'), owners: 'camera-not-in-role' }) },
];

describe('admit()', () => {
  for (const [expected, why, changes] of SINGLE) {
    it(`${expected}: ${why}`, async () => assert.equal(await outcome(scene(changes)), expected));
  }

  it('gives every reason that is not found out later', () => {
    const given = new Set<string>(SINGLE.map(([reason]) => reason));
    const all = Object.keys(REFUSALS) as RefusalReason[];
    assert.deepEqual(all.filter((reason) => !given.has(reason)).sort(), [...LATER].sort());
  });

  for (const [at, first] of STEPS.entries()) {
    for (const second of STEPS.slice(at + 1)) {
      it(`${first.step} is judged before ${second.step}`, async () => {
        const later = scene();
        Object.assign(later, second.set(later));
        assert.equal(await outcome({ ...later, ...first.set(later) }), first.reason);
      });
    }
  }

  it('checks the proxy secret before what the headers of the proxy say', async () => {
    for (const reason of ['proxy-user-missing', 'proxy-role-denied'] as const)
      assert.equal(await outcome(scene({ identity: refusedBy(reason), hasSecret: false })), 'proxy-secret-mismatch');
  });

  it('knows no caller from headers without the secret, on a public route', async () => {
    const identity = identified('viewer', { kind: 'proxy-headers' });
    const admission = await admit(someRequest({ target: '/open' }), rulesOf(scene({ identity, hasSecret: false })));
    assert.deepEqual([admission.kind, admission.caller], ['admitted', undefined]);
  });

  it('lets a restricted role have what is cut to its cameras, and says how', async () => {
    const admission = await admit(
      someRequest({ target: '/list' }),
      rulesOf(scene({ identity: identified('gardener') })),
    );
    assert.ok(admission.kind === 'admitted');
    assert.equal(admission.obligations?.responseForm, 'array');
  });

  it('says which cameras it refuses, and of no other refusal', async () => {
    const refusal = async (target: string) => {
      const admission = await admit(someRequest({ target }), rulesOf(scene({ identity: identified('gardener') })));
      return admission.kind === 'refused' ? [admission.reason, admission.cameras] : admission.kind;
    };
    const foreign = { foreign: ['street'], unknown: [] };
    assert.deepEqual(await refusal('/camera/street'), ['camera-not-in-role', foreign]);
    assert.deepEqual(await refusal('/list?cameras=street&cameras=x'), ['parameter-repeated', undefined]);
  });

  it('says which parameter it refuses', async () => {
    const admission = await admit(someRequest({ target: '/few?jwt=b' }), rulesOf(scene()));
    assert.ok(admission.kind === 'refused');
    assert.equal(admission.parameter, 'jwt');
    assert.match(refusalSentence(admission.reason, admission), /^The parameter "jwt" of the query is not accepted/);
  });

  it('says which parameter is out of bounds, to a role without cameras too', async () => {
    const scenes = [
      { target: '/any?limit=9', harmful: 'limit' },
      { target: '/list?limit=9', identity: identified('ghost'), malformed: 'limit' },
    ];
    for (const of of scenes) {
      const admission = await admit(someRequest({ target: of.target }), rulesOf(scene(of)));
      assert.ok(admission.kind === 'refused');
      assert.equal(admission.reason, 'parameter-refused');
      assert.match(refusalSentence(admission.reason, admission), /^The parameter "limit" of the query/);
    }
  });

  it('tells a caller who is closed out when that ends', async () => {
    const opens = { at: 1_800_003_600, timeZone: 'UTC', inSeconds: 3600, text: '10:00' };
    for (const closed of [{ reason: 'outside-hours', opens }, { reason: 'account-ended' }] as const) {
      const identity: IdentityVerdict = { kind: 'identified', caller: { ...callerWith('viewer'), closed } };
      const admission = await admit(someRequest({ target: '/any' }), rulesOf(scene({ identity })));
      assert.ok(admission.kind === 'refused');
      assert.deepEqual(admission.opens, 'opens' in closed ? opens : undefined);
    }
  });

  describe('while the store fails', () => {
    const asked = (target: string, fault: Error) => {
      const source = () => Promise.reject<IdentityVerdict>(fault);
      return Promise.resolve(
        admit(someRequest({ target }), { ...rulesOf(scene()), sources: { internal: [source], external: [source] } }),
      );
    };
    const locked = Object.assign(new Error('locked'), { storeFault: { kind: 'locked' } });

    it('serves own public routes to an unknown caller', async () => {
      const admission = await asked('/login', locked);
      assert.ok(admission.kind === 'admitted');
      assert.deepEqual([admission.caller, admission.credentialFault], [undefined, 'store-unavailable']);
    });

    for (const target of ['/open', '/own', '/any', '/admin'])
      it(`decides nothing about ${target}`, () => assert.rejects(asked(target, locked), locked));

    it('does so for no other fault', async () => {
      const other = new Error('a fault of the program');
      await assert.rejects(asked('/login', other), other);
    });
  });
});

describe('The caller that counts', () => {
  const request = someRequest({});
  const open = TABLE.match('GET', ['open']);
  const session: IdentityVerdict = { kind: 'identified', caller: callerWith('viewer') };
  const refusedFor = (reason: RefusalReason): IdentityVerdict => ({ kind: 'refused', reason });
  const [withSecret, withoutSecret] = [() => true, () => false];

  it('is known by a session on a public route, with the proxy secret or without it', () => {
    for (const carries of [withSecret, withoutSecret, undefined])
      assert.deepEqual(acceptedCaller(request, open, session, carries), { ok: true, value: callerWith('viewer') });
  });

  // biome-ignore format: a table
  const rows: [sentence: string, identity: IdentityVerdict, carries: (() => boolean) | undefined, expected: RefusalReason | undefined][] = [
    ['nothing, of a caller who is known',                        session,                             withSecret,    undefined],
    ['nothing, of one who sent no credential',                   { kind: 'silent' },                  undefined,     undefined],
    ['that the proxy names no user',                             refusedFor('proxy-user-missing'),    withSecret,    'proxy-user-missing'],
    ['that the groups give no role, where no secret is set',     refusedFor('proxy-role-denied'),     undefined,     'proxy-role-denied'],
    ['nothing of the groups without the proxy secret',           refusedFor('proxy-role-denied'),     withoutSecret, undefined],
    ['that the session is over, with the proxy secret',          refusedFor('token-invalid'),       withSecret,    'token-invalid'],
    ['that the session is over, without the proxy secret',       refusedFor('token-invalid'),       withoutSecret, 'token-invalid'],
  ];
  for (const [sentence, identity, carries, expected] of rows)
    it(`on a public page is told ${sentence}`, () =>
      assert.equal(credentialFault(request, identity, carries), expected));
});
