/** `POST /api/status/doctor`: what doctor finds at the public address, for admins (SPEC 15). */
import Router from 'koa-router';
import { type Caller, credentialName } from '../domain/caller.ts';
import type { RouteState } from '../domain/verdict.ts';
import type { Report } from './report.ts';

/** The admin who asks, for the audit log. */
export interface CheckedBy {
  readonly who: string | undefined;
  /** The account or the proxy's user who asks; undefined on the internal listener, which knows no persons. */
  readonly asker: string | undefined;
  /** The client's address. */
  readonly from: string;
  /** The credential as the ledger writes it. */
  readonly credential?: string;
  readonly requestId: string;
}

/** `busy`: another run is under way. `failed`: it could not begin. Each with a sentence. */
export type Checked =
  | { readonly kind: 'done'; readonly report: Report }
  | { readonly kind: 'busy' | 'failed'; readonly message: string };

export type AddressCheck = (by: CheckedBy) => Promise<Checked>;

const by = (caller: Caller | undefined) => (caller ? { credential: credentialName(caller.credential) } : {});

const askerOf = (caller: Caller | undefined): string | undefined =>
  caller?.credential.kind === 'internal-listener' ? undefined : caller?.name;

const STATUS_OF = { busy: 409, failed: 503 } as const;
const RETRY_SECONDS = '10';

/**
 * The route that checks the address; its row is for admins only. Only the configuration says where to look, nothing of the
 * request (SSRF).
 */
export function createCheckRoute(check: AddressCheck): Router<RouteState> {
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  router.post('/api/status/doctor', async (ctx) => {
    const { caller, clientAddress, requestId } = ctx.state;
    const checked = await check({
      who: caller?.name,
      asker: askerOf(caller),
      from: clientAddress,
      ...by(caller),
      requestId,
    });
    ctx.set('Cache-Control', 'no-store');
    if (checked.kind === 'done') {
      ctx.body = checked.report;
      return;
    }
    ctx.status = STATUS_OF[checked.kind];
    ctx.set('Retry-After', RETRY_SECONDS);
    ctx.body = { success: false, message: checked.message };
  });
  return router;
}
