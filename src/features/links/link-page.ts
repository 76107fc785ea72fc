/** `/s/{secret}`: the page of a link. It needs no account and no script, and asks for the PIN where there is one (SPEC 8, 13). */
import { z } from 'zod';
import { refusedUntil } from '../../accounts/grants/grants.ts';
import { GIVEN_TEXT } from '../../accounts/http/json-body.ts';
import {
  type AccountResponseDeps,
  declaring,
  type OpenCall,
  orByForm,
  Refused,
  refusedFor,
} from '../../accounts/http/kernel.ts';
import type { Services } from '../../app/services.ts';
import type { SharedThing } from '../../domain/caller.ts';
import { labelIn, type Texts } from '../../locales/texts.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_LIMITS, readForm } from '../../routes/read-body.ts';
import { BODY_NO, described, TIME } from '../../routes/shapes.ts';
import { buttonTo, type Html, html, paragraph } from '../../ui/html.ts';
import {
  BODY_STATUS,
  momentIn,
  moveTo,
  type PageLanguage,
  pageLanguage,
  readBasePath,
  sendCard,
} from '../../ui/page.ts';
import { formatSeconds } from '../../ui/pages/login/login-outcome.ts';
import { spaced } from '../../ui/pages/shared/spelling.ts';
import { LINK_PATH } from './links.ts';
import { givePin, type Visit, type VisitServices, visitLink } from './visit.ts';

/** What the routes below a link work with. */
type PageServices = AccountResponseDeps & VisitServices & Pick<Services, 'friendlyNameOf' | 'ui'>;

/** What a link shows, and the files of it below the link. */
type ShownThing = Awaited<ReturnType<typeof shownThing>>;

/** The page leads on behind a right PIN. */
type ShownPage = Exclude<Visit, { readonly kind: 'right' }>;

const HEADERS = {
  // Nothing but the link's own files (and the empty icon), no script, and in no frame of any page.
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "media-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language, Cookie',
} as const;

/**
 * The address holds the secret, so no Referer tells it. The page of the form tells the host alone: with `no-referrer`
 * browsers would send `Origin: null` with the form, and it could not be told from a form of another site.
 */
const REFERRER = { form: 'strict-origin', other: 'no-referrer' } as const;
const BUSY_RETRY_SECONDS = 5;

const secretIn = (ctx: RouteContext): string => ctx.params['secret'] ?? '';
const linkPath = (ctx: RouteContext): string => `${readBasePath(ctx)}${LINK_PATH}/${secretIn(ctx)}`;

const FILE_NO = [206, 304, 403, 404, 416, 429, 502, 503, 504];

const PIN = described('Pin', { pin: GIVEN_TEXT });

const route = declaring<PageServices>();

/** The secret in the address is the credential. With `stands_for` the path stands for one of the NVR, judged with the rights of the link. */
// biome-ignore format: a table
export const LINK_PAGE_ROUTES: readonly OwnRoute<PageServices>[] = [
  { route: `GET ${LINK_PATH}/{secret}`, access: 'public', summary: 'The page of a link', yes: [200], no: [404, 429], type: 'text/html', handler: getLink },
  orByForm(route({ route: `POST ${LINK_PATH}/{secret}`, access: 'public', who: 'anyone', secret: true, note: 'the PIN', summary: 'Give the PIN of a link, as JSON or by the form of the page: the answer sets a cookie for that link', body: PIN, yes: [200, described('Given', { success: z.literal(true), expires_at: TIME })], no: [...BODY_NO, 303, 403, 404, 408, 429], type: 'text/html', run: answerPin }), postLink),
  { route: `GET ${LINK_PATH}/{secret}/{file}`, access: 'public', stands_for: 'nvr', summary: 'What a link shows: snapshot.jpg, thumbnail.jpg, clip.mp4, preview.gif or live', yes: [200], no: FILE_NO, type: 'application/octet-stream' },
  { route: `GET ${LINK_PATH}/{secret}/vod/{file}`, access: 'public', stands_for: 'nvr', note: 'a playlist and its segments', summary: 'The playlist of a link, index.m3u8, and its segments', yes: [200], no: FILE_NO, type: 'application/octet-stream' },
  { route: `OPTIONS ${LINK_PATH}/{secret}/{file}`, access: 'public', summary: 'Pages of other sites may read what a link shows, and its parts by Range: for cast devices', yes: [204], no: [404],
    handler: allowReading },
  { route: `OPTIONS ${LINK_PATH}/{secret}/vod/{file}`, access: 'public', summary: 'The same for a playlist and its segments', yes: [204], no: [404],
    handler: allowReading },
  { route: `WS ${LINK_PATH}/{secret}`, access: 'none' },
  { route: `WS ${LINK_PATH}/{secret}/{rest...}`, access: 'none' },
];

