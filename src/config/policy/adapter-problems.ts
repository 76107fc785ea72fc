/** Problems of rows with words that mean something of one NVR, where the adapter of the table has no such word (SPEC 20). */
import type { PolicyRow } from '../../domain/policy/policy.ts';
import type { TableHead } from '../../domain/policy/table-head.ts';
import { adapterNamed } from '../../nvr/adapters.ts';
import { lostWordOf } from '../../nvr/lost-word.ts';
import type { Problem } from '../problems/problems.ts';

/** `rows` and `head` are those of a table and of what it extends. */
export function adapterProblems(rows: readonly PolicyRow[], { adapter, cameras }: TableHead): readonly Problem[] {
  const nvr = adapterNamed(adapter);
  const ofRows = rows.flatMap((row) => {
    const lost = lostWordOf(row, nvr);
    return lost === undefined ? [] : [{ ...placeOf(row), message: messageFor(row, lost, adapter) }];
  });
  const isUnread = adapter === undefined && cameras?.some(({ names }) => names.in === 'config');
  return isUnread ? [...ofRows, UNREAD_CONFIG] : ofRows;
}

const UNREAD_CONFIG: Problem = {
  path: 'nvr.policy',
  message:
    'the head of the table has "names: config", and names no adapter that reads the configuration of the NVR: write for example "adapter: frigate", or where the names stand, such as keys',
};

const placeOf = ({ file, line }: PolicyRow): Pick<Problem, 'path' | 'line' | 'source'> => ({
  path: 'routes',
  line,
  ...(file !== undefined && { source: file }),
});

const messageFor = ({ methods, path }: PolicyRow, lost: string, adapter: string | undefined): string => {
  const row = `${JSON.stringify(`${methods.join(',')} ${path}`)} has ${lost}`;
  return adapter === undefined
    ? `${row}, and the table names no adapter that says what it means: write for example "adapter: frigate" in its head`
    : `${row}, which the adapter ${adapter} does not have: write the row without it`;
};
