/** The secret of a link: 256 random bits in its address, of which only the digest is kept (SPEC 13). */
import { hash, randomBytes } from 'node:crypto';
import { LINK_PATH } from '../../domain/shared-thing.ts';

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
const ID_BYTES = 8;

export const newLinkSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
export const newLinkId = (): string => randomBytes(ID_BYTES).toString('hex');

/** Undefined for a text that is no such secret. A plain hash will do: 256 bits cannot be guessed. */
export const linkHash = (secret: string): string | undefined =>
  SECRET.test(secret) ? hash('sha256', secret, 'base64url') : undefined;

/** The path below the base path. */
export const linkPath = (secret: string): string => `${LINK_PATH}/${secret}`;
