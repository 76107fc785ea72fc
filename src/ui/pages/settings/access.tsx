/** Settings > Access: who sees what: one person and one camera, all people and cameras, and any request (SPEC 1, 15). */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { VIEWING_KINDS, type ViewingKind } from '../../../domain/policy.ts';
import type { RoleRecord, UserRecord } from '../shared/answers.ts';
import { type Fetched, together, useFetched, useList, valueOr } from '../shared/api.ts';
import { CameraGroups } from '../shared/cameras/camera-choice.tsx';
import { Choice, SelectField } from '../shared/fields.tsx';
import { ActButton } from '../shared/forms.tsx';
import { Button, useViewAs } from '../shared/parts.tsx';
import { PageShown } from '../shared/pieces.tsx';
import { SearchBox } from '../shared/record-table.tsx';
import { RecordsPage } from '../shared/records-page.tsx';
import type { Option } from '../shared/spelling.ts';
import { cameraName, facts, suggested, words } from '../shared/words.ts';
import {
  byRole,
  type CameraAccess,
  type Explanation,
  found,
  type Remedy,
  toAnswer,
  toSight,
} from './access-answers.ts';
import { guestText } from './limits.tsx';
import { EditRole } from './roles.tsx';
import { BUILT_IN, SetRole, SetValidity } from './user-forms.tsx';

/** A person, a camera, and how it is seen; '' while it is not chosen. */
type Question = { readonly user: string; readonly camera: string; readonly shows: ViewingKind };
type AnsweredQuestion = { readonly question: Question; readonly explanation: Explanation };

/** Undefined while there is nothing to ask. */
const pathOf = ({ user, camera, shows }: Question): string | undefined =>
  user === '' || camera === '' ? undefined : `api/explain?${new URLSearchParams({ user, camera, shows })}`;

/** The first view does without it. */
const loadAdvanced = async () => (await import('./described-request.tsx')).DescribedRequest;

export function Access() {
  const { hasOwnLogin } = facts;
  const [users, againUsers] = useList<UserRecord>(hasOwnLogin && 'api/users');
  const [roles, againRoles] = useList<RoleRecord>(hasOwnLogin && 'api/roles');
  const [access, againAccess] = useFetched<CameraAccess>(hasOwnLogin && 'api/access');
  const [question, ask] = useState<Question>({ user: '', camera: '', shows: 'live' });
  const [told, againTold] = useFetched(
    pathOf(question),
    (body): AnsweredQuestion => ({ question, explanation: body as Explanation }),
  );
  const again = together(againUsers, againRoles, againAccess, againTold);
  const people = valueOr(users, []);
  const [isAdvanced, setIsAdvanced] = useState(false);
  const advanced = <PageShown load={loadAdvanced} />;
  const { title, lead } = words.access;
  // Users of a proxy are not known without their requests.
  if (!hasOwnLogin) return <RecordsPage {...{ title, lead }}>{() => advanced}</RecordsPage>;
  return (
    <RecordsPage {...{ title, lead }} fetched={[access, again]}>
      {(found) => (
        <>
          <PersonQuestion
            users={people}
            roles={valueOr(roles, BUILT_IN)}
            cameras={found.cameras}
            {...{ question, ask }}
            told={pathOf(question) === undefined ? undefined : told}
          />
          <AccessTable
            access={found}
            users={people}
            onPerson={(user) => {
              ask({ ...question, user });
              scrollTo({ top: 0 });
            }}
          />
          <details class="access-advanced" onToggle={({ currentTarget }) => setIsAdvanced(currentTarget.open)}>
            <summary>{words.access.advanced}</summary>
            {isAdvanced && advanced}
          </details>
        </>
      )}
    </RecordsPage>
  );
}

