/** Answers of the NVR, narrowed for a caller of one camera: nothing that is left names another camera where names stand. */

import assert from 'node:assert/strict';
import { createCameraView } from '../../../src/access/camera-view.ts';
import { narrowResponse } from '../../../src/access/narrow-response.ts';
import { scopeOfNames } from '../../../src/domain/camera-scope.ts';
import type { Role } from '../../../src/domain/names.ts';
import type { ResponseForm } from '../../../src/domain/policy.ts';
import { FRIGATE, layoutOfConfig } from '../../../src/nvr/frigate/frigate.ts';
import { CONFIG } from '../../policy/support/two-cameras.ts';
import type { FuzzTarget } from './target.ts';

const OTHER = 'bedroom';
const VIEW = createCameraView(
  { role: 'gardener' as Role, scope: scopeOfNames(['garden']) },
  { layout: layoutOfConfig(CONFIG), now: 0 },
);
const KNOWN: Partial<Record<ResponseForm, unknown>> = {
  config: {
    auth: { enabled: true, roles: { gardener: ['garden'] }, refresh_time: 1, session_length: 2, cookie_name: 'c' },
    proxy: { logout_url: undefined },
  },
  cases: new Set(['c1']),
};

/** Fields in which a name of a camera stands; not those of the code that is tested. */
const NAMES: ReadonlySet<string> = new Set([
  'camera',
  'cameras',
  'source_camera',
  'camera_name',
  'camera_id',
  'allowed_cameras',
  'main_camera',
]);
const namesOther = (text: string): boolean => text.split(',').some((name) => name.trim() === OTHER);

/** Where the other camera is named, as a path of keys; undefined when it is not. */
function foundIn(json: unknown, field: string, isMap: boolean): string | undefined {
  if (typeof json === 'string') return NAMES.has(field) && namesOther(json) ? field : undefined;
  if (typeof json !== 'object' || json === null) return undefined;
  for (const [key, value] of Object.entries(json)) {
    if (!Array.isArray(json) && key === OTHER && (isMap || NAMES.has(field))) return `${field}.${key}`;
    const found = foundIn(value, Array.isArray(json) ? field : key, isMap);
    if (found !== undefined) return `${field}.${found}`;
  }
  return undefined;
}

/** Several are joined by commas, with blanks or without. */
const isOurs = (name: unknown): boolean =>
  typeof name === 'string' && name.split(',').every((one) => one.trim() === 'garden');

/** In `nested` no object may stand that names no camera and has a text in it. */
function isUnowned(json: unknown, isOwned = false): boolean {
  if (typeof json === 'string') return !isOwned;
  if (typeof json !== 'object' || json === null) return false;
  const { camera, source_camera, camera_name } = json as Readonly<Record<string, unknown>>;
  const owned = isOwned || (!Array.isArray(json) && [camera, source_camera, camera_name].some(isOurs));
  return Object.values(json).some((value) => isUnowned(value, owned));
}

/** By the first letter of an input. The order stays as it is, for what was kept was found by it. */
// biome-ignore format: a row
const FORMS: readonly ResponseForm[] = ['array', 'one', 'nested', 'streams', 'cases', 'stats', 'metrics', 'config', 'times'];

export const fuzzTarget: FuzzTarget = {
  outcomes: FORMS.flatMap((form) => [`${form} narrowed`, `${form} nvr-unexpected-form`]),
  longest: 500,
  seeds: [
    'a[{"camera":"garden","id":1,"cameras":["garden","bedroom"]},{"camera":"bedroom"}]',
    'b{"camera":"garden","data":{"camera":"bedroom"},"x":[{"source_camera":"bedroom"}]}',
    'c{"start":1,"count":2,"hours":{"1":[{"camera":"garden"},{"camera":"bedroom"}],"bedroom":[]}}',
    'c1',
    'd{"garden_sub":{"producers":[{"url":"rtsp://garden.lan"}]},"bedroom_sub":{}}',
    'e[{"id":"c1","name":"x","cameras":"bedroom"},{"id":"c2"}]',
    'f{"cameras":{"garden":{"camera_fps":5,"pid":1},"bedroom":{"camera_fps":5}},"cpu_usages":{"1":{"cpu":"3","cmdline":"x"}},"camera_fps":10,"processes":{"bedroom":{}}}',
    'g# HELP x y\nfps{camera_name="garden"} 5.0\nfps{camera_name="bedroom"} 5.0\nother 2\n',
    'h{"cameras":{"garden":{},"bedroom":{"ffmpeg":{"x":1}}},"camera_groups":{"o":{"cameras":["garden","bedroom"]}},"birdseye":{},"go2rtc":{"streams":{"bedroom_sub":[]}},"detect":{"main_camera":"bedroom"}}',
    'i[{"camera":"bedroom","start_time":1},{"start_time":2}]',
    'd{"producers":[{"url":"rtsps://u:p@garden.lan/key","source":"exec:ffmpeg"}],"consumers":[{"camera":"bedroom"}]}',
  ],
  words: [
    '"camera":"bedroom"',
    '"camera":"garden"',
    '"bedroom"',
    '"garden"',
    '"bedroom":',
    '{"camera":"garden",',
    '"cameras":["bedroom"]',
    'camera="bedroom"',
    '"garden,bedroom"',
    '\\u0062edroom',
    'bedroom',
    '__proto__',
  ],
  judge(input) {
    const text = input.toString('utf8');
    const form = FORMS[Math.max(text.charCodeAt(0) - 97, 0) % FORMS.length] ?? 'array';
    const reader = { view: VIEW, known: KNOWN[form] };
    const narrowed = narrowResponse(form, text.slice(1), reader, FRIGATE);
    if (!narrowed.ok) return `${form} ${narrowed.error}`;
    const { value: body } = narrowed;
    const again = narrowResponse(form, body, reader, FRIGATE);
    assert.ok(again.ok, 'what is left is refused the second time');
    if (form !== 'metrics')
      assert.deepEqual(JSON.parse(again.value), JSON.parse(body), 'it is narrowed further the second time');
    if (form === 'metrics') {
      assert.doesNotMatch(body, /(?:camera|camera_name|camera_id)="bedroom"/);
      return 'metrics narrowed';
    }
    const json: unknown = JSON.parse(body);
    // In the NVR's configuration all names stay, with entries that say nothing; those are tested by table.
    const shown = form === 'config' ? { ...Object(json), cameras: {}, auth: {}, go2rtc: {} } : json;
    const isMap = form === 'stats' || form === 'config';
    assert.equal(foundIn(shown, '', isMap), undefined);
    if (form === 'streams' && !('producers' in Object(json)))
      assert.ok(Object.keys(Object(json)).every((name) => name.startsWith('garden')));
    if (form === 'nested') assert.ok(!isUnowned(json), 'a text that stands in no object of one of our cameras');
    return `${form} narrowed`;
  },
};
