/** The page Activity: a sentence for every kind of record in every language, rows of viewings, and stretches of time (SPEC 14). */
import '../../ui/support/in-english.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NOTICE_KINDS } from '../../../src/domain/accounts/notice.ts';
import {
  type ActivityRecord,
  bucketDays,
  cameraOf,
  recordFields,
  toQuery,
  toRows,
  toSentence,
  toSpan,
  viewerOf,
  viewerText,
} from '../../../src/features/ledger/page/activity-records.ts';
import { LEDGER_KINDS } from '../../../src/features/ledger/records.ts';
import { textsIn } from '../../../src/locales/catalogs.ts';
import { LANGUAGES } from '../../../src/locales/languages.ts';
import { learnCameraNames } from '../../../src/ui/pages/shared/words.ts';

const NAMES = new Map([
  ['token:t1', 'Home Assistant'],
  ['link:l1', 'Pool for the neighbour'],
]);
const record = (given: object) => ({ id: 'x', kind: 'change', from: 100, to: 100, ...given }) as ActivityRecord;
const changed = (what: string, detail: object = {}): ActivityRecord =>
  record({ user: 'ann', detail: { what, ...detail } });

/** Those of the audit log are among them: the compiler asks for their sentences. */
const ACTS = Object.keys(textsIn('en').ledger.sentences.acts);
/** What the ledger writes beside the audited acts. */
const OTHER_ACTS = ['access', 'ledger-forgotten', 'ledger-dropped', ...NOTICE_KINDS];

describe('A record of the activity', () => {
  it('names a camera as people do, and leaves a pattern as it was written', (t) => {
    learnCameraNames({ cam_1: 'Front door' });
    t.after(() => learnCameraNames({}));
    const said = (camera: string): string => toSentence(record({ kind: 'live', camera }), NAMES);
    assert.deepEqual(
      ['cam_1', 'back_door', 'cam_*'].map(said),
      ['Front door', 'back door', 'cam_*'].map((name) => `Watched ${name} live`),
    );
  });

  it('has a sentence for every act that is recorded', () => {
    for (const [tag] of LANGUAGES)
      assert.deepEqual(
        [...ACTS, ...OTHER_ACTS].filter((act) => !Object.hasOwn(textsIn(tag).ledger.sentences.acts, act)),
        [],
        tag,
      );
  });

  // biome-ignore format: a table
  const SENTENCES: readonly (readonly [record: ActivityRecord, sentence: string])[] = [
    [record({ kind: 'login-failed', detail: { what: 'login', reason: 'bad-credentials', times: '3' } }), 'Wrong password, 3 times'],
    [record({ kind: 'login-failed', user: null, detail: { what: 'login', reason: 'bad-credentials', names: 'eve, bob', times: '2' } }), 'No such user, 2 times'],
    [record({ kind: 'link', detail: { what: 'link-opened', linkId: 'l1' } }), 'Link “Pool for the neighbour” was opened'],
    [record({ kind: 'link', detail: { what: 'link-opened', linkId: 'gone' } }), 'Link was opened'],
    [changed('password-changed', { user: 'admin' }), 'Password of admin changed'],
    [changed('token-created', { tokenId: 't1', user: 'ann' }), 'API token “Home Assistant” of ann created'],
    [changed('custom-role-changed', { role: 'porch' }), 'Role porch saved'],
    [record({ kind: 'refusal', user: 'ann', detail: { what: 'access', reason: 'role-too-low', method: 'POST', path: '/api/restart' } }), 'Not allowed: POST /api/restart'],
    [record({ kind: 'login', user: 'ann', credential: 'oidc:home', detail: { what: 'login' } }), 'Logged in with home'],
    [record({ kind: 'login', user: 'ann', credential: 'session:1', detail: { what: 'login', factor: 'passkey' } }), 'Logged in with a passkey'],
    [record({ kind: 'live', user: 'ann', camera: 'porch' }), 'Watched porch live'],
    [record({ kind: 'login-failed', detail: { what: 'login', reason: 'of-tomorrow' } }), 'Login failed'],
    [changed('of-tomorrow', { secret_key: 'x' }), 'Something was changed'],
    [changed('constructor'), 'Something was changed'],
  ];
  for (const [given, sentence] of SENTENCES)
    it(`reads: ${sentence}`, () => assert.equal(toSentence(given, NAMES), sentence));
});

