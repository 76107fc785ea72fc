/** The pages and pieces of the console: one list, from the core and the features; each is loaded when it is shown. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ServiceStatus } from '../../../gateway/readiness.ts';
import { isAdmin, isAnonymous, type Profile } from './account.ts';
import { getFromApi } from './api.ts';
import { Trouble } from './parts.tsx';
import { recordsIn } from './untrusted.ts';
import { facts, words } from './words.ts';

type Shown<Props> = (props: Props) => ComponentChildren;
type Load<Props = object> = () => Promise<Shown<Props>>;

export interface Page {
  /** Its address below the console, or below Settings. */
  readonly path: string;
  readonly title: () => string;
  readonly isFor: (profile: Profile) => boolean;
  readonly load: Load;
  /** The path of the page that it stands before; without one it stands at the end. */
  readonly before?: string;
  /** It is about all people for an admin, and stands apart from the own account. */
  readonly isOfHouse?: boolean;
  /** There are pages below it. */
  readonly hasParts?: boolean;
  /** Loaded with it, so that nothing is pushed away when they come. */
  readonly slots?: readonly (keyof Slots)[];
}

/** The places for pieces on pages, and what a piece is given there. */
export interface Slots {
  /** The details of an event. */
  readonly event: { readonly id: string };
  /** What follows the own account. */
  readonly account: object;
  /** What stands beside the title of Live, and can show more there. */
  readonly live: { readonly cameras: readonly string[]; readonly show: (more: OnLive) => void };
  /** Tiles before the warnings of Status. */
  readonly status: { readonly status: Partial<ServiceStatus> };
}

/** What is wrong, and what stands on the pictures of cameras. */
export type OnLive = { readonly problem: string; readonly onCamera: ReadonlyMap<string, ComponentChildren> };

/** Records that go with the account of their user. */
interface Belonging {
  /** The path of the list that names them. */
  readonly list: string;
  readonly counted: (of: { readonly number: number }) => string;
  /** Which of them would end with it; all without this. */
  readonly holds?: (record: never) => boolean;
}

/** What the core, or a feature, has in the console. */
export interface PagePieces {
  /** Pages of the menu. */
  readonly menu?: readonly Page[];
  /** Pages of Settings. */
  readonly settings?: readonly Page[];
  readonly belongings?: readonly Belonging[];
  /** Rights that a token can be made for alone: what they are called, and what such a token is for. */
  readonly rights?: readonly { readonly name: string; readonly title: () => string; readonly only: () => string }[];
  readonly pieces?: { readonly [Name in keyof Slots]?: Load<Slots[Name]> };
}

/** Whom a page is for. The API keeps these rules; the console only does not offer what it would refuse. */
export const always = (): boolean => true;
export const hasLogin = (): boolean => facts.hasOwnLogin;
export const isPerson = (who: Profile): boolean => !isAnonymous(who);
export const isPersonWithLogin = (who: Profile): boolean => isPerson(who) && hasLogin();
export const isAdminWithLogin = (who: Profile): boolean => isAdmin(who) && hasLogin();

let all: readonly PagePieces[] = [];

/** The core's come first. Call it once, when the console starts. */
export const learnPieces = (list: readonly PagePieces[]): void => {
  all = list;
};

export function pagesOf(place: 'menu' | 'settings'): readonly Page[] {
  const pages: Page[] = [];
  for (const page of all.flatMap((one) => one[place] ?? [])) {
    const at = pages.findIndex(({ path }) => path === page.before);
    pages.splice(at < 0 ? pages.length : at, 0, page);
  }
  return pages;
}

export const tokenRights = () => all.flatMap(({ rights = [] }) => rights);

/** What goes with the accounts of these people, counted; undefined when a list cannot be read. */
export async function belongingsOf(names: readonly string[]): Promise<readonly string[] | undefined> {
  const belongings = all.flatMap((one) => one.belongings ?? []);
  const answers = await Promise.all(belongings.map(({ list }) => getFromApi(list)));
  if (answers.some(({ kind }) => kind !== 'ok')) return undefined;
  return belongings.flatMap(({ counted, holds = always }, at) => {
    const records = recordsIn<{ readonly user: string }>(Object(answers[at]).body);
    const number = records.filter((record) => names.includes(record.user) && holds(record as never)).length;
    return number === 0 ? [] : [counted({ number })];
  });
}

/** Null: it could not be loaded. */
const loaded = new Map<Load<never>, Shown<never> | null>();

async function loadOnce(load: Load<never>): Promise<void> {
  if (!loaded.has(load)) loaded.set(load, await load().catch(() => null));
}

const piecesIn = (name: keyof Slots): readonly Load<never>[] => all.flatMap(({ pieces }) => pieces?.[name] ?? []);

/** Also before it is shown: its files are asked for beside what it waits for. */
export const loadPage = async ({ load, slots = [] }: Pick<Page, 'load' | 'slots'>): Promise<void> => {
  await Promise.all([loadOnce(load), ...slots.flatMap(piecesIn).map(loadOnce)]);
};

/** A page, while it is loaded as well. A later release has other files: then only a new start finds them. */
export function PageShown(page: Pick<Page, 'load' | 'slots'>) {
  const Shown = useLoaded(page.load, () => loadPage(page));
  if (Shown === undefined) return <p class="starting">{words.ui.frame.moment}</p>;
  if (Shown !== null) return <Shown />;
  // Without a network a new start would leave the console.
  const again = async () => (await getFromApi('api/profile')).kind !== 'unreachable' && location.reload();
  return <Trouble title={words.settings.cannotLoad} message={words.ui.common.notReached} onRetry={again} />;
}

/** The pieces of a place. One that cannot be loaded is left out. */
export const Slot = <Name extends keyof Slots>({ name, ...given }: { readonly name: Name } & Slots[Name]) => (
  <>
    {piecesIn(name).map((load, at) => (
      <Piece key={String(at)} load={load as Load} given={given} />
    ))}
  </>
);

function Piece({ load, given }: { readonly load: Load; readonly given: object }) {
  const Shown = useLoaded(load, () => loadOnce(load));
  return Shown ? <Shown {...given} /> : null;
}

function useLoaded(load: Load, ask: () => Promise<void>): Shown<object> | null | undefined {
  const [, setRound] = useState(0);
  const shown = loaded.get(load) as Shown<object> | null | undefined;
  useEffect(() => {
    // It may have come since: asking once more says so.
    if (shown === undefined) void ask().then(() => setRound((was) => was + 1));
  }, [load]);
  return shown;
}
