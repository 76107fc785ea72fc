/** What the login page is known to have: its elements, and the sentences that the server wrote into it. */
import type { Templates, Texts } from '../../../locales/texts.ts';

/** An element, as the kind it is known to be. */
export function element<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`login.html has no ${kind.name} with the id ${id}`);
}

/** They are in the browser's language. */
export const loginWords: Templates<Texts['login']['form']> = JSON.parse(
  element('login-form', HTMLFormElement).dataset['words'] ?? '{}',
);
