/** Where a request names cameras: the route table's locators, read from path and query (SPEC 5, `how: check`). */
import type { PlainTarget } from '../domain/request.ts';
import { queryValues } from './query.ts';
import type { RouteMatch } from './route-table.ts';

export type NamedCameras =
  | { readonly kind: 'named'; readonly cameras: readonly string[] }
  /** A query parameter stands more than once: which one counts differs from server to server. */
  | { readonly kind: 'repeated' }
  /** The locator asks for an owner that is not in the request itself. */
  | { readonly kind: 'elsewhere' };

type Locate = (name: string, target: PlainTarget, parameters: Readonly<Record<string, string>>) => NamedCameras;

const LOCATORS: Readonly<Record<string, Locate>> = {
  path: (name, _target, parameters) => ({ kind: 'named', cameras: [parameters[name] ?? ''] }),
  query: (name, target) => fromQuery(queryValues(target.query, name)),
};

/** Every camera that the row's locators find; `all` and an absent parameter name none. */
export function namedCameras(match: RouteMatch & { kind: 'listed' }, target: PlainTarget): NamedCameras {
  const cameras: string[] = [];
  for (const locator of match.row.cameras ?? []) {
    const [kind = '', name = ''] = locator.split(':', 2);
    const found = Object.hasOwn(LOCATORS, kind) ? LOCATORS[kind]?.(name, target, match.parameters) : undefined;
    if (found?.kind !== 'named') return found ?? { kind: 'elsewhere' };
    cameras.push(...found.cameras);
  }
  return { kind: 'named', cameras };
}

function fromQuery(values: readonly string[]): NamedCameras {
  if (values.length > 1) return { kind: 'repeated' };
  const [value] = values;
  if (value === undefined || value === 'all') return { kind: 'named', cameras: [] };
  const cameras = value.split(',').map((camera) => camera.trim());
  return { kind: 'named', cameras: cameras.filter((camera) => camera !== '') };
}
