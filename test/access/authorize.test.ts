/** May they, and see what (interface 2.2, 5.6, 7): one row for each way to be let through or refused. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { authorize } from '../../src/access/authorize.ts';
import { layoutOfNames } from '../../src/access/recorder-layout.ts';
import { compileRouteTable } from '../../src/access/route-table.ts';
import type { Caller, SharedThing } from '../../src/domain/caller.ts';
import { ALL_CAMERAS, scopeOfNames, scopeOfRole } from '../../src/domain/camera-scope.ts';
import { ADMIN, type CameraName, type Role, type UserName, VIEWER } from '../../src/domain/names.ts';
import { FRIGATE } from '../../src/nvr/frigate/frigate.ts';
import type { PolicyRow } from '../../src/routes/policy-row.ts';
import { row, segmentsOf, timesOf } from '../support/routes.ts';

const KNOWN = ['cam1', 'cam2', 'patio_1'] as CameraName[];
const ROLES = new Map<Role, string[]>([
  ['front_only' as Role, ['cam1']],
  ['patio' as Role, ['patio_*']],
  ['gone' as Role, ['cam9']],
  ['both' as Role, ['cam1', 'cam2']],
  ['everything' as Role, ['*']],
]);

const NOW = 1000;
const aWhile = { history: { seconds: 100 } };
const linkTo = (thing: SharedThing): Pick<Caller, 'credential'> => ({
  credential: { kind: 'link', linkId: 'l', thing, expiresAt: 9e9 },
});
const CLIP: SharedThing = { kind: 'recording', camera: 'cam1', from: 950, to: 960 };

/** Callers who are more, or less, than their role. */
// biome-ignore format: a table
const PARTICULAR: Readonly<Record<string, Partial<Caller>>> = {
  'patio':             { denied: ['history'] },
  'mute':              { role: 'front_only' as Role, denied: ['talk'] },
  'recent':            { role: 'front_only' as Role, ...aWhile },
  'recent, of none':   { role: 'gone' as Role, ...aWhile },
  'recent viewer':     { role: VIEWER, ...aWhile },
  'recent admin':      { role: ADMIN, ...aWhile },
  'narrowed admin':    { role: ADMIN, scope: scopeOfNames(['cam1']) },
  'narrowed viewer':   { role: VIEWER, scope: scopeOfNames(['cam1']) },
  'stranger to all':   { scope: ALL_CAMERAS },
  'door token':        { role: ADMIN, right: 'door' },
  'its owner demoted': { role: VIEWER, right: 'door' },
  'other token':       { role: ADMIN, right: 'gate' },
  'link: live':        { role: VIEWER, ...linkTo({ kind: 'live', camera: 'cam1' }) },
  'link: clip':        { role: VIEWER, ...linkTo(CLIP) },
  'link: odd name':    { role: ADMIN, ...linkTo({ kind: 'live', camera: 'config' }) },
  'link: denied':      { role: 'front_only' as Role, denied: ['export'], ...linkTo(CLIP) },
};

function callerOf(name: string): Caller {
  const particular = PARTICULAR[name] ?? {};
  const { role = name as Role } = particular;
  const credential = { kind: 'proxy-headers' } as const;
  return { name: 'somebody' as UserName, role, scope: scopeOfRole(role, ROLES), credential, ...particular };
}

