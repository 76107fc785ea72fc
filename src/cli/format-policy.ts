/** What `postern policy` found, as text for a terminal (SPEC 15). */

import type { PolicyReview } from '../app/commands/policy.ts';

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
