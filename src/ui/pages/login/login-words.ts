/** The sentences of the login page's script: the server wrote them into the page, in the browser's language. */
import type { Templates, Texts } from '../../../locales/texts.ts';
import { element } from './page-element.ts';

export const loginWords: Templates<Texts['login']['form']> = JSON.parse(
  element('login-form', HTMLFormElement).dataset['words'] ?? '{}',
);
