/** Who reads the text of an error: which requests concern somebody who is no admin. */
import { type CameraView, viewOf } from '../../access/camera-view.ts';
import { isPublic } from '../../access/route-table.ts';
import type { Admitted, Rules } from '../decision/admit.ts';
import type { Destination } from '../decision/destinations.ts';
import type { ErrorReader } from './error-text.ts';

export const errorReaderOf = (view: CameraView): ErrorReader => ({
  clearance: view.clearance,
  namesForeign: (text) => view.layout.cameras.some((camera) => !view.sees(camera) && text.includes(camera)),
});

/** Postern's own backend says nothing that is not meant for its reader, and neither do files that are the same for everybody. */
export function errorReaderFor(
  { caller, route }: Admitted,
  { kind }: Destination,
  rules: () => Pick<Rules, 'surroundings'>,
): (() => ErrorReader) | undefined {
  if (!caller || kind === 'events-backend' || isPublic(route)) return undefined;
  return () => {
    const { layout, now } = rules().surroundings();
    return errorReaderOf(viewOf(caller, now, layout));
  };
}
