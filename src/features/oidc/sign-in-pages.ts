/** What pages show of a sign-in: that it goes on at the provider, and why it ended (SPEC 8, 16). */
import { refuseFor } from '../../accounts/http/kernel.ts';
import type { LoginProvider } from '../../accounts/login/reauthenticate.ts';
import type { Services } from '../../app/services.ts';
import { REFUSALS, type RefusalReason } from '../../domain/refusal.ts';
import { refusalRules } from '../../gateway/response/error-responses.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { buttonTo, type Html, html, paragraph } from '../../ui/html.ts';
import { pageHeaders, pageLanguage, readBasePath, sendCard, wishedLanguages } from '../../ui/page.ts';
import { nextPage } from '../../ui/pages/shared/where-to-go.ts';
import { isNavigation } from '../../ui/serve-ui.ts';

/** Characters of an address to come back to: the cookies of five attempts, which hold it, fit into one request. */
const LONGEST_PAGE = 1000;

/** The page that is wanted if it is one of this service, else the start page; base path included. */
export function pageOf({ state: { basePath = '' } }: RouteContext, wanted: string): string {
  const pageFor = (next: string): string =>
    nextPage({ page: `http://postern/?${new URLSearchParams({ next })}`, referrer: '', basePath: `${basePath}/` });
  const page = pageFor(wanted);
  return page.length > LONGEST_PAGE ? pageFor('') : page;
}

/** A link each: it works without script, and no policy for forms stops it. */
export function providerButtons(
  ctx: RouteContext,
  wanted: string,
  providers: readonly LoginProvider[],
): Html | undefined {
  const query = new URLSearchParams({ return_to: wanted });
  const links = providers.map(({ loginPath, label }) => {
    const address = `${readBasePath(ctx)}${loginPath}?${query}`;
    return html`<a class="button button-wide" href="${address}"><bdi>${label}</bdi></a>`;
  });
  return links.length === 0 ? undefined : html`<p class="lone-providers">${links}</p>`;
}

/**
 * Leads on by a page. A redirect would keep the provider's page as the one that leads here, or would not bring the cookies along,
 * and a policy for forms would stop it on the way out.
 */
export function goOn(ctx: RouteContext, address: string, ui: Services['ui']): void {
  const { words } = pageLanguage(ctx);
  const { goingOn: title, goOn: text } = words.login.page;
  const card = html`${paragraph(title)}<p class="row refusal-links">${buttonTo(address, text)}</p>\n`;
  ctx.set({ ...pageHeaders(ui), 'Cache-Control': 'no-store', Refresh: `0; url=${address}` });
  sendCard(ctx, ui, 200, { title, card });
}

export function refusePage(
  ctx: RouteContext,
  { settings, ui }: Pick<Services, 'settings' | 'ui'>,
  reason: RefusalReason,
): void {
  if (!isNavigation(ctx)) return void refuseFor(ctx, reason);
  const { basePath = '', requestId } = ctx.state;
  const wishes = wishedLanguages(ctx.get('Accept-Language'), ctx.get('Cookie'));
  const { status } = REFUSALS[reason];
  const page = refusalRules(settings, ui.pages).renderPage({ reason, status, requestId, basePath, wishes });
  ctx.set({ ...page.headers });
  ctx.status = status;
  ctx.body = page.body;
}
