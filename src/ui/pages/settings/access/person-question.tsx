/** Settings > Access: a person, a camera, and whether the one sees the other, in a sentence with the button that changes it. */
import { Opener } from '../../shared/dialogs.tsx';
import { Choice } from '../../shared/forms/choice.tsx';
import { SelectField } from '../../shared/forms/form-fields.tsx';
import { cameraName, suggested } from '../../shared/names.ts';
import type { Fetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import type { RoleRecord, UserRecord } from '../account-records.ts';
import { EditRole } from '../roles.tsx';
import { SetRole, SetValidity } from '../users/user-forms.tsx';
import { type Answer, answerOf, type Remedy, SHOWN, type Shown } from './answer.ts';
import type { Explanation } from './read-access.ts';

export interface Question {
  readonly user: string;
  readonly camera: string;
  readonly shows: Shown;
}

/** A question, and what the API told of it. */
export interface Told {
  readonly question: Question;
  readonly explanation: Explanation | undefined;
}

/** Undefined while there is nothing to ask. */
export const pathOf = ({ user, camera, shows }: Question): string | undefined =>
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

export function PersonQuestion(props: PersonQuestionProps) {
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
