/** The questions of Settings > Users: a new user, an invitation, a role, a password, a validity, a farewell (SPEC 4.3, 12, 13, 16). */
import { useEffect, useState } from 'preact/hooks';
import { parseCustomRoleName, parseUserName } from '../../../domain/names.ts';
import type { AnswerOf, RoleRecord, UserRecord } from '../shared/answers.ts';
import { type ApiResponse, inTurn, sendToApi } from '../shared/api.ts';
import { NarrowedCameras } from '../shared/cameras/camera-choice.tsx';
import { type FieldProps, NameField, SelectField } from '../shared/fields.tsx';
import { type Act, asking, FormDialog, reload } from '../shared/forms.tsx';
import { NewAddress } from '../shared/new-secret.tsx';
import { SecurityLink } from '../shared/parts.tsx';
import { belongingsOf } from '../shared/pieces.tsx';
import { pathTo } from '../shared/records-page.tsx';
import { entryName, formatShortMoment, shortList, words } from '../shared/words.ts';
import { askedValidity, NO_ENDS, requestedLimits, typedLimits, ValidityFields, validityOf } from './limits.tsx';
import { NewPassword } from './new-password.tsx';

/** `cameras`: all that there are. */
type RoleChoices = { readonly roles: readonly RoleRecord[]; readonly cameras: readonly string[] };

/** The roles that there are in any case, while no others are known. */
export const BUILT_IN = ['admin', 'viewer'].map(
  (role): RoleRecord => ({ role, cameras: ['*'], source: 'builtin', users: 0 }),
);

/** The choice of a role, each with what it sees; no role is chosen beforehand (SPEC 8). */
function RoleField({ roles, cameras, ...field }: RoleChoices & Omit<FieldProps, 'label'>) {
  const text = words.users.sees;
  const seenBy = ({ role, cameras: entries }: RoleRecord): string => {
    if (role === 'admin') return text.admin;
    if (entries.includes('*')) return text.all({ cameras: cameras.length });
    return entries.map(entryName).join(', ') || words.ui.common.noCameras;
  };
  const options = roles.map((record) => [record.role, `${record.role}: ${seenBy(record)}`] as const);
  const wrong = field.value === '' ? words.users.roleMissing : undefined;
  return <SelectField label={words.ui.common.role} {...{ ...field, wrong, options }} />;
}

/** `cameras`: those of a role that is made for this person; undefined: the role is chosen. */
const NO_ROLE = { role: '', cameras: undefined as readonly string[] | undefined };
const NEW_USER = { name: '', password: '', ...NO_ROLE, ...NO_ENDS };

/** The name of a role for one person: `atHand`, the person's role now, where it was made for this person alone; else a new one. */
function roleFor(person: string, roles: readonly RoleRecord[], atHand = ''): string {
  const own = roles.find(({ role, source, users }) => role === atHand && source === 'store' && users === 1);
  if (own && (atHand === person || atHand.startsWith(`${person}_`))) return atHand;
  const names = [person, ...roles.map((_, at) => `${person}_${at + 2}`)];
  return names.find((name) => parseCustomRoleName(name).ok && roles.every(({ role }) => role !== name)) ?? person;
}

/** Gives the chosen role; where cameras are chosen, `own`, which is made of them. What else limits a custom role that was chosen limits `own`, too. */
async function giveRole<Sent>(
  { role: chosen, cameras }: typeof NO_ROLE,
  own: string,
  roles: readonly RoleRecord[],
  give: (role: string) => Promise<Sent>,
): Promise<ApiResponse | Sent> {
  if (!cameras) return give(chosen);
  const like = roles.find(({ role, source }) => role === chosen && source !== 'builtin');
  const limits = requestedLimits(typedLimits(like));
  const made = await sendToApi('PUT', pathTo('api/roles', own), { cameras, ...limits });
  return made.kind === 'ok' ? give(own) : made;
}

/** `invited`: the person sets a password, which no admin knows, by the link that is made; of a guest the cameras are chosen, and no role. */
type NewUserProps = RoleChoices & { readonly known: readonly UserRecord[]; readonly invited?: 'user' | 'guest' };

export function NewUser({ known, invited, ...choices }: NewUserProps) {
  const isInvited = invited !== undefined;
  const text = words.users;
  const invitations = words.invitations;
  return (
    <FormDialog
      title={isInvited ? invitations.invite : text.add}
      submit={isInvited ? invitations.create : text.add}
      first={invited === 'guest' ? { ...NEW_USER, cameras: [] } : NEW_USER}
      onSubmit={({ name, password, role: chosen, cameras, ...validity }) =>
        giveRole({ role: chosen, cameras }, roleFor(name, choices.roles), choices.roles, (role) => {
          const asked = { role, ...askedValidity(validity) };
          return isInvited
            ? makeLink(name, asked)
            : sendToApi('POST', 'api/users', { username: name, password, ...asked });
        })
      }
      done={({ name }) => (isInvited ? invitations.reset.done({ name }) : text.added({ name }))}
      {...(isInvited && { next: madeLink })}
    >
      {({ field, ...form }) => (
        <>
          <NameField
            label={text.name}
            help={text.nameHelp}
            parse={parseUserName}
            faults={text}
            known={known.map(({ username }) => username)}
            {...field('name')}
          />
          {!isInvited && (
            <NewPassword label={text.password} userName={form.values.name} isSuggested {...field('password')} />
          )}
          {form.values.cameras === undefined && <RoleField {...choices} {...field('role')} />}
          <NarrowedCameras known={choices.cameras} isOfNames {...field('cameras')} />
          <ValidityFields field={field} {...form} />
          {isInvited && <p>{invitations.inviteWhat}</p>}
        </>
      )}
    </FormDialog>
  );
}

