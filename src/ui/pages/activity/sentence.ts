/** What a record says, in one sentence of the page's language, and what stands beside it under "Details" (SPEC 14). Pure. */
import { type ConsoleTexts, said } from '../../../locales/texts.ts';
import { entryName } from '../shared/names.ts';
import { words } from '../shared/words.ts';
import { type ActivityRecord, type CredentialNames, detailOf } from './activity-rows.ts';

type ActWords = ConsoleTexts['ledger']['sentences'];
type ActNames = ReturnType<typeof valuesOf>;
type Said = Pick<ActivityRecord, 'kind' | 'user' | 'camera' | 'credential' | 'detail'>;

/** `count`: records that are told in one line. */
export function sentenceOf(
  record: Said,
  names: CredentialNames,
  count = 1,
  text: ActWords = words.ledger.sentences,
): string {
  const times = Math.max(count, Number(detailOf(record, 'times') ?? 1) || 1);
  return text.times({ sentence: sentence(record, valuesOf(record, names), text), times });
}

function sentence(record: Said, names: ActNames, text: ActWords): string {
  const { kind } = record;
  const viewing = own(text.viewings, kind);
  if (viewing) return viewing(names);
  const what = detailOf(record, 'what');
  const failure = kind === 'login-failed' && own(text.failures, detailOf(record, 'reason'));
  if (failure && what !== 'token-refused') return failure;
  if (kind === 'login') return loginText(record, text);
  const act = own(text.acts, what);
  if (act) return said(kind === 'refusal' || kind === 'login-failed' ? act.refused : act.done, names);
  return own(text.others, kind) ?? text.others.notice;
}

function loginText(record: Said, { loginBy, others }: ActWords): string {
  const provider = /^oidc:(?<name>.+)$/.exec(record.credential ?? '')?.groups?.['name'];
  if (provider !== undefined) return loginBy.provider({ name: provider });
  return detailOf(record, 'factor') === 'passkey' ? loginBy.passkey : others.login;
}

/** A key of the table itself: what comes from the server names nothing that objects inherit. */
const own = <Table extends object>(table: Table, key: string | undefined): Table[keyof Table] | undefined =>
  key !== undefined && Object.hasOwn(table, key) ? table[key as keyof Table] : undefined;

/** Texts that are not known are empty. */
function valuesOf(record: Said, names: CredentialNames) {
  const text = (name: string): string => detailOf(record, name) ?? '';
  const user = text('user') || (record.user ?? '');
  const camera = entryName(record.camera ?? text('camera'));
  const thing = names.get(`token:${text('tokenId')}`) ?? names.get(`link:${text('linkId')}`) ?? text('screen');
  const records = text('records');
  return {
    user,
    hasUser: user !== '',
    camera,
    hasCamera: camera !== '',
    role: text('role'),
    thing,
    hasThing: thing !== '',
    provider: text('provider'),
    request: [text('method'), text('path')].filter((part) => part !== '').join(' '),
    setting: text('setting'),
    records: Number(records),
    hasRecords: records !== '',
  };
}

/** The labelled rest of the detail. A name without a label is shown nowhere. */
export const fieldsOf = (
  record: Pick<ActivityRecord, 'detail'>,
  text: ActWords = words.ledger.sentences,
): readonly (readonly [string, string])[] =>
  Object.entries(text.fields).flatMap(([name, label]) => {
    const value = detailOf(record, name);
    return value === undefined ? [] : [[label, value] as const];
  });
