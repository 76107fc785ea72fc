/** The page on which a person begins: the configured one; Live for guests; else the first of the NVR's pages that the caller may open (SPEC 8). */
import { authorize } from '../access/authorize.ts';
import { createCameraView } from '../access/camera-view.ts';
import { fillParameters, pageAddress } from '../access/sample-request.ts';
import type { Caller } from '../domain/caller.ts';
import type { Rules } from './decision/admit.ts';
import { parseTarget } from './decision/strict-target.ts';
import type { TableConfig } from './rules.ts';

/** A path from the root, which the caller may open. `isOfCameras`: the way from the console to the NVR's own pages. */
export function createStartPage({ settings: { ui }, policy }: TableConfig, rules: () => Rules) {
  const pages = policy.filter(({ page, own }) => page && !own);
  return (caller: Caller, isOfCameras: boolean): string => {
    const { routes, surroundings } = rules();
    const around = surroundings();
    const [camera] = createCameraView(caller, around).cameras;
    const mayOpen = (address: string): boolean => {
      const target = parseTarget(address);
      return (
        target !== undefined &&
        authorize(caller, routes.match('GET', target.segments), target, around).kind === 'allowed'
      );
    };
    const ownPages = pages.length > 0 ? pages.map((row) => pageAddress(row, camera)) : ['/'];
    const candidates = [
      ui.start_page && configured(ui.start_page, camera),
      ...(caller.isGuest && !isOfCameras ? [] : ownPages),
    ];
    // The console is open for every person, so that no page leads back to one that is refused.
    return candidates.find((address) => address !== undefined && mayOpen(address)) ?? '/postern/';
  };
}

const configured = (address: string, camera: string | undefined): string | undefined =>
  camera === undefined && address.includes('{') ? undefined : fillParameters(address, () => camera ?? '');
