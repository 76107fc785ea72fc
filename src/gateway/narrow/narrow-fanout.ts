/** A list that the NVR gives for one camera at a time: asked once for each that is visible (SPEC 5, `fanout`). */
import type { Obligations } from '../../access/access-verdict.ts';
import { withCameras } from '../../access/narrow-query.ts';
import { askInTurns } from '../../domain/async/ask-in-turns.ts';
import type { Hold } from '../../domain/async/shares.ts';
import type { RequestTarget } from '../../domain/request.ts';

/** The text of each list; undefined when the memory budget is used up. Rejects when the NVR does not send one. */
export async function listsByCamera(
  target: RequestTarget,
  { parameter, cameras }: NonNullable<Obligations['fanout']>,
  ask: (path: string) => Promise<string>,
  hold: Hold,
): Promise<readonly string[] | undefined> {
  let hasCapacity = true;
  const lists = await askInTurns(cameras, async (camera) => {
    if (!hasCapacity) return '';
    const { path, query } = withCameras(target, parameter, [camera]);
    const text = await ask(`${path}?${query}`);
    hasCapacity = hold.take(text.length) && hasCapacity;
    return text;
  });
  return hasCapacity ? lists : undefined;
}
