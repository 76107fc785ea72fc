/** Screens: paired displays, and the codes that pair them, as they are kept (SPEC 18). Times are Unix seconds. */
import type { UserName } from '../names.ts';

export interface Screen {
  /** Names the screen in lists and logs; it opens nothing. */
  readonly id: string;
  /** SHA-256 of the secret in its cookie, base64url; null: confirmed, and the display has not fetched it yet. */
  readonly secretHash: string | null;
  readonly name: string;
  /** Who confirmed it. */
  readonly user: UserName;
  /** When that account was made: the screen ends with it. */
  readonly userCreatedAt: number;
  /** Names of cameras; null: all that its maker sees. */
  readonly cameras: readonly string[] | null;
  readonly createdAt: number;
  /** Null: it does not end by itself. */
  readonly endsAt: number | null;
  readonly lastSeenAt: number | null;
  readonly lastSeenFrom: string | null;
  /** The `User-Agent` with which it was paired. */
  readonly agent: string | null;
}

/** A pairing that waits: a display polls by its device code, a person confirms by the letters that the display shows. */
export interface ScreenCode {
  /** SHA-256, base64url. */
  readonly deviceHash: string;
  /** Likewise, of the eight letters. */
  readonly userHash: string;
  /** Where the display is. */
  readonly address: string;
  readonly agent: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly state: 'pending' | 'confirmed' | 'denied';
  /** Once confirmed. */
  readonly screenId: string | null;
}

export interface ScreenUse {
  readonly id: string;
  readonly at: number;
  readonly from: string;
}

/** Faults (disk, network) are thrown. */
export interface ScreenStore {
  /** `too-many` when so many wait already; `taken` when the letters are in use. */
  addCode(code: ScreenCode, most: number): Promise<'added' | 'too-many' | 'taken'>;
  findCode(by: { readonly deviceHash: string } | { readonly userHash: string }): Promise<ScreenCode | undefined>;
  /** False when the display polled less than so many seconds ago. */
  notePoll(deviceHash: string, at: number, seconds: number): Promise<boolean>;
  /** Adds the screen. `gone`: the code is over or used; `absent`: the account is gone; `too-many`: it has so many screens. */
  confirmCode(userHash: string, screen: Screen, most: number): Promise<'confirmed' | 'gone' | 'absent' | 'too-many'>;
  denyCode(userHash: string, now: number): Promise<'denied' | 'gone'>;
  /** Gives the confirmed screen its secret and ends the code: of several at once one gets it. */
  pickUp(deviceHash: string, secretHash: string, now: number): Promise<'picked-up' | 'gone'>;
  findScreen(by: { readonly id: string } | { readonly secretHash: string }): Promise<Screen | undefined>;
  /** Latest first; of all users without `user`. */
  listScreens(user?: string): Promise<readonly Screen[]>;
  changeScreen(id: string, change: Partial<Pick<Screen, 'name' | 'cameras'>>): Promise<'changed' | 'absent'>;
  deleteScreen(id: string): Promise<'deleted' | 'absent'>;
  noteUses(uses: readonly ScreenUse[]): Promise<void>;
  /** Screens and codes that ended before, and screens that no display fetched by then. */
  forgetBefore(endedAt: number): Promise<void>;
}
