/** Several NVRs on one store, a site each (SPEC 20). */

const SITE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?$/;

export const isSiteName = (text: string): boolean => SITE_NAME.test(text);

/** How sums of the ledger name a camera, and records of 0.2.0: `barn:garden`. */
export const qualified = (site: string | undefined, camera: string): string =>
  site === undefined ? camera : `${site}:${camera}`;
