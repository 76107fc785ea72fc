/** Share: makes a link to an event, and shows its address once (SPEC 13). */
import { useState } from 'preact/hooks';
import { sendToApi } from '../../shared/api.ts';
import { isFields, textOf } from '../../shared/forms/fields.ts';
import { FormDialog } from '../../shared/forms/form-dialog.tsx';
import { SelectField, Switch, TextField } from '../../shared/forms/form-fields.tsx';
import { problemOf } from '../../shared/forms/problem-of.ts';
import { AddressSharing, NewSecret } from '../../shared/new-secret.tsx';
import { words } from '../../shared/words.ts';

type LinkLifetime = keyof typeof words.links.share.lifetimes;

// biome-ignore format: a table
const LIFETIMES: Readonly<Record<LinkLifetime, number>> = {
  hour: 3600,
  day:  86_400,
  week: 7 * 86_400,
};

type ShareState = 'button' | 'form' | { readonly url: string };

export function ShareEvent({ id }: { id: string }) {
  const [shown, show] = useState<ShareState>('button');
  /** Closes the form, unless the link was made: its dialog has replaced the form then. */
  const closeForm = (): void => show((was) => (was === 'form' ? 'button' : was));
  return (
    <p class="media">
      <button class="button" type="button" onClick={() => show('form')}>
        {words.links.share.share}
      </button>
      {shown === 'form' && <ShareForm id={id} onMade={(url) => show({ url })} onClose={closeForm} />}
      {typeof shown === 'object' && <SharedAddress url={shown.url} onClose={() => show('button')} />}
    </p>
  );
}

function ShareForm({ id, onMade, onClose }: { id: string; onMade: (url: string) => void; onClose: () => void }) {
  const [lifetime, setLifetime] = useState<string>('day');
  const [isOnce, setIsOnce] = useState(false);
  const [pin, setPin] = useState('');
  const [name, setName] = useState('');
  const make = async (): Promise<string | undefined> => {
    const given = { ...(pin !== '' && { pin }), ...(name.trim() !== '' && { name: name.trim() }) };
    const terms = { expires_in: LIFETIMES[lifetime as LinkLifetime], ...(isOnce && { uses: 1 }), ...given };
    const response = await sendToApi('POST', 'api/links', { what: { event: id }, ...terms });
    if (response.kind !== 'ok') return problemOf(response);
    const url = isFields(response.body) ? textOf(response.body['url']) : undefined;
    if (url === undefined) return words.ui.common.unreadable;
    onMade(new URL(url, location.origin).href);
    return undefined;
  };
  return (
    <FormDialog title={words.links.share.title} submit={words.links.share.make} onSubmit={make} onClose={onClose}>
      <p>{words.links.share.what}</p>
      <SelectField
        label={words.links.share.lifetime}
        value={lifetime}
        onChange={setLifetime}
        options={Object.entries(words.links.share.lifetimes)}
      />
      <Switch isOn={isOnce} onChange={setIsOnce}>
        {words.links.share.once}
      </Switch>
      <TextField label={words.links.share.name} value={name} onChange={setName} isOptional />
      <TextField
        label={words.links.share.pin}
        value={pin}
        onChange={setPin}
        help={words.links.share.pinHelp}
        isOptional
      />
    </FormDialog>
  );
}

const SharedAddress = ({ url, onClose }: { url: string; onClose: () => void }) => (
  <NewSecret title={words.links.share.madeTitle} warning={words.links.share.madeWhat} secret={url} onClose={onClose}>
    <AddressSharing url={url} title={words.links.share.madeTitle} />
    <p class="field-help">{words.links.share.where}</p>
  </NewSecret>
);