const table = compileRouteTable(
  [
    'GET /login public',
    'GET /api/profile any',
    'GET /api/events any query:camera+query:cameras rewrite:cameras',
    'GET /api/stats unrestricted',
    'GET /api/users admin',
    'GET /api/cases any - deny',
    'GET /vod/{camera}/x camera path:camera',
    'GET /api/review/{id} camera review:path:id',
    'GET !/api/{camera}/latest.jpg camera path:camera',
    'GET !/api/{camera}/sum camera query:cameras+path:camera',
    'ANY /cache/{rest...} none',
    'GET /api/sub_labels any - own-data',
    'GET /api/events/explore any - own-data:explore',
    'GET /api/labels any query:camera fanout:camera',
    'GET /api/timeline any query:camera post-filter',
    'WS /live camera stream:query:src',
    'GET /api/streams/{stream} camera stream:path:stream',
    'WS /ws any - per-message',
  ]
    .map(row)
    .concat([
      { ...row('GET /vod/{camera}/history camera path:camera'), verb: 'history' },
      { ...row('GET /api/sum any query:cameras rewrite:cameras'), empty: { days: {} } },
      { ...row('POST /api/export/{camera} camera path:camera'), admin_fields: ['case'] },
      { ...row('POST /api/note any'), admin_fields: ['case'] },
      { ...row('POST /api/talk camera stream:query:src'), admin_parameters: ['dst'] },
      { ...row('GET /api/previews any - post-filter'), answer: 'array', empty: [] },
      row('GET /api/forgotten any - rewrite:cameras'),
      row('GET /api/forgotten/one any - fanout:camera'),
      { ...row('GET /api/config any - rewrite-body'), answer: 'config' },
      { ...row('GET /api/stats/short any - post-filter'), answer: 'stats' },
      { ...row('GET /api/summary any'), answer: 'array' },
      row('GET /api/one any query:camera'),
      row('GET /api/export/{id} camera export:path:id post-check'),
      row('POST /api/only camera body:camera'),
      { ...row('GET /api/events/{id}/clip.mp4 camera event:path:id lookup'), verb: 'history', times: timesOf('id') },
      { ...row('GET /api/names any - post-filter'), verb: 'history', times: timesOf('own-data:labels') },
      { ...row('GET /api/names/all any - post-filter'), verb: 'history', times: timesOf('own-data') },
      { ...row('GET /api/names/twice any - own-data'), verb: 'history', times: timesOf('own-data:labels', 'own-data') },
      {
        ...row('GET /api/list any query:cameras rewrite:cameras'),
        verb: 'history',
        times: timesOf('query:after', 'answer'),
        answer: 'array',
      },
      { ...row('GET /api/near any'), verb: 'history', times: timesOf('query:after:100') },
      { ...row('GET /api/far any - post-filter'), verb: 'history', times: timesOf('query:after:500', 'answer') },
      { ...row('POST /api/own any'), verb: 'export', times: timesOf('own-route'), own: true },
      { ...row('POST /api/not-own any'), verb: 'export', times: timesOf('own-route') },
      { ...row('PUT /api/door admin'), right: 'door', own: true },
      { ...row('PUT /api/doors admin'), right: 'door' },
      row('GET /wall camera'),
      row('GET /vod/{camera}/rest/x camera path:camera'),
      { ...row('GET /api/cam1 camera'), views: 'live' },
      { ...row('GET /api/cam2 camera'), views: 'live' },
      {
        ...row('GET /vod/{camera}/start/{start}/end/{end}/{file} camera path:camera'),
        verb: 'history',
        views: 'history',
        times: timesOf('path:start'),
      },
      {
        ...row('POST /api/export/{camera}/{start} camera path:camera+body:camera'),
        verb: 'export',
        views: 'export',
        times: timesOf('path:start'),
      },
      { ...row('GET /api/past any - post-filter'), verb: 'history' },
      { ...row('GET /api/ptz/{camera} camera path:camera'), verb: 'ptz' },
      row('POST /api/tell/{camera} camera path:camera+body:camera'),
      { ...row('POST /api/offer camera stream:query:src'), signalling: true },
    ] satisfies PolicyRow[]),
  FRIGATE,
);

const surroundings = (cameras: CameraName[] | undefined) => ({ layout: cameras && layoutOfNames(cameras), now: NOW });

function judge(
  caller: string | undefined,
  request: string,
  known: { cameras: CameraName[] | undefined } = { cameras: KNOWN },
): string {
  const [method = '', target = ''] = request.split(' ');
  const [path = '', query = ''] = target.split('?');
  const segments = segmentsOf(path);
  const verdict = authorize(
    caller === undefined ? undefined : callerOf(caller),
    table.match(method, segments),
    { path, segments, query },
    surroundings(known.cameras),
  );
  if (verdict.kind === 'refused') return verdict.reason;
  if (verdict.kind === 'nothing-visible') return `nothing ${verdict.body}`;
  const { view: _, ...terms } = verdict.obligations ?? {};
  const told = verdict.obligations === undefined ? '' : ` ${JSON.stringify(terms)}`;
  return `${verdict.target.path}?${verdict.target.query}${told}`;
}

