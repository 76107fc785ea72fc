/** Settings > Access: who sees what: one person and one camera, everybody and every camera, and any request (SPEC 1, 15). */
import { useState } from 'preact/hooks';
import type { RoleRecord, UserRecord } from '../shared/answers.ts';
import { Choice, SelectField } from '../shared/fields.tsx';
import { Opener } from '../shared/forms.tsx';
import { NOTHING_FETCHED, RecordsPage } from '../shared/records-page.tsx';
import { recordsIn } from '../shared/untrusted.ts';
import { type Fetched, useFetched } from '../shared/use-fetched.ts';
import { cameraName, suggested, words } from '../shared/words.ts';
import {
  type Answer,
  answerOf,
  type Explanation,
  type Remedy,
  readAccess,
  readExplanation,
  SHOWN,
  type Shown,
} from './access-answers.ts';
import { DescribedRequest } from './access-request.tsx';
import { AccessTable } from './access-table.tsx';
import { EditRole } from './roles.tsx';
import { SetRole, SetValidity } from './user-forms.tsx';
import { useViewAs } from './user-table.tsx';

const NOTHING_ASKED: Question = { user: '', camera: '', shows: 'live' };

export function Access({ hasOwnLogin }: { hasOwnLogin: boolean }) {
  const [users, againUsers] = useFetched(hasOwnLogin ? 'api/users' : undefined, recordsIn<UserRecord>);
  const [roles, againRoles] = useFetched(hasOwnLogin ? 'api/roles' : undefined, recordsIn<RoleRecord>);
  const [access, againAccess] = useFetched(hasOwnLogin ? 'api/access' : undefined, readAccess);
  const [question, setQuestion] = useState(NOTHING_ASKED);
  const [told, againTold] = useFetched(pathOf(question), (body) => ({ question, explanation: readExplanation(body) }));
  const viewAs = useViewAs();
  const again = (): void => {
    againUsers();
    againRoles();
    againAccess();
    againTold();
  };
  const people = users.kind === 'ready' ? users.value : [];
  const known = roles.kind === 'ready' ? roles.value : [];
  const advanced = <DescribedRequest hasOwnLogin={hasOwnLogin} names={people.map(({ username }) => username)} />;
  const { title, lead } = words.access;
  // Users of a proxy are not known without their requests.
  if (!hasOwnLogin)
    return (
      <RecordsPage {...{ title, lead }} fetched={NOTHING_FETCHED}>
        {() => advanced}
      </RecordsPage>
    );
  return (
    <RecordsPage {...{ title, lead }} fetched={[access, again]}>
      {(found) => (
        <>
          <PersonQuestion
            users={people}
            roles={known}
            cameras={found.cameras}
            {...{ question, told }}
            onAsk={setQuestion}
            onViewAs={viewAs}
          />
          <AccessTable
            access={found}
            onPerson={(user) => {
              setQuestion({ ...question, user });
              scrollTo({ top: 0 });
            }}
          />
          <details class="access-advanced">
            <summary>{words.access.advanced}</summary>
            {advanced}
          </details>
        </>
      )}
    </RecordsPage>
  );
}

interface Question {
  readonly user: string;
  readonly camera: string;
  readonly shows: Shown;
}

/** A question, and what the API told of it. */
interface Told {
  readonly question: Question;
  readonly explanation: Explanation | undefined;
}

/** Undefined while there is nothing to ask. */
const pathOf = ({ user, camera, shows }: Question): string | undefined =>
  user === '' || camera === '' ? undefined : `api/explain?${new URLSearchParams({ user, camera, shows })}`;

interface PersonQuestionProps {
  readonly users: readonly UserRecord[];
  readonly roles: readonly RoleRecord[];
  readonly cameras: readonly string[];
  readonly question: Question;
  readonly onAsk: (question: Question) => void;
  /** That of the question before until the next is there: nothing moves in between. */
  readonly told: Fetched<Told>;
  readonly onViewAs: (user: string) => void;
}

function PersonQuestion(props: PersonQuestionProps) {
  const { users, roles, cameras, question, onAsk, onViewAs } = props;
  const user = users.find(({ username }) => username === question.user);
  const role = roles.find((known) => known.role === user?.role);
  const told = pathOf(question) === undefined ? undefined : props.told;
  const answer = told?.kind === 'ready' ? answerTo(told.value, users, roles) : undefined;
  const chosen = <Value,>(values: readonly (readonly [string, Value])[]) =>
    [['', words.access.choose], ...values] as const;
  return (
    <section class="panel access-question" aria-label={words.access.title}>
      <div class="access-fields">
        <SelectField
          label={words.access.person}
          value={question.user}
          onChange={(name) => onAsk({ ...question, user: name })}
          options={chosen(users.map(({ username }) => [username, username] as const))}
        />
        <SelectField
          label={words.access.camera}
          value={question.camera}
          onChange={(camera) => onAsk({ ...question, camera })}
          options={chosen(suggested(cameras, cameraName).map(({ value, name }) => [value, name] as const))}
        />
      </div>
      <Choice
        name="shows"
        legend={words.access.shows}
        options={SHOWN.map((kind) => [kind, words.access.kinds[kind]] as const)}
        chosen={question.shows}
        onChoose={(shows) => onAsk({ ...question, shows })}
      />
      <div class="access-answer" role="status">
        {(told === undefined || told.kind === 'loading') && <p class="field-help">{words.access.hint}</p>}
        {told?.kind === 'failed' && <p class="notice notice-warn">{told.problem}</p>}
        {told?.kind === 'ready' && !answer && <p class="notice notice-warn">{words.ui.common.unreadable}</p>}
        {answer && (
          <p class={answer.isYes ? 'access-sentence is-yes' : 'access-sentence is-no'}>
            <bdi>{answer.text}</bdi>
          </p>
        )}
      </div>
      <p class="page-actions access-acts">
        {user &&
          answer &&
          remediesFor(answer, role).map((remedy, at) => (
            <Opener
              key={remedy}
              {...(at === 0 && !answer.isYes && { kind: 'strong' })}
              dialog={() => <RemedyDialog {...{ remedy, user, role, roles, cameras }} />}
            >
              {remedy === 'cameras' ? words.access.editRole({ role: user.role }) : words.access.remedies[remedy]}
            </Opener>
          ))}
        {user && (
          <button class="button" type="button" onClick={() => onViewAs(user.username)}>
            {words.viewAs.begin({ name: user.username })}
          </button>
        )}
      </p>
    </section>
  );
}

function answerTo(
  { question, explanation }: Told,
  users: readonly UserRecord[],
  roles: readonly RoleRecord[],
): Answer | undefined {
  const user = users.find(({ username }) => username === question.user);
  const role = roles.find((known) => known.role === user?.role);
  return explanation && user && answerOf(explanation, { user, role, shows: question.shows });
}

/** Roles of the configuration are changed there; admin and viewer never. */
const remediesFor = ({ remedies }: Answer, role: RoleRecord | undefined): readonly Remedy[] =>
  remedies.filter((remedy) => remedy !== 'cameras' || role?.source === 'store');

interface RemedyProps extends Pick<PersonQuestionProps, 'roles' | 'cameras'> {
  readonly remedy: Remedy;
  readonly user: UserRecord;
  readonly role: RoleRecord | undefined;
}

function RemedyDialog({ remedy, user, role, roles, cameras }: RemedyProps) {
  if (remedy === 'validity') return <SetValidity user={user} />;
  if (remedy === 'role') return <SetRole {...{ user, roles }} cameras={cameras.length} />;
  return role ? <EditRole {...{ role, cameras }} known={roles} /> : null;
}