interface PersonQuestionProps {
  readonly users: readonly UserRecord[];
  readonly roles: readonly RoleRecord[];
  readonly cameras: readonly string[];
  readonly question: Question;
  readonly ask: (question: Question) => void;
  /** That of the question before until the next is there: nothing moves in between. */
  readonly told: Fetched<AnsweredQuestion> | undefined;
}

/** A person, a camera, and whether the one sees the other, in a sentence with the button that changes it. */
function PersonQuestion({ users, roles, cameras, question, ask, told }: PersonQuestionProps) {
  const text = words.access;
  const viewAs = useViewAs();
  const [, navigate] = useLocation();
  const holder = (name: string) => {
    const user = users.find(({ username }) => username === name);
    return { user, role: roles.find((known) => known.role === user?.role) };
  };
  const { user, role } = holder(question.user);
  const known = told?.kind === 'ready' ? { ...told.value, ...holder(told.value.question.user) } : undefined;
  const answer = known?.user && toAnswer(known.explanation, { ...known, ...known.question, user: known.user });
  // All texts of answers begin with the answer and a colon.
  const [, verdict, colon, reason] = /^([^:]+?)(\s*: ?)(.*)$/s.exec(answer?.text ?? '') ?? [];
  // Roles of the configuration are changed there; admin and viewer never.
  const remedies = answer?.remedies.filter((remedy) => remedy !== 'cameras' || role?.source === 'store') ?? [];
  const field = (name: 'user' | 'camera', label: string, options: readonly Option[]) => (
    <SelectField
      label={label}
      value={question[name]}
      onChange={(value) => ask({ ...question, [name]: value })}
      options={[['', label], ...options]}
    />
  );
  const fields: Readonly<Record<string, JSX.Element>> = {
    '{name}': field('user', text.person, suggested(users.map(({ username }) => username))),
    '{camera}': field('camera', text.camera, suggested(cameras, cameraName)),
  };
  return (
    <section class="panel access-question" aria-label={text.title}>
      {/* A sentence, with a field in the place of each name. */}
      <div class="row access-fields">
        {text
          .question({ name: '{name}', camera: '{camera}' })
          .split(/(\{\w+\})/)
          .map((part) => fields[part] ?? <span key={part}>{part}</span>)}
      </div>
      <Choice
        name="shows"
        legend={text.shows}
        options={VIEWING_KINDS.map((kind) => [kind, text.kinds[kind]] as const)}
        chosen={question.shows}
        onChoose={(shows) => ask({ ...question, shows })}
      />
      <div class="access-answer" role="status">
        {(told === undefined || told.kind === 'loading') && <p class="field-help">{text.hint}</p>}
        {told?.kind === 'failed' && <p class="notice notice-warn">{told.problem}</p>}
        {answer && (
          <p class={answer.isYes ? 'access-sentence is-yes' : 'access-sentence is-no'}>
            <bdi>
              <strong class="access-verdict">{verdict}</strong>
              <span class="out-of-sight">{colon}</span>
              <span class="access-why">{reason}</span>
            </bdi>
          </p>
        )}
      </div>
      {user && (
        <p class="row access-acts">
          {remedies.map((remedy, at) => (
            <ActButton
              key={remedy}
              {...(remedy === 'live' && { onAct: () => navigate('/') })}
              text={remedy === 'cameras' ? text.editRole({ role: user.role }) : text.remedies[remedy]}
              {...(at === 0 && !answer?.isYes && { kind: 'strong' })}
              dialog={() => remedyDialog[remedy]({ user, role, roles, cameras })}
            />
          ))}
          <Button onPress={() => viewAs(user.username)}>{words.viewAs.begin({ name: user.username })}</Button>
        </p>
      )}
    </section>
  );
}

type RemedyProps = Pick<PersonQuestionProps, 'roles' | 'cameras'> & { user: UserRecord; role: RoleRecord | undefined };