/** The same for every secret: nothing is asked of the link, and the answer is no credential. */
function allowReading(ctx: RouteContext): void {
  ctx.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': 'Range',
    'Access-Control-Max-Age': '86400',
    'Cache-Control': 'no-store',
  });
  ctx.status = 204;
}

async function answerPin({ ctx, body }: OpenCall<{ pin: string }>, services: PageServices): Promise<object> {
  const outcome = await givePin(secretIn(ctx), body.pin, ctx, services);
  if (outcome.kind === 'wrong') throw new Refused(403, 'link-pin-wrong', 'That PIN is not right');
  if (outcome.kind === 'limited') throw refusedUntil(outcome.seconds);
  if (outcome.kind !== 'right') throw refusedFor('link-over');
  ctx.append('Set-Cookie', outcome.cookie);
  return { success: true, expires_at: outcome.expiresAt };
}

async function getLink(ctx: RouteContext, services: PageServices): Promise<void> {
  const visit = await visitLink(secretIn(ctx), ctx, services);
  if (visit.kind !== 'right') await show(ctx, services, visit);
}

/** The form of the page, and whatever else is not JSON. */
export async function postLink(ctx: RouteContext, services: PageServices): Promise<void> {
  const form = await readForm(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: services.bodySeconds() });
  if (form.kind !== 'read') return show(ctx, services, { kind: 'over' }, BODY_STATUS[form.kind]);
  const outcome = await givePin(secretIn(ctx), form.fields.get('pin') ?? '', ctx, services);
  if (outcome.kind !== 'right') return show(ctx, services, outcome);
  ctx.set({ ...HEADERS, 'Referrer-Policy': REFERRER.other });
  ctx.append('Set-Cookie', outcome.cookie);
  moveTo(ctx, 303, linkPath(ctx));
}

async function show(ctx: RouteContext, services: PageServices, page: ShownPage, failed?: number): Promise<void> {
  const { ui } = services;
  const language = pageLanguage(ctx);
  const { status, title, body, retry } = await contentsOf(page, language, linkPath(ctx), services);
  const isForm = page.kind === 'pin' || page.kind === 'wrong';
  ctx.set({ ...HEADERS, 'Referrer-Policy': isForm ? REFERRER.form : REFERRER.other });
  if (retry !== undefined) ctx.set('Retry-After', String(retry));
  if (page.kind === 'shown' && page.cookie !== undefined) ctx.append('Set-Cookie', page.cookie);
  // What a messenger shows of the address is a title, and never a picture of the camera.
  const preview = html`<meta property="og:type" content="website">
<meta property="og:site_name" content="${ui.name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${language.words.links.page.preview}">
`;
  const card = html`<h1 class="lone-title"><bdi>${title}</bdi></h1>\n${body}`;
  const shown = { title, preview, card, robots: 'noindex, nofollow', isShared: page.kind === 'shown' };
  sendCard(ctx, ui, failed ?? status, shown);
}

/** `retry`: seconds. */
async function contentsOf(page: ShownPage, language: PageLanguage, link: string, services: PageServices) {
  const { titles, page: text } = language.words.links;
  const contents = (status: number, title: string, body: Html, retry?: number) => ({ status, title, body, retry });
  switch (page.kind) {
    case 'shown': {
      const { thing, name, expiresAt } = page.link;
      const shown = await shownThing(thing, services);
      return contents(200, name ?? titles[thing.kind], renderShown({ shown, expiresAt }, language, link, services.ui));
    }
    case 'pin':
      return contents(200, text.pinTitle, renderForm(false, page.isNumeric, text));
    case 'wrong':
      return contents(403, text.pinTitle, renderForm(true, page.isNumeric, text));
    case 'limited':
      return contents(
        429,
        language.words.refusals.titles[429],
        paragraph(text.limited({ time: formatSeconds(page.seconds) })),
        page.seconds,
      );
    case 'busy':
      return contents(503, text.busyTitle, paragraph(text.busy), BUSY_RETRY_SECONDS);
    case 'over':
      return contents(404, text.overTitle, paragraph(text.over));
  }
}

