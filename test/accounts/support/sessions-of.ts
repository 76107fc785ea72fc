/** Sessions by their lengths and parts, without a whole configuration. */
import { createSessions, type RunningSessions, type SessionServices } from '../../../src/accounts/sessions/sessions.ts';
import { createStoreGrace } from '../../../src/accounts/sessions/store-grace.ts';
import type { Settings } from '../../../src/config/schema/schema.ts';

export interface SessionsOf extends RunningSessions, Pick<SessionServices, 'key' | 'clock'> {
  readonly store: SessionServices['store']['accounts'];
  readonly grace?: SessionServices['grace'];
  readonly roles: SessionServices['roleRegistry']['active'];
  readonly sessionLength?: number;
  readonly refreshTime?: number;
  readonly maxAge?: number | null;
  readonly graceSeconds?: number;
  readonly apiTokenNow?: SessionServices['tokens']['callerNow'];
}

export function sessionsOf(parts: SessionsOf) {
  const { store, key, clock, grace = createStoreGrace(), roles, apiTokenNow = async () => undefined } = parts;
  const { sessionLength = 86_400, refreshTime = 1800, maxAge = null, graceSeconds = 0 } = parts;
  const lengths = { session_length: sessionLength, refresh_time: refreshTime, session_max_age: maxAge };
  const settings: unknown = {
    auth: { ...lengths, cookie_name: 'frigate_token', cookie_secure: 'auto' },
    ui: { frame_ancestors: "'self'" },
    server: {},
    store: { grace: graceSeconds },
  };
  const services = { store: { accounts: store }, key, clock, grace, roleRegistry: { active: roles } };
  return createSessions(settings as Settings, { ...services, tokens: { callerNow: apiTokenNow } }, parts);
}
