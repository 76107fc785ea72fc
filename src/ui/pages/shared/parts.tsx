/** Small parts that all pages have: notices in the place of a page or a list, links, and icons. */
import type { ComponentChildren, ComponentProps, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { VIEW_AS_PATH, viewAs } from './api.ts';
import { facts, words } from './words.ts';

type ButtonProps = Omit<ComponentProps<'button'>, 'class' | 'type' | 'onClick'>;

/** `kind`: its looks, as `forms.css` names them: `plain small`. */
export const Button = ({ kind = '', onPress, ...button }: ButtonProps & { kind?: string; onPress: () => unknown }) => (
  <button
    {...button}
    class={['button', ...kind.split(' ').filter(Boolean)].join(' button-')}
    type="button"
    onClick={() => void onPress()}
  />
);

type PressChipProps = {
  text: ComponentChildren;
  number?: ComponentChildren;
  isOn?: boolean;
  title?: string;
  onPress: () => void;
};

/** A kind of things, and how many there are: it is on, or off. Without a number it leads somewhere, and `title` says where. */
export const PressChip = ({ text, number, isOn, title, onPress }: PressChipProps) => (
  <button
    class="chip chip-button"
    {...{ title }}
    type="button"
    aria-pressed={isOn}
    aria-label={number === undefined ? title : undefined}
    onClick={onPress}
  >
    <bdi>{text}</bdi> {number}
  </button>
);

/** What is wrong. It is always there, so that a screen reader hears what comes into it. */
export const Problem = ({ text }: { text: string }) => (
  <div class="notice notice-bad" role="alert">
    {text !== '' && <bdi>{text}</bdi>}
  </div>
);

/** Says why what is shown is not the latest: `stale`, in words. */
export const Stale = ({ stale, onRetry }: { readonly stale: string | undefined; readonly onRetry?: () => void }) =>
  stale !== undefined && (
    <div class="row notice notice-warn" role="alert">
      {words.status.stale({ problem: stale })}
      {onRetry && (
        <Button kind="small" onPress={onRetry}>
          {words.ui.common.tryAgain}
        </Button>
      )}
    </div>
  );

/** So many rows of grey in the place of what is loading. */
export const Skeleton = ({ text, rows }: { text: string; rows: number }) => (
  <div class="skeleton" role="status">
    <span class="out-of-sight">{text}</span>
    {Array.from({ length: rows }, (_, at) => (
      <div key={String(at)} class="skeleton-row" />
    ))}
  </div>
);

/** Names and values, row by row; what has no value is left out. */
export const Facts = ({ class: look = 'facts', rows }: { class?: string; rows: readonly Fact[] }) => (
  <dl class={look}>
    {rows.map(
      ([name, value]) =>
        value !== undefined &&
        value !== '' && (
          <div key={name} class={look === 'facts' ? 'fact' : undefined}>
            <dt>{name}</dt>
            <dd>{typeof value === 'string' ? <bdi>{value}</bdi> : value}</dd>
          </div>
        ),
    )}
  </dl>
);
export type Fact = readonly [name: string, value: ComponentChildren];

/** `isPart`: a page has a heading above it. `isAlert`: something went wrong, and a screen reader says it at once. */
type BlankProps = { title: string; message: string; isPart?: boolean; isAlert?: boolean; children?: ComponentChildren };

export const Blank = ({ title, message, isPart = false, isAlert = false, children }: BlankProps) => (
  <section class="blank" role={isAlert ? 'alert' : undefined}>
    {isPart ? <h2>{title}</h2> : <h1>{title}</h1>}
    <p>{message}</p>
    {children}
  </section>
);

export const Trouble = ({ onRetry, ...blank }: Omit<BlankProps, 'isAlert'> & { onRetry: () => unknown }) => (
  <Blank {...blank} isAlert>
    <Button onPress={onRetry}>{words.ui.common.tryAgain}</Button>
  </Blank>
);

/** Nothing is here: what has happened is shown by Explore. */
export const ToExplore = (blank: Omit<BlankProps, 'children'>) => (
  <Blank {...blank}>
    <Link class="button" href="/explore">
      {words.ui.frame.toExplore}
    </Link>
  </Blank>
);

export const NoSuchPage = () => <ToExplore title={words.ui.frame.noSuchPage} message={words.ui.frame.noSuchPageWhy} />;

export const NotForYou = () => <Blank title={words.settings.notForYou} message={words.settings.notForYouWhy} />;

/** Goes to the view of another person. */
export function useViewAs(): (name: string) => void {
  const [, navigate] = useLocation();
  return (name) => {
    viewAs.wanted = name;
    navigate(VIEW_AS_PATH);
  };
}

/** Where an admin sets the public address and the two-step login. */
export const SecurityLink = () => <Link href="/settings/security">{words.security.title}</Link>;

type TileProps = { title: string; fact: ComponentChildren; isWell?: boolean; children?: ComponentChildren };

/** A part of Status. `fact`: stands beside the title; null and undefined: it is unknown. `isWell`: it has no fault, and is folded. */
export function Tile({ title, fact, isWell = false, children }: TileProps) {
  const look = isWell ? 'tile is-well' : 'tile';
  const head = (
    <>
      <h2 class="tile-title">{title}</h2>
      <div class="tile-fact">{fact ?? words.status.notTold}</div>
    </>
  );
  if (!children || fact === null || fact === undefined) return <div class={`${look} tile-head`}>{head}</div>;
  return (
    <details class={look} open={!isWell}>
      <summary class="tile-head">{head}</summary>
      <div class="tile-more">{children}</div>
    </details>
  );
}

type NavLinkProps = { class: string; href: string; isHere: boolean; children: ComponentChildren };

/** A link that is marked when it leads to the page that is shown. */
export const NavLink = ({ class: name, href, isHere, children }: NavLinkProps) => (
  <Link class={`nav-link ${name}${isHere ? ' is-here' : ''}`} href={href} aria-current={isHere ? 'page' : undefined}>
    {children}
  </Link>
);

/** Tabs and screen readers tell pages apart by it. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${facts.name}`;
  }, [title]);
}

/** Says whether a place has come near to the screen or gone from it; again when one of `reasons` changes. */
export function useNearness(
  place: RefObject<HTMLElement | null>,
  rootMargin: string,
  onChange: (isNear: boolean) => unknown,
  reasons: readonly unknown[],
): void {
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    if (!place.current) return undefined;
    const observer = new IntersectionObserver(
      (entries) => void latest.current(entries.at(-1)?.isIntersecting === true),
      { rootMargin },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, reasons);
}

// biome-ignore format: a table
const PATHS = {
  person:  'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7.5 8a7.5 7.5 0 0 1 15 0',
  car:     'M4 16v-3.2l1.9-5A2.5 2.5 0 0 1 8.2 6h7.6a2.5 2.5 0 0 1 2.3 1.8l1.9 5V16M3 12.5h18V17H3zM6 17v2m12-2v2M6.5 14.8h1.6m7.8 0h1.6',
  animal:  'M7.2 11.2a1.7 2.1 0 1 0 0-4.2 1.7 2.1 0 0 0 0 4.2Zm9.6 0a1.7 2.1 0 1 0 0-4.2 1.7 2.1 0 0 0 0 4.2ZM4.4 15a1.4 1.8 0 1 0 0-3.6 1.4 1.8 0 0 0 0 3.6Zm15.2 0a1.4 1.8 0 1 0 0-3.6 1.4 1.8 0 0 0 0 3.6ZM12 12.5c-2.6 0-4.8 2.7-4.8 4.7 0 1.6 1.2 2.3 2.4 2.3 1 0 1.6-.5 2.4-.5s1.4.5 2.4.5c1.2 0 2.4-.7 2.4-2.3 0-2-2.2-4.7-4.8-4.7Z',
  bird:    'M16 7.5h.01M3.4 18H12a8 8 0 0 0 8-8V7a4 4 0 0 0-7.3-2.3L2 20M20 7l2 .5-2 .5M10 18v3m4-3.3V21M7 18a6 6 0 0 0 3.8-10.6',
  package: 'm12 3 8 4.2v9.6L12 21l-8-4.2V7.2L12 3Zm0 9 8-4.6M12 12v9m0-9L4 7.4m4-2.2 8 4.5',
  plate:   'M3 8.5A1.5 1.5 0 0 1 4.5 7h15A1.5 1.5 0 0 1 21 8.5v7a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 15.5v-7Zm4 1.8v3.4m3-3.4v3.4m3-3.4h1.2v3.4M17 10.3v3.4',
  sound:   'M4 10v4h3l5 4V6L7 10H4Zm11.5-1.5a5 5 0 0 1 0 7m2.7-9.7a9 9 0 0 1 0 12.4',
  shape:   'M4 8V5.5A1.5 1.5 0 0 1 5.5 4H8m8 0h2.5A1.5 1.5 0 0 1 20 5.5V8m0 8v2.5a1.5 1.5 0 0 1-1.5 1.5H16m-8 0H5.5A1.5 1.5 0 0 1 4 18.5V16m8-1a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  chevron: 'm6 9 6 6 6-6',
  previous: 'm6 15 6-6 6 6',
  more:    'M5.5 12h.01M12 12h.01m6.5 0h.01',
  pen:     'm4 20 1-4L16 5l3 3L8 19l-4 1Z',
  close:   'm6 6 12 12M18 6 6 18',
  eye:     'M2.5 12S6 5.5 12 5.5s9.5 6.5 9.5 6.5-3.5 6.5-9.5 6.5S2.5 12 2.5 12Zm9.5 3a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  hidden:  'M2.5 12S6 5.5 12 5.5s9.5 6.5 9.5 6.5-3.5 6.5-9.5 6.5S2.5 12 2.5 12Zm9.5 3a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM4 4l16 16',
  leave:   'M8.5 7H17v8.5M17 7 7 17',
  phone:   'M8.5 3h7A1.5 1.5 0 0 1 17 4.5v15a1.5 1.5 0 0 1-1.5 1.5h-7A1.5 1.5 0 0 1 7 19.5v-15A1.5 1.5 0 0 1 8.5 3Zm3 14.8h1',
  computer: 'M5.5 5h13A1.5 1.5 0 0 1 20 6.5V15H4V6.5A1.5 1.5 0 0 1 5.5 5Zm-3 13.5h19',
  television: 'M4.5 6h15A1.5 1.5 0 0 1 21 7.5v8a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 15.5v-8A1.5 1.5 0 0 1 4.5 6ZM8 20h8',
  program: 'm8 8-4 4 4 4m8-8 4 4-4 4M13.5 6l-3 12',
  refresh: 'M20 11a8 8 0 0 0-14.3-4L3.5 9.5M4 4v5.5h5.5M4 13a8 8 0 0 0 14.3 4l2.2-2.5M20 20v-5.5h-5.5',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
