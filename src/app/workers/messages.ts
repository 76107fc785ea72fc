/** Every message between the primary and a worker, both ways; they pass by the channel of the process, which no client reaches. */

import type { Waiter } from '../../accounts/passwords/concurrency-limit.ts';
import type { CheckOutcome, HashOutcome } from '../../accounts/passwords/password-hash.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import type { Notice } from '../../domain/accounts/notice.ts';
import type { Upstream } from '../../domain/addresses/socket-address.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import type { ServiceStatus } from '../../domain/status.ts';
import type { ServedCertificate } from '../../gateway/listen/tls-server.ts';
import type { TrustedHeaderList } from '../../identity/trusted-headers-file.ts';
import type { LedgerNews } from '../../ledger/sightings.ts';
import type { Check } from '../../telemetry/readiness.ts';
import type { Told } from '../../telemetry/told-families.ts';
import type { Addresses } from '../listeners.ts';
import type { LimiterName, Note } from '../resources/shared.ts';

/** A configuration as it can be sent; what it says of places in the file is said by the primary. */
export type SentConfig = Omit<ServiceConfig, 'placed' | 'kind'>;

/** What holds under one configuration. */
export interface SentGeneration {
  readonly config: SentConfig;
  /** Undefined when the NVR answers for events itself. */
  readonly eventsBackend: Upstream | undefined;
}

export interface StartOrders extends SentGeneration {
  readonly worker: number;
  readonly directory: string;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly certificate: ServedCertificate | undefined;
  readonly trustedHeaders: TrustedHeaderList;
  readonly isFirstLoginAwaited: boolean;
  /** What was told, and still holds. */
  readonly notes: readonly Note[];
  /** Sockets that systemd opened, by listener. */
  readonly activated: Partial<Readonly<Record<keyof Addresses, number>>>;
}

/** A question, and the answer that belongs to it: `kind` names both. */
export interface QuestionsOfWorkers {
  readonly reserve: { ask: { limiter: LimiterName; address: string; isKnown: boolean }; answer: SentReservation };
  readonly hash: { ask: { iterations: number; password: string }; answer: HashOutcome };
  readonly check: {
    ask: { iterations: number; password: string; stored: string | undefined; waiter: Waiter | undefined };
    answer: CheckOutcome;
  };
  readonly strengthen: {
    ask: { iterations: number; password: string; stored: string };
    answer: HashOutcome | undefined;
  };
  readonly bytes: { ask: { wanted: number }; answer: boolean };
  readonly changed: { ask: object; answer: null };
  readonly status: { ask: object; answer: ServiceStatus };
}

export interface QuestionsOfPrimary {
  /** Opens what a configuration needs, and changes nothing: the sentence why not, or null. */
  readonly prepare: { ask: SentGeneration; answer: string | null };
  /** Makes it the one in force, or forgets it. */
  readonly settle: { ask: { isTaken: boolean }; answer: null };
  readonly report: { ask: object; answer: Report };
}

export type SentReservation =
  | { readonly kind: 'busy' }
  | { readonly kind: 'reserved'; readonly place: number }
  | {
      readonly kind: 'limited';
      readonly retryAfterSeconds: number;
      readonly clause: Clause;
      readonly window?: 'network';
    };

/** How a worker is. */
export interface Report {
  readonly families: readonly Told[];
  /** Sessions seen lately, with their roles: one may be seen by several workers. */
  readonly sessions: readonly (readonly [id: string, role: string])[];
  readonly eventLoop: Check;
  readonly descriptors: Check;
  readonly log: Check;
  readonly recent: Pick<ServiceStatus, 'loginFailures' | 'failures' | 'unknownRoutes' | 'shadow'>;
}

type Asked<Questions> = {
  [Kind in keyof Questions]: { readonly kind: Kind } & (Questions[Kind] extends { ask: infer Ask } ? Ask : never);
}[keyof Questions];

export type QuestionOfWorker = Asked<QuestionsOfWorkers>;
export type QuestionOfPrimary = Asked<QuestionsOfPrimary>;

interface Answered {
  readonly kind: 'answered';
  readonly id: number;
  readonly answer: unknown;
}
interface Failed {
  readonly kind: 'failed';
  readonly id: number;
  readonly message: string;
}

export type FromWorker =
  /** It runs, and waits for its orders. */
  | { readonly kind: 'here' }
  | { readonly kind: 'listening'; readonly addresses: Addresses }
  /** It cannot start, and ends. */
  | { readonly kind: 'not-started'; readonly message: string }
  /** Its event loop turns. */
  | { readonly kind: 'alive' }
  | { readonly kind: 'audit'; readonly line: string }
  | { readonly kind: 'ledger'; readonly news: LedgerNews }
  | { readonly kind: 'noted'; readonly note: Note }
  | { readonly kind: 'notice'; readonly notice: Notice }
  /** Of a place that was reserved: the attempt has failed, or is given back. */
  | { readonly kind: 'settled'; readonly place: number; readonly hasFailed: boolean }
  | { readonly kind: 'freed'; readonly bytes: number }
  | { readonly kind: 'asked'; readonly id: number; readonly question: QuestionOfWorker }
  | Answered
  | Failed;

export type FromPrimary =
  | { readonly kind: 'start'; readonly orders: StartOrders }
  | { readonly kind: 'certificate'; readonly certificate: ServedCertificate }
  | { readonly kind: 'trusted-headers'; readonly list: TrustedHeaderList }
  | { readonly kind: 'noted'; readonly note: Note }
  /** Finish what is in flight, then end. */
  | { readonly kind: 'drain' }
  | { readonly kind: 'asked'; readonly id: number; readonly question: QuestionOfPrimary }
  | Answered
  | Failed;
