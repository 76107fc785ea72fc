/** Settings > Access: who sees what: one person and one camera, everybody and every camera, and any request (SPEC 1, 15). */
import { useState } from 'preact/hooks';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import { type RoleRecord, recordsIn, type UserRecord } from '../account-records.ts';
import { SetValidity } from '../limits/validity.tsx';
import { RecordsPage } from '../records.tsx';
import { EditRole } from '../roles/role-forms.tsx';
import { useForm } from '../use-form.ts';
import { useViewAs } from '../use-view-as.ts';
import { SetRole } from '../users/user-forms.tsx';
import { AccessTable } from './access-table.tsx';
import { DescribedRequest } from './advanced.tsx';
import type { Remedy } from './answer.ts';
import { PersonQuestion, type Question } from './person-question.tsx';
import { readAccess } from './read-access.ts';

interface OpenForm {
  readonly remedy: Remedy;
  readonly user: UserRecord;
}

const NOTHING_ASKED: Question = { user: '', camera: '', shows: 'live' };

export function Access({ hasOwnLogin }: { hasOwnLogin: boolean }) {
  const [users, againUsers] = useFetched(hasOwnLogin ? 'api/users' : undefined, recordsIn<UserRecord>);
  const [roles, againRoles] = useFetched(hasOwnLogin ? 'api/roles' : undefined, recordsIn<RoleRecord>);
  const [access, againAccess] = useFetched(hasOwnLogin ? 'api/access' : undefined, readAccess);
  const [question, setQuestion] = useState(NOTHING_ASKED);
  const [round, setRound] = useState(0);
  const viewAs = useViewAs();
  const again = (): void => {
    againUsers();
    againRoles();
    againAccess();
    setRound((was) => was + 1);
  };
  const { form, open, done, ...shared } = useForm<OpenForm>(again);
  const people = users.kind === 'ready' ? users.value : [];
  const known = roles.kind === 'ready' ? roles.value : [];
  const role = known.find((one) => one.role === form?.user.role);
  const advanced = <DescribedRequest hasOwnLogin={hasOwnLogin} names={people.map(({ username }) => username)} />;
  // Users of a proxy are not known without their requests.
  if (!hasOwnLogin)
    return (
      <RecordsPage title={words.access.title} lead={words.access.lead} done="" fetched={READY} onRetry={() => {}}>
        {() => advanced}
      </RecordsPage>
    );
  return (
    <RecordsPage title={words.access.title} lead={words.access.lead} done={done} fetched={access} onRetry={again}>
      {(found) => (
        <>
          <PersonQuestion
            users={people}
            roles={known}
            cameras={found.cameras}
            {...{ question, round }}
            onAsk={setQuestion}
            onRemedy={(remedy, user) => open({ remedy, user })}
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
          {form?.remedy === 'role' && (
            <SetRole {...shared} user={form.user} roles={known} cameras={found.cameras.length} />
          )}
          {form?.remedy === 'validity' && <SetValidity {...shared} user={form.user} />}
          {form?.remedy === 'cameras' && role && (
            <EditRole {...shared} role={role} known={known} cameras={found.cameras} />
          )}
        </>
      )}
    </RecordsPage>
  );
}

const READY = { kind: 'ready', value: undefined } as const;
