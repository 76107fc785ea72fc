/** `/api/settings`: the settings of the house, which the page Security keeps in the store (SPEC 8). */
import { z } from 'zod';
import { SETTING_NAMES, type SettingName, STORED_KEYS } from '../../domain/stored-settings.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_NO, SUCCESS } from '../../routes/shapes.ts';
import { SETTINGS } from '../http/answers.ts';
import { fieldsIn, unknownFields } from '../http/body-fields.ts';
import { refuse, refuseFields, respond } from '../http/responses.ts';
import { type AccountResponseDeps, afterProof, forAdmins, jsonOf, record } from '../http/route-guards.ts';

export type SettingsAnswer = z.output<typeof SETTINGS>;
export type SettingsChange =
  | { readonly kind: 'changed' }
  | { readonly kind: 'invalid' | 'given' | 'not-reloaded'; readonly message: string };

export interface HouseSettings {
  current(): SettingsAnswer;
  /** Null: not set any more. */
  change(values: Readonly<Partial<Record<SettingName, string | null | undefined>>>): Promise<SettingsChange>;
}

export interface SettingRouteDeps extends AccountResponseDeps {
  readonly house: HouseSettings;
}

const NEW_VALUE = z.string().min(1).max(1024).nullable().optional();
const CHANGE = z.object({ second_factor: NEW_VALUE, timezone: NEW_VALUE, public_url: NEW_VALUE });

// biome-ignore format: a table
export const SETTING_ROUTES: readonly OwnRoute<SettingRouteDeps>[] = [
  { route: 'GET /api/settings', access: 'admin', summary: 'Two-step login, time zone and public address, and what sets each', yes: [200, SETTINGS], handler: forAdmins((ctx, { house }) => respond(ctx, 200, house.current())) },
  { route: 'PUT /api/settings', access: 'admin', writes: true, summary: 'Keep them in the store; what is left out stays, null takes one out', body: CHANGE, yes: [200, SUCCESS], no: [...BODY_NO, 409], handler: forAdmins(afterProof('settings', change)) },
];

async function change(ctx: RouteContext, deps: SettingRouteDeps): Promise<void> {
  const body = await jsonOf(ctx, deps);
  if (!body) return;
  const unknown = unknownFields(CHANGE, body.json);
  if (unknown.length > 0) return refuseFields(ctx, unknown);
  const values = fieldsIn(CHANGE, body.json);
  if (!values.ok) return refuseFields(ctx, values.error);
  const outcome = await deps.house.change(values.value);
  // What is kept is a change, also where it is taken up later.
  const isKept = outcome.kind === 'changed' || outcome.kind === 'not-reloaded';
  const reason = isKept ? undefined : outcome.kind;
  for (const name of SETTING_NAMES)
    if (values.value[name] !== undefined)
      record(ctx, deps, { what: 'setting-changed', setting: STORED_KEYS[name] }, reason);
  if (outcome.kind !== 'changed') return refuse(ctx, outcome.kind === 'invalid' ? 400 : 409, outcome.message);
  respond(ctx, 200, { success: true });
}
