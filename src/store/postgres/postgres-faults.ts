/** PostgreSQL's SQLSTATE codes, and the faults of `pg` itself, as faults of the store (SPEC 10). */
import { outOfTime } from '../../domain/events/out-of-time.ts';
import { type StoreFault, storeFault, storeFaultOf } from '../../domain/store/store-fault.ts';

/** SQLSTATE classes that say something of the server or the way to it, and nothing of the statement. */
const TROUBLES: readonly string[] = ['08', '25006', '25P03', '53', '55P03', '57', '58', 'XX'];
const STATEMENT_TIMEOUT = '57014';
/** `pg` names these by their text alone. */
const CLIENT_FAULTS = /timeout|terminated|not queryable|ended/i;

/** A fault of the statement stays as it is. */
export function troubleOf(fault: unknown): unknown {
  if (!(fault instanceof Error) || storeFaultOf(fault) !== undefined) return fault;
  const code = 'code' in fault ? String(fault.code) : '';
  // A question that is too slow, or a write that the server does not get done: both are of the store.
  if (code === STATEMENT_TIMEOUT) return Object.assign(outOfTime(), { storeFault: 'unreachable' });
  const isOfServer = TROUBLES.some((trouble) => code.startsWith(trouble));
  const isOfWay = /^E[A-Z]+$/.test(code) || (code === '' && CLIENT_FAULTS.test(fault.message));
  return isOfServer || isOfWay ? storeFault(kindOf(code), `PostgreSQL: ${fault.message || code}`, fault) : fault;
}

/** disk_full, lock_not_available, read_only_sql_transaction, data_corrupted and index_corrupted. */
const KINDS: Readonly<Record<string, StoreFault>> = {
  '55P03': 'locked',
  '53100': 'full',
  '25006': 'read-only',
  XX001: 'corrupt',
  XX002: 'corrupt',
};

const kindOf = (code: string): StoreFault => KINDS[code] ?? 'unreachable';

/** Whatever keeps a connection from being made: the network, the certificate, the password, the database's name. */
export function connectFault(fault: unknown): unknown {
  const told = troubleOf(fault);
  if (storeFaultOf(told) !== undefined || !(fault instanceof Error)) return told;
  return storeFault('unreachable', `PostgreSQL: no connection: ${fault.message}`, fault);
}

/** SQLSTATE class of what ends a connection, and `pg`'s own words without one. */
export const isOfConnection = (fault: unknown): boolean => {
  const code = codeOf(fault);
  return code === '' || /^(?:08|57P|25006|25P03|E[A-Z]+$)/.test(code);
};

/** The server refuses writes, or does not answer in time: its other connections are no better. */
export const isOfServer = (fault: unknown): boolean =>
  codeOf(fault) === '25006' || (fault instanceof Error && fault.message === 'Query read timeout');

const codeOf = (fault: unknown): string =>
  fault instanceof Error && 'code' in fault && typeof fault.code === 'string' ? fault.code : '';
