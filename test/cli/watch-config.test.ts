/** When the configuration is to be read again: also when the signal came early (SPEC 1, reload). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { watchConfig } from '../../src/cli/serve.ts';

async function watched(t: TestContext, ...names: string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'postern-watch-config-'));
  const file = (name: string): string => join(directory, name);
  const watching = await watchConfig(names.map(file));
  t.after(() => {
    watching.close();
    rmSync(directory, { recursive: true });
  });
  /** Resolves when it is said that it is time, and says to watch these from then on. */
  const next = (...from: string[]) =>
    new Promise<void>((resolve) =>
      watching.onChange(async () => {
        resolve();
        return from.map(file);
      }),
    );
  return { file, next, close: watching.close };
}

describe('The watch over the configuration', { timeout: 300_000 }, () => {
  it('tells at SIGHUP, whether anything has changed or not', async (t) => {
    const { next } = await watched(t, 'config.yaml');
    const told = next('config.yaml');
    process.emit('SIGHUP');
    await told;
  });

  it('tells of a file, each time that it changes', async (t) => {
    const { file, next } = await watched(t, 'config.yaml');
    for (const text of ['one', 'two', 'three']) {
      const told = next('config.yaml');
      writeFileSync(file('config.yaml'), text);
      await told;
    }
  });

  it('tells afterwards what was said during the start', async (t) => {
    const early = await watched(t, 'config.yaml');
    const other = await watched(t, 'config.yaml');
    const heard = other.next('config.yaml');
    process.emit('SIGHUP');
    await heard;
    await early.next('config.yaml');
  });

  it('leaves nothing behind', async (t) => {
    const before = process.listenerCount('SIGHUP');
    const { close } = await watched(t, 'config.yaml');
    assert.equal(process.listenerCount('SIGHUP'), before + 1);
    close();
    assert.equal(process.listenerCount('SIGHUP'), before);
  });
});
