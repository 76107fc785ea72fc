/** Whose view is shown: an admin sees Explore and the profile as another person would. Kept by this page alone, and gone with it. */

/** The page, below the path of the console. */
export const VIEW_AS_PATH = '/view-as';

/** The name that each request says, and each response repeats. */
const HEADER = 'X-Postern-View-As';

let wanted: string | undefined;
let viewed: string | undefined;

/** Undefined: the person who is logged in. */
export const viewedPerson = (): string | undefined => viewed;

/** Whose view the page shows when it opens. No address says it: a page of another site could open that. */
export const wantViewAs = (name: string): void => {
  wanted = name;
};

/** Begins the view that is wanted. From here on every request says whose it is, until the page ends it. */
export function beginViewAs(): string | undefined {
  [viewed, wanted] = [wanted, undefined];
  return viewed;
}

export const endViewAs = (): void => {
  viewed = undefined;
};

/** What makes a request one of that person; a response that the browser has kept may be another person's. */
export const viewAsRequest = (name: string | undefined): RequestInit & { readonly headers: Record<string, string> } =>
  name === undefined ? { headers: {} } : { headers: { [HEADER]: encodeURIComponent(name) }, cache: 'no-store' };

/** Whether it is the response of that person: something in between may have dropped the header of the request. */
export const isAsViewed = (headers: Headers, name: string): boolean => headers.get(HEADER) === encodeURIComponent(name);
