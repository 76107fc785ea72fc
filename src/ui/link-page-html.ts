/** The HTML of a link's page: complete and self-sufficient, without script or inline style (SPEC 8, 13). */
import type { SharedThing } from '../domain/shared-thing.ts';
import { labelIn, type Texts } from '../locales/texts.ts';
import { escapeHtml } from './escape-html.ts';
import { momentsIn } from './moment.ts';
import type { PageLanguage } from './page-language.ts';
import { formatSeconds } from './pages/login/login-outcome.ts';
import { spaced } from './pages/shared/spaced.ts';

/** Files below the link, by name. */
export interface ShownThing {
  readonly kind: SharedThing['kind'];
  readonly camera: string;
  /** What people call the camera, where the NVR has such a name. */
  readonly friendlyName?: string | undefined;
  /** The NVR has it no more. */
  readonly isGone?: boolean | undefined;
  /** Unix seconds. */
  readonly at?: number | undefined;
  readonly label?: string | undefined;
  readonly picture?: string | undefined;
  readonly clip?: string | undefined;
  /** The playlist of the clip: the NVR makes the clip while it sends it, without length and ranges, and iPhones play none such. */
  readonly playlist?: string | undefined;
}

export type ClosedLinkPage =
  | { readonly kind: 'over' | 'busy' }
  | { readonly kind: 'limited'; readonly seconds: number };

export type LinkPageVisit =
  | ClosedLinkPage
  /** Digits alone: by the keyboard for them. */
  | { readonly kind: 'pin'; readonly isNumeric: boolean }
  | {
      readonly kind: 'shown';
      readonly name: string | undefined;
      readonly expiresAt: number;
      readonly thing: ShownThing;
      /** IANA name; undefined: the service's own. */
      readonly timeZone: string | undefined;
      /** A line of `Set-Cookie`. */
      readonly cookie: string | undefined;
    };

export interface WrongPin {
  readonly kind: 'wrong';
  readonly isNumeric: boolean;
}
export type ShownPage = LinkPageVisit | WrongPin;

/** The paths of a link's page, from the root of the site. */
export interface LinkPlaces {
  readonly stylesheet: string | undefined;
  readonly link: string;
}

/** What a messenger shows of the address: a title, and never a picture of the camera. */
export function renderLinkPage(page: ShownPage, language: PageLanguage, places: LinkPlaces): string {
  const { tag, words } = language;
  const text = words.links.page;
  const title = escapeHtml(titleOf(page, language));
  const stylesheet = places.stylesheet ? `<link rel="stylesheet" href="${escapeHtml(places.stylesheet)}">\n` : '';
  return `<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Postern">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${escapeHtml(text.preview)}">
<title>${title} · Postern</title>
<link rel="icon" href="data:,">
${stylesheet}</head>
<body class="lone">
<main class="lone-card${page.kind === 'shown' ? ' shared' : ''}">
<h1 class="lone-title"><bdi>${title}</bdi></h1>
${bodyOf(page, language, places)}</main>
</body>
</html>
`;
}

function titleOf(page: ShownPage, { words }: PageLanguage): string {
  const text = words.links.page;
  switch (page.kind) {
    case 'shown':
      return page.name ?? nameless(page.thing.kind, words.links.titles);
    case 'pin':
    case 'wrong':
      return text.pinTitle;
    case 'busy':
      return text.busyTitle;
    default:
      return text.overTitle;
  }
}

function nameless(kind: ShownThing['kind'], titles: Texts['links']['titles']): string {
  const { event, review, recording, live, snapshot } = titles;
  return { event, review, recording, live, snapshot }[kind];
}

const paragraph = (sentence: string): string => `<p class="refusal-message">${escapeHtml(sentence)}</p>\n`;

function bodyOf(page: ShownPage, language: PageLanguage, places: LinkPlaces): string {
  const text = language.words.links.page;
  switch (page.kind) {
    case 'shown':
      return renderShown(page, language, places);
    case 'pin':
    case 'wrong':
      return renderForm(page.kind === 'wrong', page.isNumeric, text);
    case 'limited':
      return paragraph(text.limited({ time: formatSeconds(page.seconds) }));
    case 'busy':
      return paragraph(text.busy);
    case 'over':
      return paragraph(text.over);
  }
}

function renderForm(isWrong: boolean, isNumeric: boolean, text: Texts['links']['page']): string {
  const alert = isWrong
    ? `<div id="problem" class="notice notice-bad" role="alert">${escapeHtml(text.wrong)}</div>\n`
    : '';
  return `<p class="lone-lead">${escapeHtml(text.pinLead)}</p>
<form class="login-form" method="post">
${alert}<div class="field"><label for="pin">${escapeHtml(text.pin)}</label><input id="pin" name="pin" type="password"${isNumeric ? ' inputmode="numeric"' : ''} autocomplete="off" maxlength="64" required autofocus${isWrong ? ' aria-describedby="problem" aria-invalid="true"' : ''}></div>
<button class="button button-strong button-wide" type="submit">${escapeHtml(text.submit)}</button>
</form>
`;
}

type ShownLink = LinkPageVisit & { readonly kind: 'shown' };

const nameOf = ({ camera, friendlyName }: ShownThing): string => friendlyName ?? spaced(camera);

function renderShown(shown: ShownLink, { tag, words }: PageLanguage, { link }: LinkPlaces): string {
  const { thing, expiresAt, timeZone } = shown;
  const text = words.links.page;
  const time = momentsIn(tag, timeZone);
  const label = thing.label === undefined ? undefined : labelIn(words.explore.labels, thing.label);
  const facts = [nameOf(thing), label, thing.at === undefined ? undefined : time(thing.at)];
  const lead = facts.filter((fact) => fact !== undefined).join(' · ');
  const again =
    thing.kind === 'snapshot' ? `<a class="button" href="${escapeHtml(link)}">${escapeHtml(text.again)}</a>` : '';
  const download =
    thing.clip === undefined || thing.isGone
      ? ''
      : `<a class="button" href="${escapeHtml(`${link}/${thing.clip}`)}" download>${escapeHtml(text.download)}</a>`;
  const actions = again + download;
  return `<p class="lone-lead"><bdi>${escapeHtml(lead)}</bdi></p>
${mediaOf(thing, text, link)}${actions === '' ? '' : `<p class="refusal-links">${actions}</p>\n`}<p class="shared-end">${escapeHtml(text.until({ time: time(expiresAt) }))}</p>
`;
}

const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl';

function mediaOf(thing: ShownThing, text: Texts['links']['page'], link: string): string {
  if (thing.isGone) return paragraph(text.gone);
  const at = (file: string): string => escapeHtml(`${link}/${file}`);
  const words = escapeHtml((thing.kind === 'live' ? text.live : text.picture)({ camera: nameOf(thing) }));
  if (thing.clip !== undefined) {
    const poster = thing.picture === undefined ? '' : ` poster="${at(thing.picture)}"`;
    const playlist = thing.playlist === undefined ? '' : `<source src="${at(thing.playlist)}" type="${PLAYLIST_TYPE}">`;
    const sources = `${playlist}<source src="${at(thing.clip)}" type="video/mp4">`;
    return `<video class="shared-media"${poster} controls playsinline preload="metadata">${sources}${escapeHtml(text.noVideo)}</video>\n`;
  }
  return thing.picture === undefined ? '' : `<img class="shared-media" src="${at(thing.picture)}" alt="${words}">\n`;
}
