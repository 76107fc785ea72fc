/** Doctor on the status page: goes through `server.public_url` and no other address, one run at a time (SPEC 15). */
import type { Audit } from '../../accounts/audit.ts';
import type { AddressCheck, CheckedBy } from '../../doctor/check-route.ts';
import { type DoctorPlace, runDoctor } from './run-doctor.ts';

/** Runs `work` unless another run is under way; undefined then. It outlives reloads, so that two generations share it. */
export type OneAtATime = <Value>(work: () => Promise<Value>) => Promise<Value> | undefined;

export function oneAtATime(): OneAtATime {
  let isBusy = false;
  return (work) => {
    if (isBusy) return undefined;
    isBusy = true;
    return work().finally(() => {
      isBusy = false;
    });
  };
}

/** Seconds. With the time limits of the probes a run takes half a minute at most. */
const SILENCE = 2;

export const addressCheck =
  (place: DoctorPlace, audit: Audit, alone: OneAtATime): AddressCheck =>
  async (by) => {
    const tokens = told(place.tokens, audit, by);
    const run = { asker: by.asker, headers: {}, ca: undefined, silence: SILENCE };
    const report = await alone(() => runDoctor({ ...place, tokens }, run));
    if (!report) return { kind: 'busy', message: 'A check is under way: wait for its end' };
    return report.ok ? { kind: 'done', report: report.value } : { kind: 'failed', message: report.error };
  };

/** A token that is made and taken back in an admin's name is in the audit log, as every other. */
const told = (
  { create, revoke }: DoctorPlace['tokens'],
  audit: Audit,
  { who, from, credential, requestId }: CheckedBy,
): DoctorPlace['tokens'] => {
  const by = { who, from, ...(credential !== undefined && { credential }), requestId, verdict: 'allowed' } as const;
  return {
    async create(wanted) {
      const made = await create(wanted);
      if (made.ok) audit({ ...by, what: 'token-created', user: wanted.user, tokenId: made.value.token.id });
      return made;
    },
    async revoke(tokenId) {
      const outcome = await revoke(tokenId);
      audit({ ...by, what: 'token-revoked', tokenId });
      return outcome;
    },
  };
};
