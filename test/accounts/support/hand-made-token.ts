/** Tokens put together by hand: what a library would refuse to make. */
import { createHmac } from 'node:crypto';

export const SIGNING_SECRET = 'an even longer secret than the sixty-four characters that are asked for';
export const OTHER_SECRET = SIGNING_SECRET.toUpperCase();

export const base64url = (value: string | object): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export interface Components {
  /** JSON text or a value to be written as such. */
  readonly header?: string | object;
  readonly payload: string | object;
  readonly secret?: string;
  readonly hash?: 'sha256' | 'sha384' | 'sha512';
}

export function handMadeToken({ header, payload, secret = SIGNING_SECRET, hash = 'sha256' }: Components): string {
  const signed = `${base64url(header ?? { alg: 'HS256', typ: 'JWT' })}.${base64url(payload)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}
