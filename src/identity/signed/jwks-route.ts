/** `GET /postern/jwks.json`: the public keys of signed identities, for everybody (SPEC 17; RFC 7517). */
import { z } from 'zod';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import type { IdentityKeys } from './identity-keys.ts';

export interface JwksRouteDeps {
  /** Undefined where identities are not signed. */
  readonly published: IdentityKeys['published'] | undefined;
}

const KEYS = z.object({ keys: z.array(z.looseObject({ kid: z.string() })) });

// biome-ignore format: a table
export const JWKS_ROUTES: readonly OwnRoute<JwksRouteDeps>[] = [
  { route: 'GET /postern/jwks.json', access: 'public', summary: 'The public keys of X-Postern-Jwt (RFC 7517)', yes: [200, KEYS], handler: keys },
];

const MAX_AGE_SECONDS = 300;

async function keys(ctx: RouteContext, { published }: JwksRouteDeps): Promise<void> {
  ctx.set('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
  ctx.body = { keys: (await published?.()) ?? [] };
}
