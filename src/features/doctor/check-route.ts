/** `POST /api/status/doctor`: what doctor finds at the public address, for admins (SPEC 15). */
import { type Audit, auditedCredential } from '../../accounts/audit.ts';
import { type Call, declaring, Refused } from '../../accounts/http/kernel.ts';
import type { AccountServices } from '../../app/services.ts';
import type { Turns } from '../../domain/async.ts';
import type { Caller } from '../../domain/caller.ts';
import { REPORT } from './cause.ts';
import type { DoctorPlace } from './inside.ts';

export interface CheckRules {
  /** `audit` records the token that is made and taken back. */
  readonly placeWith: (audit: Audit) => DoctorPlace;
  readonly turns: Turns;
}

const RETRY_SECONDS = '10';

/** Nothing of the request says where to look: only the configuration does (SSRF). */
const route = declaring<AccountServices & CheckRules>();

// biome-ignore format: a table
export const CHECK_ROUTES = [
  route({ route: 'POST /api/status/doctor', access: 'admin', note: 'asks server.public_url and no other address', summary: 'What is wrong between server.public_url and Postern; takes half a minute at most', yes: [200, REPORT], no: [409], run: check }),
];

/** Seconds. With the time limits of the probes a run takes half a minute at most. */
const SILENCE = 2;

/** The account or the proxy's user who asks; undefined on the internal listener, which knows no persons. */
const askerName = ({ credential, name }: Caller): string | undefined =>
  credential.kind === 'internal-listener' ? undefined : name;

async function check(
  { caller, from, ctx }: Call,
  { placeWith, audit, turns }: CheckRules & Pick<AccountServices, 'audit'>,
): Promise<object> {
  // A token in an admin's name is in the audit log as every other.
  const by = { who: caller.name, from, ...auditedCredential(caller), ...(ctx && { requestId: ctx.state.requestId }) };
  const run = { asker: askerName(caller), headers: {}, ca: undefined, silence: SILENCE };
  const headers = { 'Retry-After': RETRY_SECONDS };
  const place = placeWith((entry) => audit({ ...entry, ...by }));
  const leave = turns('check');
  if (!leave) throw new Refused(409, 'check-running', 'A check is under way: wait for its end', { headers });
  const running = import('./run-doctor.ts').then(({ runDoctor }) => runDoctor(place, run));
  const report = await running.finally(leave);
  if (!report.ok) throw new Refused(503, 'check-failed', report.error, { headers });
  return report.value;
}
