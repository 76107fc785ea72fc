/** `POST /api/status/doctor`: what doctor finds at the public address, for admins (SPEC 15). */
import { z } from 'zod';
import type { Caller } from '../domain/caller.ts';
import { credentialName } from '../domain/credentials.ts';
import type { OwnRoute, RouteContext } from '../routes/own-route.ts';
import { named, TEXT } from '../routes/shapes.ts';
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

const REPORT = named(
  'Report',
  z.object({
    url: TEXT.nullable().meta({ description: 'server.public_url; null: only this machine was looked at' }),
    proxy: TEXT.nullable().meta({ description: 'As it says of itself' }),
    findings: z.array(
      z.object({
        name: TEXT,
        level: z.enum(['error', 'warning', 'advice']),
        seen: TEXT,
        advice: TEXT,
        lines: z.array(TEXT).meta({ description: 'To change at the proxy' }),
      }),
    ),
    good: z.array(TEXT).meta({ description: 'Names of what was looked for and not found' }),
  }),
);

/** Nothing of the request says where to look: only the configuration does (SSRF). */
// biome-ignore format: a table
export const CHECK_ROUTES: readonly OwnRoute<AddressCheck>[] = [
  { route: 'POST /api/status/doctor', access: 'admin', note: 'asks server.public_url and no other address', summary: 'What is wrong between server.public_url and Postern; takes half a minute at most', yes: [200, REPORT], no: [409], handler: answer },
];

async function answer(ctx: RouteContext, check: AddressCheck): Promise<void> {
  const { caller, clientAddress: from, requestId } = ctx.state;
  const checked = await check({ who: caller?.name, asker: askerOf(caller), from, ...by(caller), requestId });
  ctx.set('Cache-Control', 'no-store');
  if (checked.kind === 'done') {
    ctx.body = checked.report;
    return;
  }
  ctx.status = STATUS_OF[checked.kind];
  ctx.set('Retry-After', RETRY_SECONDS);
  ctx.body = { success: false, message: checked.message };
}
