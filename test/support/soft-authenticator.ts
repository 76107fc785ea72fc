/** An authenticator in software, which also lies when told to: written from the WebAuthn standard, not from our code. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface SoftPasskey {
  readonly id: Buffer;
  readonly key: KeyObject;
  readonly cose: Buffer;
  userHandle: string;
  counter: number;
}

/** What an honest authenticator and browser would have written otherwise. */
export interface Lies {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly crossOrigin?: boolean;
  readonly counter?: number;
  readonly isUserVerified?: boolean;
  readonly isUserPresent?: boolean;
  readonly userHandle?: string | null;
  readonly format?: string;
  readonly cose?: Buffer;
  readonly signature?: Buffer;
}

interface Options {
  readonly challenge: string;
}

export const ORIGIN = 'http://localhost:4433';
const RP_ID = 'localhost';

export function newPasskey(): SoftPasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const [X, Y] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  const cose = map([
    [1, int(2)],
    [3, int(-7)],
    [-1, int(1)],
    [-2, bytes(X)],
    [-3, bytes(Y)],
  ]);
  return { id: randomBytes(32), key: privateKey, cose, userHandle: '', counter: 0 };
}

/** The field `credential` of a registration. */
export function made(passkey: SoftPasskey, { challenge, user }: Options & { user: { id: string } }, lies: Lies = {}) {
  passkey.userHandle = user.id;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(passkey.id.length);
  const credential = Buffer.concat([Buffer.alloc(16), length, passkey.id, lies.cose ?? passkey.cose]);
  const authData = Buffer.concat([authenticatorData(passkey, lies, ATTESTED), credential]);
  const attestationObject = map([
    ['fmt', text(lies.format ?? 'none')],
    ['attStmt', map([])],
    ['authData', bytes(authData)],
  ]);
  const response = {
    clientDataJSON: clientData('webauthn.create', challenge, lies),
    attestationObject: attestationObject.toString('base64url'),
    transports: ['internal'],
  };
  return { ...outer(passkey), response };
}

/** The field `credential` of a login. The counter goes on by one, unless it is told. */
export function shown(passkey: SoftPasskey, { challenge }: Options, lies: Lies = {}) {
  if (lies.counter === undefined) passkey.counter += 1;
  const authData = authenticatorData(passkey, lies, 0);
  const clientDataJSON = clientData('webauthn.get', challenge, lies);
  const signed = Buffer.concat([
    authData,
    createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest(),
  ]);
  const signature = lies.signature ?? sign('sha256', signed, passkey.key);
  const { userHandle = passkey.userHandle } = lies;
  const response = {
    clientDataJSON,
    authenticatorData: authData.toString('base64url'),
    signature: signature.toString('base64url'),
    ...(userHandle !== null && { userHandle }),
  };
  return { ...outer(passkey), response };
}

const [PRESENT, VERIFIED, ATTESTED] = [0x01, 0x04, 0x40];

function authenticatorData({ counter }: SoftPasskey, lies: Lies, more: number): Buffer {
  const { isUserPresent = true, isUserVerified = true } = lies;
  const flags = (isUserPresent ? PRESENT : 0) | (isUserVerified ? VERIFIED : 0) | more;
  const count = Buffer.alloc(4);
  count.writeUInt32BE(lies.counter ?? counter);
  return Buffer.concat([
    createHash('sha256')
      .update(lies.rpId ?? RP_ID)
      .digest(),
    Buffer.from([flags]),
    count,
  ]);
}

const clientData = (type: string, challenge: string, lies: Lies): string =>
  Buffer.from(JSON.stringify({ type, challenge, origin: ORIGIN, crossOrigin: false, ...claims(lies) })).toString(
    'base64url',
  );

const claims = ({ type, challenge, origin, crossOrigin }: Lies): object =>
  Object.fromEntries(
    Object.entries({ type, challenge, origin, crossOrigin }).filter(([, value]) => value !== undefined),
  );

const outer = ({ id }: SoftPasskey) => ({
  id: id.toString('base64url'),
  rawId: id.toString('base64url'),
  type: 'public-key',
  clientExtensionResults: {},
});

/** CBOR, as much as is needed (RFC 8949). */
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff]);
}
const int = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value));
const bytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value]);
const text = (value: string): Buffer => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
const map = (entries: readonly (readonly [string | number, Buffer])[]): Buffer =>
  Buffer.concat([
    head(5, entries.length),
    ...entries.flatMap(([name, value]) => [typeof name === 'string' ? text(name) : int(name), value]),
  ]);

/** A key of the algorithm that is named; whether there is such an algorithm or not. */
export const keyOfAlgorithm = (algorithm: number): Buffer =>
  map([
    [1, int(2)],
    [3, int(algorithm)],
    [-1, int(1)],
    [-2, bytes(Buffer.alloc(32, 1))],
    [-3, bytes(Buffer.alloc(32, 2))],
  ]);
