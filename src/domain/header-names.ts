/** One spelling for header names that a lenient reader takes for one another. */

/**
 * Lower-case, with every run of other characters as one hyphen: CGI-style back ends read `Remote_Role`,
 * `Remote.Role` and `remote-role` as one header, and so must whoever removes it.
 */
export const normalizedHeaderName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
