/** What limits a custom role beside its cameras: denied verbs, hours, and how far back it sees (SPEC 13). */
import type { CustomRoles } from '../camera-scope.ts';
import { parseDuration } from '../duration.ts';
import type { Role } from '../names.ts';
import { VERBS, type Verb } from '../policy/policy.ts';
import { err, ok, type Result } from '../result.ts';
import { type Hours, parseHours } from './hours.ts';

/** `grant`: nothing older than the account and its role. Else so many seconds back. */
export type HistorySince =
  | { readonly text: string; readonly kind: 'grant' }
  | { readonly text: string; readonly kind: 'last'; readonly seconds: number };

export interface RoleLimit {
  readonly deny: readonly Verb[];
  readonly hours?: Hours | undefined;
  readonly historySince?: HistorySince | undefined;
}

export type RoleLimits = ReadonlyMap<Role, RoleLimit>;

/** The custom roles as they are now, from the file and from the store. */
export interface ActiveRoles {
  readonly cameras: CustomRoles;
  readonly limits: RoleLimits;
  /** `auth.timezone`, or the zone of the service: an IANA name. Found out when it is asked for (see `localZone`). */
  readonly zone: string;
}

export const NO_LIMITS: RoleLimits = new Map();

/** Limits as they are written, in the file, in the store and in the API. */
export interface WrittenLimits {
  readonly deny?: readonly string[] | undefined;
  readonly hours?: readonly string[] | undefined;
  readonly history_since?: string | undefined;
}

export type LimitKey = keyof WrittenLimits;

/** Errs with the key, and a sentence that says what is wrong with its value. */
export function parseLimits(written: WrittenLimits): Result<RoleLimit, { key: LimitKey; message: string }> {
  const deny: Verb[] = [];
  for (const text of written.deny ?? []) {
    const verb = VERBS.find((known) => known === text);
    if (!verb) return err({ key: 'deny', message: `${JSON.stringify(text)} is not one of ${VERBS.join(', ')}` });
    if (!deny.includes(verb)) deny.push(verb);
  }
  const hours = written.hours && parseHours(written.hours);
  if (hours && !hours.ok) return err({ key: 'hours', message: hours.error });
  const since = written.history_since === undefined ? undefined : parseHistorySince(written.history_since);
  if (since && !since.ok) return err({ key: 'history_since', message: since.error });
  return ok({ deny, ...(hours && { hours: hours.value }), ...(since && { historySince: since.value }) });
}

export const writtenLimits = ({ deny, hours, historySince }: RoleLimit): WrittenLimits => ({
  ...(deny.length > 0 && { deny }),
  ...(hours && { hours: hours.texts }),
  ...(historySince && { history_since: historySince.text }),
});

export const hasLimit = ({ deny, hours, historySince }: RoleLimit): boolean =>
  deny.length > 0 || hours !== undefined || historySince !== undefined;

/** `grant`, `7d`, `12h`, `30m`, `2w`. */
export function parseHistorySince(text: string): Result<HistorySince, string> {
  if (text === 'grant') return ok({ text, kind: 'grant' });
  const seconds = parseDuration(text) ?? 0;
  return seconds > 0
    ? ok({ text, kind: 'last', seconds })
    : err(
        `${JSON.stringify(text)} does not say how far back the role sees: write grant (nothing older than the account), or a duration such as 12h, 7d or 4w`,
      );
}
