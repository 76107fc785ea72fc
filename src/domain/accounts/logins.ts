/** Who must wait at the login, and sessions as they were seen, as both are kept for people to look at (SPEC 4.2, 4.5). Times are Unix seconds. */
import type { UserName } from '../names.ts';
import type { User } from './account.ts';
import type { LoginPlace } from './notice.ts';

/** `address` and `network`: wrong passwords from there; `codes`: wrong codes of one account; `pins`: wrong PINs of one link. */
export const BLOCK_KINDS = ['address', 'network', 'codes', 'pins'] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

export interface LoginBlock {
  /** A digest of what is limited. */
  readonly id: string;
  readonly kind: BlockKind;
  /** The address, the network, the account, or the id of the link. */
  readonly subject: string;
  /** Names that were tried, the latest last. */
  readonly names: readonly string[];
  readonly since: number;
  readonly until: number;
  /** The window that all replicas share; null where one process counts in its own memory. */
  readonly window: string | null;
}

/** Times are Unix seconds. */
export interface SeenSession {
  /** The `jti` of its tokens. */
  readonly id: string;
  readonly user: UserName;
  /** The client's address, as last seen. */
  readonly address: string;
  /** The `User-Agent`, cut short; empty when there was none. */
  readonly agent: string;
  readonly since: number;
  readonly lastSeen: number;
  /** The end of that one of its tokens that lives longest. */
  readonly expiresAt: number;
  /** What the key is called that its tokens are signed with. */
  readonly keyId: string;
}

/** A login that is about to succeed. */
export interface BeginningLogin {
  /** The account when the password, the passkey or the answer of a provider was checked. */
  readonly user: User;
  /** The part of the hash that is new with each password, and stays when a hash is strengthened. */
  readonly salt: string;
  /** Undefined: an API token was given in the place of the password. */
  readonly session: SeenSession | undefined;
  readonly place: LoginPlace;
  readonly at: number;
  /** How many sessions the user may have. */
  readonly most: number;
}

export interface BegunLogin {
  /** The account at that moment: its rights may have changed since it was read. */
  readonly user: User;
  /** What the user's logins have not shown before. Of a first login ever: nothing. */
  readonly unseen: readonly (keyof LoginPlace)[];
  /** The user's oldest sessions that are too many now. */
  readonly surplus: readonly Pick<SeenSession, 'id' | 'expiresAt'>[];
}

const SYSTEM = /iPhone|iPad|Android|Windows|Mac OS X|CrOS|Linux/;
const BROWSER = /HomeAssistant|Home Assistant|Edg|OPR|SamsungBrowser|Firefox|FxiOS|CriOS|Chrome|Safari/;
const PRODUCT = /^[^\s/;]{1,60}/;

/** `Firefox, Windows`; of a program that is no browser the name before its version. An update of a browser is no new device. */
export function deviceOf(agent: string): string {
  const [browser, system] = [BROWSER.exec(agent)?.[0], SYSTEM.exec(agent)?.[0]];
  const named = [browser, system].filter((part) => part !== undefined).join(', ');
  return named || (PRODUCT.exec(agent)?.[0] ?? '');
}