it('A lifted limit says whose', () => {
  const lifted = changed('limit-lifted', { limited: '192.0.2.7' });
  assert.deepEqual(
    [toSentence(lifted, NAMES), recordFields(lifted)],
    ['Login block lifted', [['Was blocked', '192.0.2.7']]],
  );
});

describe('No raw key and no id of a record is shown', () => {
  for (const [tag] of LANGUAGES)
    it(`in ${tag}, for any kind, act and reason`, () => {
      const words = textsIn(tag).ledger.sentences;
      const reasons = ['bad-credentials', 'of-tomorrow', undefined];
      const detail = {
        user: 'bob',
        role: 'porch',
        tokenId: 'id-of-token',
        linkId: 'id-of-link',
        sessionId: 'id-of-session',
        new_key: 'new-value',
      };
      for (const kind of [...LEDGER_KINDS, 'of-tomorrow'])
        for (const what of [...ACTS, 'act-of-tomorrow'])
          for (const reason of reasons) {
            const given = record({ kind, user: 'ann', detail: { ...detail, what, reason } });
            const said = [toSentence(given, new Map(), 1, words), ...recordFields(given, words).flat()].join('\n');
            assert.doesNotMatch(said, /id-of|tomorrow|new[-_]|undefined|sessionId|tokenId|linkId|bad-credentials|^$/);
            if (what.includes('-')) assert.ok(!said.includes(what), `${what}: ${said}`);
          }
    });
});

describe('The rows of the activity', () => {
  it('tell in one line of all cameras that one request draws, and of another request apart', () => {
    const move = (camera: string, from: number, what = 'curtain-drawn') => ({
      ...changed(what, { camera }),
      from,
      to: from,
    });
    const rows = toRows([
      move('yard', 200, 'curtain-opened'),
      ...[7, 6, 5, 4, 3, 2, 1].map((number) => move(`cam${number}`, 200)),
      move('cam1', 100),
    ]);
    assert.deepEqual(
      rows.map(({ record, count }) => toSentence(record, NAMES, count)),
      ['Curtain opened: yard', 'Curtain drawn: cam1, cam2, cam3, cam4, cam5 and 2 more', 'Curtain drawn: cam1'],
    );
    assert.deepEqual(
      toRows([move('porch*', 300)])
        .concat(rows)
        .map(cameraOf),
      ['', 'yard', '', 'cam1'],
    );
  });

  const live = (id: string, from: number, more: object = {}): ActivityRecord =>
    record({ id, kind: 'live', user: 'ann', camera: 'porch', from, to: from + 10, ...more });

  it('tell viewings of one person and camera that follow each other in one line', () => {
    const [row, ...others] = toRows([live('c', 300), live('b', 200), live('a', 100)]);
    assert.equal(others.length, 0);
    assert.deepEqual([row?.record.id, row?.count, row?.from, row?.to, row?.duration], ['c', 3, 100, 310, 30]);
  });

  it('keep the event that was seen last, where one is known', () => {
    const seen = (event: string) => ({ kind: 'history', detail: { event } });
    const other = { kind: 'history' };
    const rows = toRows([live('c', 300, other), live('b', 200, seen('2-b')), live('a', 100, seen('1-a'))]);
    assert.deepEqual(
      rows.map(({ count, event }) => [count, event]),
      [[3, '2-b']],
    );
    assert.equal(toRows([live('a', 100)])[0]?.event, undefined);
  });

  it('tell small pictures of one visit in one line, with the number of cameras', () => {
    const small = (id: string, camera: string) => live(id, 100, { kind: 'browse', camera });
    const [row, ...others] = toRows([small('c', 'porch'), small('b', 'garden'), small('a', 'porch')]);
    assert.ok(row && others.length === 0);
    const said = toSentence(row.record, NAMES, row.count);
    assert.deepEqual([said, row.record.camera, row.duration], ['Saw small pictures of 2 cameras in lists', null, 0]);
    const alone = toRows([small('a', 'porch')]).map(({ record, count }) => toSentence(record, NAMES, count));
    assert.deepEqual(alone, ['Saw small pictures of porch in lists']);
  });

  it('name the link or screen that showed pictures to others, and its maker', () => {
    const by = (credential: string, kind = 'live') => live('a', 100, { kind, user: 'admin', credential });
    const said = (one: ActivityRecord): string => viewerText(viewerOf(one), one.user, NAMES);
    const rows = [by('link:l1'), by('screen:12345678abcd', 'browse'), by('token:t1'), by('link:l1', 'link')];
    assert.deepEqual(rows.map(said), [
      'Link “Pool for the neighbour” (by admin)',
      'Screen 12345678 (by admin)',
      'admin',
      'admin',
    ]);
  });

  it('keep apart what another person, camera or credential did, other kinds, and acts', () => {
    const records = [
      live('a', 900),
      live('b', 800, { user: 'bob' }),
      live('c', 700, { camera: 'garden' }),
      live('d', 600, { camera: 'garden', credential: 'token:t1' }),
      live('e', 500, { kind: 'history' }),
      changed('user-created'),
      changed('user-created'),
    ];
    assert.equal(toRows(records).length, records.length);
  });
});

