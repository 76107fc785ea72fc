/** Where the pages stand that work without a login, below the base path: for redirects, for routes, and for `Location` on a 401. */
export const LOGIN_PATH = '/login';

/** It leads each person to the own start page. */
export const START_PATH = '/postern/start';

/** Invitations stand below, each at its token. */
export const INVITATION_PATH = '/invitation';
