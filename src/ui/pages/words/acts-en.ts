/** What was done, in sentences of the page Activity, in English: one for each kind of record (SPEC 14). */

/** What a sentence may name. Texts that are not known are empty. */
export interface ActNames {
  /** Whose account it was done to. */
  readonly user: string;
  readonly camera: string;
  readonly role: string;
  /** An API token or a link by its name. */
  readonly thing: string;
  /** A sign-in provider. */
  readonly provider: string;
  /** The method and path of a request. */
  readonly request: string;
  /** The number of records of a deletion. */
  readonly records: string;
}

type Sentence = (names: ActNames) => string;

const of = (name: string): string => (name === '' ? '' : ` of ${name}`);
const called = (what: string, { thing }: ActNames): string => (thing === '' ? what : `${what} “${thing}”`);

/** `done` when it was allowed; `refused` when it was not. */
const ACTS = {
  access: { done: ({ request }) => `Request ${request}`, refused: ({ request }) => `Not allowed: ${request}` },
  login: { done: () => 'Logged in', refused: () => 'Login failed' },
  logout: { done: () => 'Logged out', refused: () => 'Logout refused' },
  reauthenticated: { done: () => 'Confirmed their identity', refused: () => 'Confirmation failed' },
  'second-factor-added': {
    done: ({ user }) => `Two-step login${of(user)} set up`,
    refused: ({ user }) => `Not allowed: set up two-step login${of(user)}`,
  },
  'second-factor-removed': {
    done: ({ user }) => `Two-step login${of(user)} removed`,
    refused: ({ user }) => `Not allowed: remove two-step login${of(user)}`,
  },
  'recovery-codes-made': {
    done: ({ user }) => `New recovery codes${of(user)} created`,
    refused: ({ user }) => `Not allowed: create recovery codes${of(user)}`,
  },
  'passkey-renamed': {
    done: ({ user }) => `Passkey${of(user)} renamed`,
    refused: ({ user }) => `Not allowed: rename a passkey${of(user)}`,
  },
  'session-ended': {
    done: ({ user }) => `Session${of(user)} ended`,
    refused: ({ user }) => `Not allowed: end a session${of(user)}`,
  },
  'user-created': {
    done: ({ user }) => `User ${user} created`,
    refused: ({ user }) => `Not allowed: create the user ${user}`,
  },
  'user-deleted': {
    done: ({ user }) => `User ${user} deleted`,
    refused: ({ user }) => `Not allowed: delete the user ${user}`,
  },
  'password-changed': {
    done: ({ user }) => `Password${of(user)} changed`,
    refused: ({ user }) => `Not allowed: change the password${of(user)}`,
  },
  'role-changed': {
    done: ({ user }) => `Role${of(user)} changed`,
    refused: ({ user }) => `Not allowed: change the role${of(user)}`,
  },
  'validity-changed': {
    done: ({ user }) => `Validity${of(user)} changed`,
    refused: ({ user }) => `Not allowed: change the validity${of(user)}`,
  },
  'custom-role-changed': {
    done: ({ role }) => `Role ${role} saved`,
    refused: ({ role }) => `Not allowed: save the role ${role}`,
  },
  'custom-role-deleted': {
    done: ({ role }) => `Role ${role} deleted`,
    refused: ({ role }) => `Not allowed: delete the role ${role}`,
  },
  'sign-in-connected': {
    done: ({ user, provider }) => `Sign-in with ${provider} connected${user === '' ? '' : ` for ${user}`}`,
    refused: ({ provider }) => `Sign-in with ${provider} could not be connected`,
  },
  'sign-in-removed': {
    done: ({ user, provider }) => `Sign-in with ${provider} disconnected${user === '' ? '' : ` for ${user}`}`,
    refused: ({ provider }) => `Not allowed: disconnect the sign-in with ${provider}`,
  },
  'invitation-made': {
    done: ({ user }) => `Link for ${user} created, to set a password`,
    refused: ({ user }) => `Not allowed: create a link for ${user}`,
  },
  'invitation-revoked': {
    done: ({ user }) => `Link for ${user} revoked`,
    refused: ({ user }) => `Not allowed: revoke the link for ${user}`,
  },
  'invitation-used': {
    done: ({ user }) => `Link for ${user} used`,
    refused: () => 'A link to set a password was not accepted',
  },
  'token-created': {
    done: (names) => `${called('API token', names)}${of(names.user)} created`,
    refused: ({ user }) => `Not allowed: create an API token${of(user)}`,
  },
  'token-revoked': {
    done: (names) => `${called('API token', names)}${of(names.user)} revoked`,
    refused: (names) => `Not allowed: revoke ${called('API token', names)}`,
  },
  'token-refused': {
    done: (names) => called('API token', names),
    refused: (names) => `${called('API token', names)} was not accepted`,
  },
  'link-created': {
    done: (names) => `${called('Link', names)} created`,
    refused: () => 'Not allowed: create a link',
  },
  'link-revoked': {
    done: (names) => `${called('Link', names)} revoked`,
    refused: (names) => `Not allowed: revoke ${called('Link', names)}`,
  },
  'link-opened': {
    done: (names) => `${called('Link', names)} was opened`,
    refused: (names) => `${called('Link', names)} was not opened`,
  },
  'link-first-opened': {
    done: (names) => `${called('Link', names)} was opened for the first time`,
    refused: (names) => `${called('Link', names)} was not opened`,
  },
  'link-pin': {
    done: (names) => `PIN of ${called('Link', names)} entered`,
    refused: (names) => `Wrong PIN for ${called('Link', names)}`,
  },
  'limit-lifted': {
    done: () => 'Login block lifted',
    refused: () => 'Not allowed: lift a login block',
  },
  'canary-leak': {
    done: ({ camera }) => `The canary was shown ${camera === '' ? 'a foreign camera' : `the foreign camera ${camera}`}`,
    refused: () => 'The canary was refused',
  },
  'viewed-as': {
    done: ({ user }) => `Looked at the pages as ${user}`,
    refused: ({ user }) => `Not allowed: look at the pages as ${user}`,
  },
  'ledger-forgotten': {
    done: ({ records }) => `Old activity deleted${records === '' ? '' : `: ${records} records`}`,
    refused: () => 'Old activity was not deleted',
  },
  'ledger-dropped': {
    done: ({ records }) => `Activity lost: ${records} records could not be written`,
    refused: () => 'Activity lost',
  },
  'new-device': { done: ({ user }) => `Login${of(user)} from a new device`, refused: () => 'Login failed' },
  'new-network': { done: ({ user }) => `Login${of(user)} from a new network`, refused: () => 'Login failed' },
} satisfies Readonly<Record<string, { readonly done: Sentence; readonly refused: Sentence }>>;