describe('The stretches of time', () => {
  const now = new Date(2026, 10, 23, 23, 30);
  const at = (day: number, hour = 0): number => new Date(2026, 10, day, hour).getTime() / 1000;
  // biome-ignore format: a table
  const ROWS = [
    ['today',     at(23),     undefined, 1],
    ['yesterday', at(22),     at(23),    1],
    ['night',     at(22, 22), at(23, 6), 2],
    ['days7',     at(17),     undefined, 7],
  ] as const;
  for (const [range, after, before, days] of ROWS)
    it(`${range} is what a person means by it`, () => {
      const span = toSpan(range, now);
      assert.deepEqual([span.after, span.before, span.days], [after, before, days]);
    });

  it('have a bar for each day, stacked by who watched most', () => {
    const watched = [
      { day: '2026-03-28', user: 'ann', minutes: 2 },
      { day: '2026-03-30', user: 'ann', minutes: 1 },
      { day: '2026-03-30', user: 'bob', minutes: 9 },
      { day: '2026-04-30', user: 'bob', minutes: 9 },
      { day: '2026-03-29', user: 'bob', credential: 'link:l1', minutes: 1 },
    ];
    const { starts, people } = bucketDays(watched, new Date(2026, 2, 28), 3);
    assert.deepEqual(
      starts,
      [28, 29, 30].map((day) => new Date(2026, 2, day).getTime() / 1000),
    );
    assert.deepEqual(people, [
      { name: 'bob', counts: [0, 0, 9], total: 9 },
      { name: 'ann', counts: [2, 0, 1], total: 3 },
      { name: 'link:l1', counts: [0, 1, 0], total: 1 },
    ]);
  });

  it('are asked for with the kinds of the group', () => {
    const query = toQuery({ user: '', camera: 'porch', site: '', group: 'failed' }, { after: 1, before: 2 });
    assert.equal(query, 'after=1&before=2&camera=porch&kind=login-failed');
    const forVisitor = toQuery(
      { user: 'link:l1', camera: '', site: '', group: 'viewings' },
      { after: 1, before: undefined },
    );
    assert.equal(forVisitor, 'after=1&credential=link%3Al1&kind=live%2Chistory%2Cexport');
  });
});
