/** What the page of a link tells: times in `auth.timezone`, names as in the console, what is gone, and the form of the PIN (SPEC 13). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { VERA } from '../../support/people.ts';
import { sendJson } from '../../support/second-factor.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';

const FROM = 1_700_000_000; // Tuesday, 22:13 in UTC
const RECORDING = { recording: { camera: 'front_door', from: FROM, to: FROM + 60 } };
const EVENT_ID = `${FROM}.5-x`;

describe('The page of a link', () => {
  let nvr: FakeNvr;
  /** What the NVR has, by path; any other answers 404. */
  let things: Record<string, unknown>;
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = (request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      const thing = things[path];
      if (thing === undefined) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(thing));
    };
  });
  after(() => nvr.close());
  beforeEach(() => {
    things = {
      '/api/config': { cameras: { front_door: { friendly_name: 'Haustür & Weg' }, back_yard: {} } },
      '/api/front_door/recordings': [{ start_time: FROM, end_time: FROM + 10 }],
      [`/api/events/${EVENT_ID}`]: {
        ...{ id: EVENT_ID, camera: 'back_yard', label: 'license_plate' },
        ...{ start_time: FROM + 0.5, has_clip: true, has_snapshot: true },
      },
      '/api/review/r1': { id: 'r1', camera: 'front_door', start_time: FROM, end_time: FROM + 60 },
      '/api/review/r2': { id: 'r2', camera: 'front_door', start_time: FROM, end_time: null },
    };
  });

  const started = (timezone?: string): Promise<Runtime> =>
    startInstance({ config: { nvr: { url: nvr.url }, auth: timezone === undefined ? {} : { timezone } } });
  const linkTo = async (at: Runtime, what: object, more: object = {}): Promise<string> => {
    const made = await sendJson(at, '/api/links', { what, ...more }, await at.logIn(VERA));
    assert.equal(made.status, 201, await made.clone().text());
    return ((await made.json()) as { url: string }).url;
  };
  const pageOf = async (at: Runtime, url: string, language = 'en'): Promise<string> =>
    (await at.ask(url, { headers: { 'accept-language': language } })).text();
  const leadOf = (page: string): string | undefined => /class="lone-lead"><bdi>(.*?)<\/bdi>/.exec(page)?.[1];

  // biome-ignore format: a table
  const ZONES: [zone: string, en: RegExp, de: RegExp][] = [
    ['Europe/Berlin', /Tuesday, November\u00A014, 2023 at\u00A011:13\sPM GMT\+1/,   /Dienstag, 14\.\u00A0November 2023 um\u00A023:13\u00A0MEZ/],
    ['Asia/Tokyo',    /Wednesday, November\u00A015, 2023 at\u00A07:13\sAM GMT\+9/,  /Mittwoch, 15\.\u00A0November 2023 um\u00A007:13\u00A0GMT\+9/],
    ['America/Lima',  /Tuesday, November\u00A014, 2023 at\u00A05:13\sPM GMT-5/,     /Dienstag, 14\.\u00A0November 2023 um\u00A017:13\u00A0GMT-5/],
  ];
  for (const [zone, en, de] of ZONES)
    it(`tells times by weekday and minute in ${zone}, where auth.timezone says so`, async (t) => {
      const at = await started(zone);
      t.after(at.close);
      const url = await linkTo(at, RECORDING);
      assert.match(leadOf(await pageOf(at, url)) ?? '', en);
      const german = await pageOf(at, url, 'de');
      assert.match(leadOf(german) ?? '', de);
      assert.match(german, /ist gültig bis [A-Z][a-z]+, \d+\.\u00A0\S+ \d{4} um\u00A0\d\d:\d\d\u00A0/);
    });

  describe('of one service', () => {
    let at: Runtime;
    before(async () => {
      at = await started('Europe/Berlin');
    });
    after(() => at.close());

    it('names camera and label as the console does', async () => {
      const recorded = await pageOf(at, await linkTo(at, RECORDING));
      assert.match(leadOf(recorded) ?? '', /^Haustür &amp; Weg · Tuesday/);
      const event = await linkTo(at, { event: EVENT_ID });
      assert.match(leadOf(await pageOf(at, event)) ?? '', /^back yard · license plate · /);
      assert.match(leadOf(await pageOf(at, event, 'de')) ?? '', /^back yard · Kennzeichen · /i);
      assert.match(
        await pageOf(at, await linkTo(at, { snapshot: { camera: 'front_door' } })),
        /alt="[^"]*Haustür &amp; Weg"/,
      );
    });

    // biome-ignore format: a table
    const GONE: [title: string, what: object, gone: Record<string, unknown>][] = [
      ['a recording',            RECORDING,            { '/api/front_door/recordings': [] }],
      ['an event',               { event: EVENT_ID },  { [`/api/events/${EVENT_ID}`]: undefined }],
      ['a review',               { review: 'r1' },     { '/api/review/r1': undefined }],
      ['the pictures of a review', { review: 'r1' },   { '/api/front_door/recordings': [] }],
    ];
    for (const [title, what, gone] of GONE)
      it(`says that ${title} is gone, in the place of a player that stays black`, async () => {
        const url = await linkTo(at, what);
        assert.match(await pageOf(at, url), /<video /);
        things = { ...things, ...gone };
        const page = await pageOf(at, url);
        assert.match(page, /This recording no longer exists\./);
        assert.doesNotMatch(page, /<video|<img|download/);
        assert.match(await pageOf(at, url, 'de'), /Diese Aufnahme gibt es nicht mehr\./);
      });

    it('shows the player while the NVR does not say what it has', async () => {
      const url = await linkTo(at, RECORDING);
      for (const odd of [undefined, {}, 'no', null]) {
        things = { ...things, '/api/front_door/recordings': odd };
        assert.match(await pageOf(at, url), /<video /);
      }
    });

    const sourcesOf = (page: string): string[] =>
      [...page.matchAll(/<source src="([^"]*)" type="([^"]*)">/g)].map(([, src, type]) => `${src} ${type}`);
    // biome-ignore format: a table
    const SOURCES: [title: string, what: object, hasPlaylist: boolean][] = [
      ['a recording',                    RECORDING,           true],
      ['an event',                       { event: EVENT_ID }, true],
      ['a review',                       { review: 'r1' },    true],
      ['a review that is not over',      { review: 'r2' },    false],
    ];
    for (const [title, what, hasPlaylist] of SOURCES)
      it(`names ${hasPlaylist ? 'the playlist before' : 'nothing but'} the clip of ${title}: iPhones play no clip without length and ranges`, async () => {
        const url = await linkTo(at, what);
        const clip = `${url}/clip.mp4 video/mp4`;
        const playlist = `${url}/vod/index.m3u8 application/vnd.apple.mpegurl`;
        const page = await pageOf(at, url);
        assert.deepEqual(sourcesOf(page), hasPlaylist ? [playlist, clip] : [clip]);
        assert.doesNotMatch(page, /<video[^>]* src=/);
      });

    const fieldOf = (page: string): string => /<input id="pin"[^>]*>/.exec(page)?.[0] ?? assert.fail(page);
    it('asks for a PIN of digits by the keyboard for digits, and for no one-time code', async () => {
      const url = await linkTo(at, RECORDING, { pin: '0815' });
      assert.match(fieldOf(await pageOf(at, url)), / inputmode="numeric" autocomplete="off"/);
      const give = (pin: string) =>
        at.ask(url, { method: 'POST', body: new URLSearchParams({ pin }), redirect: 'manual' });
      const wrong = await give('9999');
      assert.equal(wrong.status, 403);
      assert.match(fieldOf(await wrong.text()), / inputmode="numeric"/);
      assert.equal((await give('0815')).status, 303);
    });

    it('asks for a PIN with letters by a keyboard that has them', async () => {
      const field = fieldOf(await pageOf(at, await linkTo(at, RECORDING, { pin: 'abc12' })));
      assert.doesNotMatch(field, /inputmode|one-time-code/);
    });
  });
});
