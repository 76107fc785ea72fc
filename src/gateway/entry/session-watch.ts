/** Keeps whose camera a session of live pictures is of that a response starts: later requests name it by its secret (SPEC 5, 20). */
import type { Listed } from '../../access/route-table.ts';
import type { HeadListener } from '../decision/gate-watch.ts';
import { noteStartedWhep } from '../decision/started-things.ts';

/** The listener of the head of a response, beside the one that there is. */
export function notingSession(
  { row, parameters: { camera } }: Listed,
  other: HeadListener | undefined,
): HeadListener | undefined {
  if (row.starts !== 'whep' || camera === undefined) return other;
  return (status, type, location) => {
    if (status < 300 && location !== undefined) noteStartedWhep(location, [camera]);
    other?.(status, type, location);
  };
}