const remedyDialog: Readonly<Record<Remedy, (props: RemedyProps) => JSX.Element | null>> = {
  validity: ({ user }) => <SetValidity users={[user]} />,
  role: ({ user, roles, cameras }) => <SetRole users={[user]} {...{ roles, cameras }} />,
  live: () => null,
  cameras: ({ role, roles, cameras }) => (role ? <EditRole {...{ role, cameras }} known={roles} /> : null),
};

type AccessTableProps = { access: CameraAccess; users: readonly UserRecord[]; onPerson: (name: string) => void };

function AccessTable({ access, users, onPerson }: AccessTableProps) {
  const [person, setPerson] = useState('');
  const [camera, setCamera] = useState('');
  const { cameras, holders } = found(access, { person, camera }, cameraName);
  const roles = byRole(holders);
  const people = roles.flatMap((one) => one.people);
  /** The one that is looked for. */
  const named = cameras.find((one) => cameras.length === 1 || cameraName(one).toLowerCase() === camera.toLowerCase());
  const seers = people.filter((one) => named !== undefined && ['all', 'part'].includes(toSight(one, named)));
  const counted =
    named === undefined
      ? words.access.count({ people: people.length, cameras: cameras.length })
      : words.access.seenBy({ seen: seers.length, people: people.length, camera: cameraName(named) });
  return (
    <section class="more-records access-map" aria-labelledby="access-map">
      <h2 id="access-map">{words.access.map}</h2>
      <p class="row field-help access-legend">
        {(['all', 'part', 'closed', 'drawn'] as const).map((sight) => (
          <span key={sight}>
            <span class={`sight sight-${sight}`} aria-hidden="true" />
            {words.access.sights[sight]}
          </span>
        ))}
      </p>
      <div class="row table-tools">
        <search>
          <SearchBox label={words.access.searchPeople} value={person} onChange={setPerson} />
        </search>
        <search>
          <SearchBox label={words.ui.cameraChoice.search} value={camera} onChange={setCamera} />
        </search>
        <p class="table-count" role="status">
          {counted}
        </p>
      </div>
      <CameraGroups
        known={access.cameras}
        isOn={({ name }) => camera === name}
        onPress={({ name }) => setCamera(camera === name ? '' : name)}
      />
      {roles.length === 0 || cameras.length === 0 ? (
        <p class="blank">{words.ui.table.noMatch}</p>
      ) : (
        <div class="access-box">
          <table class="access-table">
            <caption class="out-of-sight">{words.access.map}</caption>
            <thead>
              <tr>
                <th scope="col" class="access-corner">
                  {words.ui.common.user}
                </th>
                {cameras.map((one) => (
                  <th key={one} scope="col" class="access-camera" title={one}>
                    <bdi class="one-line">{cameraName(one)}</bdi>
                  </th>
                ))}
              </tr>
            </thead>
            {roles.map(({ role, people }) => (
              <tbody key={role}>
                <tr class="access-role">
                  <th scope="rowgroup" colSpan={cameras.length + 1}>
                    <bdi>{role}</bdi> <span class="field-help">{people.length}</span>
                  </th>
                </tr>
                {people.map((one) => (
                  <tr key={one.name}>
                    <th scope="row">
                      <button class="one-line access-person" type="button" onClick={() => onPerson(one.name)}>
                        <bdi>{one.name}</bdi>
                      </button>
                      {one.closed?.startsWith('account-') && (
                        <span class="fact-more">
                          {users.filter(({ username }) => username === one.name).map(guestText)}
                        </span>
                      )}
                    </th>
                    {cameras.map((camera) => {
                      const sight = toSight(one, camera);
                      return (
                        <td key={camera}>
                          <span class={sight === 'none' ? '' : `sight sight-${sight}`} />
                          <span class="out-of-sight">
                            {sight === 'none' ? words.ui.common.no : words.access.sights[sight]}
                          </span>
                        </td>
                      );
                    })}
                  </tr>
                ))}
              </tbody>
            ))}
          </table>
        </div>
      )}
    </section>
  );
}
