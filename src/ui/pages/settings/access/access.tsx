/** Settings > Access: who sees what: one person and one camera, everybody and every camera, and any request (SPEC 1, 15). */
import { useState } from 'preact/hooks';
import { useFetched } from '../../shared/use-fetched.ts';
import { words } from '../../shared/words.ts';
import { type RoleRecord, recordsIn, type UserRecord } from '../account-records.ts';
import { NOTHING_FETCHED, RecordsPage } from '../page.tsx';
import { useViewAs } from '../users/user-table.tsx';
import { AccessTable } from './access-table.tsx';
import { DescribedRequest } from './advanced.tsx';
import { PersonQuestion, pathOf, type Question } from './person-question.tsx';
import { readAccess, readExplanation } from './read-access.ts';

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
