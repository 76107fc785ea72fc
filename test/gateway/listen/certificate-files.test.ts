/** Certificate files that are replaced while the service runs: one after the other, by bad ones, by nothing (SPEC 1, `tls`). */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type CertificatePair,
  makeSelfSigned,
  readPair,
  watchPair,
} from '../../../src/gateway/certificates/certificates.ts';
import { until } from '../../support/until.ts';

const TIMING = { watch: { quietMs: 5, pollMs: 20 }, settlingMs: 150 };
const NOW = Date.now();

let directory: string;
let files: CertificatePair;
let one: CertificatePair;
let other: CertificatePair;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'postern-tls-'));
  files = { certificate: join(directory, 'fullchain.pem'), privateKey: join(directory, 'privkey.pem') };
  one = await makeSelfSigned({ names: ['one.test'], now: NOW });
  other = await makeSelfSigned({ names: ['other.test'], now: NOW });
});
after(() => rmSync(directory, { recursive: true, force: true }));
beforeEach(() => write(one));

/** As certbot and editors do: a new file in the place of the old one. */
function put(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
function write({ certificate, privateKey }: CertificatePair): void {
  put(files.certificate, certificate);
  put(files.privateKey, privateKey);
}

describe('A certificate and its key', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, pair: () => CertificatePair, expected: RegExp][] = [
    ['that is no PEM',                  () => ({ ...one, certificate: 'hello' }),                      /fullchain\.pem is not a certificate in PEM: write the chain there, the server's own certificate first$/],
    ['that is empty',                   () => ({ ...one, certificate: '' }),                           /fullchain\.pem is not a certificate in PEM/],
    ['that is cut',                     () => ({ ...one, certificate: one.certificate.slice(0, 200) }), /fullchain\.pem is not a certificate in PEM/],
    ['whose key is no PEM',             () => ({ ...one, privateKey: 'hello' }),                       /privkey\.pem is not a private key in PEM: write the key there, without a passphrase$/],
    ['whose key is a certificate',      () => ({ ...one, privateKey: one.certificate }),               /privkey\.pem is not a private key in PEM/],
    ["whose key is another's",          () => ({ ...one, privateKey: other.privateKey }),              /privkey\.pem is not the key of .*fullchain\.pem: provide a certificate and its own key$/],
    ['whose chain is broken behind it', () => ({ ...one, certificate: `${one.certificate}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n` }), /fullchain\.pem cannot be served: its chain is broken/],
  ];
  for (const [sentence, pair, expected] of rows) {
    it(`${sentence} is refused, with what to do`, async () => {
      write(pair());
      const read = await readPair(files);
      assert.match(read.ok ? 'accepted' : read.error, expected);
      assert.ok(!read.ok && !read.error.includes('PRIVATE KEY'));
    });
  }

  it('that belong together are read, with their end', async () => {
    assert.deepEqual(await readPair(files), {
      ok: true,
      value: { ...one, expiresAt: Math.floor(NOW / 1000) * 1000 + 825 * 86_400_000, isOurs: true },
    });
  });

  it('are refused when one file is missing; without both files there is no certificate', async () => {
    rmSync(files.privateKey);
    const half = await readPair(files);
    assert.match(half.ok ? 'accepted' : half.error, /fullchain\.pem is there and .*privkey\.pem is not: provide both/);
    rmSync(files.certificate);
    assert.deepEqual(await readPair(files), { ok: true, value: undefined });
  });

  it('that cannot be read are refused', async () => {
    rmSync(files.privateKey);
    mkdirSync(files.privateKey);
    const read = await readPair(files);
    assert.match(
      read.ok ? 'accepted' : read.error,
      /privkey\.pem cannot be read \(EISDIR\): make it readable for this user$/,
    );
    rmSync(files.privateKey, { recursive: true });
  });
});

