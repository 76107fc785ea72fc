/** The sentences of the login page's script: the server wrote them into the page, in the browser's language. */
import type { ServedWords } from '../words/en.ts';
import { element } from './page-element.ts';

export const loginWords: ServedWords['login'] = JSON.parse(
  element('login-form', HTMLFormElement).dataset['words'] ?? '{}',
);
