/** The sites that share accounts, each with an NVR of its own: GET /api/sites, asked where there are several (SPEC 20). */
import type { Profile } from './account/profile.ts';
import { isFields, textOf, textsOf } from './forms/fields.ts';
import { useFetched } from './use-fetched.ts';

interface OtherSite {
  readonly name: string;
  /** Undefined: its address is not configured here. */
  readonly url: string | undefined;
  /** None for all but admins. */
  readonly cameras: readonly string[];
}

export interface Sites {
  readonly own: string;
  readonly others: readonly OtherSite[];
}

let isShared = false;

/** Called once, before the first page is shown. */
export const learnSites = (hasSites: boolean): void => {
  isShared = hasSites;
};

/** Undefined where there is one site, and until the answer is there. */
export function useSites(): Sites | undefined {
  const [sites] = useFetched(isShared ? 'api/sites' : undefined, readSites);
  return sites.kind === 'ready' ? sites.value : undefined;
}

function readSites(body: unknown): Sites | undefined {
  const own = isFields(body) ? textOf(body['site']) : undefined;
  if (!isFields(body) || own === undefined) return undefined;
  const others = (Array.isArray(body['others']) ? body['others'] : []).filter(isFields).flatMap((site) => {
    const name = textOf(site['name']);
    return name === undefined ? [] : [{ name, url: textOf(site['url']), cameras: textsOf(site['cameras']) }];
  });
  return { own, others };
}

/** The cameras that a role or a token may name: those of all sites. */
export const nameableCameras = ({ cameras }: Pick<Profile, 'cameras'>, sites: Sites | undefined): readonly string[] => [
  ...new Set([...cameras, ...(sites?.others ?? []).flatMap((site) => site.cameras)]),
];
