/** Settings > Access: sentences of the answer, and the table of people and cameras (SPEC 15). */
import '../support/in-english.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  byRole,
  type Explanation,
  found,
  type Holder,
  toAnswer,
  toSight,
} from '../../../src/ui/pages/settings/access-answers.ts';
import type { RoleRecord, UserRecord } from '../../../src/ui/pages/shared/answers.ts';
import { learnProblems } from '../../../src/ui/pages/shared/form-faults.ts';

const role = (more: Partial<RoleRecord> = {}): RoleRecord => ({
  role: 'neighbour',
  cameras: ['street'],
  source: 'store',
  users: 1,
  ...more,
});
const user = (more: Partial<UserRecord> = {}): UserRecord => ({
  username: 'grandma',
  role: 'neighbour',
  role_source: 'postern',
  ...more,
});

describe('The answer', () => {
  const answered = (body: object, more: { role?: RoleRecord; user?: UserRecord; shows?: 'live' | 'history' } = {}) => {
    const explanation = { message: 'from the server', ...body } as Explanation;
    return toAnswer(explanation, { user: user(), role: role(), camera: 'pool', shows: 'live', ...more });
  };
  const refusedFor = (reason: string) => ({ verdict: 'refused', reason });

  it('names what the role has, in a few words', () => {
    const lacks = (cameras: string[]) => ({ ...refusedFor('camera-not-in-role'), cameras });
    const { text, remedies } = answered(lacks(['street']));
    assert.equal(text, 'No: role neighbour has street only.');
    assert.deepEqual(remedies, ['role', 'cameras']);
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    assert.match(answered(lacks(many)).text, /has a, b, c, d, e and 2 more only/);
    assert.match(answered(lacks([])).text, /has no cameras/);
    const several = answered({ ...lacks(['street', 'pool']), roles: ['neighbour', 'swimmer'] });
    assert.equal(several.text, 'No: role neighbour, swimmer has street, pool only.');
  });

  it('names the curtain, or what the role has, while a camera is drawn and others are refused as unknown paths are', () => {
    const hidden = (drawn: string[]) => ({ ...refusedFor('route-unlisted'), cameras: ['street'], drawn });
    assert.match(answered(hidden(['pool'])).text, /^No: Only admins see a camera behind the curtain/);
    assert.deepEqual(answered(hidden(['pool'])).remedies, ['live']);
    assert.match(answered({ ...hidden(['pool']), reason: 'camera-not-in-role' }).text, /behind the curtain/);
    assert.equal(answered(hidden(['yard'])).text, 'No: role neighbour has street only.');
    const ended = { ...refusedFor('account-ended'), drawn: ['pool'] };
    assert.match(
      answered(ended, { user: user({ valid_until: 1_795_400_000 }) }).text,
      /^No: the account of grandma expired/,
    );
  });

  it('says what may not be done, when hours begin, and when an account ends', () => {
    const denied = answered(refusedFor('verb-denied'), { shows: 'history' });
    assert.equal(denied.text, 'No: role neighbour may not see recordings.');
    const hours = role({ hours: ['Mon-Fri 09:00-18:00'] });
    const closed = answered({ ...refusedFor('outside-hours'), opens: { at: 1_795_500_000 } }, { role: hours });
    assert.match(closed.text, /^Not now: role neighbour is valid Mon–Fri 09:00–18:00\. Again from .*\d.* on\.$/);
    const ended = answered(refusedFor('account-ended'), { user: user({ valid_until: 1_795_400_000 }) });
    assert.match(ended.text, /^No: the account of grandma expired on .*\d/);
    assert.deepEqual(ended.remedies, ['validity']);
    assert.match(answered(refusedFor('second-factor-required')).text, /two-step login first/);
  });

  it('is yes with what limits it', () => {
    assert.equal(answered({ verdict: 'admitted' }).text, 'Yes: role neighbour has this camera.');
    const viewer = role({ role: 'viewer', source: 'builtin' });
    const yes = answered({ verdict: 'admitted', cameras: 'all' }, { role: viewer, user: user({ role: 'viewer' }) });
    assert.equal(yes.text, 'Yes: role viewer sees all cameras.');
    const since = answered({ verdict: 'admitted', since: 1_795_400_000 }, { shows: 'history' });
    assert.match(since.text, /^Yes: .* Nothing before .*\d.*\.$/);
    assert.equal(answered({ verdict: 'admitted', since: 1_795_400_000 }).text, 'Yes: role neighbour has this camera.');
  });

  it('says whatever else by its reason, and nothing in the words of the server', async () => {
    const other = () => answered({ ...refusedFor('cameras-unknown'), status: 503 });
    assert.equal(other().text, 'No: The server answered with status 503.');
    await learnProblems('en');
    assert.match(other().text, /^No: The list of cameras could not be read yet/);
    assert.deepEqual(other().remedies, []);
  });
});

describe('The table', () => {
  const holder = (more: Partial<Holder> = {}): Holder => ({
    kind: 'user',
    name: 'grandma',
    role: 'neighbour',
    cameras: ['street'],
    denied: [],
    ...more,
  });

  // biome-ignore format: a table
  const cells: readonly (readonly [sentence: string, holder: Partial<Holder>, camera: string, sight: string])[] = [
    ['a camera of the role',             {},                                                'street', 'all'],
    ['another one',                      {},                                                'pool',   'none'],
    ['any, for all cameras',             { cameras: 'all' },                                'pool',   'all'],
    ['one without recordings',           { denied: ['history'] },                           'street', 'part'],
    ['one that may not be moved',        { denied: ['ptz', 'talk'] },                       'street', 'all'],
    ['one with nothing to see',          { denied: ['live', 'history', 'export'] },         'street', 'none'],
    ['outside the hours',                { closed: 'outside-hours' },                       'street', 'closed'],
    ['before the account begins',        { closed: 'account-not-begun', cameras: 'all' },   'street', 'closed'],
    ['after the account has ended',      { closed: 'account-ended', cameras: 'all' },       'street', 'none'],
    ['without a role',                   { closed: 'role-missing' },                        'street', 'none'],
    ['one behind the curtain',           { cameras: 'all', drawn: ['pool'] },               'pool',   'drawn'],
    ['it after the account has ended',   { drawn: ['pool'], closed: 'account-ended' },      'pool',   'none'],
    ['before a second step is set up',   { mustEnrol: true },                               'street', 'closed'],
  ];
  for (const [sentence, given, camera, sight] of cells)
    it(`shows ${sentence}`, () => assert.equal(toSight(holder(given), camera), sight));

  it('has people by role, admins first, without tokens', () => {
    const people = [
      holder({ name: 'zoe' }),
      holder({ name: 'anna' }),
      holder({ name: 'vera', role: 'viewer' }),
      holder({ name: 'root', role: 'admin' }),
      holder({ name: 'robot', kind: 'token' }),
    ];
    const groups = byRole(people).map(({ role: name, people: those }) => [name, ...those.map((one) => one.name)]);
    assert.deepEqual(groups, [
      ['admin', 'root'],
      ['viewer', 'vera'],
      ['neighbour', 'anna', 'zoe'],
    ]);
  });

  it('is searched by person or role, and by camera as it is called', () => {
    const access = { cameras: ['garden_north', 'pool'], holders: [holder(), holder({ name: 'vera', role: 'viewer' })] };
    const looked = found(access, { person: 'neigh', camera: 'den n' }, (camera) => camera.replace('_', ' '));
    assert.deepEqual(looked.cameras, ['garden_north']);
    assert.deepEqual(
      looked.holders.map(({ name }) => name),
      ['grandma'],
    );
  });
});