describe('Who may do what', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, caller: string | undefined, request: string, expected: string][] = [
    ['a public route is open to an unknown caller',            undefined,    'GET /login',                         '/login?'],
    ['everything else asks who calls',                         undefined,    'GET /api/profile',                   'no-credentials'],
    ['an unlisted route asks who calls first',                 undefined,    'GET /nowhere',                       'no-credentials'],
    ['admin: full access',                                     'admin',      'DELETE /api/anything',               '/api/anything?'],
    ['admin: even so, a path that no role may reach is not reached', 'admin',      'GET /cache/x',                       'path-not-found'],
    ['a token for one right: the rows of that right',          'door token', 'PUT /api/door',                      '/api/door?'],
    ['a token for one right: as long as its owner is an admin', 'its owner demoted', 'PUT /api/door',               'role-too-low'],
    ['a token for another right: not those rows',              'other token', 'PUT /api/door',                     'role-too-low'],
    ['a token for one right: no row that is not Postern’s own', 'door token', 'PUT /api/doors',                    'role-too-low'],
    ['a token for one right: no row without it',               'door token', 'GET /api/profile',                   'role-too-low'],
    ['a token for one right: no picture',                      'door token', 'GET /vod/cam1/x',                    'role-too-low'],
    ['a token for one right: nothing that is not listed',      'door token', 'GET /api/unknown',                   'role-too-low'],
    ['viewer: no user management',                             'viewer',     'GET /api/users',                     'role-too-low'],
    ['viewer: nothing that is not listed',                     'viewer',     'GET /api/unknown',                   'route-unlisted'],
    ['viewer: reads, and does not write',                      'viewer',     'POST /api/events',                   'route-unlisted'],
    ['viewer: all cameras',                                    'viewer',     'GET /vod/cam2/x',                    '/vod/cam2/x?'],
    ['viewer: lists as asked',                                 'viewer',     'GET /api/events?cameras=cam2&limit=3', '/api/events?cameras=cam2&limit=3'],
    ['viewer: what only restricted roles are denied',          'viewer',     'GET /api/stats',                     '/api/stats?'],
    ['custom role: not what shows every camera',               'front_only', 'GET /api/stats',                     'role-too-low'],
    ['custom role: its camera',                                'front_only', 'GET /vod/cam1/x',                    '/vod/cam1/x?'],
    ['custom role: a camera outside is 403',                   'front_only', 'GET /vod/cam2/x',                    'camera-not-in-role'],
    ['custom role: an encoded name is the same camera',        'front_only', 'GET /vod/cam%32/x',                  'camera-not-in-role'],
    ['custom role: a list is narrowed to its cameras',         'front_only', 'GET /api/events?limit=3',            '/api/events?limit=3&cameras=cam1 {"isRewritten":true}'],
    ['custom role: all means its own',                         'front_only', 'GET /api/events?cameras=all',        '/api/events?cameras=cam1 {"isRewritten":true}'],
    ['custom role: a wildcard means the cameras there are',    'patio',      'GET /api/events',                    '/api/events?cameras=patio_1 {"isRewritten":true}'],
    ['custom role: a named foreign camera is 403',             'front_only', 'GET /api/events?cameras=cam1,cam2',  'camera-not-in-role'],
    ['custom role: by the other parameter too',                'front_only', 'GET /api/events?camera=cam2',        'camera-not-in-role'],
    ['custom role: under an encoded name too',                 'front_only', 'GET /api/events?%63ameras=cam2',     'camera-not-in-role'],
    ['custom role: one camera stays that one',                 'front_only', 'GET /api/events?camera=cam1',        '/api/events?camera=cam1&cameras=cam1 {"isRewritten":true}'],
    ['custom role: a repeated parameter is refused',           'front_only', 'GET /api/events?cameras=cam1&cameras=cam2', 'parameter-repeated'],
    ['custom role: an empty list stays empty',                 'front_only', 'GET /api/events?cameras=',           'nothing []'],
    ['custom role without a camera that exists sees nothing',  'gone',       'GET /api/events',                    'nothing []'],
    ['unknown role sees nothing',                              'stranger',   'GET /api/events',                    'nothing []'],
    ['unknown role: no camera',                                'stranger',   'GET /vod/cam1/x',                    'camera-not-in-role'],
    ['unknown role: no route for admin and viewer',            'stranger',   'GET /api/stats',                     'role-too-low'],
    ['unknown role: still a known caller',                     'stranger',   'GET /api/profile',                   '/api/profile?'],
    ['what cannot be narrowed is denied to a custom role',     'front_only', 'GET /api/cases',                     'not-narrowable'],
    ['an id is let through on terms that its owner is asked for', 'front_only', 'GET /api/review/1',               '/api/review/1? {"owners":[{"of":"review","ids":["1"]}]}'],
    ['a role that sees no camera is not asked for',            'gone',       'GET /api/review/1',                  'camera-not-in-role'],
    ['a role may be denied what is past',                      'patio',      'GET /vod/patio_1/history',           'verb-denied'],
    ['and keeps the rest',                                     'patio',      'GET /vod/patio_1/x',                 '/vod/patio_1/x?'],
    ['other roles are not denied it',                          'front_only', 'GET /vod/cam1/history',              '/vod/cam1/history?'],
    ['an empty answer looks as the route\'s answers do',       'gone',       'GET /api/sum',                       'nothing {"days":{}}'],
    ['several cameras are asked for one by one',               'both',       'GET /api/labels',                    '/api/labels? {"fanout":{"parameter":"camera","cameras":["cam1","cam2"]}}'],
    ['a camera that is named twice is asked for once',         'both',       'GET /api/labels?camera=cam1,cam2,cam1', '/api/labels?camera=cam1,cam2,cam1 {"fanout":{"parameter":"camera","cameras":["cam1","cam2"]}}'],
    ['and named once to the NVR',                              'front_only', 'GET /api/events?cameras=cam1,cam1,', '/api/events?cameras=cam1 {"isRewritten":true}'],
    ['one camera is asked for at once',                        'front_only', 'GET /api/labels',                    '/api/labels?camera=cam1 {"isRewritten":true}'],
    ['what only we can narrow is left to our own backend',     'front_only', 'GET /api/sub_labels',                '/api/sub_labels? {"ownData":{}}'],
    ['or made of what can be asked by camera',                 'front_only', 'GET /api/events/explore?limit=3',    '/api/events/explore?limit=3 {"ownData":{"list":"explore"}}'],
    ['a list for one camera or all is narrowed in its answer', 'front_only', 'GET /api/timeline?camera=cam2',      'camera-not-in-role'],
    ['where the NVR has nothing of any camera, the answer is as if there were something', 'front_only', 'GET /api/previews', '/api/previews? {"empty":"[]","responseForm":"array"}'],
    ['viewer: it is the NVR\'s',                               'viewer',     'GET /api/previews',                  '/api/previews?'],
    ['custom role: a semicolon, which some read as another parameter', 'front_only', 'GET /api/events?x=1;cameras=cam2', 'target-not-plain'],
    ['viewer: that too',                                       'viewer',     'GET /api/events?x=1;cameras=cam2',   '/api/events?x=1;cameras=cam2'],
    ['a stream must be named',                                 'front_only', 'WS /live',                           'camera-not-in-role'],
    ['every stream that is named must be visible',             'front_only', 'WS /live?src=cam1&src=cam2',         'camera-not-in-role'],
    ['birdseye shows every camera',                            'everything', 'WS /live?src=birdseye',              'camera-not-in-role'],
    ['viewer: birdseye',                                       'viewer',     'WS /live?src=birdseye',              '/live?src=birdseye'],
    ['viewer: no address in a stream\'s place',                'viewer',     'WS /live?src=rtsp://elsewhere/1',    'camera-not-in-role'],
    ['admin: even that',                                       'admin',      'WS /live?src=rtsp://elsewhere/1',    '/live?src=rtsp://elsewhere/1'],
    ['viewer: nor in a path',                                  'viewer',     'GET /api/streams/rtsp:elsewhere',    'camera-not-in-role'],
    ['viewer: nor a second parameter behind the name',         'viewer',     'GET /api/streams/cam1&src=cam2',     'camera-not-in-role'],
    ['viewer: nor one that is decoded twice',                  'viewer',     'GET /api/streams/rtsp%253A%252F%252Felsewhere', 'camera-not-in-role'],
    ['viewer: a stream by its name',                           'viewer',     'GET /api/streams/cam1_sub',          '/api/streams/cam1_sub?'],
    ['a wildcard is no way to all',                            'everything', 'GET /api/events?cameras=all,cam1',   'camera-not-in-role'],
    ['nor to a camera that does not exist',                    'everything', 'GET /vod/cam9/x',                    'camera-not-in-role'],
    ['viewer: messages are judged',                            'viewer',     'WS /ws',                             '/ws? {"messages":{"denied":[]}}'],
    ['admin: they are, for topics of no camera',                'admin',      'WS /ws',                             '/ws? {"messages":{"denied":[]}}'],
    ['viewer: fields for admins are looked for',               'viewer',     'POST /api/export/cam2',              '/api/export/cam2? {"body":{"locators":[],"adminFields":["case"]}}'],
    ['admin: they are not',                                    'admin',      'POST /api/export/cam2',              '/api/export/cam2?'],
    ['custom role: fields for admins, where nothing else is narrowed', 'front_only', 'POST /api/note',             '/api/note? {"body":{"locators":[],"adminFields":["case"]}}'],
    ['custom role: no parameter for admins',                   'front_only', 'POST /api/talk?src=cam1&dst=cam1',   'field-admin-only'],
    ['custom role: nor one that is spelled otherwise',         'front_only', 'POST /api/talk?src=cam1&%64st',      'field-admin-only'],
    ['viewer: nor that',                                       'viewer',     'POST /api/talk?src=cam1&dst=cam1',   'field-admin-only'],
    ['admin: even that',                                       'admin',      'POST /api/talk?src=cam1&dst=cam1',   '/api/talk?src=cam1&dst=cam1'],
    ['without it, what is left is passed',                     'front_only', 'POST /api/talk?src=cam1',            '/api/talk?src=cam1'],
    ['a table that forgets where cameras stand shows no more', 'front_only', 'GET /api/forgotten?cameras=cam2',    'nothing []'],
    ['nor with another way to narrow',                         'front_only', 'GET /api/forgotten/one?camera=cam2,cam1', '/api/forgotten/one?camera=cam1 {"isRewritten":true}'],
    ['the configuration is rewritten for every caller',        'admin',      'GET /api/config',                    '/api/config? {"responseForm":"config"}'],
    ['statistics for all but admins',                          'admin',      'GET /api/stats/short',               '/api/stats/short?'],
    ['viewer: statistics too',                                 'viewer',     'GET /api/stats/short',               '/api/stats/short? {"responseForm":"stats"}'],
    ['a camera route takes a camera',                          'viewer',     'GET /api/cam1/latest.jpg',           '/api/cam1/latest.jpg?'],
    ['a camera route takes nothing else',                      'viewer',     'GET /api/users/latest.jpg',          'route-unlisted'],
    ['wherever else the row names cameras',                    'viewer',     'GET /api/cam1/sum',                  '/api/cam1/sum?'],
    ['and nothing else, there too',                            'viewer',     'GET /api/users/sum',                 'route-unlisted'],
    ['the same for a custom role',                             'front_only', 'GET /api/cam2/latest.jpg',           'camera-not-in-role'],
    ['what the answer tells the owner of, the NVR is not asked for', 'front_only', 'GET /api/export/1',         '/api/export/1?'],
    ['a camera may stand in the body alone',                   'front_only', 'POST /api/only',                     '/api/only? {"body":{"locators":[{"kind":"camera","source":"body","name":"camera"}],"adminFields":[]}}'],
    ['an empty answer is for those who see nothing',           'front_only', 'GET /api/sum',                       '/api/sum?cameras=cam1 {"isRewritten":true}'],
    ['no list of our own without a camera',                    'gone',       'GET /api/sub_labels',                'nothing []'],
    ['back to a moment: nor names that only we can find',      'recent, of none', 'GET /api/names',                'nothing []'],
    ['back to a moment: those that we find',                   'recent',     'GET /api/names',                     '/api/names? {"ownData":{"list":"labels"}}'],
    ['back to a moment: a clip that begins earlier is judged so', 'recent',  'GET /api/events/1/clip.mp4?padding=5', '/api/events/1/clip.mp4?padding=5 {"owners":[{"of":"event","ids":["1"],"padding":5}],"padding":5}'],
    ['and others as they are',                                 'recent',     'GET /api/events/1/clip.mp4',         '/api/events/1/clip.mp4? {"owners":[{"of":"event","ids":["1"]}]}'],
    ['back to a moment: of several the earliest beginning counts', 'recent', 'GET /vod/cam1/start/907/end/960/x?padding=5&padding=7', '/vod/cam1/start/907/end/960/x?padding=5&padding=7 {"padding":7}'],
    ['back to a moment: one second earlier is told too',       'recent',     'GET /vod/cam1/start/901/end/960/x?padding=1', '/vod/cam1/start/901/end/960/x?padding=1 {"padding":1}'],
    ['back to a moment: not one that is before it',            'recent',     'GET /vod/cam1/start/907/end/960/x?padding=8', 'history-too-old'],
    ['back to a moment: none that cannot be told',             'recent',     'GET /vod/cam1/start/950/end/960/x?padding=x', 'history-not-judged'],
    ['back to a moment: no time that cannot be told',          'recent',     'GET /vod/cam1/start/x/end/960/x',    'history-not-judged'],
    ['back to a moment: none adds nothing',                    'recent',     'GET /vod/cam1/start/950/end/960/x?padding=0', '/vod/cam1/start/950/end/960/x?padding=0'],
    ['back to a moment: a list is asked for from there',       'recent',     'GET /api/list',                      '/api/list?after=900&cameras=cam1 {"timesInAnswer":true,"isRewritten":true,"responseForm":"array"}'],
    ['back to a moment: not from before',                      'recent',     'GET /api/near?after=899',            '/api/near?after=900'],
    ['back to a moment: from then on as it was asked',         'recent',     'GET /api/near?after=900&x=1', '/api/near?after=900&x=1'],
    ['back to a moment: from no time that cannot be told',     'recent',     'GET /api/near?after=x',              '/api/near?after=900'],
    ['back to a moment: from no two times',                    'recent',     'GET /api/near?after=950&after=960',  '/api/near?after=900'],
    ['back to a moment: with no semicolon',                    'recent',     'GET /api/near?after=950;after=1',    'target-not-plain'],
    ['back to a moment: where the NVR gives the latest only, as it was asked', 'recent', 'GET /api/near',         '/api/near?'],
    ['back to a moment: where it gives more, from there',      'recent',     'GET /api/far',                       '/api/far?after=900 {"timesInAnswer":true,"responseForm":"times"}'],
    ['back to a moment: the list that one of two places names','recent',     'GET /api/names/twice',               '/api/names/twice? {"ownData":{"list":"labels"}}'],
    ['back to a moment: what our own backend keeps',           'recent',     'GET /api/names/all',                 '/api/names/all? {"ownData":{}}'],
    ['back to a moment: a route of our own judges its body',   'recent',     'POST /api/own',                      '/api/own?'],
    ['back to a moment: none of the NVR does',                 'recent',     'POST /api/not-own',                  'history-not-judged'],
    ['a camera named where nothing is narrowed is judged',     'front_only', 'GET /api/one?camera=cam2',           'camera-not-in-role'],
    ['a row of cameras that names none is for those who see all', 'front_only', 'GET /wall',                      'camera-not-in-role'],
    ['viewer: that row',                                       'viewer',     'GET /wall',                          '/wall?'],
    ['viewer: no word that the NVR takes out of a path',       'viewer',     'GET /vod/lang/rest/x',               'route-unlisted'],
    ['admin: even that',                                       'admin',      'GET /vod/lang/rest/x',               '/vod/lang/rest/x?'],
    ['narrowed admin: not what is unlisted',                   'narrowed admin', 'GET /api/x',                     'not-narrowable'],
    ['narrowed admin: no user management',                     'narrowed admin', 'GET /api/users',                 'role-too-low'],
    ['narrowed viewer: not what shows every camera',           'narrowed viewer', 'GET /api/stats',                'role-too-low'],
    ['unknown role that sees all: nor that',                   'stranger to all', 'GET /api/stats',                'role-too-low'],
    ['viewer: may talk',                                       'viewer',     'POST /api/offer?src=cam1',           '/api/offer?src=cam1 {"signalling":{"mayTalk":true}}'],
    ['a role that may not talk is judged so',                  'mute',       'POST /api/offer?src=cam1',           '/api/offer?src=cam1 {"signalling":{"mayTalk":false}}'],
    ['admin: the body of an export is read for the ledger',    'admin',      'POST /api/export/cam1/950',          '/api/export/cam1/950? {"body":{"locators":[],"adminFields":[]}}'],
    ['admin: where nothing is shown it is not',                'admin',      'POST /api/tell/cam1',                '/api/tell/cam1?'],
    ['admin: nor where no camera stands in it',                'admin',      'GET /vod/cam1/start/1/end/2/x.m3u8', '/vod/cam1/start/1/end/2/x.m3u8?'],
    ['back to a moment: what is later',                        'recent',     'GET /vod/cam1/start/900/end/901/x',  '/vod/cam1/start/900/end/901/x?'],
    ['back to a moment: not what is earlier',                  'recent',     'GET /vod/cam1/start/899/end/901/x',  'history-too-old'],
    ['back to a moment: no export of it',                      'recent',     'POST /api/export/cam1/899',          'history-too-old'],
    ['back to a moment: no list that tells no times',          'recent',     'GET /api/past',                      'history-not-judged'],
    ['back to a moment: nothing of a camera that names no verb', 'recent',   'GET /vod/cam1/x',                    'history-not-judged'],
    ['back to a moment: what is no footage',                   'recent',     'GET /api/ptz/cam1',                  '/api/ptz/cam1?'],
    ['back to a moment: what is of no camera',                 'recent',     'GET /api/profile',                   '/api/profile?'],
    ['viewer, back to a moment: no footage at all',            'recent viewer', 'GET /vod/cam1/start/900/end/901/x', 'history-not-judged'],
    ['viewer, back to a moment: the rest',                     'recent viewer', 'GET /api/ptz/cam1',               '/api/ptz/cam1?'],
    ['admin: sees all that is past',                           'recent admin', 'GET /vod/cam1/start/1/end/2/x', '/vod/cam1/start/1/end/2/x?'],
    ['a link shows its camera',                                'link: live', 'GET /api/cam1',                      '/api/cam1?'],
    ['a link shows no other camera',                           'link: live', 'GET /api/cam2',                      'path-not-found'],
    ['a link takes no query',                                  'link: live', 'GET /api/cam1?h=1',                  'path-not-found'],
    ['a link to a camera with the name of a route shows nothing', 'link: odd name', 'GET /api/config',             'path-not-found'],
    ['a link of a role that may not export is closed',         'link: denied', 'GET /vod/cam1/start/950/end/960/x.m3u8', 'verb-denied'],
    ['a link\'s playlist stays below it',                      'link: clip', 'GET /vod/cam1/start/950/end/960/x.m3u8', '/vod/cam1/start/950/end/960/x.m3u8? {"playlistAt":"/vod/cam1/start/950/end/960"}'],
    ['a link\'s segments are passed',                          'link: clip', 'GET /vod/cam1/start/950/end/960/x.ts',   '/vod/cam1/start/950/end/960/x.ts?'],
    ['the playlist of another caller is as it is',             'front_only', 'GET /vod/cam1/start/950/end/960/x.m3u8', '/vod/cam1/start/950/end/960/x.m3u8?'],
  ];
  for (const [sentence, caller, request, expected] of rows) {
    it(sentence, () => assert.equal(judge(caller, request), expected));
  }

  it('until the cameras are known, restricted roles are told to wait', () =>
    assert.equal(judge('front_only', 'GET /api/events', { cameras: undefined }), 'cameras-unknown'));

  it('until the cameras are known, what names and shows none is open, and what may show one is not', () =>
    assert.deepEqual(
      ['GET /api/profile', 'GET /api/summary', 'GET /wall'].map((request) =>
        judge('front_only', request, { cameras: undefined }),
      ),
      ['/api/profile?', 'cameras-unknown', 'cameras-unknown'],
    ));

  it('until the cameras are known, an admin waits for nothing', () =>
    assert.deepEqual(
      ['WS /ws', 'GET /api/cam1/latest.jpg'].map((request) => judge('admin', request, { cameras: undefined })),
      ['/ws? {"messages":{"denied":[]}}', '/api/cam1/latest.jpg?'],
    ));

  it('until the cameras are known, a viewer too waits for messages and for names that may be cameras', () =>
    assert.deepEqual(
      ['WS /ws', 'GET /api/cam1/latest.jpg', 'GET /vod/cam1/x'].map((request) =>
        judge('viewer', request, { cameras: undefined }),
      ),
      ['cameras-unknown', 'cameras-unknown', '/vod/cam1/x?'],
    ));
});
