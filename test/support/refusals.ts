/** Refusals as tests compare them: by their sentence, once their reason is found to be one that pages have a text for (SPEC 8). */
import assert from 'node:assert/strict';
import { textsIn } from '../../src/locales/catalogs.ts';

/** SPEC 4.1 gives the whole answer. */
const FIXED = 'Login failed';

/** What is no refusal stays as it is. */
export function withoutReason(body: unknown): unknown {
  const { success, reason, values, ...rest } = Object(body);
  if (success !== false) return body;
  const text = Object.hasOwn(textsIn('en').problems, reason) && textsIn('en').problems[reason as 'busy'];
  assert.equal(Boolean(text), rest.message !== FIXED, `${rest.message}: ${reason}`);
  assert.equal(typeof text === 'function', values !== undefined, `values of ${reason}`);
  return { success, ...rest };
}
