/** Codes, seals and tickets of second factors: the standards' own vectors, and hostile texts (SPEC 12). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { warnOfUnusable } from '../../src/accounts/passkeys/passkeys.ts';
import {
  createSealer,
  createTickets,
  derivedKey,
  type KeyPurpose,
  PURPOSES,
} from '../../src/accounts/second-factor/sealing.ts';
import {
  base32,
  codeAt,
  matchingStep,
  newRecoveryCodes,
  qrCode,
  recoveryCodeHash,
  stepAt,
  totpUri,
} from '../../src/accounts/second-factor/second-factor.ts';
import type { Settings } from '../../src/config/schema/schema.ts';
import type { UserName } from '../../src/domain/names.ts';
import { PINS } from '../../src/features/links/links.ts';

const SECRET = Buffer.from('12345678901234567890');
const [KEY, OTHER_KEY] = [Buffer.alloc(64, 'a'), Buffer.alloc(64, 'b')];

describe('A code', () => {
  // RFC 6238 appendix B, SHA-1; the last six of its eight digits.
  // biome-ignore format: a table
  const rows: [now: number, code: string][] = [
    [59, '287082'], [1_111_111_109, '081804'], [1_111_111_111, '050471'],
    [1_234_567_890, '005924'], [2_000_000_000, '279037'], [20_000_000_000, '353130'],
  ];
  for (const [now, code] of rows) it(`at ${now} is ${code}`, () => assert.equal(codeAt(SECRET, stepAt(now)), code));

  it('is right one step before and after its own, and no further', () => {
    const [now, code] = [1_234_567_890, '005924'];
    const steps = [-60, -30, 0, 30, 60].map((by) => matchingStep(SECRET, code, now + by));
    assert.deepEqual(steps, [undefined, stepAt(now), stepAt(now), stepAt(now), undefined]);
  });

  it('is six digits and nothing else', () =>
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (!/^\d{6}$/.test(text)) assert.equal(matchingStep(SECRET, text, 59), undefined);
      }),
    ));

  it('comes from what the picture says', async () => {
    const uri = totpUri(SECRET, { user: 'vera', service: 'Postern' });
    assert.equal(
      uri,
      'otpauth://totp/Postern:vera?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Postern&algorithm=SHA1&digits=6&period=30',
    );
    assert.match(await qrCode(uri), /^<svg [^>]*viewBox="0 0 \d+ \d+"[^>]*><path d="[MmHhVvLlZz\d\s.-]+"\/><\/svg>$/);
  });

  it('has a secret in the letters of RFC 4648', () =>
    assert.deepEqual(
      ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text))),
      ['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI'],
    ));
});

describe('A sealed secret', () => {
  const sealer = createSealer(derivedKey(KEY, PURPOSES.totp));
  const sealed = sealer.seal(SECRET, 'vera');

  it('opens for its user', () => assert.deepEqual(sealer.open(sealed, 'vera'), SECRET));
  it('is another text each time', () => assert.notEqual(sealer.seal(SECRET, 'vera'), sealed));
  it('does not open for another user', () => assert.equal(sealer.open(sealed, 'gus'), undefined));
  it('does not open under another signing secret', () =>
    assert.equal(createSealer(derivedKey(OTHER_KEY, PURPOSES.totp)).open(sealed, 'vera'), undefined));
  it('does not open once a bit of it has changed', () =>
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const [id, text = ''] = sealed.split('.');
        const bytes = Buffer.from(text, 'base64url');
        const at = place % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ change;
        assert.equal(sealer.open(`${id}.${bytes.toString('base64url')}`, 'vera'), undefined);
      }),
    ));
  it('rejects any other text', () =>
    fc.assert(fc.property(fc.string(), (text) => assert.equal(sealer.open(text, 'vera'), undefined))));
});

it('The keys are those of before: what they sealed opens, PINs of links and passkeys hold', () => {
  const first = (purpose: KeyPurpose): string => derivedKey(Buffer.alloc(64, 7), purpose).toString('hex').slice(0, 16);
  const { totp, secondStep, passkeys, passkeyUsers } = PURPOSES;
  assert.deepEqual([totp, secondStep, passkeys, passkeyUsers, PINS].map(first), [
    ...['949c58af9475603f', 'b079d9bddf245530', '8fece7e77b0edd46', '13c2b3742cec7489', 'a27be2ce4164134e'],
  ]);
});

describe('A recovery code', () => {
  it('is one of ten, each of 120 bits', () => {
    const codes = newRecoveryCodes();
    assert.equal(new Set(codes).size, 10);
    for (const code of codes) assert.match(code, /^(?:[A-Z2-7]{6}-){3}[A-Z2-7]{6}$/);
  });
  it('is read as people write it', () => {
    const hash = recoveryCodeHash('vera', 'ABCDEF-OIBXYZ-234567-QRSTUV');
    assert.equal(recoveryCodeHash('vera', ' abcdef 018xyz 234567qrstuv '), hash);
    assert.notEqual(recoveryCodeHash('gus', 'ABCDEF-OIBXYZ-234567-QRSTUV'), hash);
    assert.equal(recoveryCodeHash('vera', 'ABCDEF'), undefined);
  });
});

describe('A ticket of the first step', () => {
  const tickets = createTickets(derivedKey(KEY, PURPOSES.secondStep));
  const ticket = { user: 'vera', secretsDigest: 'g', expiresAt: 100 };

  it('is read until it is over', () => {
    const text = tickets.sign(ticket);
    assert.deepEqual([tickets.read(text, 99), tickets.read(text, 100)], [ticket, undefined]);
  });
  it('is read by no other key, not even another one of the same secret', () => {
    for (const key of [derivedKey(KEY, PURPOSES.totp), derivedKey(OTHER_KEY, PURPOSES.secondStep)])
      assert.equal(createTickets(key).read(tickets.sign(ticket), 1), undefined);
  });
  it('rejects any other text', () =>
    fc.assert(fc.property(fc.string(), (text) => assert.equal(tickets.read(text, 1), undefined))));
});

describe('Passkeys that cannot be used', () => {
  const passkeyUsers = async () => ['vera' as UserName];
  const auth = { enabled: true, second_factor: 'optional' } as const;
  const at = async (hostname: string | undefined, more: object = {}) => {
    const public_url = hostname === undefined ? undefined : { hostname, origin: `https://${hostname}`, prefix: '' };
    const warned: unknown[] = [];
    const log = { warn: (facts: object, text: string) => void warned.push([facts, text]) };
    const store = { passkeyUsers, countTotpNotSealedWith: async () => 0 };
    const settings = { auth: { ...auth, ...more }, server: { public_url } } as unknown as Settings;
    await warnOfUnusable(settings, store, { keyId: 'k' }, log);
    return JSON.stringify(warned);
  };

  it('are told with the number of their users and the cause', async () => {
    assert.match(
      await at(undefined),
      /^\[\[\{"users":1\},"[^"]*cannot be used\. Passkeys are off: .*server\.public_url/,
    );
    assert.match(await at('192.0.2.1'), /IP address 192\.0\.2\.1/);
    assert.equal(await at('nvr.example.com'), '[]');
    assert.equal(await at(undefined, { second_factor: 'off' }), '[]');
    assert.equal(await at(undefined, { enabled: false }), '[]');
  });
});
