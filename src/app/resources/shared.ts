/** What is one for all workers of a service: the primary keeps it, and a worker is given it in the place of its own (SPEC 10). */
import type { LoginLimiter } from '../../accounts/login/login-limiter.ts';
import type { PasswordHasher } from '../../accounts/passwords/password-hash.ts';
import type { Notice } from '../../domain/accounts/notice.ts';
import type { Upstream } from '../../domain/addresses/socket-address.ts';
import type { ServiceStatus } from '../../domain/status.ts';
import type { BufferBudget } from '../../gateway/narrow/buffer-budget.ts';
import type { LedgerNews } from '../../ledger/sightings.ts';
import type { Revocation } from '../../store/held-revocations.ts';
import type { Certificates } from './tls.ts';
import type { TrustedHeaders } from './trusted-headers.ts';

export interface Shared {
  /** From 1 on; a worker that takes the place of another has its number. */
  readonly worker: number;
  /** Audit lines, for the file of the primary. */
  readonly auditLine: (line: string) => void;
  /** What is told of an account, for the webhook of the primary. */
  readonly sendNotice: (notice: Notice) => void;
  /** What was seen for the ledger, which the primary writes. */
  readonly ledger: (news: LedgerNews) => void;
  readonly trustedHeaders: TrustedHeaders;
  /** Undefined without TLS. */
  readonly certificates: Certificates | undefined;
  readonly limiters: Readonly<Record<LimiterName, LoginLimiter>>;
  readonly hasherOf: (iterations: number) => PasswordHasher;
  readonly heldBytes: BufferBudget;
  /** Of the configuration in force, or of the one that is being prepared; undefined when the NVR answers for events. */
  readonly eventsBackend: () => Upstream | undefined;
  readonly status: () => Promise<ServiceStatus>;
  /** Resolves when no worker uses what it read of the store before, and the events backend knows the roles. */
  readonly changed: () => Promise<void>;
  /** At the start; told by a note from then on. */
  readonly isFirstLoginAwaited: boolean;
  /** Told to all other workers. */
  readonly tell: (note: Note) => void;
  /** Of the others. */
  readonly onNote: (take: (note: Note) => void) => void;
}

/** A session's end that one worker could not write is held by all. */
export const toldRevocations = ({ tell, onNote }: Pick<Shared, 'tell' | 'onNote'>) => ({
  tell: (revocation: Revocation) => tell({ kind: 'held-revocation', ...revocation }),
  onTold: (hold: (revocation: Revocation) => void) =>
    onNote((note) => {
      if (note.kind === 'held-revocation') hold(note);
    }),
});

/** Logins by address; codes of second factors by account; bad API tokens by address. */
export type LimiterName = 'login' | 'code' | 'token';

/** What one process has learned, and all must know. */
export type Note =
  /** An address from which a user has logged in. */
  | { readonly kind: 'known-client'; readonly address: string }
  /** The end of a session that could not be stored. */
  | ({ readonly kind: 'held-revocation' } & Revocation)
  /** The admin has a new password, or has logged in since. */
  | { readonly kind: 'first-login'; readonly isAwaited: boolean };
