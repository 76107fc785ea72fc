/** Screens: displays that are paired by a person and show the person's cameras, without a password on them (SPEC 18). */
import { bound } from '../../routes/own-route.ts';
import type { FeatureParts } from '../feature.ts';
import { PAIRING_ROUTES } from './pairing-routes.ts';
import { SCREEN_PAGE_ROUTES } from './screen-page.ts';
import { SCREEN_ROUTES } from './screen-routes.ts';

const ROUTES = [...SCREEN_PAGE_ROUTES, ...PAIRING_ROUTES, ...SCREEN_ROUTES];

export const screens: FeatureParts = {
  routes: ROUTES,
  open: () => ({ under: ({ services }) => ({ routes: bound(ROUTES, services) }) }),
};