describe('Files that are replaced', () => {
  const watched = async (
    act: (seen: { good: string[]; bad: string[] }) => Promise<void>,
  ): Promise<{ good: string[]; bad: string[] }> => {
    const seen = { good: [] as string[], bad: [] as string[] };
    const nameOf = ({ certificate }: CertificatePair): string => (certificate === one.certificate ? 'one' : 'other');
    const stop = watchPair(
      files,
      { onGood: (pair) => seen.good.push(nameOf(pair)), onBad: (problem) => seen.bad.push(problem) },
      TIMING,
    );
    await until('the files are read once', () => seen.good.length === 1); // the first look is what later ones are compared with
    seen.good.length = 0;
    await act(seen);
    stop();
    return seen;
  };
  it('are served when they belong together', async () => {
    const seen = await watched(async ({ good }) => {
      write(other);
      await until('the other pair is taken', () => good.includes('other'));
    });
    assert.deepEqual([new Set(seen.good), seen.bad], [new Set(['other']), []]);
  });

  for (const order of ['certificate first', 'key first'] as const) {
    it(`one after the other (${order}) are waited for, and nothing is said`, async () => {
      const seen = await watched(async ({ good }) => {
        const parts = [() => put(files.certificate, other.certificate), () => put(files.privateKey, other.privateKey)];
        const [begin, complete] = order === 'key first' ? parts.reverse() : parts;
        begin?.();
        await wait(3 * TIMING.watch.pollMs);
        assert.deepEqual(good, []);
        complete?.();
        await until('a pair is taken', () => good.length > 0);
        await wait(2 * TIMING.settlingMs);
      });
      assert.deepEqual([new Set(seen.good), seen.bad], [new Set(['other']), []]);
    });
  }

  it('by halves that stay so are complained of once, and served when they are whole', async () => {
    const seen = await watched(async ({ good, bad }) => {
      put(files.certificate, other.certificate);
      await until('a problem is told', () => bad.length > 0);
      put(files.certificate, `${other.certificate}\n`);
      await wait(3 * TIMING.settlingMs);
      put(files.certificate, other.certificate);
      put(files.privateKey, other.privateKey);
      await until('a pair is taken', () => good.length > 0);
    });
    assert.deepEqual(
      [new Set(seen.good), seen.bad],
      [
        new Set(['other']),
        [`${files.privateKey} is not the key of ${files.certificate}: provide a certificate and its own key`],
      ],
    );
  });

  it('by nothing are missed, and taken when they are back', async () => {
    const seen = await watched(async ({ good, bad }) => {
      rmSync(files.certificate);
      rmSync(files.privateKey);
      await until('a problem is told', () => bad.length > 0);
      write(one);
      await until('a pair is taken', () => good.length > 0);
    });
    assert.deepEqual(
      [new Set(seen.good), seen.bad],
      [new Set(['one']), [`${files.certificate} and ${files.privateKey} are gone: put them back`]],
    );
  });

  it('by a link that leads elsewhere, as Kubernetes does, are seen', async () => {
    for (const [name, pair] of [
      ['v1', one],
      ['v2', other],
    ] as const) {
      mkdirSync(join(directory, name), { recursive: true });
      writeFileSync(join(directory, name, 'c.pem'), pair.certificate);
      writeFileSync(join(directory, name, 'k.pem'), pair.privateKey);
    }
    const link = join(directory, 'data');
    symlinkSync('v1', link);
    const seen: string[] = [];
    const linked = { certificate: join(link, 'c.pem'), privateKey: join(link, 'k.pem') };
    const stop = watchPair(linked, { onGood: ({ certificate }) => seen.push(certificate), onBad: assert.fail }, TIMING);
    await until('the files are read once', () => seen.length === 1);
    seen.length = 0;
    symlinkSync('v2', `${link}.new`);
    renameSync(`${link}.new`, link);
    await until('a pair is taken', () => seen.length > 0);
    stop();
    assert.deepEqual(new Set(seen), new Set([other.certificate]));
  });
});
