/** The token of an invitation: 256 random bits in its address, of which only the digest is kept (SPEC 12). */
import { hash, randomBytes } from 'node:crypto';
import { INVITATION_PATH } from '../../domain/login-path.ts';

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export const newInvitationToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** Undefined for a text that is no such token. A plain hash will do: 256 bits cannot be guessed. */
export const invitationHash = (token: string): string | undefined =>
  TOKEN.test(token) ? hash('sha256', token, 'base64url') : undefined;

/** The path below the base path. */
export const invitationPath = (token: string): string => `${INVITATION_PATH}/${token}`;
