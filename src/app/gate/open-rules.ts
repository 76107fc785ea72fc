/** The rules of one place: for the gate with its links, and for commands, which judge without a server (SPEC 3 to 5). */
import type { User } from '../../domain/accounts/account.ts';
import type { Upstream } from '../../domain/addresses/socket-address.ts';
import { type CameraScope, visibleCameras } from '../../domain/camera-scope.ts';
import type { CameraName } from '../../domain/names.ts';
import type { Rules } from '../../gateway/decision/admit.ts';
import type { DestinationRules } from '../../gateway/decision/destinations.ts';
import type { OwnerCameras } from '../../gateway/decision/owner-lookup.ts';
import { askerOf } from '../../gateway/forward/nvr-questions.ts';
import type { HeaderRules } from '../../gateway/forward/rewrite-headers.ts';
import type { KeyAnswer } from '../../identity/key-set.ts';
import { createExplainer, type Explainer } from './explain.ts';
import { proxyKeysOf } from './proxy-keys.ts';
import {
  decisionRules,
  destinationRules,
  headerRules,
  ownerLookup,
  type RuleDeps,
  routeTable,
  type TableConfig,
} from './rules.ts';

/** What rules are built from. The verifiers count nothing. */
export interface RulePlace
  extends Pick<
    RuleDeps,
    | 'verifySession'
    | 'verifyApiToken'
    | 'verifyLink'
    | 'verifyScreen'
    | 'sharedBy'
    | 'findViewed'
    | 'behindCurtain'
    | 'isNvrOlder'
    | 'roleRegistry'
    | 'now'
    | 'layout'
  > {
  readonly config: TableConfig;
  readonly eventsBackend: Upstream | undefined;
  /** The names of trusted headers. */
  readonly allowlist: () => ReadonlySet<string>;
  readonly cameras: () => readonly CameraName[];
  /** Absent: identities are not signed. */
  readonly findUser: (name: string) => Promise<User | undefined>;
  /** Called each time that the keys of `proxy.jwt` were asked for. */
  readonly onProxyKeys?: (answer: KeyAnswer) => void;
}

export interface OpenRules {
  readonly destinations: DestinationRules;
  /** Takes the headers that are trusted now. `more`: counters, and verifiers that count. */
  readonly rules: (more?: Partial<RuleDeps>) => Rules;
  readonly headers: () => HeaderRules;
  readonly explain: Explainer;
  /** The cameras of an id; the answers are remembered with those for the rules. */
  readonly camerasOf: OwnerCameras;
  /** The names of the cameras that a scope sees. */
  readonly seen: (scope: CameraScope) => readonly CameraName[];
}

export function openRules(place: RulePlace): OpenRules {
  const { config, allowlist, cameras, findUser, now, roleRegistry } = place;
  const { settings, policy, tableHead } = config;
  const routes = routeTable(config);
  const destinations = destinationRules(settings, place.eventsBackend, routes.nvr.events);
  const owners = ownerLookup(destinations, askerOf(settings), routes.nvr);
  const proxyKeys = proxyKeysOf(settings, place.onProxyKeys);
  const parts = { ...place, settings, routes, destinations, owners, proxyKeys };
  const rules = (more: Partial<RuleDeps> = {}): Rules => decisionRules({ ...parts, allowlist: allowlist(), ...more });
  const headers = (): HeaderRules => ({
    ...headerRules(settings, tableHead, allowlist()),
  });
  const seen = (scope: CameraScope) => visibleCameras(scope, cameras());
  const explain = createExplainer({
    settings,
    rows: policy,
    roles: roleRegistry.active,
    now,
    findUser,
    destinations,
    headers,
    camerasOf: seen,
    rules: (trace) => rules({ trace }),
  });
  return { destinations, rules, headers, explain, camerasOf: owners.camerasOf, seen };
}
