/** Share: makes a link to an event, and shows its address once (SPEC 13). */
import { Link } from 'wouter-preact';
import type { z } from 'zod';
import { inTurn, sendToApi } from '../../../ui/pages/shared/api.ts';
import { LIFETIMES, SelectField, Switch, TextField } from '../../../ui/pages/shared/fields.tsx';
import { ActButton, Acts, DialogsContext, FormDialog, usePageDialogs } from '../../../ui/pages/shared/forms.tsx';
import { NewAddress } from '../../../ui/pages/shared/new-secret.tsx';
import { Facts, Problem } from '../../../ui/pages/shared/parts.tsx';
import { pathTo } from '../../../ui/pages/shared/records-page.tsx';
import { formatShortMoment, words } from '../../../ui/pages/shared/words.ts';
import type { MADE_LINK } from '../link-routes.ts';

const make = (id: string, terms: object = {}) => sendToApi('POST', 'api/links', { what: { event: id }, ...terms });

/** One press makes the link, and copies its address: valid for a day, without a PIN. Both can be changed then. */
export function ShareEvent({ id }: { id: string }) {
  const { page, said, dialog } = usePageDialogs();
  const done = (body: unknown): void => page.open(<MadeLink id={id} made={body as Made} />);
  return (
    <DialogsContext.Provider value={page}>
      <ActButton text={words.links.share.share} kind="strong" atOnce={{ send: () => make(id), done }} />
      <Problem text={said.text} />
      {dialog}
    </DialogsContext.Provider>
  );
}

/** `isFirstOver`: the link that was made before is revoked. */
type Made = z.output<typeof MADE_LINK> & { readonly isFirstOver?: boolean };

function MadeLink({ id, made }: { id: string; made: Made }) {
  const text = words.links.share;
  const place = `${words.settings.title} > ${words.links.title}`;
  const [before, after] = text.where.split(place);
  return (
    <NewAddress title={text.madeTitle} warning={text.madeWhat} url={made.url} isAtOnce>
      <Problem text={made.isFirstOver === false ? text.firstStays : ''} />
      <p>{text.what}</p>
      <Facts rows={[[words.invitations.ends, formatShortMoment(made.expires_at)]]} />
      <Acts acts={[{ text: text.terms, dialog: () => <ShareForm id={id} first={made.id} /> }]} />
      <p class="field-help">
        {before}
        <Link href="/settings/links">{place}</Link>
        {after}
      </p>
    </NewAddress>
  );
}

const NEW_LINK = { lifetime: 'day', isOnce: false, pin: '', name: '' };

/** Makes another link, and revokes the first one. */
function ShareForm({ id, first }: { id: string; first: string }) {
  const text = words.links.share;
  const change = async ({ lifetime, isOnce, pin, name }: typeof NEW_LINK) => {
    const given = { ...(pin !== '' && { pin }), ...(name.trim() !== '' && { name: name.trim() }) };
    const terms = { expires_in: LIFETIMES[lifetime], ...(isOnce && { uses: 1 }), ...given };
    const made = await make(id, terms);
    if (made.kind !== 'ok') return made;
    // The new address is shown in any case: this is the only time.
    const problem = await inTurn([first], (link) => sendToApi('DELETE', pathTo('api/links', link)));
    return { ...made, body: { ...(made.body as Made), isFirstOver: problem === undefined } };
  };
  return (
    <FormDialog
      title={text.title}
      submit={text.make}
      first={NEW_LINK}
      onSubmit={change}
      next={(body) => <MadeLink id={id} made={body as Made} />}
    >
      {({ field }) => (
        <>
          <SelectField label={text.lifetime} {...field('lifetime')} options={Object.entries(text.lifetimes)} />
          <Switch label={text.once} {...field('isOnce')} />
          <TextField label={text.name} {...field('name')} isOptional />
          <TextField label={text.pin} {...field('pin')} help={text.pinHelp} isOptional />
        </>
      )}
    </FormDialog>
  );
}
