/** Doctor on the status page: goes through `server.public_url` and no other address, one run at a time (SPEC 15). */
import { randomUUID } from 'node:crypto';
import type { Audit } from '../../accounts/audit.ts';
import { createTokenAdmin, type TokenAdmin, type TokenAdminDeps } from '../../accounts/tokens/token-admin.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { AddressCheck, CheckedBy } from '../../doctor/check-route.ts';
import type { Build } from '../../doctor/observations.ts';
import { nvrPorts } from '../../doctor/probes/ports.ts';
import { createReport } from '../../doctor/report.ts';
import type { AccountStore } from '../../domain/accounts/account.ts';
import type { UserFactors } from '../../domain/accounts/second-factor.ts';
import { publicAddress } from '../../domain/addresses/public-url.ts';
import type { TableHead } from '../../domain/policy/table-head.ts';
import { providerFaults } from '../accounts/examine-providers.ts';
import { idlePasskeys } from '../accounts/unusable-factors.ts';
import { internalPortOf } from '../resources/exposed-ports.ts';
import { observeInside } from '../resources/observe-inside.ts';
import { identityHeadersOf } from './probe-deps.ts';
import { makeProbeToken } from './probe-token.ts';

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

export interface AddressCheckDeps extends Omit<TokenAdminDeps, 'store' | 'authEnabled'> {
  readonly settings: Settings;
  readonly tableHead: TableHead;
  readonly build: Build;
  readonly store: Pick<AccountStore, 'findUser' | 'listUsers'>;
  readonly audit: Audit;
  readonly probeStore: () => Promise<unknown>;
  readonly usersWithFactor: () => Promise<readonly UserFactors[]>;
  readonly oneAtATime: OneAtATime;
}

/** Seconds. With the time limits of the probes a run takes half a minute at most. */
const SILENCE = 2;

export function addressCheck(deps: AddressCheckDeps): AddressCheck {
  return async (by) =>
    (await deps.oneAtATime(() => check(deps, by))) ?? {
      kind: 'busy',
      message: 'A check is under way: wait for its end',
    };
}

async function check(deps: AddressCheckDeps, by: CheckedBy): ReturnType<AddressCheck> {
  const { settings, tableHead, build, store, clock, probeStore, usersWithFactor } = deps;
  const tokens = createTokenAdmin({ ...deps, authEnabled: settings.auth.enabled });
  const made = await makeProbeToken(told(tokens, deps.audit, by), { list: store.listUsers }, clock, by.asker);
  if (!made.ok) return { kind: 'failed', message: made.error };
  const { public_url } = settings.server;
  try {
    const report = await createReport({
      url: public_url && new URL(publicAddress(public_url, '/')),
      token: made.value.text,
      own: build,
      internalPort: internalPortOf(settings),
      ports: nvrPorts(tableHead),
      identityHeaders: identityHeadersOf(settings),
      inside: () =>
        observeInside({
          settings,
          tableHead,
          probeStore,
          users: store.listUsers,
          usersWithFactor,
          idlePasskeys: () => idlePasskeys(settings, usersWithFactor),
          providerFaults: () => providerFaults(settings, clock),
        }),
      proxy: undefined,
      headers: {},
      ca: undefined,
      silence: SILENCE,
      now: () => clock.now() / 1000,
      newMark: randomUUID,
    });
    return { kind: 'done', report };
  } finally {
    await made.value.revoke();
  }
}

/** A token that is made and taken back in an admin's name is in the audit log, as every other. */
const told = (tokens: TokenAdmin, audit: Audit, { who, from, credential, requestId }: CheckedBy): TokenAdmin => {
  const by = { who, from, ...(credential !== undefined && { credential }), requestId, verdict: 'allowed' } as const;
  return {
    ...tokens,
    async create(wanted) {
      const made = await tokens.create(wanted);
      if (made.ok) audit({ ...by, what: 'token-created', user: wanted.user, tokenId: made.value.token.id });
      return made;
    },
    async revoke(tokenId) {
      const outcome = await tokens.revoke(tokenId);
      audit({ ...by, what: 'token-revoked', tokenId });
      return outcome;
    },
  };
};
