/** Settings > Password: one's own (interface 2.1, 5.1.6; SPEC 4.3). */
import { useProfile } from '../shared/account.ts';
import { goOn, sendToApi } from '../shared/api.ts';
import { OwnName, PasswordField } from '../shared/fields.tsx';
import { PanelForm } from '../shared/forms.tsx';
import { pathTo, RecordsPage } from '../shared/records-page.tsx';
import { words } from '../shared/words.ts';
import { NewPassword } from './new-password.tsx';

const EMPTY = { current: '', password: '', again: '' };

export function Password() {
  const { username: name, password_is_generated: isFirst } = useProfile();
  const text = words.passwords.change;
  return (
    <RecordsPage title={text.title} lead={isFirst ? text.leadFirst : text.lead}>
      {(_, page) => (
        <PanelForm
          submit={text.change}
          first={EMPTY}
          onSubmit={({ current, password }) =>
            sendToApi('PUT', pathTo('api/users', name, '/password'), { password, old_password: current })
          }
          onSent={(_, __, put) => {
            if (isFirst) return goOn();
            put(EMPTY);
            page.say(`${text.changed} ${words.sessions.endMany.own.done}`);
          }}
        >
          {({ values, field }) => (
            <>
              <OwnName />
              <PasswordField label={text.current} {...field('current')} autocomplete="current-password" />
              <NewPassword label={text.new} userName={name} {...field('password')} />
              <PasswordField
                label={text.again}
                wrong={values.password === values.again ? undefined : text.differ}
                {...field('again')}
                autocomplete="new-password"
              />
            </>
          )}
        </PanelForm>
      )}
    </RecordsPage>
  );
}
