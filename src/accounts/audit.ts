/** Entries of the audit log: actor, action, object, client address and outcome (SPEC 9). */
import { createTrustedNetworks } from '../domain/addresses.ts';
import type { Caller, RouteState } from '../domain/caller.ts';
import { credentialName } from '../domain/credentials.ts';
import { parseUserName } from '../domain/names.ts';
import type { ActTexts } from '../locales/texts.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** Features add the fields that their acts need (`declare module`). */
export interface AuditEntry {
  /** An act that is recorded has a sentence, by its name. */
  readonly what: keyof ActTexts;
  /** The user who did it; undefined for an unknown caller. */
  readonly who: string | undefined;
  /** The client address, or `configuration` or `command-line`. */
  readonly from: string;
  /** The credential by its name, such as `token:<id>`, or the provider's; absent where none was shown. */
  readonly credential?: string;
  /** The client's `User-Agent`, if it sent one. */
  readonly agent?: string;
  readonly verdict: 'allowed' | 'refused';
  readonly reason?: string;
  /** A login was tried with a name that no account has. */
  readonly unknown?: true;
  /** The user whose account was changed. */
  readonly user?: string;
  /** The custom role, API token or session it was done to. */
  readonly role?: string;
  readonly tokenId?: string;
  readonly linkId?: string;
  readonly sessionId?: string;
  /** The address, network or account whose limit was lifted; of a link its `linkId`. */
  readonly limited?: string;
  /** The key of the configuration that was written, as `auth.timezone`. */
  readonly setting?: string;
  /** What it is set to; `default` where it was taken out. */
  readonly value?: string;
  /** The provider of a sign-in, or the one that gives the role from now on. */
  readonly provider?: string;
  /** When the backup was made that was restored (ISO 8601), and whether its sessions, tokens, links, invitations and screens work again. */
  readonly backup?: string;
  readonly credentials?: 'kept' | 'ended';
  readonly factor?: 'totp' | 'recovery' | 'passkey';
  /** Absent when the request was refused before it had an id. */
  readonly requestId?: string;
}

export const BY_CONFIGURATION = 'configuration';
export const AT_COMMAND_LINE = 'command-line';

export type Audit = (entry: AuditEntry) => void;

/** The user name of a login attempt, for the log. An invalid name is left out: it may be a password in the wrong field. */
export const triedName = (name: string): string | undefined => (parseUserName(name).ok ? name : undefined);

const LONGEST_TEXT = 200;

/** Text from a client, cut to a length that fits a log line. */
export const shortText = (text: string): string => text.slice(0, LONGEST_TEXT).toWellFormed();

export const auditedCredential = (caller: Caller | undefined): { readonly credential?: string } =>
  caller ? { credential: credentialName(caller.credential) } : {};

export const auditedAgent = ({ clientAgent }: Pick<RouteState, 'clientAgent'>): { readonly agent?: string } =>
  clientAgent ? { agent: shortText(clientAgent) } : {};

/** Counts from audit entries: they hold the verdict and the address together. */
export function countedAudit(audit: Audit, trustedProxies: readonly string[], metrics: Metrics): Audit {
  const near = createTrustedNetworks([...PRIVATE, ...trustedProxies]);
  return (entry) => {
    const { what, reason, from } = entry;
    if (what === 'login' && GUESSES.includes(reason) && near.ok && near.value.includes(from))
      metrics.proxyFailures.add(1);
    audit(entry);
  };
}

const GUESSES: readonly (string | undefined)[] = ['bad-credentials', 'bad-token'];

/** RFC 1918, RFC 4193, link-local and loopback. */
// biome-ignore format: a table
const PRIVATE: readonly string[] = [
  '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '127.0.0.0/8', 'fc00::/7', 'fe80::/10', '::1/128',
];
