/** Recovery codes, shown once: to copy, to save as a file, or to print (SPEC 12). */
import { useEffect, useRef } from 'preact/hooks';
import { CopyButton } from '../../shared/copy-button.tsx';
import { words } from '../../shared/words.ts';

interface RecoveryCodesProps {
  readonly name: string;
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

export function RecoveryCodes({ name, codes, onDone }: RecoveryCodesProps) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const text = codes.join('\n');
  const file = `${words.secondFactor.fileTitle({ name, host: location.host })}\n\n${text}\n`;
  return (
    <section class="panel recovery-codes">
      <h2 class="form-title" tabIndex={-1} ref={title}>
        {words.secondFactor.codes}
      </h2>
      <p class="notice notice-warn">{words.secondFactor.keepCodes}</p>
      <ol class="code-list" dir="ltr">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <p class="form-actions">
        <CopyButton text={text} />
        <a
          class="button"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(file)}`}
          download={`postern-recovery-codes-${name}.txt`}
        >
          {words.secondFactor.saveFile}
        </a>
        <button class="button" type="button" onClick={() => print()}>
          {words.secondFactor.print}
        </button>
        <button class="button button-strong" type="button" onClick={onDone}>
          {words.secondFactor.kept}
        </button>
      </p>
    </section>
  );
}
