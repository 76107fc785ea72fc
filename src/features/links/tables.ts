/** The tables of links: what is their own, by the id of the grant, and who opened them. */
import type { SharedThing } from '../../domain/caller.ts';
import type { Role } from '../../domain/names.ts';
import {
  defaulted,
  FLAG,
  type Granted,
  hidden,
  json,
  maybe,
  NUMBER,
  type Table,
  TEXT,
} from '../../store/engine/tables.ts';

const DAY = 86_400;

// biome-ignore format: a table
export const LINK_TABLES = {
  link_terms: { key: 'id', changesVerdicts: ['opened', 'wrong_pins'], columns: {
    id: TEXT, thing: json<SharedThing>(), token_id: maybe(TEXT), uses: maybe(NUMBER), pin_hash: maybe(TEXT), notifies_on_open: FLAG,
    opened: hidden(defaulted(NUMBER)), wrong_pins: hidden(defaulted(NUMBER)),
  },
    // Its maker can still see who opened one that was revoked.
    ofGrants: { kind: 'link', isOfSite: true, staysInLists: true, keptSeconds: 30 * DAY, order: ['-created_at', 'id'] } },
  openings: { key: 'id', changesVerdicts: false, columns: {
    id: TEXT, link_id: TEXT, viewer: maybe(TEXT), client: TEXT, at: NUMBER, address: TEXT, agent: maybe(TEXT),
  } },
} as const satisfies Readonly<Record<string, Table>>;

export interface Link extends Granted {
  readonly secretHash: string;
  /** Nothing newer is known of a proxy's user. */
  readonly role: Role;
  readonly thing: SharedThing;
  readonly tokenId: string | null;
  /** How many viewers may open it; null: any number. */
  readonly uses: number | null;
  /** A keyed digest; null: no PIN. */
  readonly pinHash: string | null;
  /** Whether the operator's webhook is told of the first opening. */
  readonly notifiesOnOpen: boolean;
  readonly expiresAt: number;
}

type Own = typeof LINK_TABLES;
declare module '../../store/engine/tables.ts' {
  interface FeatureTables extends Own {}
  interface Grants {
    readonly link: Link;
  }
}
