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
  type RecordOf,
  type Table,
  TEXT,
} from '../../store/engine/tables.ts';

const DAY = 86_400;

// biome-ignore format: a table
export const LINK_TABLES = {
  link_terms: { key: 'id', changesVerdicts: ['opened', 'wrong_pins'], columns: {
    /** `uses`: how many viewers may open it; null: any number. `pin_hash`: a keyed digest; null: no PIN. `notifies_on_open`: whether the operator's webhook is told of the first opening. */
    id: TEXT, thing: json<SharedThing>(), token_id: maybe(TEXT), uses: maybe(NUMBER), pin_hash: maybe(TEXT), notifies_on_open: FLAG,
    opened: hidden(defaulted(NUMBER)), wrong_pins: hidden(defaulted(NUMBER)),
  },
    // Its maker can still see who opened one that was revoked.
    ofGrants: { kind: 'link', isLocal: true, staysInLists: true, keptSeconds: 30 * DAY, order: ['-created_at', 'id'] } },
  openings: { key: 'id', changesVerdicts: false, columns: {
    id: TEXT, link_id: TEXT, viewer: maybe(TEXT), client: TEXT, at: NUMBER, address: TEXT, agent: maybe(TEXT),
  } },
} as const satisfies Readonly<Record<string, Table>>;

/** `role`: nothing newer is known of a proxy's user. */
export type Link = Granted &
  RecordOf<'link_terms'> & { readonly secretHash: string; readonly role: Role; readonly expiresAt: number };

type Own = typeof LINK_TABLES;
declare module '../../store/engine/tables.ts' {
  interface FeatureTables extends Own {}
  interface Grants {
    readonly link: Link;
  }
}
