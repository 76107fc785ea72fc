/** The page on which a person begins: the configured one, else the first of the NVR's pages that the caller may open (SPEC 8). */
import { authorize } from '../access/authorize.ts';
import { createCameraView } from '../access/camera-view.ts';
import { fillParameters, pageAddress } from '../access/sample-request.ts';
import type { Caller } from '../domain/caller.ts';
import type { Rules } from './decision/admit.ts';
import { parseTarget } from './decision/strict-target.ts';
import type { TableConfig } from './rules.ts';

/** The path below the base path that leads each person to the own start page. */
const START_PATH = 'postern/start';

/** `home`: the path of the start page below the base path, the same for all; `pageOf`: a path from the root, which the caller may open. */
export function createStartPage({ settings: { nvr, ui }, policy }: TableConfig, rules: () => Rules) {
  const pages = policy.filter(({ page, own }) => page && !own);
  const isByCaller = ui.start_page !== undefined || pages.length > 0;
  return {
    home: isByCaller ? START_PATH : nvr.url === undefined ? CONSOLE : '',
    pageOf(caller: Caller): string {
      const { routes, surroundings } = rules();
      const around = surroundings();
      const [camera] = createCameraView(caller, around.now, around.layout).cameras;
      const mayOpen = (address: string): boolean => {
        const target = parseTarget(address);
        return (
          target !== undefined &&
          authorize(caller, routes.match('GET', target.segments), target, around).kind === 'allowed'
        );
      };
      const candidates = [
        ui.start_page && configured(ui.start_page, camera),
        ...(pages.length > 0 ? pages.map((row) => pageAddress(row, camera)) : ['/']),
      ];
      // The console is open for every person, so that no page leads back to one that is refused.
      return candidates.find((address) => address !== undefined && mayOpen(address)) ?? `/${CONSOLE}`;
    },
  };
}

const CONSOLE = 'postern/';

const configured = (address: string, camera: string | undefined): string | undefined =>
  camera === undefined && address.includes('{') ? undefined : fillParameters(address, () => camera ?? '');
