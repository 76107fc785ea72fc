/** Requests of the page of a screen: every outcome is a value. Written for browsers of televisions: no later syntax than ES2018 is left in it. */
import { parsedJson } from '../../../domain/json.ts';
import { make } from '../../../ui/pages/shared/cameras/tile.ts';
import type { ScreenFacts } from './screen-facts.ts';

/** `status`: 0: nothing came back. */
export type ScreenAnswer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

export const facts: ScreenFacts = JSON.parse(document.body.getAttribute('data-facts') || '{}');

const PATIENCE_MS = 15_000;

/** `path` below the base path. A request that hangs is given up: no person at a display loads its page again. */
export function ask(method: 'GET' | 'POST', path: string, sent?: object): Promise<ScreenAnswer> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const end = (): void => resolve({ status: request.status, body: Object(parsedJson(request.responseText)) });
    request.open(method, `${facts.basePath}${path}`);
    request.timeout = PATIENCE_MS;
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('X-CSRF-TOKEN', '1');
    // A page that is left open must not keep the session of a person alive.
    request.setRequestHeader('X-Postern-Automatic', '1');
    if (sent) request.setRequestHeader('Content-Type', 'application/json');
    request.onload = end;
    request.onerror = end;
    request.ontimeout = end;
    request.send(sent ? JSON.stringify(sent) : undefined);
  });
}

export const after = (seconds: number, act: () => void): number => window.setTimeout(act, seconds * 1000);

/** Shows these alone. */
export function show(...elements: readonly HTMLElement[]): void {
  document.body.textContent = '';
  for (const element of elements) document.body.appendChild(element);
}

/** A person with a phone may come here, too: by the address that a display shows. */
export function linkToForm(): HTMLElement {
  const link = make('a', 'screen-link', facts.words.enter);
  link.setAttribute('href', `${facts.basePath}/pair`);
  return link;
}

/** One sentence in the middle. */
export const showMessage = (text: string): void => show(make('p', 'screen-message', text));
