/** What a message catalog is to the code: its keys as nested objects, and a function of its placeholders where a message has some. */
type Examples = typeof import('./placeholders/en.json');
/** What a placeholder is given: a text may be a number that is written already. */
type Given<Message> = {
  readonly [Name in keyof Message]: Message[Name] extends string ? string | number : Message[Name];
};

type Key = keyof typeof import('./en.json') & string;

/** Texts of the pages that the server writes itself: the console does not load them. */
export type ServedKey = `login.${string}` | `refusals.${string}` | `${string}.page.${string}`;
export const isServed = (key: string): boolean => /^(?:login|refusals)\.|\.page\./.test(key);
/** What the server says beside them: the console has it, too. */
const ON_SERVER = [
  'problems.',
  'explore.labels.',
  'links.titles.',
  'passwords.rules.',
  'passkeys.problems.',
  'ui.common.',
  'ui.menu.',
] as const;
type ServerKey = ServedKey | `${(typeof ON_SERVER)[number]}${string}`;
export const isOnServer = (key: string): boolean => isServed(key) || ON_SERVER.some((group) => key.startsWith(group));

type Message<K> = K extends keyof Examples ? (values: Given<Examples[K]>) => string : string;
type Head<K> = K extends `${infer First}.${string}` ? First : K;
type Rest<K, First> = First extends string ? (K extends `${First}.${infer Behind}` ? Behind : never) : never;

type Nested<K extends string, Before extends string = ''> = {
  readonly [First in Head<K> & string]: `${Before}${First}` extends Key
    ? Message<`${Before}${First}`>
    : Nested<Rest<K, First>, `${Before}${First}.`>;
};

/** All messages of a language. What it lacks is English. */
export type Texts = Nested<Key>;
export type ConsoleTexts = Nested<Exclude<Key, ServedKey>>;
export type ServerTexts = Nested<Extract<Key, ServerKey>>;

/** What was done, by the names of audited acts. */
export type ActTexts = Texts['ledger']['sentences']['acts'];

/** What refusals mean, by their reasons. The console loads them when it meets a refusal. */
export type ProblemTexts = Texts['problems'];
/** A reason, with the values of its text where that has some. */
export type Told = {
  [Reason in keyof ProblemTexts]: ProblemTexts[Reason] extends string
    ? Reason
    : readonly [Reason, Values<ProblemTexts[Reason]>];
}[keyof ProblemTexts];

/** Messages as text, with `{name}` for each placeholder: for a script that fills them in itself. */
export type Templates<Group> = { readonly [Name in keyof Group]: string };

type Values<Text> = Text extends (values: infer Named) => string ? Named : unknown;

/** The text of a message that is looked up by a name which comes from elsewhere, and so may have no placeholders. */
export const said = <Text extends string | ((values: never) => string)>(text: Text, values: Values<Text>): string =>
  typeof text === 'string' ? text : text(values as never);

/** The label of a detector as people call it; one that is not known is shown as the NVR names it. */
export const labelIn = (labels: Texts['explore']['labels'], label: string): string =>
  Object.hasOwn(labels, label) ? labels[label as keyof typeof labels] : label.replaceAll('_', ' ');
