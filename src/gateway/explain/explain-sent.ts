/** What would be forwarded for a described request, and to which upstream; secrets are hidden (SPEC 1, `explain`). */
import { isServedHere } from '../../access/route-table.ts';
import { originOf } from '../../domain/addresses/socket-address.ts';
import type { RequestFacts } from '../../domain/request.ts';
import type { Admitted } from '../decision/admit.ts';
import { type Destination, type DestinationRules, destinationOf } from '../decision/destinations.ts';
import { judgedRequest } from '../forward/judged-request.ts';
import type { HeaderRules } from '../forward/rewrite-headers.ts';
import type { ExplainedRequest } from './explanation.ts';

/** Undefined when nothing is forwarded. */
export function sentOf(
  admission: Admitted,
  facts: RequestFacts,
  destinations: DestinationRules,
  rules: HeaderRules,
): ExplainedRequest | undefined {
  const destination = destinationOf(facts.isUpgrade ? 'WS' : facts.method, admission.target, destinations);
  if (isServedHere(admission.route) || destination.kind === 'none') return undefined;
  const { target, headers } = judgedRequest(destination, { facts, admission, requestId: '(new)' }, rules);
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((line) => [name, shown(name, line)] as const),
  );
  return { to: nameOf(destination), method: facts.method, target, headers: lines };
}

const HIDDEN: ReadonlySet<string> = new Set(['x-proxy-secret', 'cookie', 'authorization']);
const shown = (name: string, value: string): string => (HIDDEN.has(name) ? '[hidden]' : value);

function nameOf(destination: Exclude<Destination, { kind: 'none' }>): string {
  if (destination.kind === 'events-backend') return 'the events backend';
  return originOf(destination.upstream);
}
