/** What `postern policy` found, as text for a terminal (SPEC 15). */

import type { HolderView, PolicyReview, UsedChange } from '../app/commands/policy.ts';
import { alignedRows } from './aligned-rows.ts';

export function formatDrift({ nvr, table, unknown, gone, changed }: PolicyReview): string {
  const about = [
    nvr === undefined ? '' : `The NVR says version ${nvr}.`,
    table === undefined ? '' : `The table was made for ${table}.`,
  ];
  return [
    ...about.filter(Boolean),
    ...part('Operations that the route table does not know', unknown.map(unknownLine)),
    ...part('Operations whose parameters the row does not fit', changed.map(changedLine)),
    ...part(
      'Rows without an operation',
      gone.map(({ row, at }) => `${row}  (${at})`),
    ),
    ...(unknown.length + changed.length === 0 ? ['The route table knows every operation.'] : []),
    '',
  ].join('\n');
}

const part = (heading: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${heading}: ${lines.length}`, ...lines.map((line) => `  ${line}`)];

const unknownLine = ({ operation, judgedBy }: PolicyReview['unknown'][number]): string =>
  `${operation}  (${judgedBy === undefined ? 'for admins only' : `falls under ${judgedBy}`})`;

const changedLine = ({ operation, unread, missing }: PolicyReview['changed'][number]): string =>
  [
    operation,
    ...(unread.length > 0 ? [`names cameras by ${unread.join(', ')}, which the row does not read`] : []),
    ...(missing.length > 0 ? [`has no ${missing.join(', ')}, which the row narrows it by or reads`] : []),
  ].join('  ');

/** A line for each account or token, what becomes of it, and the cameras that this is about; then what of it was really used. */
export function formatChanges(changes: readonly UsedChange[]): string {
  if (changes.length === 0) return 'Nothing would change.\n';
  const groups = Map.groupBy(
    changes,
    (change) => `${holderOf(change)}: ${VERB[change.becomes]} on ${placesOf(change)}`,
  );
  return [...groups]
    .map(([heading, those]) =>
      [heading, ...usedLines(those), ...those.map(({ operation }) => `  ${operation}`), ''].join('\n'),
    )
    .join('');
}

/** Operations of one kind are told once: the ledger knows what was watched, and not by which operation. */
function usedLines(changes: readonly UsedChange[]): readonly string[] {
  const uses = changes.flatMap(({ views = '', used = [] }) =>
    used.map(
      ({ camera, times, lastDay }) =>
        `  used: ${views === 'signalling' ? 'live' : views} on ${camera}, ${times === 1 ? 'once' : `${times} times`} in the last 30 days, last on ${lastDay}`,
    ),
  );
  return [...new Set(uses)];
}

const VERB = { allowed: 'gains', refused: 'loses' } as const;
const holderOf = ({ kind, name, owner }: UsedChange): string => (kind === 'token' ? `token ${name} of ${owner}` : name);
const placesOf = ({ cameras }: UsedChange): string => (cameras === 'all' ? 'the NVR' : cameras.join(', '));

export function formatSights(sights: readonly HolderView[]): string {
  if (sights.length === 0) return 'No account and no token.\n';
  const rows = sights.map((sight) => [nameOf(sight), sight.role, camerasOf(sight), limitsOf(sight)]);
  return `${alignedRows(rows)}\n`;
}

const nameOf = ({ kind, name, owner }: HolderView): string => (kind === 'token' ? `token ${name} of ${owner}` : name);

function camerasOf({ cameras }: HolderView): string {
  if (cameras === 'all') return 'all cameras';
  return cameras.length === 0 ? 'no camera' : cameras.join(', ');
}

const limitsOf = ({ denied, closed }: HolderView): string =>
  [...(denied.length > 0 ? [`without ${denied.join(', ')}`] : []), ...(closed === undefined ? [] : [closed])].join(
    '; ',
  );
