/**
 * The ticket between the two steps of a login without script: a signed text that says whose password was right. It opens
 * nothing (SPEC 12).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { LOGIN_PATH } from '../../domain/login-path.ts';

/** Unix seconds. */
export interface StepTicket {
  readonly user: string;
  /** A digest of password and factors: a change of either ends the login that is under way. */
  readonly secretsDigest: string;
  readonly expiresAt: number;
  /** The first step was taken at a provider. */
  readonly origin?: TicketOrigin;
  /** The digest of the invitation that is accepted with the second step. */
  readonly invitation?: string;
}

/** The login at a provider, as `sessions` has it. */
export interface TicketOrigin {
  /** The id of the session that is announced: ended meanwhile, it does not begin. */
  readonly sessionId?: string;
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  readonly sid?: string;
  readonly provenAt?: number;
}

/** Sent to the form of the login page alone, and by no page of another site. */
export const STEP_COOKIE = { name: 'postern_step', secure: 'auto', sameSite: 'strict', path: LOGIN_PATH } as const;

/** Long enough to find the phone. */
export const TICKET_SECONDS = 300;

/** The key is made from the signing secret for this alone, so a ticket is no session token, and no token a ticket. */
export function createTickets(key: Uint8Array) {
  const signatureOf = (text: string): Buffer => createHmac('sha256', key).update(text).digest();
  return {
    sign(ticket: StepTicket): string {
      const text = Buffer.from(JSON.stringify(ticket)).toString('base64url');
      return `${text}.${signatureOf(text).toString('base64url')}`;
    },
    /** Undefined for a text that was not signed here, and for a ticket that is over. */
    read(written: string, now: number): StepTicket | undefined {
      const [text = '', signature = ''] = written.split('.', 2);
      const given = Buffer.from(signature, 'base64url');
      const right = signatureOf(text);
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
      const ticket: StepTicket = JSON.parse(Buffer.from(text, 'base64url').toString());
      return ticket.expiresAt > now ? ticket : undefined;
    },
  };
}

export type Tickets = ReturnType<typeof createTickets>;
