/** `/api/settings`: the settings of the house, which the page Security keeps in the store (SPEC 8). */

import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { SETTING_NAMES, type SettingName, STORED_KEYS } from '../../domain/stored-settings.ts';
import { BODY_NO, SUCCESS } from '../../routes/shapes.ts';
import { SETTINGS } from '../http/answers.ts';
import { type Call, declaring, Refused } from '../http/kernel.ts';

export type SettingsAnswer = z.output<typeof SETTINGS>;
export type SettingsChange =
  | { readonly kind: 'changed' }
  | { readonly kind: 'invalid' | 'given' | 'not-reloaded'; readonly message: string };

export interface HouseSettings {
  current(): SettingsAnswer;
  /** Null: not set any more. */
  change(values: Readonly<Partial<Record<SettingName, string | null | undefined>>>): Promise<SettingsChange>;
}

const NEW_VALUE = z.string().min(1).max(1024).nullable().optional();
const CHANGE = z.object({ second_factor: NEW_VALUE, timezone: NEW_VALUE, public_url: NEW_VALUE });

const route = declaring<Services>();

// biome-ignore format: a table
export const SETTING_ROUTES = [
  route({ route: 'GET /api/settings', access: 'admin', who: 'admin', summary: 'Two-step login, time zone and public address, and what sets each', yes: [200, SETTINGS], run: (_, { house }) => house.current() }),
  route({ route: 'PUT /api/settings', access: 'admin', who: 'admin', proof: 'settings', writes: true, summary: 'Keep them in the store; what is left out stays, null takes one out', body: CHANGE, reads: 'strict', yes: [200, SUCCESS], no: [...BODY_NO, 409], run: change }),
];

async function change(
  { body, record }: Call<z.output<typeof CHANGE>>,
  { house }: Pick<Services, 'house'>,
): Promise<void> {
  const outcome = await house.change(body);
  // What is kept is a change, also where it is taken up later.
  const isKept = outcome.kind === 'changed' || outcome.kind === 'not-reloaded';
  for (const name of SETTING_NAMES)
    if (body[name] !== undefined) {
      const act = { what: 'setting-changed', setting: STORED_KEYS[name] } as const;
      if (isKept) record({ ...act, value: body[name] ?? 'default' });
      else record(act, outcome.kind);
    }
  if (outcome.kind !== 'changed') throw new Refused(outcome.kind === 'invalid' ? 400 : 409, outcome.message);
}
