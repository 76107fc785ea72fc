/** package.json has the version; every other place says the same. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { runPostern, type Serving, servePostern } from '../support/run-postern.ts';
import { ROOT } from './support/compose.ts';
import { pairsOf, readDockerfile } from './support/dockerfile.ts';

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const { version } = JSON.parse(textOf('package.json')) as { readonly version: string };

interface Answer {
  readonly versions?: { readonly postern: string };
  readonly info?: { readonly version: string };
}

describe('The version', { timeout: 120_000 }, () => {
  let server: Serving;
  before(async () => (server = await servePostern({ env: { POSTERN__EVENTS__SAMPLE: '0' } })));
  after(() => server.end());

  const answer = async (path: string) => (await (await fetch(`${server.internalUrl}${path}`)).json()) as Answer;
  const label = (): string | undefined =>
    readDockerfile()
      .map((stage) => pairsOf(stage, 'LABEL')['org.opencontainers.image.version'])
      .find((found) => found !== undefined);
  const metric = async (): Promise<string | undefined> => {
    const text = await (await fetch(`${server.telemetryUrl}/metrics`)).text();
    return /^postern_build_info\{version="(?<said>[^"]+)"/m.exec(text)?.groups?.['said'];
  };

  const PLACES: Readonly<Record<string, () => Promise<unknown> | unknown>> = {
    'postern --version': async () => (await runPostern(['--version'])).stdout.trim(),
    '/api/status': async () => (await answer('/api/status')).versions?.postern,
    '/postern/api/openapi.json': async () => (await answer('/postern/api/openapi.json')).info?.version,
    'the metric postern_build_info': metric,
    'the label of the image': label,
    'the add-on of Home Assistant': () => parse(textOf('deploy/home-assistant/postern/config.yaml')).version,
    'package-lock.json': () => JSON.parse(textOf('package-lock.json')).version,
  };

  it('is a semantic one', () => assert.match(version, /^\d+\.\d+\.\d+(?:-[\w.]+)?$/));

  for (const [place, read] of Object.entries(PLACES))
    it(`is that of package.json in ${place}`, async () => assert.equal(await read(), version));
});
