/** `/api/status/security`: the settings that an admin looks for first, read from the configuration and written into it (SPEC 1, 12). */
import { z } from 'zod';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_NO, SUCCESS } from '../../routes/shapes.ts';
import { SECURITY } from '../http/answers.ts';
import { fieldsIn, unknownFields } from '../http/body-fields.ts';
import { refuse, refuseFields, respond } from '../http/responses.ts';
import { type AccountResponseDeps, afterProof, forAdmins, jsonOf, record } from '../http/route-guards.ts';

export type SecurityAnswer = z.output<typeof SECURITY>;
export type SecurityName = keyof SecurityAnswer['keys'];

/** The key of the configuration that each name is. */
export const SECURITY_KEYS = {
  second_factor: { section: 'auth', key: 'second_factor' },
  timezone: { section: 'auth', key: 'timezone' },
  public_url: { section: 'server', key: 'public_url' },
} as const satisfies Readonly<Record<SecurityName, { readonly section: string; readonly key: string }>>;

export type SecurityChange =
  | { readonly kind: 'changed' }
  | { readonly kind: 'invalid' | 'not-writable' | 'not-reloaded'; readonly message: string };

/** The configuration in use, as far as the page shows it. */
export interface SecuritySettings {
  current(): Promise<SecurityAnswer>;
  change(values: Readonly<Partial<Record<SecurityName, string | undefined>>>): Promise<SecurityChange>;
}

export interface SecurityRouteDeps extends AccountResponseDeps {
  readonly security: SecuritySettings;
}

const NEW_VALUE = z.string().min(1).max(1024).optional();
const CHANGE = z.object({ second_factor: NEW_VALUE, timezone: NEW_VALUE, public_url: NEW_VALUE });

// biome-ignore format: a table
const STATUS_OF: Readonly<Record<Exclude<SecurityChange['kind'], 'changed'>, number>> = {
  invalid:        400,
  'not-writable': 409,
  'not-reloaded': 409,
};

// biome-ignore format: a table
export const SECURITY_ROUTES: readonly OwnRoute<SecurityRouteDeps>[] = [
  { route: 'GET /api/status/security', access: 'admin', summary: 'Two-step login, time zone and public address, and what sets each', yes: [200, SECURITY], handler: forAdmins(async (ctx, { security }) => respond(ctx, 200, await security.current())) },
  { route: 'PUT /api/status/security', access: 'admin', writes: true, note: 'writes the configuration file', summary: 'Write them into the configuration file; what is left out stays', body: CHANGE, yes: [200, SUCCESS], no: [...BODY_NO, 409], handler: forAdmins(afterProof('settings', change)) },
];

async function change(ctx: RouteContext, deps: SecurityRouteDeps): Promise<void> {
  const body = await jsonOf(ctx, deps);
  if (!body) return;
  const unknown = unknownFields(CHANGE, body.json);
  if (unknown.length > 0) return refuseFields(ctx, unknown);
  const values = fieldsIn(CHANGE, body.json);
  if (!values.ok) return refuseFields(ctx, values.error);
  const names = (Object.keys(SECURITY_KEYS) as SecurityName[]).filter((name) => values.value[name] !== undefined);
  const outcome = await deps.security.change(values.value);
  const reason = outcome.kind === 'changed' ? undefined : outcome.kind;
  for (const name of names) {
    const { section, key } = SECURITY_KEYS[name];
    record(ctx, deps, { what: 'setting-changed', setting: `${section}.${key}` }, reason);
  }
  if (outcome.kind !== 'changed') return refuse(ctx, STATUS_OF[outcome.kind], outcome.message);
  respond(ctx, 200, { success: true });
}
