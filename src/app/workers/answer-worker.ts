/** What the primary answers to its workers: it counts attempts, computes hashes and lends memory, for all of them together (SPEC 10). */
import type { Reservation, Place as Reserved } from '../../accounts/login/login-limiter.ts';
import type { PasswordHasher } from '../../accounts/passwords/password-hash.ts';
import type { Notice } from '../../domain/accounts/notice.ts';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import type { ServiceStatus } from '../../domain/status.ts';
import type { LedgerNews } from '../../ledger/sightings.ts';
import type { LimiterName, Note } from '../resources/shared.ts';
import type { FromWorker, QuestionsOfWorkers, SentReservation } from './messages.ts';
import { type Answerers, replyTo } from './questions.ts';
import type { PoolWorker } from './worker-slot.ts';

export interface AnswerDeps {
  readonly limiters: Readonly<
    Record<LimiterName, { reserve(address: string, isKnown?: boolean): MaybePromise<Reserved> }>
  >;
  readonly hasherOf: (iterations: number) => PasswordHasher;
  /** The store has changed: what this process remembers of it is read again. */
  readonly changed: () => Promise<unknown>;
  readonly status: () => Promise<ServiceStatus>;
  /** Bytes of responses that all workers may hold. */
  readonly mostBytes: number;
  readonly onAuditLine: (line: string) => void;
  readonly onNotice: (notice: Notice) => void;
  readonly onLedger: (news: LedgerNews) => void;
  readonly onNote: (note: Note, from: PoolWorker) => void;
}

type Place = Extract<Reservation, { kind: 'reserved' }>;

/** What one process of a worker holds; all of it ends with the process. */
interface Holding {
  readonly answerers: Answerers<QuestionsOfWorkers>;
  settle(place: number, hasFailed: boolean): void;
  free(bytes: number): void;
  /** Attempts under way count as failed: who can end a worker must not get more guesses by it. */
  end(): void;
}

export interface Answers {
  onMessage(worker: PoolWorker, message: FromWorker): void;
  onEnd(worker: PoolWorker): void;
}

export function createAnswers(deps: AnswerDeps): Answers {
  const begin = createHoldings(deps);
  const holdings = new Map<PoolWorker, Holding>();
  const holdingOf = (worker: PoolWorker): Holding => {
    const holding = holdings.get(worker) ?? begin();
    holdings.set(worker, holding);
    return holding;
  };
  return {
    onEnd(worker) {
      holdings.get(worker)?.end();
      holdings.delete(worker);
    },
    onMessage(worker, message) {
      const { answerers, settle, free } = holdingOf(worker);
      switch (message.kind) {
        case 'asked':
          void replyTo<QuestionsOfWorkers>(message.id, message.question, answerers).then(worker.send);
          break;
        case 'settled':
          settle(message.place, message.hasFailed);
          break;
        case 'freed':
          free(message.bytes);
          break;
        case 'audit':
          deps.onAuditLine(message.line);
          break;
        case 'notice':
          deps.onNotice(message.notice);
          break;
        case 'ledger':
          deps.onLedger(message.news);
          break;
        case 'noted':
          deps.onNote(message.note, worker);
          break;
      }
    },
  };
}

function createHoldings({ limiters, hasherOf, changed, status, mostBytes }: AnswerDeps): () => Holding {
  let lentToAll = 0;
  return () => {
    const places = new Map<number, Place>();
    let lastPlace = 0;
    let lent = 0;
    let hasEnded = false;
    const keep = (place: Place): SentReservation => {
      lastPlace += 1;
      if (hasEnded) place.keep();
      else places.set(lastPlace, place);
      return { kind: 'reserved', place: lastPlace };
    };
    const free = (bytes: number): void => {
      const back = Math.min(bytes, lent);
      lent -= back;
      lentToAll -= back;
    };
    return {
      free,
      settle(number, hasFailed) {
        const place = places.get(number);
        places.delete(number);
        if (hasFailed) place?.keep();
        else place?.release();
      },
      end() {
        hasEnded = true;
        for (const place of places.values()) place.keep();
        places.clear();
        free(lent);
      },
      answerers: {
        async reserve({ limiter, address, isKnown }) {
          const place = await limiters[limiter].reserve(address, isKnown);
          return place.kind === 'reserved' ? keep(place) : place;
        },
        hash: ({ iterations, password }) => hasherOf(iterations).hash(password),
        check: ({ iterations, password, stored, waiter }) => hasherOf(iterations).check(password, stored, waiter),
        strengthen: ({ iterations, password, stored }) => hasherOf(iterations).strengthen(password, stored),
        bytes({ wanted }) {
          if (hasEnded || lentToAll + wanted > mostBytes) return false;
          lent += wanted;
          lentToAll += wanted;
          return true;
        },
        changed: () => changed().then(() => null),
        status,
      },
    };
  };
}
