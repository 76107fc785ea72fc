/** What people are told of their own account, as it is kept, and the interface of its store (SPEC 12). Times are Unix seconds. */
import type { UserName } from '../names.ts';

export const NOTICE_KINDS = [
  'new-device',
  'new-network',
  'password-changed',
  'second-factor-added',
  'second-factor-removed',
  'recovery-codes-made',
  'invitation-made',
  'invitation-used',
  'token-created',
  'link-first-opened',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export interface Notice {
  readonly id: string;
  readonly user: UserName;
  readonly kind: NoticeKind;
  readonly at: number;
  /** Who did it; undefined for an unknown caller, the configuration or the command line. */
  readonly by?: string;
  /** The client address, or `configuration` or `command-line`. */
  readonly from: string;
  readonly agent?: string;
  /** The id of an API token, or the kind of a factor. */
  readonly detail?: string;
}

/** Where a login came from: what is told apart, and nothing more exact. */
export interface LoginPlace {
  readonly device: string;
  readonly network: string;
}

export interface NoticeStore {
  /** Nothing happens when there is no such account: it was deleted meanwhile, or a proxy keeps it. */
  addNotice(notice: Notice): Promise<void>;
  /** Latest first. */
  listNotices(user: string, limit: number): Promise<readonly Notice[]>;
  /** Remembers the place, and gives what of it the user's logins have not shown before. Of a first login ever: nothing. */
  notePlace(user: UserName, place: LoginPlace, at: number): Promise<readonly (keyof LoginPlace)[]>;
  /** When each user last logged in, as far back as places are remembered. */
  lastLogins(): Promise<ReadonlyMap<string, number>>;
  forgetNoticesBefore(at: number): Promise<void>;
  forgetPlacesBefore(at: number): Promise<void>;
}
