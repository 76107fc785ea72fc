/** What people are told of their own account, and the places that their logins came from (SPEC 12). Times are Unix seconds. */

export const NOTICE_KINDS = [
  'new-device',
  'new-network',
  'password-changed',
  'second-factor-added',
  'second-factor-removed',
  'recovery-codes-made',
  'sign-in-connected',
  'sign-in-removed',
  'invitation-made',
  'invitation-used',
  'token-created',
  'link-first-opened',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** A notice, or a message about the service, whose `user` is null: what the account's page and `notify.webhook` show of a record. */
export interface ServiceMessage {
  /** That of the record. */
  readonly id: string;
  /** A `NoticeKind`, or what is told of the service. */
  readonly event: string;
  /** Whose account it is. */
  readonly user: string | null;
  readonly at: number;
  /** Who did it; null for an unknown caller, the configuration or the command line. */
  readonly by: string | null;
  /** The client address, or `configuration` or `command-line`. */
  readonly address: string;
  readonly agent: string | null;
  /** The id of an API token or a link, the kind of a factor, or the name of a provider. */
  readonly detail: string | null;
}

/** Where a login came from: what is told apart, and nothing more exact. */
export interface LoginPlace {
  readonly device: string;
  readonly network: string;
}