const makeLink = (name: string, body: object): Promise<ApiResponse> =>
  sendToApi('POST', pathTo('api/users', name, '/invitation'), body);

/** The act that gives a person a link for a new password. */
export const resetting = (name: string): Act => {
  const { reset, create: submit } = words.invitations;
  return asking(reset, { name }, () => makeLink(name, {}), { submit, next: madeLink });
};

/** Shown once. */
function madeLink(body: unknown) {
  const { user: name, url, expires_at: time, note } = body as AnswerOf<'MADE_INVITATION'>;
  return (
    <NewAddress title={words.invitations.madeTitle({ name })} warning={words.invitations.madeWhat} url={url} isAtOnce>
      <p>{words.invitations.until({ time: formatShortMoment(time) })}</p>
      {/* The address is that of this page: `server.public_url` is not set. */}
      {note !== undefined && (
        <p class="field-help">
          {words.invitations.notPublic} <SecurityLink />
        </p>
      )}
    </NewAddress>
  );
}

type OfUsers = { readonly users: readonly UserRecord[] };

/** One person is called by the name, several by their number. */
const about = (users: OfUsers['users']) => ({ name: users[0]?.username ?? '', number: users.length });

const listed = (users: OfUsers['users']): string =>
  users.length > 1 ? shortList(users.map(({ username }) => username)) : '';

/** `isOwn`: a user who is no admin any more sees other pages: reload. */
type SetRoleProps = OfUsers & RoleChoices & { readonly isOwn?: boolean };

export function SetRole({ users, isOwn = false, ...choices }: SetRoleProps) {
  const text = words.users;
  const those = about(users);
  const common = choices.roles.find(({ role }) => users.every((user) => user.role === role));
  const own = roleFor(those.name, choices.roles, common?.role);
  return (
    <FormDialog
      title={text.roleOf(those)}
      what={`${text.roleNow} ${listed(users)}`}
      first={{ ...NO_ROLE, role: common?.role ?? '' }}
      onSubmit={(chosen) =>
        giveRole(chosen, own, choices.roles, (role) =>
          inTurn(users, ({ username }) => sendToApi('PUT', pathTo('api/users', username, '/role'), { role })),
        )
      }
      done={({ role, cameras }) => (isOwn ? reload() : text.roleChanged({ ...those, role: cameras ? own : role }))}
    >
      {({ field, values }) => (
        <>
          {values.cameras === undefined && <RoleField {...choices} {...field('role')} />}
          {/* A role of the own cameras is one person's. */}
          {users.length === 1 && (
            <NarrowedCameras known={choices.cameras} first={common?.cameras} isOfNames {...field('cameras')} />
          )}
        </>
      )}
    </FormDialog>
  );
}

export function SetValidity({ users }: OfUsers) {
  const text = words.users;
  const those = about(users);
  const [only] = users.length === 1 ? users : [];
  return (
    <FormDialog
      title={text.validityOf(those)}
      first={only ? validityOf(only) : NO_ENDS}
      onSubmit={(validity) =>
        inTurn(users, ({ username }) =>
          sendToApi('PUT', pathTo('api/users', username, '/validity'), askedValidity(validity)),
        )
      }
      done={text.validityChanged(those)}
    >
      {(form) => (
        <>
          <bdi>{listed(users)}</bdi>
          <ValidityFields {...form} />
        </>
      )}
    </FormDialog>
  );
}

/** Says what else goes: the lists are read when it is asked. */
export function DeleteUsers({ users }: OfUsers) {
  const text = words.users;
  const those = about(users);
  const [goes, setGoes] = useState<string>();
  useEffect(() => {
    void belongingsOf(users.map(({ username }) => username)).then((things) => {
      if (things === undefined) setGoes(text.deleteWhat);
      else setGoes(things.length > 0 ? text.deleteWith({ things: things.join(', ') }) : text.deleteAlone);
    });
  }, []);
  if (goes === undefined) return null;
  return (
    <FormDialog
      title={text.deleteTitle(those)}
      submit={text.delete}
      isDangerous
      what={[listed(users), goes].filter(Boolean).join('. ')}
      onSubmit={() => inTurn(users, ({ username: name }) => sendToApi('POST', 'api/users/delete', { name }))}
      done={text.deleted(those)}
    />
  );
}

export function ResetPassword({ user: { username: name } }: { readonly user: UserRecord }) {
  return (
    <FormDialog
      title={words.users.passwordOf({ name })}
      what={words.users.passwordEnds}
      first={{ password: '' }}
      onSubmit={(typed) => sendToApi('PUT', pathTo('api/users', name, '/password'), typed)}
      done={words.users.passwordChanged({ name })}
    >
      {({ field }) => (
        <NewPassword label={words.passwords.change.new} userName={name} isSuggested {...field('password')} />
      )}
    </FormDialog>
  );
}
