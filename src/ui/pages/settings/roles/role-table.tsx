/** The roles as a table: cameras, what is denied, hours, and who has each (SPEC 4.3, 13). */
import { entryName } from '../../shared/names.ts';
import { FewNames } from '../../shared/table/few-names.tsx';
import { type Column, RecordTable } from '../../shared/table/record-table.tsx';
import { Act } from '../../shared/table/row-menu.tsx';
import { words } from '../../shared/words.ts';
import type { RoleRecord } from '../account-records.ts';
import { limitFacts } from '../limits/role-limits.tsx';
import { Badge } from '../records.tsx';

type HoldersOf = (role: RoleRecord) => readonly string[];

interface RoleTableProps {
  readonly roles: readonly RoleRecord[];
  /** Known where users are kept here; the API counts in any case. */
  readonly holdersOf: HoldersOf;
  readonly onOpen: (kind: 'edit' | 'delete', role: RoleRecord) => void;
}

export function RoleTable({ roles, holdersOf, onOpen }: RoleTableProps) {
  const actions = (record: RoleRecord) => {
    const { role: name, source } = record;
    if (source !== 'store') return null;
    return (
      <>
        <Act text={words.roles.edit} name={name} onAct={() => onOpen('edit', record)} />
        <Act text={words.roles.delete} name={name} isDangerous onAct={() => onOpen('delete', record)} />
      </>
    );
  };
  return (
    <RecordTable
      caption={words.roles.title}
      rows={roles}
      keyOf={({ role }) => role}
      columns={columnsOf(holdersOf)}
      searchText={({ role, cameras }) => [role, ...cameras].join(' ')}
      actions={actions}
    />
  );
}

const columnsOf = (holdersOf: HoldersOf): readonly Column<RoleRecord>[] => [
  {
    key: 'role',
    title: words.ui.common.role,
    sortBy: ({ role }) => role,
    cell: ({ role, source }) => (
      <>
        <bdi>{role}</bdi> <Badge text={words.roles[source]} kind={source === 'store' ? 'strong' : 'plain'} />
        {source === 'file' && <span class="fact-more">{words.roles.fileHelp}</span>}
      </>
    ),
  },
  {
    key: 'cameras',
    title: words.ui.common.cameras,
    sortBy: ({ source, cameras }) => (source === 'builtin' ? Number.POSITIVE_INFINITY : cameras.length),
    isDescendingFirst: true,
    cell: (role) => <CamerasOf role={role} />,
  },
  {
    key: 'limits',
    title: words.roles.limits,
    cell: (role) => <LimitsOf role={role} />,
  },
  {
    key: 'users',
    title: words.users.title,
    sortBy: ({ users }) => users,
    isDescendingFirst: true,
    cell: (role) => <WhoHas count={role.users} holders={holdersOf(role)} />,
  },
];

function CamerasOf({ role: { role, cameras, source } }: { role: RoleRecord }) {
  if (source !== 'builtin') return <FewNames names={cameras.map(entryName)} none={words.ui.common.noCameras} />;
  return <>{role === 'admin' ? words.roles.adminAccess : words.roles.viewerAccess}</>;
}

function LimitsOf({ role }: { role: RoleRecord }) {
  const facts = limitFacts(role);
  if (facts.length === 0) return <>–</>;
  return (
    <>
      {facts.map(([name, text]) => (
        <span key={name} class="fact-line">
          <span class="fact-name">{name}:</span> <bdi>{text}</bdi>
        </span>
      ))}
    </>
  );
}

function WhoHas({ count, holders }: { count: number; holders: readonly string[] }) {
  if (holders.length === 0) return <>{count === 0 ? words.roles.noUsers : words.roles.users({ number: count })}</>;
  return <FewNames names={holders} none="" />;
}
