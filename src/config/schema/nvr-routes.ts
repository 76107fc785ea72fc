/** The servers beside the NVR: path prefixes, and which of them are taken off (SPEC 1, `nvr.routes`). */
import { z } from 'zod';
import type { UpstreamRoute } from '../../domain/addresses/socket-address.ts';
import { parsePathPrefix, parseUpstream } from './addresses.ts';
import { parsed } from './value-types.ts';

export const upstream = () => parsed(parseUpstream);

/** A server, or one that does not know the prefix under which it stands here. */
const routeTarget = () =>
  z.union(
    [
      upstream(),
      z.strictObject({
        url: upstream().meta({ widens: 'never' }),
        strip: z.boolean().prefault(false).meta({ widens: 'never' }),
      }),
    ],
    {
      error: ({ input }) => {
        const read = parseUpstream(typeof input === 'string' ? input : '');
        return read.ok ? undefined : read.error;
      },
    },
  );

/** Two spellings of one prefix: which server is asked would depend on their order. */
function prefixesDiffer(routes: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  const seen = new Map<string, string>();
  for (const path of Object.keys(routes)) {
    const before = seen.get(withoutSlash(path));
    seen.set(withoutSlash(path), path);
    if (before === undefined) continue;
    const message = `${JSON.stringify(path)} and ${JSON.stringify(before)} are one prefix: remove one of the two`;
    context.addIssue({ code: 'custom', message, path: [path] });
  }
}

const pathPrefix = () =>
  z.string().superRefine((path, context) => {
    const prefix = parsePathPrefix(path);
    if (!prefix.ok) context.addIssue({ code: 'custom', message: prefix.error });
  });

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

function routeAt(prefix: string, target: z.output<ReturnType<typeof routeTarget>>): UpstreamRoute {
  if ('kind' in target) return { prefix, upstream: target };
  return { prefix, upstream: target.strip ? { ...target.url, below: prefix } : target.url };
}

/** The longest prefix first. */
export const upstreamRoutes = () =>
  z
    .record(pathPrefix(), routeTarget())
    .superRefine(prefixesDiffer)
    .transform((routes): readonly UpstreamRoute[] =>
      Object.entries(routes)
        .map(([path, target]) => routeAt(withoutSlash(path), target))
        .sort((left, right) => right.prefix.length - left.prefix.length),
    );
