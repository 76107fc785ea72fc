/** Names of sites, several services on one store (SPEC 20). */
const SITE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?$/;

export const isSiteName = (text: string): boolean => SITE_NAME.test(text);
