/** Makes every log line safe: secrets are redacted, and control characters are escaped so that no line can be forged (SPEC 9). */

import { TOKEN } from '../../domain/text/mask-secrets.ts';
import { visibleJson } from '../../domain/text/visible-text.ts';

/** Fields that hold secrets, wherever they stand in a line. */
// biome-ignore format: a table
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'password', 'old_password', 'passwordhash', 'token', 'access_token', 'secret', 'auth_secret', 'client_secret', 'jwt_secret', 'privatekey',
  'authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-proxy-secret',
]);
const HIDDEN = '***';

/** A copy without secrets. Errors are reduced by `faultRecord`. */
export function withoutSecrets(record: Record<string, unknown>): Record<string, unknown> {
  for (const name in record) {
    const value = record[name];
    if (isSecret(name, value) || isNested(value)) return cleaned(record);
  }
  return record;
}

const cleaned = (record: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, isSecret(name, value) ? HIDDEN : cleanedValue(value)]),
  );

function cleanedValue(value: unknown): unknown {
  if (!isNested(value)) return value;
  return Array.isArray(value) ? value.map(cleanedValue) : cleaned(value);
}

const isSecret = (name: string, value: unknown): boolean =>
  typeof value !== 'boolean' && value !== undefined && SECRET_FIELDS.has(name.toLowerCase());

const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Error);

/** The line without tokens, should one stand in a path or a message. `line` is JSON, and stays it. */
export function safeLine(line: string): string {
  const plain = visibleJson(line);
  return plain.includes('eyJ') || plain.includes('pst_') ? plain.replace(TOKEN, HIDDEN) : plain;
}
