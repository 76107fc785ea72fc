/** The trace of a described request, read from what GET /api/explain answers (SPEC 1, `explain`). */
import { type Fields, isFields, numberOf, textOf, textsOf } from '../../shared/forms/fields.ts';

export interface Explanation {
  readonly verdict: 'admitted' | 'nothing-visible' | 'refused';
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly message: string;
  /** Unix seconds: when the same request passes. */
  readonly opensAt: number | undefined;
  /** Unix seconds: nothing recorded earlier is seen. */
  readonly since: number | undefined;
  readonly user: string | undefined;
  readonly role: string | undefined;
  /** All of them, where the person has several. */
  readonly roles: readonly string[];
  readonly cameras: 'all' | readonly string[] | undefined;
  readonly rule: string | undefined;
  /** What is likely wrong. */
  readonly hints: readonly string[];
  /** Hours, history and denied verbs of the roles. */
  readonly limits: readonly string[];
  readonly secret: string | undefined;
  readonly token: string | undefined;
  readonly groups: readonly string[];
  readonly route: { readonly route: string; readonly access: string; readonly row: string | undefined } | undefined;
  readonly headers: readonly HeaderFate[];
  readonly sent: SentRequest | undefined;
}

export interface HeaderFate {
  readonly name: string;
  readonly value: string;
  readonly isKept: boolean;
  readonly why: string | undefined;
}

export interface SentRequest {
  readonly to: string;
  readonly line: string;
  readonly headers: readonly string[];
}

const VERDICTS = ['admitted', 'nothing-visible', 'refused'] as const;

export function readExplanation(body: unknown): Explanation | undefined {
  if (!isFields(body)) return undefined;
  const verdict = VERDICTS.find((known) => known === body['verdict']);
  if (verdict === undefined) return undefined;
  const cameras = body['cameras'];
  return {
    verdict,
    status: numberOf(body['status']),
    reason: textOf(body['reason']),
    message: textOf(body['message']) ?? '',
    opensAt: isFields(body['opens']) ? numberOf(body['opens']['at']) : undefined,
    since: numberOf(body['since']),
    user: textOf(body['user']),
    role: textOf(body['role']),
    roles: textsOf(body['roles']),
    cameras: cameras === 'all' ? 'all' : Array.isArray(cameras) ? textsOf(cameras) : undefined,
    rule: textOf(body['rule']),
    hints: textsOf(body['hints']),
    limits: textsOf(body['limits']),
    secret: textOf(body['secret']),
    token: textOf(body['token']),
    groups: textsOf(body['groups']),
    route: readRoute(body['route']),
    headers: fieldsIn(body['headers']).map(readHeader),
    sent: readSent(body['sent']),
  };
}

const fieldsIn = (list: unknown): Fields[] => (Array.isArray(list) ? list.filter(isFields) : []);

function readRoute(route: unknown): Explanation['route'] {
  const name = isFields(route) ? textOf(route['route']) : undefined;
  if (!isFields(route) || name === undefined) return undefined;
  return { route: name, access: textOf(route['access']) ?? '', row: textOf(route['row']) };
}

const readHeader = (header: Fields): HeaderFate => ({
  name: textOf(header['name']) ?? '',
  value: textOf(header['value']) ?? '',
  isKept: header['fate'] === 'kept',
  why: textOf(header['why']),
});

function readSent(sent: unknown): SentRequest | undefined {
  if (!isFields(sent)) return undefined;
  const headers = Array.isArray(sent['headers']) ? sent['headers'].map(textsOf) : [];
  return {
    to: textOf(sent['to']) ?? '',
    line: `${textOf(sent['method']) ?? ''} ${textOf(sent['target']) ?? ''}`,
    headers: headers.map(([name = '', value = '']) => `${name}: ${value}`),
  };
}
