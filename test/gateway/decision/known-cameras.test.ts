/** The cameras of the NVR as they were last read. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { layoutOfNames } from '../../../src/access/recorder-layout.ts';
import type { CameraName } from '../../../src/domain/names.ts';
import { watchKnownCameras } from '../../../src/gateway/forward/watch-cameras.ts';
import { FRIGATE } from '../../../src/nvr/frigate/frigate.ts';

it('The list of cameras ends with the next one that the NVR gives, and stays while it gives none, which is told once', async (t) => {
  let names: readonly string[] | undefined = ['hall'];
  const told: string[] = [];
  const known = watchKnownCameras({
    configured: undefined,
    rules: FRIGATE.cameras,
    async ask() {
      if (!names) throw new Error('it does not answer');
      return layoutOfNames(names as CameraName[]);
    },
    onChange: () => {},
    log: { warn: () => void told.push('fault'), info: () => void told.push('working') },
  });
  t.after(known.stop);
  assert.equal(known.current(), undefined);
  await known.refresh();
  assert.deepEqual(known.current(), ['hall']);
  names = undefined;
  await known.refresh();
  await known.refresh();
  assert.deepEqual([known.current(), told], [['hall'], ['fault']]);
  names = ['garden'];
  await known.refresh();
  assert.deepEqual([known.current(), told], [['garden'], ['fault', 'working']]);
});

it('A configuration that several people read is parsed once, and again when it has changed or the NVR was asked', async (t) => {
  const parsed: string[] = [];
  const known = watchKnownCameras({
    configured: undefined,
    rules: {
      ...FRIGATE.cameras,
      layoutOf(config, names) {
        parsed.push(Object.keys((config as { cameras: object }).cameras).join());
        return FRIGATE.cameras.layoutOf(config, names);
      },
    },
    ask: async () => layoutOfNames(['asked' as CameraName]),
    onChange: () => {},
    log: { warn() {}, info() {} },
  });
  t.after(known.stop);
  const config = (...names: string[]) =>
    Buffer.from(JSON.stringify({ cameras: Object.fromEntries(names.map((name) => [name, {}])) }));
  for (let person = 0; person < 8; person += 1) known.learn(config('hall'));
  known.learn(Buffer.from('no JSON'));
  for (let person = 0; person < 8; person += 1) known.learn(config('hall', 'garden'));
  assert.deepEqual(
    [parsed, known.current()],
    [
      ['hall', 'hall,garden'],
      ['hall', 'garden'],
    ],
  );
  await known.refresh();
  assert.deepEqual(known.current(), ['asked']);
  known.learn(config('hall', 'garden'));
  assert.deepEqual(known.current(), ['hall', 'garden']);
});