const times = (sentence: string, times: number): string => (times > 1 ? `${sentence}, ${times} times` : sentence);

export const ACTS_EN = {
  acts: ACTS,
  times,
  viewings: {
    live: ({ camera }: ActNames) => (camera === '' ? 'Watched live' : `Watched ${camera} live`),
    history: ({ camera }: ActNames) => (camera === '' ? 'Watched recordings' : `Watched recordings of ${camera}`),
    export: ({ camera }: ActNames) => (camera === '' ? 'Exported recordings' : `Exported recordings of ${camera}`),
  },
  /** Kinds of records whose act is of a newer version. */
  others: {
    login: 'Logged in',
    'login-failed': 'Login failed',
    logout: 'Logged out',
    change: 'Something was changed',
    refusal: 'Something was not allowed',
    link: 'A link was used',
    notice: 'Notice',
  },
  loginBy: { passkey: 'Logged in with a passkey', provider: (name: string) => `Logged in with ${name}` },
  failures: {
    'bad-credentials': 'Wrong password',
    'bad-code': 'Wrong code',
    'second-factor-asked': 'Right password; the code was asked for',
    'rate-limited': 'Login blocked after too many attempts',
    busy: 'Login refused: the server was busy',
    'password-off': 'Login by password is off',
    'account-ended': 'Login refused: the account has expired',
    'account-not-begun': 'Login refused: the account has not begun',
    'role-missing': 'Login refused: the account has no role',
    'outside-hours': 'Login refused outside the hours of the role',
    'passkey-unknown': 'Unknown passkey',
    'passkey-cloned': 'Passkey refused: it seems to be a copy',
    'passkey-challenge-over': 'Login with a passkey took too long',
    'bad-token': 'Wrong API token as the password',
    'token-of-another': 'API token of another user as the password',
    'token-not-for-login': 'API token that is not made for the login',
    'sign-in-away': 'Login failed: the provider did not answer',
    'sign-in-declined': 'Login refused by the provider',
    'sign-in-unfit': "Login failed: the provider's answer proved nothing",
    'sign-in-no-role': 'Login refused: no group of the person has a role',
    'sign-in-not-connected': 'Login refused: no account is connected',
    'sign-in-name-taken': 'Login refused: the user name is taken',
  },
  /** Labels of what stands under "Details"; what has none here is shown nowhere. */
  fields: {
    role: 'Role',
    provider: 'Sign-in provider',
    limited: 'Was blocked',
    names: 'Names tried',
    route: 'Route',
    agent: 'Browser',
    day: 'Up to',
  },
};

export type ActWords = typeof ACTS_EN;
