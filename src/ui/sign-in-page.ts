/** The page that leads on by itself: to a provider after a form, and back into the service with its own cookies (SPEC 16). */
import type { RouteContext } from '../routes/own-route.ts';
import { cardPage } from './card-page.ts';
import { escapeHtml } from './escape-html.ts';
import { pageLanguage } from './page-language.ts';

export interface GoOnPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly stylesheet: string | undefined;
}

/** A redirect would keep the other site as the one that leads here, and a policy for forms would stop it on the way out. */
export function goOnPage(ctx: RouteContext, address: string, { headers, stylesheet }: GoOnPage): void {
  const { tag, words } = pageLanguage(ctx);
  const card = `<p class="refusal-message">${escapeHtml(words.login.page.goingOn)}</p>
<p class="refusal-links"><a class="button" href="${escapeHtml(address)}">${escapeHtml(words.login.page.goOn)}</a></p>
`;
  ctx.set({ ...headers, 'Cache-Control': 'no-store', Refresh: `0; url=${address}` });
  ctx.status = 200;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = cardPage({ tag, title: words.login.page.goingOn, stylesheet, card });
}
