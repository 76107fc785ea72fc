/** The detail of a record, which is a JSON object as text. Pure. */
import type { LedgerEntry } from '../domain/ledger.ts';

/** A text that was changed in the store, and is no object any more, tells nothing: it must not stop who reads it. */
export function detailOf({ detail }: Pick<LedgerEntry, 'detail'>): Readonly<Record<string, unknown>> {
  try {
    const told: unknown = detail === null ? {} : JSON.parse(detail);
    return typeof told === 'object' && told !== null ? { ...told } : {};
  } catch {
    return {};
  }
}
