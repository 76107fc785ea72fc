/** Claims of a token that was verified, or of UserInfo: the name of a person, and the groups that roles come from (SPEC 16, 17). Pure. */
import { isRecord, type JsonRecord } from '../domain/json.ts';

/**
 * The value of a claim: under the literal name first, then along the dots (`realm_access.roles`). Undefined when there is
 * none, and for what objects inherit.
 */
export function claimIn(claims: JsonRecord, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/** A claim that is a text and not empty. */
export function textClaim(claims: JsonRecord, name: string): string | undefined {
  const value = claimIn(claims, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The groups: a list of texts, or a text that is one group and is never split. What is no text in the list is passed over.
 * `email` counts only where the provider has verified it.
 */
export function groupsIn(claims: JsonRecord, name: string): readonly string[] {
  if (name === 'email' && claims['email_verified'] !== true) return [];
  const value = claimIn(claims, name);
  const listed: readonly unknown[] = Array.isArray(value) ? value : [value];
  return listed.filter((group): group is string => typeof group === 'string' && group !== '');
}
