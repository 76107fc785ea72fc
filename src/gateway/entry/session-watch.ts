/** Keeps whose camera a session of live pictures is of that a response starts: later requests name it by its secret (SPEC 5, 20). */
import { senderOf } from '../../domain/caller.ts';
import type { Admitted } from '../decision/admit.ts';
import type { HeadListener } from '../decision/gate-watch.ts';
import { noteStartedWhep } from '../decision/started-things.ts';

/** The listener of the head of a response, beside the one that there is. */
export function notingSession(
  { route, caller }: Pick<Admitted, 'route' | 'caller'>,
  other: HeadListener | undefined,
): HeadListener | undefined {
  const camera = route.kind === 'listed' && route.row.starts === 'whep' ? route.parameters['camera'] : undefined;
  if (!caller || camera === undefined) return other;
  const started = { by: senderOf(caller).name, cameras: [camera] };
  return (status, type, location) => {
    if (status < 300 && location !== undefined) noteStartedWhep(location, started);
    other?.(status, type, location);
  };
}
