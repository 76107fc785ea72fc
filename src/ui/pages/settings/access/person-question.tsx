/** Settings > Access: a person, a camera, and whether the one sees the other, in a sentence with the button that changes it. */
import { useEffect, useState } from 'preact/hooks';
import { getFromApi } from '../../shared/api.ts';
import { Opener } from '../../shared/dialogs.tsx';
import { Choice } from '../../shared/forms/choice.tsx';
import { SelectField } from '../../shared/forms/form-fields.tsx';
import { problemOf } from '../../shared/forms/problem-of.ts';
import { cameraName, suggested } from '../../shared/names.ts';
import { words } from '../../shared/words.ts';
import type { RoleRecord, UserRecord } from '../account-records.ts';
import { EditRole } from '../roles.tsx';
import { SetRole, SetValidity } from '../users/user-forms.tsx';
import { type Answer, answerOf, type Remedy, SHOWN, type Shown } from './answer.ts';
import { readExplanation } from './read-access.ts';

export interface Question {
  readonly user: string;
  readonly camera: string;
  readonly shows: Shown;
}

interface PersonQuestionProps {
  readonly users: readonly UserRecord[];
  readonly roles: readonly RoleRecord[];
  readonly cameras: readonly string[];
  readonly question: Question;
  readonly onAsk: (question: Question) => void;
  /** Grows when something was changed: the answer is asked for again. */
  readonly round: number;
  readonly onViewAs: (user: string) => void;
}

export function PersonQuestion(props: PersonQuestionProps) {
  const { users, roles, cameras, question, onAsk, round, onViewAs } = props;
  const user = users.find(({ username }) => username === question.user);
  const role = roles.find((known) => known.role === user?.role);
  const answer = useAnswer(question, { user, role, round });
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
        {answer.kind === 'problem' && <p class="notice notice-warn">{answer.text}</p>}
        {answer.kind === 'none' && <p class="field-help">{words.access.hint}</p>}
        {answer.kind === 'known' && (
          <p class={answer.answer.isYes ? 'access-sentence is-yes' : 'access-sentence is-no'}>
            <bdi>{answer.answer.text}</bdi>
          </p>
        )}
      </div>
      <p class="page-actions access-acts">
        {user &&
          answer.kind === 'known' &&
          remediesFor(answer.answer, role).map((remedy, at) => (
            <Opener
              key={remedy}
              {...(at === 0 && !answer.answer.isYes && { kind: 'strong' })}
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

type AnswerState =
  | { readonly kind: 'none' }
  | { readonly kind: 'problem'; readonly text: string }
  | { readonly kind: 'known'; readonly answer: Answer };

/** The sentence of before stays until the next is there: nothing moves in between. */
function useAnswer(
  { user: name, camera, shows }: Question,
  { user, role, round }: Pick<RemedyProps, 'role'> & { user: UserRecord | undefined; round: number },
): AnswerState {
  const [state, setState] = useState<AnswerState>({ kind: 'none' });
  useEffect(() => {
    if (!user || camera === '') return setState({ kind: 'none' });
    const controller = new AbortController();
    const ask = async (): Promise<void> => {
      const query = new URLSearchParams({ user: name, camera, shows });
      const response = await getFromApi(`api/explain?${query}`, controller.signal);
      if (controller.signal.aborted) return;
      if (response.kind !== 'ok') return setState({ kind: 'problem', text: problemOf(response) });
      const explanation = readExplanation(response.body);
      if (!explanation) return setState({ kind: 'problem', text: words.ui.common.unreadable });
      setState({ kind: 'known', answer: answerOf(explanation, { user, role, shows }) });
    };
    void ask();
    return () => controller.abort();
  }, [name, camera, shows, round, user, role]);
  return state;
}
