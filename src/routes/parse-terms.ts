/** Reads the terms of a row, such as `stream:query:src` and `rewrite:cameras` (SPEC 5, 13). */
import {
  type BodyPlace,
  COMPOSED_LISTS,
  type Locator,
  NAME_KINDS,
  NARROWINGS,
  type Narrowing,
  OWNER_KINDS,
  type PrefixPlace,
  type TimePlace,
} from '../domain/policy.ts';

type Groups = Readonly<Record<string, string | undefined>>;
/** One way to write a term, and what it means. Its groups are named for the members that they fill. */
type Rule<Term> = readonly [form: RegExp, make: (groups: Groups) => Term | undefined];

/** Returns undefined for a text of another form. */
const reader =
  <Term>(rules: readonly Rule<Term>[]) =>
  (text: string): Term | undefined => {
    for (const [form, make] of rules) {
      const match = form.exec(text);
      if (match) return make(match.groups ?? {});
    }
    return undefined;
  };

const among = <Word extends string>(words: readonly Word[], text: string | undefined): Word | undefined =>
  words.find((word) => word === text);

const KINDS = [...NAME_KINDS, ...OWNER_KINDS];
/** A name without a kind is a camera's. */
const parseKind = (text: string | undefined) => (text === undefined ? 'camera' : among(KINDS, text));

const toBodyPlace = ({ name = '', list }: Groups): BodyPlace => (list === undefined ? { name } : { name, list });

export const parseLocator = reader<Locator>([
  [
    /^(?:(?!camera:)(?<kind>[\w:-]+):)?(?<source>path|query):(?<name>\w+)$/,
    ({ kind: written, source, name = '' }) => {
      const kind = parseKind(written);
      return kind && { kind, source: source === 'path' ? source : 'query', name };
    },
  ],
  [
    /^(?:(?!camera:)(?<kind>[\w:-]+):)?body:(?:(?<list>\w+)\[\]\.)?(?<name>\w+)$/,
    ({ kind: written, ...place }) => {
      const kind = parseKind(written);
      return kind && { kind, source: 'body', ...toBodyPlace(place) };
    },
  ],
]);

export const parseNarrowing = reader<Narrowing>([
  [/^rewrite:(?<parameter>[a-z_]+)$/, ({ parameter = '' }) => ({ how: 'rewrite', parameter })],
  [/^fanout:(?<parameter>[a-z_]+)$/, ({ parameter = '' }) => ({ how: 'fanout', parameter })],
  [/^own-data$/, () => ({ how: 'own-data' })],
  [/^own-data:(?!labels)(?<list>\w+)$/, (groups) => withList({ how: 'own-data' }, groups)],
  [
    /^(?<how>[a-z-]+)$/,
    (groups) => {
      const how = among(NARROWINGS, groups['how']);
      return how && { how };
    },
  ],
]);

function withList<Term extends object>(term: Term, { list: written }: Groups) {
  const list = among(COMPOSED_LISTS, written);
  return list && { ...term, list };
}

export const parseTimePlace = reader<TimePlace>([
  [/^query:(?<name>\w+)$/, ({ name = '' }) => ({ in: 'query', name })],
  [/^query:(?<name>\w+):(?<usual>\d+)$/, ({ name = '', usual }) => ({ in: 'query', name, usual: Number(usual) })],
  [/^time:query:(?<name>\w+)(?<bound>!?)$/, ({ name = '', bound }) => ({ in: 'time', name, isBound: bound === '!' })],
  [/^path:(?<name>\w+)$/, ({ name = '' }) => ({ in: 'path', name })],
  [/^file:path:(?<name>\w+)$/, ({ name = '' }) => ({ in: 'file', name })],
  [/^hour:path$/, () => ({ in: 'hour' })],
  [/^utc-hour:path$/, () => ({ in: 'utc-hour' })],
  [/^id$/, () => ({ in: 'id' })],
  [/^answer$/, () => ({ in: 'answer' })],
  [/^own-route$/, () => ({ in: 'own-route' })],
  [/^own-data$/, () => ({ in: 'own-data' })],
  [/^own-data:(?<list>\w+)$/, (groups) => withList({ in: 'own-data' }, groups)],
]);

/** The place as the route table writes it. */
export const writtenTimePlace = (place: TimePlace): string => {
  if (place.in === 'path') return `path:${place.name}`;
  return place.in === 'file' ? `file:path:${place.name}` : `${place.in}:path`;
};

export const parsePrefixPlace = reader<PrefixPlace>([
  [/^always$/, () => ({ when: 'always' })],
  [/^recent:id$/, () => ({ when: 'recent-id' })],
  [/^recent:path:(?<name>\w+)$/, ({ name = '' }) => ({ when: 'recent-path', name })],
  [
    /^recent:body:(?:(?<list>\w+)\[\]\.)?(?<name>\w+)$/,
    (place) => ({ when: 'recent-body', place: toBodyPlace(place) }),
  ],
  [
    /^header:(?<name>[a-z][a-z-]*)(?:@(?<since>\d+\.\d+))?$/,
    ({ name = '', since }) => ({ when: 'header', name, ...(since !== undefined && { since }) }),
  ],
  [/^body:(?<field>\w+)=(?<value>\w+)$/, ({ field = '', value = '' }) => ({ when: 'value', field, value })],
]);
