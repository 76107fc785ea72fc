/** Settings > Security: the settings that an admin looks for first, as the lines to write into the configuration (SPEC 1, 12). */
import { useState } from 'preact/hooks';
import { baseUrl } from '../../shared/base-url.ts';
import { CopyButton } from '../../shared/copy-button.tsx';
import { SelectField, TextField } from '../../shared/forms/form-fields.tsx';
import { words } from '../../shared/words.ts';
import { PageHead } from '../records.tsx';
import { FACTOR_CHOICES, fileLines, type SecurityChoice, variableLines } from './security-lines.ts';

/** The address at hand is the public one for most: not where the admin is at the machine itself. */
const firstChoice = (): SecurityChoice => ({
  secondFactor: 'admins',
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  publicUrl: ['localhost', '127.0.0.1'].includes(location.hostname) ? '' : baseUrl.href.replace(/\/$/, ''),
});

export function Security() {
  const [choice, setChoice] = useState(firstChoice);
  const text = words.security;
  const { secondFactor, timezone, publicUrl } = choice;
  return (
    <section class="records-page">
      <PageHead title={text.title} lead={text.lead} />
      <div class="form panel">
        <SelectField
          label={words.twoStep.title}
          value={secondFactor}
          onChange={(to) => setChoice({ ...choice, secondFactor: to })}
          options={FACTOR_CHOICES.map((name) => [name, text.choices[name]] as const)}
          {...(secondFactor !== 'optional' && { help: text.enrol })}
        />
        <TextField
          label={text.timezone}
          value={timezone}
          onChange={(to) => setChoice({ ...choice, timezone: to })}
          help={text.timezoneHelp}
          isOptional
        />
        <TextField
          label={text.publicUrl}
          value={publicUrl}
          onChange={(to) => setChoice({ ...choice, publicUrl: to })}
          help={text.publicUrlHelp}
          isOptional
        />
        <h2 class="form-title">{text.file}</h2>
        <p>{text.fileHelp}</p>
        <Lines text={fileLines(choice)} />
        <h2 class="form-title">{text.variables}</h2>
        <p>{text.variablesHelp}</p>
        <Lines text={variableLines(choice)} />
      </div>
    </section>
  );
}

const Lines = ({ text }: { text: string }) => (
  <div class="secret">
    <pre class="code-block" dir="ltr">
      {text}
    </pre>
    <CopyButton key={text} text={text} />
  </div>
);
