import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { findSigningSecret, type SecretPlaces, signingKey } from '../../../src/accounts/sessions/signing-secret.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const LONG = 's'.repeat(64);
const other = (mark: string): string => `${mark}-`.repeat(32);
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

interface Place {
  readonly environment?: Record<string, string>;
  readonly credentials?: Record<string, string>;
  readonly options?: string;
  readonly file?: string;
}

/** A machine with secrets in some of the places. */
function machine(t: TestContext, place: Place = {}): SecretPlaces {
  const root = tempDirectory(t);
  const [credentials, configDirectory] = [join(root, 'credentials'), join(root, 'config')];
  mkdirSync(credentials);
  mkdirSync(configDirectory);
  for (const [name, text] of Object.entries(place.credentials ?? {})) writeFileSync(join(credentials, name), text);
  const optionsFile = join(root, 'options.json');
  if (place.options !== undefined) writeFileSync(optionsFile, place.options);
  if (place.file !== undefined) writeFileSync(join(configDirectory, '.jwt_secret'), place.file, { mode: 0o600 });
  return { environment: { CREDENTIALS_DIRECTORY: credentials, ...place.environment }, optionsFile, configDirectory };
}

const everywhere: Place = {
  environment: { SERVICE_JWT_SECRET: other('env'), FRIGATE_JWT_SECRET: other('env-alias') },
  credentials: { SERVICE_JWT_SECRET: other('file'), FRIGATE_JWT_SECRET: other('file-alias') },
  options: JSON.stringify({ jwt_secret: other('option') }),
  file: other('stored'),
};

describe('The signing secret (interface 5.3)', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, place: Place, secret: string][] = [
    ['comes from the environment first', everywhere, other('env')],
    ['comes from the environment under the alias', { ...everywhere, environment: { FRIGATE_JWT_SECRET: other('env-alias') } }, other('env-alias')],
    ['comes second from a file in the credentials directory', { ...everywhere, environment: {} }, other('file')],
    ['comes from such a file under the alias', { ...everywhere, environment: {}, credentials: { FRIGATE_JWT_SECRET: other('file-alias') } }, other('file-alias')],
    ['comes third from the options of the add-on', { options: JSON.stringify({ jwt_secret: other('option') }), file: other('stored') }, other('option')],
    ['comes last from the config directory', { options: '{"other":1}', file: other('stored') }, other('stored')],
    ['is not an option that is null', { options: '{"jwt_secret":null}', file: other('stored') }, other('stored')],
    ['loses the line end of a credentials file', { credentials: { SERVICE_JWT_SECRET: `${LONG}\r\n` } }, LONG],
    ['is the first line of the stored file', { file: `${LONG}\r\nsecond line\n` }, LONG],
    ['may have spaces within, even at its ends', { environment: { SERVICE_JWT_SECRET: ` ${LONG} ` } }, ` ${LONG} `],
  ];
  for (const [sentence, place, secret] of rows) {
    it(sentence, async (t) => {
      const found = await findSigningSecret(machine(t, place));
      assert.ok(found.ok, 'found');
      assert.deepEqual([found.value.key, found.value.warnings], [bytes(secret), []]);
    });
  }

  it('is generated when there is none: 128 hex digits, mode 0600, nothing left beside it', async (t) => {
    const places = machine(t);
    const made = await findSigningSecret(places);
    const path = join(places.configDirectory, '.jwt_secret');
    assert.match(readFileSync(path, 'utf8'), /^[0-9a-f]{128}$/);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(places.configDirectory), ['.jwt_secret']);
    assert.ok(made.ok);
    assert.deepEqual(made.value, {
      key: new Uint8Array(Buffer.from(readFileSync(path, 'utf8'), 'hex')),
      keyId: made.value.keyId,
      source: path,
      warnings: [],
    });
  });

  it('has a name by which it is known again, and which tells nothing of it', async (t) => {
    const [one, other] = [await findSigningSecret(machine(t)), await findSigningSecret(machine(t))];
    assert.ok(one.ok && other.ok);
    assert.match(one.value.keyId, /^[0-9a-f]{16}$/);
    assert.notEqual(one.value.keyId, other.value.keyId);
    assert.equal(Buffer.from(one.value.key).toString('hex').includes(one.value.keyId), false);
  });

  it('is the same one at the next start', async (t) => {
    const places = machine(t);
    assert.deepEqual(await findSigningSecret(places), await findSigningSecret(places));
  });

  it('is one for all that start at once', async (t) => {
    const places = machine(t);
    const found = await Promise.all(Array.from({ length: 20 }, () => findSigningSecret(places)));
    const keys = new Set(
      found.map((secret) => (secret.ok ? Buffer.from(secret.value.key).toString('hex') : secret.error)),
    );
    assert.equal(keys.size, 1);
    assert.deepEqual(readdirSync(places.configDirectory), ['.jwt_secret']);
  });
});

