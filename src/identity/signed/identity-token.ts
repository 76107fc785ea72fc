/** `X-Postern-Jwt`: who the caller of a forwarded request is, signed for one upstream (SPEC 17; RFC 7519, ES256 of RFC 7518). */
import { randomUUID, sign } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { originOf, type Upstream } from '../../domain/addresses/socket-address.ts';
import { type Caller, senderOf } from '../../domain/caller.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { CameraName } from '../../domain/names.ts';
import type { IdentityKey } from './identity-keys.ts';

/** Undefined while there is no key. */
export type IdentityToken = (caller: Caller, upstream: Upstream) => string | undefined;

export interface IdentityTokenDeps {
  readonly signing: () => IdentityKey | undefined;
  /** `server.public_url`; without one `postern`. */
  readonly issuer: string;
  /** The cameras that a restricted caller sees. */
  readonly camerasOf: (caller: Caller) => readonly CameraName[];
  readonly clock: Clock;
}

const LIFETIME = 60;
/** A token that is sent is good for half a minute at least: it may wait for the NVR, and clocks differ. */
const SENT_FOR = LIFETIME / 2;
/** Callers times upstreams of half a minute. */
const MOST_TOKENS = 2000;

interface MadeToken {
  readonly token: string;
  readonly issuedAt: number;
  readonly keyId: string;
}

/** Signs at once, in some 50 µs: a promise for every request would cost more than all signatures. */
export function createIdentityToken({ signing, issuer, camerasOf, clock }: IdentityTokenDeps): IdentityToken {
  const made = new LRUCache<string, MadeToken>({ max: MOST_TOKENS });
  return (caller, upstream) => {
    const key = signing();
    if (!key) return undefined;
    const { name } = senderOf(caller);
    const { role, scope } = caller;
    const cameras = scope.kind === 'all' ? undefined : camerasOf(caller);
    const audience = audienceOf(upstream);
    // No name has a control character, and no camera is called "*".
    const same = `${audience}\n${name}\n${role}\n${cameras ? textOf(cameras) : '*'}`;
    const now = unixSeconds(clock);
    const before = made.get(same);
    if (before && before.keyId === key.id && now >= before.issuedAt && now < before.issuedAt + SENT_FOR)
      return before.token;
    const claims = {
      iss: issuer,
      aud: audience,
      sub: name,
      role,
      ...(cameras && { cameras }),
      iat: now,
      exp: now + LIFETIME,
      jti: randomUUID(),
    };
    const token = signed(claims, key);
    made.set(same, { token, issuedAt: now, keyId: key.id });
    return token;
  };
}

/** The list is one object while the caller's rights and the known cameras are the same. */
const texts = new WeakMap<readonly CameraName[], string>();

function textOf(cameras: readonly CameraName[]): string {
  const text = texts.get(cameras) ?? cameras.join('\n');
  texts.set(cameras, text);
  return text;
}

function signed(claims: object, { id, privateKey }: IdentityKey): string {
  const text = `${base64url({ alg: 'ES256', typ: 'JWT', kid: id })}.${base64url(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Upstreams live as long as their configuration. */
const audiences = new WeakMap<Upstream, string>();

/** RFC 6454: without the default port. */
function audienceOf(upstream: Upstream): string {
  const known = audiences.get(upstream);
  if (known !== undefined) return known;
  const origin = originOf(upstream);
  const audience = upstream.kind === 'tcp' ? new URL(origin).origin : origin;
  audiences.set(upstream, audience);
  return audience;
}
