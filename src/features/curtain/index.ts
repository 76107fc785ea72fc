/** The curtain: cameras that do not exist for anyone but admins while it is drawn (SPEC 19). */
import { bound } from '../../routes/own-route.ts';
import type { FeatureParts, FeatureServices, OpenFeature } from '../feature.ts';
import { curtainPart, rememberCurtain, subtractionOf } from './curtain.ts';
import { CURTAIN_ROUTES } from './curtain-routes.ts';

export const curtain: FeatureParts = {
  removedKeys: {
    'auth.curtain_groups': 'draw the cameras by a pattern, such as "inside_*", or list them in PUT /api/curtain',
    'auth.curtain_reauthenticate': 'opening the curtain asks no question of its own any more',
  },
  routes: CURTAIN_ROUTES,
  open: openCurtain,
  openForCommand: ({ store }) => ({ subtraction: subtractionOf(store.part(curtainPart).listDrawn) }),
};

async function openCurtain({ store, grace }: FeatureServices): Promise<OpenFeature> {
  const { heard } = store;
  const kept = store.part(curtainPart);
  const latest = rememberCurtain(kept, grace, heard);
  await latest();
  // Every request needs it: it is read again at once, so that a store that goes away then leaves it known.
  heard?.watch('curtain', () => void Promise.resolve(latest()).catch(() => {}));
  return {
    subtraction: subtractionOf(latest),
    under: ({ services }) => ({ routes: bound(CURTAIN_ROUTES, { ...services, latest, kept }) }),
  };
}
