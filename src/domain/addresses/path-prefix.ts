/** Path prefixes: of the address below which a client sees this service, and of a server in `nvr.routes` (SPEC 1). */

/** Whether the path is the prefix or below it, by whole segments: `/nvr` is no prefix of `/nvrs`. */
export const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

/** The target, a path that may have a query, without the prefix; one that is not below it stays as it is. */
export function withoutPrefix(target: string, prefix: string): string {
  if (!target.startsWith(prefix)) return target;
  const rest = target.slice(prefix.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : target;
}
