/** The accounts as a table: role, validity, last login, and what can be done with each (SPEC 4.3, 8). */
import type { Profile } from '../../shared/account/profile.ts';
import { entryName } from '../../shared/names.ts';
import { FewNames } from '../../shared/table/few-names.tsx';
import { type Column, RecordTable } from '../../shared/table/record-table.tsx';
import { Act, RowMenu } from '../../shared/table/row-menu.tsx';
import { formatShortMoment } from '../../shared/times.ts';
import { words } from '../../shared/words.ts';
import type { RoleRecord, UserRecord } from '../account-records.ts';
import { guestText } from '../limits/validity.tsx';
import { Badge } from '../records.tsx';
import { giverOf, sourceAct } from './role-source.tsx';

export type OfUser = 'view-as' | 'role' | 'pin' | 'give-back' | 'validity' | 'password' | 'link' | 'factor' | 'delete';

/** The recorder's own pages expect this one to be there, as an admin; the API refuses to change it. */
const FIXED_USER = 'admin';

interface UserTableProps {
  readonly users: readonly UserRecord[];
  readonly roles: readonly RoleRecord[];
  readonly profile: Profile;
  readonly onOpen: (kind: OfUser, user: UserRecord) => void;
}

export function UserTable({ users, roles, profile, onOpen }: UserTableProps) {
  const why = whyOneStays(users);
  const actions = (user: UserRecord) => {
    const { username: name } = user;
    const isOther = name !== profile.name;
    const sourced = why(user) === undefined ? sourceAct(user) : undefined;
    const act = (kind: OfUser, text: string, more: { why?: string | undefined; isDangerous?: boolean } = {}) => (
      <Act {...{ text, name, ...more }} onAct={() => onOpen(kind, user)} />
    );
    return (
      <RowMenu name={name} note={<NarrowNote user={user} why={why(user)} />}>
        {act('role', words.users.changeRole, { why: why(user) })}
        {act('view-as', words.viewAs.beginShort)}
        {sourced === 'pin' && act('pin', words.users.pin)}
        {sourced === 'give-back' && act('give-back', words.users.giveBack)}
        {act('validity', words.users.validity, { why: why(user) })}
        {/* The own password needs the current one: Settings > Password asks for it. */}
        {isOther && act('link', words.invitations.reset)}
        {isOther && act('password', words.users.resetPassword)}
        {user.second_factor && isOther && act('factor', words.users.removeFactor, { isDangerous: true })}
        {act('delete', words.users.delete, { why: why(user), isDangerous: true })}
      </RowMenu>
    );
  };
  return (
    <RecordTable
      caption={words.users.title}
      rows={users}
      keyOf={({ username }) => username}
      columns={columnsOf(profile, roles, why)}
      firstSort={{ key: 'name', isDescending: false }}
      searchText={({ username, role, sign_ins = [] }) => [username, role, ...sign_ins].join(' ')}
      actions={actions}
      narrow="two-lines"
    />
  );
}

/** What a row of two lines has no room for. */
function NarrowNote({ user, why }: { user: UserRecord; why: string | undefined }) {
  const giver = giverOf(user);
  return (
    <>
      {words.users.lastLogin}: {lastLogin(user)}
      {[giver === undefined ? undefined : words.users.givenBy({ provider: giver }), why].map(
        (text) => text !== undefined && <span class="fact-more">{text}</span>,
      )}
    </>
  );
}

const lastLogin = ({ last_login_at: at }: UserRecord): string =>
  at === undefined ? words.users.noLogin : formatShortMoment(at);

type Why = (user: UserRecord) => string | undefined;

function columnsOf(profile: Profile, roles: readonly RoleRecord[], why: Why): readonly Column<UserRecord>[] {
  return [
    {
      key: 'name',
      title: words.ui.common.user,
      sortBy: ({ username }) => username,
      cell: (user) => (
        <>
          <bdi>{user.username}</bdi> {user.username === profile.name && <Badge text={words.users.you} />}
          <NarrowBadges user={user} />
        </>
      ),
    },
    {
      key: 'role',
      title: words.ui.common.role,
      sortBy: ({ role }) => role,
      cell: (user) => (
        <>
          <Badge text={user.role} kind={user.role === 'admin' ? 'strong' : 'plain'} />
          {giverOf(user) !== undefined && (
            <span class="fact-more">{words.users.givenBy({ provider: giverOf(user) ?? '' })}</span>
          )}
          {why(user) !== undefined && <span class="fact-more">{why(user)}</span>}
        </>
      ),
    },
    {
      key: 'cameras',
      title: words.ui.common.cameras,
      cell: (user) => <FewNames names={camerasOf(user.role, roles)} none={words.ui.common.noCameras} />,
    },
    {
      key: 'factor',
      title: words.secondFactor.title,
      sortBy: ({ second_factor }) => Number(second_factor ?? false),
      isDescendingFirst: true,
      cell: ({ second_factor }) => (second_factor ? words.ui.common.yes : words.ui.common.no),
    },
    {
      key: 'validity',
      title: words.users.validity,
      sortBy: ({ valid_until }) => valid_until,
      cell: (user) => guestText(user, Date.now() / 1000) ?? '–',
    },
    {
      key: 'login',
      title: words.users.lastLogin,
      sortBy: ({ last_login_at }) => last_login_at,
      isDescendingFirst: true,
      cell: lastLogin,
    },
  ];
}

/** What has columns of its own where there is room. */
function NarrowBadges({ user }: { user: UserRecord }) {
  const guest = guestText(user, Date.now() / 1000);
  return (
    <span class="narrow-only">
      {user.second_factor && <Badge text={words.secondFactor.title} />}
      {guest !== undefined && <Badge text={guest} />}
    </span>
  );
}

/** Why the role of a user cannot be changed, nor the user deleted. */
function whyOneStays(users: readonly UserRecord[]): Why {
  const lasting = users.filter(
    (user) => user.role === 'admin' && !user.valid_from && !user.valid_until && !giverOf(user),
  );
  return ({ username: name, role }) => {
    if (name === FIXED_USER) return words.users.fixedAdmin;
    return role === 'admin' && lasting.every((user) => user.username === name) ? words.users.lastAdmin : undefined;
  };
}

function camerasOf(role: string, roles: readonly RoleRecord[]): readonly string[] {
  if (role === 'admin' || role === 'viewer') return [words.ui.common.allCameras];
  return (roles.find((known) => known.role === role)?.cameras ?? []).map(entryName);
}
