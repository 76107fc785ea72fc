/** The primary, as a worker sees it: everything that is one for all workers, asked by messages (SPEC 10). */
import { setTimeout as delay } from 'node:timers/promises';
import type { LoginLimiter } from '../../accounts/login/login-limiter.ts';
import type { PasswordHasher } from '../../accounts/passwords/password-hash.ts';
import type { ServedCertificate } from '../../gateway/listen/tls-server.ts';
import { BETWEEN_ASKING_MILLISECONDS } from '../../store/sqlite/sqlite.ts';
import type { LimiterName, Note, Shared } from '../resources/shared.ts';
import { createLeasedBudget } from './leased-budget.ts';
import type { FromPrimary, FromWorker, QuestionsOfWorkers, SentGeneration, StartOrders } from './messages.ts';
import { type Asker, openQuestions, type Reply } from './questions.ts';

export interface PrimaryLink {
  readonly shared: Shared;
  /** What holds under the configuration that is being prepared, or in force. */
  use(generation: SentGeneration): void;
  take(message: FromPrimary | Reply): void;
}

type Ask = Asker<QuestionsOfWorkers>;

/** A timer of Node may fire up to a millisecond early. */
const UNTIL_ALL_HAVE_LOOKED_MS = BETWEEN_ASKING_MILLISECONDS + 2;

export function linkToPrimary(orders: StartOrders, send: (message: FromWorker) => void): PrimaryLink {
  const { ask, settle } = openQuestions<QuestionsOfWorkers>(send);
  const takers: ((note: Note) => void)[] = [];
  /** Heard before there is a taker, while the worker starts. */
  const heard = [...orders.notes];
  let { eventsBackend, trustedHeaders } = orders;
  const certificates = orders.certificate && createServedCertificates(orders.certificate);
  const limiter = (name: LimiterName): LoginLimiter => limiterOver(name, ask, send);
  return {
    use(generation) {
      ({ eventsBackend } = generation);
    },
    take(message) {
      switch (message.kind) {
        case 'certificate':
          return certificates?.serve(message.certificate);
        case 'trusted-headers':
          trustedHeaders = message.list;
          return;
        case 'noted':
          if (takers.length === 0) heard.push(message.note);
          for (const take of takers) take(message.note);
          return;
        case 'answered':
        case 'failed':
          return settle(message);
      }
    },
    shared: {
      worker: orders.worker,
      isFirstLoginAwaited: orders.isFirstLoginAwaited,
      auditLine: (line) => send({ kind: 'audit', line }),
      sendNotice: (notice) => send({ kind: 'notice', notice }),
      ledger: (news) => send({ kind: 'ledger', news }),
      // The primary warns of what is wrong with the list.
      trustedHeaders: { current: () => trustedHeaders, warnings: () => [], onChange() {}, close() {} },
      certificates,
      limiters: { login: limiter('login'), code: limiter('code'), token: limiter('token') },
      hasherOf: (iterations) => hasherOver(iterations, ask),
      heldBytes: createLeasedBudget({
        ask: (wanted) => ask({ kind: 'bytes', wanted }),
        giveBack: (bytes) => send({ kind: 'freed', bytes }),
      }),
      eventsBackend: () => eventsBackend,
      status: () => ask({ kind: 'status' }),
      // What another worker has read of the store it uses for some milliseconds before it looks for changes again.
      async changed() {
        await delay(UNTIL_ALL_HAVE_LOOKED_MS);
        await ask({ kind: 'changed' }).catch(() => {}); // what was written is written
      },
      tell: (note) => send({ kind: 'noted', note }),
      onNote(take) {
        for (const note of heard) take(note);
        takers.push(take);
      },
    },
  };
}

function createServedCertificates(first: ServedCertificate) {
  let served = first;
  const uses: ((certificate: ServedCertificate) => void)[] = [];
  return {
    current: () => served,
    onChange: (use: (certificate: ServedCertificate) => void): void => void uses.push(use),
    problem: () => undefined,
    close() {},
    serve(certificate: ServedCertificate): void {
      served = certificate;
      for (const use of uses) use(certificate);
    },
  };
}

/** The primary counts; it sets its clauses itself, and tells its sizes itself. */
const limiterOver = (name: LimiterName, ask: Ask, send: (message: FromWorker) => void): LoginLimiter => ({
  limited: () => 0,
  size: () => 0,
  setClauses() {},
  async reserve(address, isKnown = false): ReturnType<LoginLimiter['reserve']> {
    const answer = await ask({ kind: 'reserve', limiter: name, address, isKnown });
    if (answer.kind !== 'reserved') return answer;
    const { place } = answer;
    return {
      kind: 'reserved',
      release: () => send({ kind: 'settled', place, hasFailed: false }),
      keep: () => send({ kind: 'settled', place, hasFailed: true }),
    };
  },
});

/** One line of waiting clients for all workers, and as many hashes at once as one process would compute. */
const hasherOver = (iterations: number, ask: Ask): PasswordHasher => ({
  hash: (password) => ask({ kind: 'hash', iterations, password }),
  check: (password, stored, waiter) =>
    ask({ kind: 'check', iterations, password, stored, waiter: waiter && { ...waiter, signal: undefined } }),
  strengthen: (password, stored) => ask({ kind: 'strengthen', iterations, password, stored }),
  follow() {},
  waiting: () => 0,
});
