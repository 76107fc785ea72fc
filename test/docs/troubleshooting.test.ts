/** docs/troubleshooting.md knows every 503 of Postern, and every part of /readyz (SPEC 9). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { REFUSALS } from '../../src/domain/refusal.ts';
import { startInstance } from '../support/start-instance.ts';
import { readText } from './documents.ts';

const text = readText('docs/troubleshooting.md');

describe('The page on troubleshooting', () => {
  for (const [reason, { status, message }] of Object.entries(REFUSALS))
    if (status === 503)
      it(`quotes ${reason}: what people search for is there`, () => {
        const quotes = [...text.matchAll(/"([^"\n]+)"/g)].map(([, quoted = '']) => quoted);
        assert.ok(
          quotes.some((quoted) => quoted.length > 15 && message.startsWith(quoted)),
          message,
        );
      });

  it('has a row for each part of /readyz', async () => {
    const instance = await startInstance();
    const { status: _, ...parts } = (await (await fetch(`${instance.telemetryUrl}/readyz`)).json()) as Record<
      string,
      unknown
    >;
    await instance.close();
    for (const part of Object.keys(parts)) assert.match(text, new RegExp(`^\\| \`${part}\` \\|`, 'm'));
  });
});
