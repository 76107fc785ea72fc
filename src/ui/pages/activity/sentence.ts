/** What a record says, in one sentence of the page's language, and what stands beside it under "Details" (SPEC 14). Pure. */
import { type Fields, textOf } from '../shared/forms/fields.ts';
import { entryName } from '../shared/names.ts';
import { words } from '../shared/words.ts';
import type { ActWords } from '../words/en.ts';
import type { ActNames } from '../words/types.ts';
import type { CredentialNames } from './credential-text.ts';
import type { ActivityRecord } from './read-activity.ts';

type Said = Pick<ActivityRecord, 'kind' | 'user' | 'camera' | 'credential' | 'detail'>;

/** `count`: records that are told in one line. */
export function sentenceOf(
  record: Said,
  names: CredentialNames,
  count = 1,
  text: ActWords = words.activity.acts,
): string {
  const { detail } = record;
  return text.times(
    sentence(record, namesIn(record, names), text),
    Math.max(count, Number(textOf(detail['times']) ?? 1) || 1),
  );
}

function sentence({ kind, credential, detail }: Said, names: ActNames, text: ActWords): string {
  const viewing = own(text.viewings, kind);
  if (viewing) return viewing(names);
  const what = textOf(detail['what']);
  const failure = kind === 'login-failed' && own(text.failures, textOf(detail['reason']));
  if (failure && what !== 'token-refused') return failure;
  if (kind === 'login') return loginText(credential, detail, text);
  const act = own(text.acts, what);
  if (act) return kind === 'refusal' || kind === 'login-failed' ? act.refused(names) : act.done(names);
  return own(text.others, kind) ?? text.others.notice;
}

function loginText(credential: string | undefined, detail: Fields, { loginBy, others }: ActWords): string {
  const provider = /^oidc:(?<name>.+)$/.exec(credential ?? '')?.groups?.['name'];
  if (provider !== undefined) return loginBy.provider(provider);
  return detail['factor'] === 'passkey' ? loginBy.passkey : others.login;
}

/** A key of the table itself: what comes from the server names nothing that objects inherit. */
const own = <Value>(table: Readonly<Record<string, Value>>, key: string | undefined): Value | undefined =>
  key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;

function namesIn({ user, camera, detail }: Said, names: CredentialNames): ActNames {
  const text = (name: string): string => textOf(detail[name]) ?? '';
  const [token, link] = [text('tokenId'), text('linkId')];
  return {
    user: text('user') || (user ?? ''),
    camera: entryName(camera ?? text('camera')),
    role: text('role'),
    thing: names.get(`token:${token}`) ?? names.get(`link:${link}`) ?? text('screen'),
    provider: text('provider'),
    request: [text('method'), text('path')].filter((part) => part !== '').join(' '),
    setting: text('setting'),
    records: text('records'),
  };
}

/** The labelled rest of the detail. A name without a label is shown nowhere. */
export const fieldsOf = (
  { detail }: Pick<ActivityRecord, 'detail'>,
  text: ActWords = words.activity.acts,
): readonly (readonly [string, string])[] =>
  Object.entries(text.fields).flatMap(([name, label]) => {
    const value = textOf(detail[name]);
    return value === undefined ? [] : [[label, value] as const];
  });
