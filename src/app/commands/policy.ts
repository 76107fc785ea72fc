/** What `postern policy` reviews: the route table, the NVR's own description of its API, and who holds which rights (SPEC 15). */

import { layoutOfNames } from '../../access/recorder-layout.ts';
import type { DescribedApi } from '../../access/review/openapi-operations.ts';
import { type Drift, policyDrift } from '../../access/review/policy-drift.ts';
import { type UsedChange, type Watcher, withUse } from '../../access/review/really-used.ts';
import { type Holder, type HolderView, sightOf, whoSees } from '../../access/review/who-sees.ts';
import { type Change, type RuleSet, wouldChange } from '../../access/review/would-change.ts';
import { createRoleRegistry } from '../../accounts/roles/role-registry.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import { loadServiceConfig, type ServiceConfig } from '../../config/service-config.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { messageOf } from '../../domain/message-of.ts';
import type { CameraName } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { localClock } from '../../ledger/local-time.ts';
import type { Store } from '../../store/open-store.ts';
import { registryParts } from '../accounts/registry-parts.ts';
import { holdersIn } from '../gate/holders.ts';
import { routeTable } from '../gate/rules.ts';
import { nvrDescription } from '../resources/upstreams.ts';
import type { CommandPlace } from './commands.ts';
import { describedIn } from './first-table.ts';
import { openReadOnly } from './read-only.ts';

export type { HolderView, UsedChange };

export interface PolicyReview extends Drift {
  /** The version that the description gives itself. */
  readonly nvr: string | undefined;
  /** The release that the route table was made for. */
  readonly table: string | undefined;
}

export interface PolicyCommand {
  /**
   * `description`: the text of an OpenAPI file; undefined: the running NVR is asked. `below`: where clients see the described
   * paths; undefined: as the route table says. Errs with a sentence.
   */
  diff(description: string | undefined, below: string | undefined): Promise<Result<PolicyReview, string>>;
  /** Accounts, then API tokens that still hold: of that name, or those who see the camera. Errs with a sentence. */
  who(question: WhoQuestion): Promise<Result<readonly HolderView[], string>>;
  /** `file`: another configuration. Errs with every problem of it. */
  tryOut(file: string): Promise<Result<readonly UsedChange[], string>>;
  close(): Promise<void>;
}

export interface WhoQuestion {
  readonly camera?: string;
  readonly user?: string;
}

/** Changes nothing. Rejects with every problem of the configuration. */
export async function openForPolicy(place: CommandPlace, note: (sentence: string) => void): Promise<PolicyCommand> {
  const { config, store, readLayout, close } = await openReadOnly(place, note);
  const { settings } = config;
  return {
    async diff(description, below = config.tableHead.openapi?.below) {
      const described = description === undefined ? await askNvr(config) : describedIn(description, below);
      if (!described.ok) return described;
      const { version, prefix, operations } = described.value;
      return ok({ nvr: version, table: config.tableHead.nvr, ...policyDrift(config.policy, operations, prefix) });
    },
    async who(question) {
      const holders = store ? await holdersOf(store, config, unixSeconds(place.clock)) : [];
      return whoIn(question, holders, (await readLayout())?.cameras ?? []);
    },
    async tryOut(file) {
      const other = await loadServiceConfig({ ...place, file, whenMissing: 'read' });
      if (other.kind === 'invalid') return err(formatProblems(other.file, other.problems));
      const now = unixSeconds(place.clock);
      const layout = (await readLayout()) ?? layoutOfNames([]);
      if (layout.cameras.length === 0)
        return err('no camera is known, so nothing can be compared: start the NVR, or set nvr.cameras');
      const sides = [await ruleSetOf(config, store, now), await ruleSetOf(other, store, now)] as const;
      const changes = wouldChange(...sides, { layout, now });
      if (!store) return ok(changes);
      if (!settings.ledger.enabled) note('ledger.enabled is false: what was used is not known');
      const localTime = localClock(settings.auth.timezone ?? undefined);
      const [first, last] = [localTime(now - USED_SECONDS).day, localTime(now).day];
      const days = await store.ledger.days({ sight: undefined }, first, last);
      return ok(withUse(changes, days, await watchers(store), layout));
    },
    close,
  };
}

/** How far back is looked for what was used. */
const USED_SECONDS = 30 * 86_400;

/** Whose days of the ledger belong to a change: a token's pictures are told apart from those of its owner. */
async function watchers({ apiTokens }: Store): Promise<(change: Change) => Watcher | undefined> {
  const tokens = new Map(
    (await apiTokens.listTokens()).map(({ id, name, user }) => [JSON.stringify([name, user]), id]),
  );
  return ({ kind, name, owner = '' }) => {
    if (kind === 'unknown') return undefined;
    if (kind === 'user') return { user: name, viewer: '' };
    const id = tokens.get(JSON.stringify([name, owner]));
    return id === undefined ? undefined : { user: owner, viewer: `token:${id}` };
  };
}

export function whoIn(
  { camera, user }: WhoQuestion,
  holders: readonly Holder[],
  cameras: readonly CameraName[],
): Result<readonly HolderView[], string> {
  const known = cameras.find((name) => name === camera);
  if (camera !== undefined && known === undefined) {
    const names = cameras.length > 0 ? `the NVR has ${cameras.join(', ')}` : 'no camera is known';
    return err(`${camera} is no camera: ${names}`);
  }
  const asked = user === undefined ? holders : holders.filter(({ name, owner }) => name === user || owner === user);
  if (user !== undefined && asked.length === 0)
    return err(`${user} has no account here: what a proxy's user sees is told by "postern explain --header"`);
  return ok(known === undefined ? asked.map((holder) => sightOf(holder, cameras)) : whoSees(known, asked, cameras));
}

const askNvr = (config: ServiceConfig): Promise<Result<DescribedApi, string>> =>
  nvrDescription(config).catch((fault: unknown) => err(`the NVR did not answer: ${messageOf(fault)}`));

async function ruleSetOf(config: ServiceConfig, store: Store | undefined, now: number): Promise<RuleSet> {
  const holders = store ? await holdersOf(store, config, now) : [];
  return { rows: config.policy, routes: routeTable(config), holders };
}

async function holdersOf(store: Store, { settings }: ServiceConfig, now: number): Promise<readonly Holder[]> {
  const registry = createRoleRegistry({ store: store.roles, ...registryParts(settings, store) });
  const [roles, curtain] = await Promise.all([registry.active(), store.curtain.listDrawn()]);
  return holdersIn({ store, auth: settings.auth, roles, curtain, now });
}
