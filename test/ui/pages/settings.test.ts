/** What the settings make of names, patterns, devices and of what the API lists (SPEC 4.2 to 4.4). */
import '../support/in-english.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { groupCameras } from '../../../src/ui/pages/shared/cameras/camera-groups.ts';
import { fieldOf } from '../../../src/ui/pages/shared/form-faults.ts';
import { suggestedPassword } from '../../../src/ui/pages/shared/password-strength.ts';
import { matching, nextSort, pageOf, sorted } from '../../../src/ui/pages/shared/table-rows.ts';
import { recordsIn } from '../../../src/ui/pages/shared/untrusted.ts';
import { deviceName } from '../../../src/ui/pages/shared/words.ts';

describe('A password', () => {
  it('that is suggested is long, and another each time', () => {
    const suggested = new Set(Array.from({ length: 50 }, suggestedPassword));
    assert.equal(suggested.size, 50);
    for (const password of suggested) assert.match(password, /^[a-zA-Z2-9]{20}$/);
  });
});

describe('A device', () => {
  // biome-ignore format: a table
  const rows: [agent: string, name: string][] = [
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',                   'Chrome on Linux'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36 Edg/142.0',    'Edge on Windows'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',      'Safari on iPhone'],
    ['Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0',                                                    'Firefox on Android'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',    'Safari on macOS'],
    ['HomeAssistant/2026.1 aiohttp/3.12 Python/3.13',                                                                           'Home Assistant'],
    ['curl/8.14.1',                                                                                                             'curl'],
    ['my-own-script',                                                                                                           'Program (my-own-script)'],
    ['',                                                                                                                        'unknown device'],
  ];
  for (const [agent, name] of rows) it(`is called ${name}`, () => assert.equal(deviceName(agent), name));
});

describe('What the API lists', () => {
  it('is read whatever it holds', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        assert.ok(recordsIn(body).every((record) => typeof record === 'object' && record !== null));
      }),
    );
  });
});

describe('A table of records', () => {
  const rows = [
    { name: 'cam10', seen: 5 },
    { name: 'Cam2', seen: undefined },
    { name: 'cam1 Garden', seen: 9 },
  ];
  const columns = [
    { key: 'name', sortBy: ({ name }: { name: string }) => name },
    { key: 'seen', sortBy: ({ seen }: { seen: number | undefined }) => seen },
    { key: 'other' },
  ];
  const named = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name);
  const by = (key: string, isDescending: boolean): string[] =>
    named(sorted(rows, columns, { key, isDescending }, 'en'));

  it('is sorted by a column, numbers in names by their value, and what is missing last in both directions', () => {
    assert.deepEqual(by('name', false), ['cam1 Garden', 'Cam2', 'cam10']);
    assert.deepEqual(by('name', true), ['cam10', 'Cam2', 'cam1 Garden']);
    assert.deepEqual(by('seen', false), ['cam10', 'cam1 Garden', 'Cam2']);
    assert.deepEqual(by('seen', true), ['cam1 Garden', 'cam10', 'Cam2']);
    assert.deepEqual(by('other', true), named(rows));
    assert.deepEqual(nextSort({ key: 'seen', isDescending: true }, 'seen', true), { key: 'seen', isDescending: false });
    assert.deepEqual(nextSort({ key: 'name', isDescending: true }, 'seen', true), { key: 'seen', isDescending: true });
  });

  it('is searched by every word, and shown by pages of which there is always one', () => {
    assert.deepEqual(named(matching(rows, ' GARDEN cam ', ({ name }) => name)), ['cam1 Garden']);
    assert.deepEqual(named(matching(rows, ' ', ({ name }) => name)), named(rows));
    const many = Array.from({ length: 51 }, (_, at) => at);
    assert.deepEqual(pageOf(many, 9), { rows: [50], page: 2, pages: 3 });
    assert.deepEqual(pageOf([], 1), { rows: [], page: 0, pages: 1 });
  });
});

describe('Groups of cameras', () => {
  it('are those whose names begin alike, but for a group of all', () => {
    const cameras = ['garden_north', 'hall', 'garden-gate', 'roof.a', 'roof.b', '_x', 'street_1'];
    assert.deepEqual(groupCameras(cameras), [
      { name: 'garden', cameras: ['garden_north', 'garden-gate'] },
      { name: 'roof', cameras: ['roof.a', 'roof.b'] },
    ]);
    assert.deepEqual(groupCameras(['cam_1', 'cam_2']), []);
    // The camera that is called like its group belongs to it.
    const [bedroom] = groupCameras(['hall', 'bedroom', 'bedroom_2']);
    assert.deepEqual(bedroom, { name: 'bedroom', cameras: ['bedroom', 'bedroom_2'] });
  });
});

describe('A refusal of what a form has sent', () => {
  // biome-ignore format: a table
  const places: readonly [reason: string | undefined, field: string | undefined][] = [
    ['password-unfit',    'password'],
    ['name-taken',        'name'],
    ['hours-invalid',     'hours'],
    ['history-invalid',   'historySince'],
    ['validity-unfit',    'until'],
    ['cameras-invalid',   'cameras'],
    ['store-unavailable', undefined],
    ['constructor',       undefined],
    [undefined,           undefined],
  ];
  for (const [reason, field] of places)
    it(`stands at ${field ?? 'no field'}: ${reason}`, () => assert.equal(fieldOf(reason), field));
});
