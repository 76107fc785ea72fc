/** What the accounts tell the audit log: who did what to whom, from where, and with what outcome (SPEC 9). */
import { parseUserName } from '../domain/names.ts';
import type { CorridorState } from '../domain/verdict.ts';

export const AUDITED = [
  'login',
  'logout',
  'session-ended',
  'user-created',
  'user-deleted',
  'password-changed',
  'role-changed',
  'custom-role-changed',
  'custom-role-deleted',
  'token-created',
  'token-revoked',
  'token-refused',
] as const;

export interface AuditEntry {
  readonly what: (typeof AUDITED)[number];
  /** Who did it; undefined when nobody is known. */
  readonly who: string | undefined;
  /** The client's address, or what did it in the place of a client. */
  readonly from: string;
  /** The client's `User-Agent`, if it sent one. */
  readonly agent?: string;
  readonly verdict: 'allowed' | 'refused';
  readonly reason?: string;
  /** The user it was done to, when that is somebody else's account. */
  readonly user?: string;
  /** The custom role, API token or session it was done to. */
  readonly role?: string;
  readonly tokenId?: string;
  readonly sessionId?: string;
  /** Absent where something was refused before the request had one. */
  readonly requestId?: string;
}

export const BY_CONFIGURATION = 'configuration';
export const AT_COMMAND_LINE = 'command-line';

export type Audit = (entry: AuditEntry) => void;

/** The name that was tried, for the log. What is no user name may be a password, typed into the wrong field. */
export const triedName = (name: string): string | undefined => (parseUserName(name).ok ? name : undefined);

const LONGEST_TEXT = 200;

/** As much as anybody reads of what a client calls itself, or somebody else. */
export const shortText = (text: string): string => text.slice(0, LONGEST_TEXT).toWellFormed();

export const agentOf = ({ clientAgent }: Pick<CorridorState, 'clientAgent'>): { readonly agent?: string } =>
  clientAgent ? { agent: shortText(clientAgent) } : {};
