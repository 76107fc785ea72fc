/** What the texts of all languages have in common. */
import type { RefusalReason } from '../../../domain/refusal.ts';

/** What a sentence may name. Texts that are not known are empty. */
export interface ActNames {
  /** Whose account it was done to. */
  readonly user: string;
  readonly camera: string;
  readonly role: string;
  /** An API token or a link by its name. */
  readonly thing: string;
  /** A sign-in provider. */
  readonly provider: string;
  /** The method and path of a request. */
  readonly request: string;
  /** A key of the configuration. */
  readonly setting: string;
  /** The number of records of a deletion. */
  readonly records: string;
}

/** Texts of the page for a refused navigation. Only the server has them, so browsers do not load them. */
export interface RefusalWords {
  readonly titles: Readonly<Record<number, string>>;
  readonly anyTitle: string;
  readonly toStart: string;
  /** The message in the place of `camera-not-in-role`, when the request names the cameras. */
  readonly camera: { readonly foreign: string; readonly unknown: string };
  /** Who is refused. */
  readonly person: string;
  /** Ends the session and leads to the login. */
  readonly otherAccount: string;
  /** When a refusal ends by itself. */
  readonly opens: string;
  readonly requestId: string;
  /** A reason without a text here uses the message that programs get (REFUSALS). */
  readonly messages: Readonly<Partial<Record<RefusalReason, string>>>;
}
