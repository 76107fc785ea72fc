/** Where the login page stands, below the base path: for redirects, for the route, and for `Location` on a 401. */
export const LOGIN_PATH = '/login';
