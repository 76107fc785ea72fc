/** The route table of go2rtc knows each operation of its API description, and each path that its source registers (SPEC 15, 20). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, it } from 'node:test';
import { parse } from 'yaml';
import { compileRouteTable } from '../../../src/access/route-table.ts';
import { loadPolicy } from '../../../src/config/policy/load-policy.ts';
import { listOperations } from '../../../src/features/policy/openapi-operations.ts';
import { policyDrift } from '../../../src/features/policy/policy-drift.ts';
import type { PolicyRow } from '../../../src/routes/policy-row.ts';
import { GO2RTC_VERSION } from './start-go2rtc.ts';

let rows: readonly PolicyRow[];
before(async () => {
  const policy = await loadPolicy('go2rtc', '.');
  rows = policy.kind === 'loaded' ? policy.rows : assert.fail(JSON.stringify(policy.problems));
});

it('knows every operation of the description, with each parameter that names a stream', () => {
  const text = readFileSync(new URL('../../data/go2rtc/openapi.yaml', import.meta.url), 'utf8');
  const { operations, prefix } = listOperations(parse(text));
  assert.ok(operations.length > 55, String(operations.length));
  const { unknown, changed } = policyDrift(rows, operations, prefix);
  assert.deepEqual([unknown, changed], [[], []]);
});

/** `api.HandleFunc` and the files of `www/`, in 1.9.14. */
const REGISTERED =
  `/api /api/config /api/exit /api/restart /api/log /api/ws /api/streams /api/streams.dot /api/preload /api/schemes
/api/stack /api/stream.flv /api/frame.jpeg /api/stream.mjpeg /api/stream.ascii /api/stream.y4m /api/xiaomi /api/stream /static
/streams /stream/x /api/hass /api/ffmpeg /api/ffmpeg/hardware /api/ffmpeg/devices /api/ring /api/homekit /api/homekit/accessories
/api/discovery/homekit /pair-setup /pair-verify /api/frame.mp4 /api/stream.mp4 /api/alsa /api/v4l2 /api/dvrip /api/stream.ts
/api/stream.aac /onvif/x /api/onvif /api/webtorrent /api/roborock /api/wyze /api/gopro /api/webrtc /api/tuya /api/stream.m3u8
/api/hls/playlist.m3u8 /api/hls/segment.ts /api/hls/init.mp4 /api/hls/segment.m4s /api/nest
/ /index.html /add.html /config.html /hls.html /links.html /log.html /main.js /net.html /schema.json /stream.html /video-rtc.js
/video-stream.js /webrtc-sync.html /webrtc.html`.split(/\s+/);

it('has a row for every path that the program registers', () => {
  const table = compileRouteTable(rows);
  const isKnown = (path: string): boolean =>
    ['GET', 'POST', 'PUT', 'WS'].some((method) => table.match(method, path.slice(1).split('/')).kind === 'listed');
  assert.deepEqual(
    REGISTERED.filter((path) => !isKnown(path)),
    [],
  );
});

it('is tried with the release that .ci/run builds', () => {
  const script = readFileSync(new URL('../../../.ci/run', import.meta.url), 'utf8');
  assert.ok(script.includes(`go2rtc@v${GO2RTC_VERSION} `) && script.includes(`/go2rtc-${GO2RTC_VERSION}"`));
});