function renderForm(isWrong: boolean, isNumeric: boolean, text: Texts['links']['page']): Html {
  const alert = isWrong && html`<div id="problem" class="notice notice-bad" role="alert">${text.wrong}</div>\n`;
  const fault = isWrong && html` aria-describedby="problem" aria-invalid="true"`;
  const digits = isNumeric && html` inputmode="numeric"`;
  return html`<p class="lone-lead">${text.pinLead}</p>
<form class="login-form" method="post">
${alert}<div class="field"><label for="pin">${text.pin}</label><input id="pin" name="pin" type="password"${digits} autocomplete="off" maxlength="64" required autofocus${fault}></div>
<button class="button button-strong button-wide" type="submit">${text.submit}</button>
</form>
`;
}

/** An event has a picture of its own only where the NVR kept one. */
const PICTURES = {
  event: 'snapshot.jpg',
  review: undefined,
  recording: 'snapshot.jpg',
  live: 'live',
  snapshot: 'snapshot.jpg',
} as const;

async function shownThing(thing: SharedThing, { judge, friendlyNameOf, ui: { hasNvr } }: PageServices) {
  const { kind, camera } = thing;
  const { hasSnapshot = true, hasClip = true, ...facts } = await judge.factsOf(thing);
  const isEvent = kind === 'event';
  const isPlayed = kind !== 'live' && kind !== 'snapshot' && (!isEvent || (hasNvr && hasClip));
  return {
    ...facts,
    kind,
    /** What people call the camera, where the NVR has such a name. */
    name: friendlyNameOf(camera) ?? spaced(camera),
    picture: isEvent && !(hasNvr && hasSnapshot) ? 'thumbnail.jpg' : PICTURES[kind],
    clip: isPlayed ? 'clip.mp4' : undefined,
    /** The playlist of the clip: the NVR makes the clip while it sends it, without length and ranges, and iPhones play none such. */
    playlist: isPlayed ? judge.playlistOf(thing) : undefined,
  };
}

function renderShown(
  { shown: thing, expiresAt }: { readonly shown: ShownThing; readonly expiresAt: number },
  { locale, words }: PageLanguage,
  link: string,
  { timeZone }: Services['ui'],
): Html {
  const text = words.links.page;
  const time = (seconds: number): string => momentIn(seconds, locale, timeZone);
  const label = thing.label === undefined ? undefined : labelIn(words.explore.labels, thing.label);
  const facts = [thing.name, label, thing.at === undefined ? undefined : time(thing.at)];
  const lead = facts.filter((fact) => fact !== undefined).join(' · ');
  const again = thing.kind === 'snapshot' && buttonTo(link, text.again);
  const clip = !thing.isGone && thing.clip;
  const download = clip && html`<a class="button" href="${link}/${clip}" download>${text.download}</a>`;
  return html`<p class="lone-lead"><bdi>${lead}</bdi></p>
${mediaOf(thing, text, link)}${(again || download) && html`<p class="row refusal-links">${again}${download}</p>\n`}<p class="shared-end">${text.until({ time: time(expiresAt) })}</p>
`;
}

function mediaOf(thing: ShownThing, text: Texts['links']['page'], link: string): Html | undefined {
  const { clip, picture, playlist } = thing;
  if (thing.isGone) return paragraph(text.gone);
  if (clip !== undefined) {
    const poster = picture !== undefined && html` poster="${link}/${picture}"`;
    const first =
      playlist !== undefined && html`<source src="${link}/${playlist}" type="application/vnd.apple.mpegurl">`;
    const sources = html`${first}<source src="${link}/${clip}" type="video/mp4">`;
    return html`<video class="shared-media"${poster} controls playsinline preload="metadata">${sources}${text.noVideo}</video>\n`;
  }
  const words = (thing.kind === 'live' ? text.live : text.picture)({ camera: thing.name });
  return picture === undefined ? undefined : html`<img class="shared-media" src="${link}/${picture}" alt="${words}">\n`;
}
