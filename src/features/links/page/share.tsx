/** Share: makes a link to an event, and shows its address once (SPEC 13). */
import type { z } from 'zod';
import { sendToApi } from '../../../ui/pages/shared/api.ts';
import { SelectField, Switch, TextField } from '../../../ui/pages/shared/fields.tsx';
import { ActButton, DialogsContext, FormDialog, usePageDialogs } from '../../../ui/pages/shared/forms.tsx';
import { NewAddress } from '../../../ui/pages/shared/new-secret.tsx';
import { words } from '../../../ui/pages/shared/words.ts';
import type { MADE_LINK } from '../link-routes.ts';

// biome-ignore format: a table
const LIFETIMES: Readonly<Record<keyof typeof words.links.share.lifetimes, number>> = {
  hour: 3600,
  day:  86_400,
  week: 7 * 86_400,
};

export function ShareEvent({ id }: { id: string }) {
  const { page, dialog } = usePageDialogs();
  return (
    <DialogsContext.Provider value={page}>
      <ActButton text={words.links.share.share} kind="strong" dialog={() => <ShareForm id={id} />} />
      {dialog}
    </DialogsContext.Provider>
  );
}

const NEW_LINK = { lifetime: 'day', isOnce: false, pin: '', name: '' };

function ShareForm({ id }: { id: string }) {
  const text = words.links.share;
  const make = ({ lifetime, isOnce, pin, name }: typeof NEW_LINK) => {
    const given = { ...(pin !== '' && { pin }), ...(name.trim() !== '' && { name: name.trim() }) };
    const terms = { expires_in: LIFETIMES[lifetime as keyof typeof LIFETIMES], ...(isOnce && { uses: 1 }), ...given };
    return sendToApi('POST', 'api/links', { what: { event: id }, ...terms });
  };
  const made = (body: unknown) => (
    <NewAddress title={text.madeTitle} warning={text.madeWhat} url={(body as z.output<typeof MADE_LINK>).url}>
      <p class="field-help">{text.where}</p>
    </NewAddress>
  );
  return (
    <FormDialog title={text.title} submit={text.make} first={NEW_LINK} onSubmit={make} next={made}>
      {({ field }) => (
        <>
          <p>{text.what}</p>
          <SelectField label={text.lifetime} {...field('lifetime')} options={Object.entries(text.lifetimes)} />
          <Switch label={text.once} {...field('isOnce')} />
          <TextField label={text.name} {...field('name')} isOptional />
          <TextField label={text.pin} {...field('pin')} help={text.pinHelp} isOptional />
        </>
      )}
    </FormDialog>
  );
}
