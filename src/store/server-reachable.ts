/** Whether the server of a store can be reached at all (SPEC 10). */
import { storeFaultOf } from '../domain/store/store-fault.ts';
import { openStore } from './open-store.ts';

/** Network, start and stop of the server, full of connections. A wrong password or database is none of them: an operator must mend it. */
const AWAY = /^(?:08|53|57|E[A-Z_]+$)/;
/** `pg` names these by their text alone. */
const AWAY_IN_WORDS = /timeout|terminated/i;

/** Why it cannot be reached now; undefined when it answers, and for what waiting does not mend: the start says that. */
export async function unreachableFault(url: string): Promise<Error | undefined> {
  try {
    const store = await openStore({ url, readOnly: true });
    await store.close();
    return undefined;
  } catch (fault) {
    if (!(fault instanceof Error) || storeFaultOf(fault) !== 'unreachable') return undefined;
    const { cause } = fault;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
    return (code === '' ? AWAY_IN_WORDS.test(fault.message) : AWAY.test(code)) ? fault : undefined;
  }
}
