/** Several NVRs on one store, a site each (SPEC 20). */

const SITE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?$/;

export const isSiteName = (text: string): boolean => SITE_NAME.test(text);

/** How records of the ledger name a camera: `barn:garden`. */
export const qualified = (site: string | undefined, camera: string): string =>
  site === undefined ? camera : `${site}:${camera}`;
