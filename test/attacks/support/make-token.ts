/** Session tokens as an attacker makes them, from the recipe in a vector. */
import { createHmac } from 'node:crypto';
import type { TokenRecipe } from './vector.ts';

/** `secret`: the key bytes that the instance signs with. `now`: Unix seconds. */
export function makeToken({ header, payload, key }: TokenRecipe, secret: Buffer, now: number): string {
  const signed = `${encoded(JSON.stringify(header))}.${encoded(payloadText(payload, now))}`;
  switch (key) {
    case 'good':
      return `${signed}.${signature('sha256', secret, signed)}`;
    case 'good-hs384':
      return `${signed}.${signature('sha384', secret, signed)}`;
    case 'old':
      return `${signed}.${signature('sha256', Buffer.alloc(64, 'an older secret'), signed)}`;
    case 'empty':
      return `${signed}.${signature('sha256', Buffer.alloc(0), signed)}`;
    case 'none':
      return `${signed}.`;
    case 'embedded':
      return `${signed}.${signature('sha256', embeddedKey(header), signed)}`;
    case 'garbage5':
      return `${encoded(JSON.stringify(header))}.a.b.c.d`;
  }
}

const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

const signature = (hash: string, key: Buffer, text: string): string =>
  createHmac(hash, key).update(text).digest('base64url');

function embeddedKey({ jwk }: TokenRecipe['header']): Buffer {
  const k = typeof jwk === 'object' && jwk !== null && 'k' in jwk ? jwk.k : '';
  return Buffer.from(String(k), 'base64url');
}

/** `@now±n` becomes a number, `@raw:x` stands unquoted. */
function payloadText(payload: TokenRecipe['payload'], now: number): string {
  const entries = Object.entries(payload).map(([name, value]) => `${JSON.stringify(name)}:${valueText(value, now)}`);
  return `{${entries.join(',')}}`;
}

function valueText(value: unknown, now: number): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  if (value.startsWith('@raw:')) return value.slice('@raw:'.length);
  const offset = /^@now(?<by>[+-][\d.]+)?$/.exec(value)?.groups;
  return offset ? String(now + Number(offset['by'] ?? 0)) : JSON.stringify(value);
}