describe('A signing secret that is of no use stops the start', () => {
  const CASES: [sentence: string, place: Place, said: RegExp][] = [
    ['an empty environment variable', { environment: { SERVICE_JWT_SECRET: '' } }, /SERVICE_JWT_SECRET is empty/],
    ['a blank one under the alias', { environment: { FRIGATE_JWT_SECRET: ' \t' } }, /FRIGATE_JWT_SECRET is empty/],
    [
      'an empty credentials file',
      { credentials: { SERVICE_JWT_SECRET: '\n' }, file: LONG },
      /SERVICE_JWT_SECRET is empty/,
    ],
    ['an empty option', { options: '{"jwt_secret":""}', file: LONG }, /jwt_secret in .*options\.json is empty/],
    ['an option that is a number', { options: '{"jwt_secret":1234}' }, /options\.json: jwt_secret is not a string/],
    ['options that are not JSON', { options: '{' }, /options\.json: not JSON/],
    ['an empty stored file, as a crash may leave it', { file: '' }, /\.jwt_secret is empty/],
    ['a stored file with an empty first line', { file: `\n${LONG}` }, /\.jwt_secret is empty/],
  ];
  for (const [sentence, place, said] of CASES) {
    it(sentence, async (t) => {
      const places = machine(t, place);
      const found = await findSigningSecret(places);
      assert.ok(!found.ok, 'refused');
      assert.match(found.error, said);
      assert.ok(!found.error.includes(LONG), 'no secret in the message');
    });
  }

  it('a stored file that cannot be read as a file, which is not replaced', async (t) => {
    const places = machine(t);
    mkdirSync(join(places.configDirectory, '.jwt_secret'));
    const found = await findSigningSecret(places);
    assert.match(found.ok ? '' : found.error, /cannot read .*\.jwt_secret \(EISDIR\)/);
  });

  it('a config directory that is not there to write to', async (t) => {
    const places = machine(t);
    const found = await findSigningSecret({ ...places, configDirectory: join(places.configDirectory, 'absent') });
    assert.match(found.ok ? '' : found.error, /cannot write .*\.jwt_secret \(ENOENT\).*SERVICE_JWT_SECRET/);
  });
});

describe('A signing secret that is weak is warned of', () => {
  it('when it is shorter than 64 characters', async (t) => {
    const found = await findSigningSecret(machine(t, { environment: { SERVICE_JWT_SECRET: LONG.slice(1) } }));
    assert.match(found.ok ? found.value.warnings.join() : '', /SERVICE_JWT_SECRET is shorter than 64 characters/);
  });

  it('when others can read the stored file', async (t) => {
    const places = machine(t, { file: LONG });
    chmodSync(join(places.configDirectory, '.jwt_secret'), 0o640);
    const found = await findSigningSecret(places);
    assert.match(found.ok ? found.value.warnings.join() : '', /chmod 600/);
  });
});

describe('The signing key', () => {
  const rows: [sentence: string, secret: string, key: Uint8Array][] = [
    ['is the bytes that an even number of hex digits stands for', 'ab'.repeat(32), new Uint8Array(32).fill(0xab)],
    ['is the same for capital hex digits', 'AB'.repeat(32), new Uint8Array(32).fill(0xab)],
    ['is the text when the hex digits are odd in number', 'a'.repeat(65), bytes('a'.repeat(65))],
    ['is the text in UTF-8 otherwise', 'größe'.repeat(20), bytes('größe'.repeat(20))],
  ];
  for (const [sentence, secret, key] of rows) it(sentence, () => assert.deepEqual(signingKey(secret), key));
});
