/** Shows the dialog for a proof when a request needs one. The dialog is loaded then: few visits come to it. */
import { useEffect, useState } from 'preact/hooks';
import { askForProofBy } from '../shared/account/proof.ts';
import type { ProofDialog, ProofDialogProps } from './proof-dialog.tsx';

interface Asked {
  readonly Dialog: typeof ProofDialog;
  readonly answer: (isProven: boolean) => void;
}

export function ProofAsker(props: Omit<ProofDialogProps, 'onAnswer'>) {
  const [asked, setAsked] = useState<Asked>();
  useEffect(() => {
    askForProofBy(async () => {
      const loaded = await import('./proof-dialog.tsx').catch(() => undefined);
      if (loaded === undefined) return false;
      return new Promise((answer) => setAsked({ Dialog: loaded.ProofDialog, answer }));
    });
  }, []);
  if (!asked) return null;
  const close = (isProven: boolean): void => {
    setAsked(undefined);
    asked.answer(isProven);
  };
  return <asked.Dialog {...props} onAnswer={close} />;
}
