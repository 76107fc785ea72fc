/**
 * What each kind of credential may do and how it is named: one row a kind. A trait that a row does not have is the most
 * careful one, so a new kind may do nothing until its row says so. Pure: what asks a store stands in the layer that owns it.
 */
import { decidedByObject } from './bounded.ts';
import type { Caller, Credential, SharedThing } from './caller.ts';
import { ADMIN } from './names.ts';
import type { RefusalReason } from './refusal.ts';

export type CredentialKind = Credential['kind'];
/** The label `mode` of the metrics. */
export const CREDENTIAL_MODES = ['session', 'bearer', 'apikey', 'link', 'screen', 'proxy', 'network'] as const;
export type CredentialMode = (typeof CREDENTIAL_MODES)[number];

interface Traits<Kind extends Credential = Credential> {
  /** Names it in logs and records, and holds no secret: ids are shown in the lists of what they name. */
  readonly name: (credential: Kind) => string;
  /** Absent: it does not come by a listener, and is not counted. */
  readonly mode?: CredentialMode | ((credential: Kind) => CredentialMode);
  /** An identity source may give it. Absent: a caller with it is refused at the gate. */
  readonly isFromRequest?: true;
  /** Whether a browser adds it by itself, so that CSRF is looked for. Absent: it does. */
  readonly isAutomatic?: (credential: Kind) => boolean;
  /** Where the secret of the proxy is not asked for. Absent: it is asked for everywhere, because the proxy vouches for the credential. */
  readonly withoutProxySecret?: 'everywhere' | 'on-public-routes';
  /** The caller counts on public routes. Absent: it is a stranger there, who logs no account out. */
  readonly isKnownOnPublicRoutes?: true;
  /** All rows of the route table. Absent: the rows that show live pictures. */
  readonly usesAllRows?: true;
  /** Why other rows are refused then. */
  readonly otherRows?: RefusalReason;
  /** The one thing that it shows: no other path of the NVR is for it. */
  readonly thing?: (credential: Kind) => SharedThing;
  /** Refusals name their cause and cameras; or a visitor gets this reason in place of each 401 and 403: there is nothing (any more). */
  readonly refusedAs: 'cause' | RefusalReason;
  /** How its maker calls it: records keep the name when it is gone. Absent: it has no name. */
  readonly givenName?: (credential: Kind) => string | undefined;
  /** Its owner uses it. Absent: it is lent to viewers. Cameras are taken from them even if the owner is an admin, and they have a part of the owner's share. */
  readonly isUsedByOwner?: true;
  /** A person sits before it: reads its own records, and is named on pages of errors. */
  readonly isPerson?: true;
  /** May look at responses as another person gets them, if an administrator. */
  readonly mayViewAs?: true;
  /** May use the routes for users, roles, tokens and sessions. */
  readonly managesAccounts?: (credential: Kind) => boolean;
  /** Whether the person has just proven who it is. Absent: never. `now`: Unix seconds. */
  readonly isProven?: (credential: Kind, now: number) => boolean;
  /** Whose a token or link becomes that is made with it; `command`: of the user whom the command names. Absent: it makes none. */
  readonly madeBy?: 'account' | 'token' | 'proxy' | 'command';
  /** What of the caller ends its open streams beside the credential's name and the caller's. */
  readonly holder?: (credential: Kind, caller: Caller) => string;
  /** Its rights cannot end: no stream of it is looked at again. */
  readonly isEndless?: true;
}

/** How long a proof lasts, and how far another replica's clock may be ahead. */
const PROOF_SECONDS = 600;
const CLOCK_SKEW_SECONDS = 60;

const always = (): true => true;
const never = (): false => false;

export const CREDENTIALS: {
  readonly [Kind in CredentialKind]: Traits<Extract<Credential, { readonly kind: Kind }>>;
} = {
  session: {
    name: ({ tokenId }) => `session:${tokenId}`,
    mode: ({ carriedBy }) => (carriedBy === 'cookie' ? 'session' : 'bearer'),
    isFromRequest: true,
    isAutomatic: ({ carriedBy }) => carriedBy === 'cookie',
    withoutProxySecret: 'on-public-routes',
    isKnownOnPublicRoutes: true,
    usesAllRows: true,
    refusedAs: 'cause',
    isUsedByOwner: true,
    isPerson: true,
    mayViewAs: true,
    managesAccounts: always,
    isProven: ({ provenAt = Number.NEGATIVE_INFINITY }, now) =>
      now - provenAt < PROOF_SECONDS && provenAt - now <= CLOCK_SKEW_SECONDS,
    madeBy: 'account',
  },
  'api-token': {
    name: ({ tokenId }) => `token:${tokenId}`,
    mode: 'apikey',
    isFromRequest: true,
    // A browser that knows a Basic password adds it by itself, as it does a cookie.
    isAutomatic: ({ carriedBy }) => carriedBy === 'basic' || carriedBy === 'cookie',
    withoutProxySecret: 'everywhere',
    isKnownOnPublicRoutes: true,
    usesAllRows: true,
    refusedAs: 'cause',
    isUsedByOwner: true,
    // Any other token that leaks could make accounts and passwords that outlive its revocation.
    managesAccounts: ({ managesAccounts }) => managesAccounts === true,
    madeBy: 'token',
    holder: ({ session }) => session?.tokenId ?? '',
  },
  link: {
    name: ({ linkId }) => `link:${linkId}`,
    mode: 'link',
    isFromRequest: true,
    isAutomatic: never,
    withoutProxySecret: 'everywhere',
    isKnownOnPublicRoutes: true,
    // Its own step of the authorization comes first.
    usesAllRows: true,
    thing: ({ thing }) => thing,
    refusedAs: 'link-over',
    givenName: ({ linkName }) => linkName,
  },
  screen: {
    name: ({ screenId }) => `screen:${screenId}`,
    mode: 'screen',
    isFromRequest: true,
    withoutProxySecret: 'on-public-routes',
    otherRows: 'screen-not-allowed',
    refusedAs: 'cause',
    givenName: ({ screenName }) => screenName,
  },
  'proxy-headers': {
    name: () => 'proxy',
    mode: 'proxy',
    isFromRequest: true,
    isKnownOnPublicRoutes: true,
    usesAllRows: true,
    refusedAs: 'cause',
    isUsedByOwner: true,
    isPerson: true,
    managesAccounts: always,
    // A proxy's user has no password here that could be asked for.
    isProven: always,
    madeBy: 'proxy',
    // No person's newer token keeps alive what was begun with an older one.
    holder: ({ expiresAt }, { role, roles = [role] }) => `${expiresAt ?? ''} ${roles.join(',')}`,
  },
  'internal-listener': {
    name: () => 'internal',
    mode: 'network',
    isFromRequest: true,
    isKnownOnPublicRoutes: true,
    usesAllRows: true,
    refusedAs: 'cause',
    isUsedByOwner: true,
    managesAccounts: always,
    // It knows no persons: none can be asked.
    isProven: always,
    isEndless: true,
  },
  'view-as': {
    name: ({ by }) => credentialName(by.credential),
    mode: 'session',
    isFromRequest: true,
    isAutomatic: ({ by }) => isAutomatic(by),
    isKnownOnPublicRoutes: true,
    usesAllRows: true,
    refusedAs: 'cause',
    isUsedByOwner: true,
    holder: ({ by }) => holderId(by) ?? '',
  },
  'command-line': {
    name: () => 'command-line',
    usesAllRows: true,
    refusedAs: 'cause',
    isUsedByOwner: true,
    managesAccounts: always,
    // Who can run the command can read the store.
    isProven: always,
    madeBy: 'command',
    isEndless: true,
  },
};

export const traitsFor = ({ kind }: Pick<Credential, 'kind'>): Traits => CREDENTIALS[kind] as Traits;

export const credentialName = (credential: Credential): string => traitsFor(credential).name(credential);

/** How records name what a provider of sign-ins has shown. */
export const providerName = (provider: string): string => `oidc:${provider}`;

/** The provider that a session began with, as records and `explain` name it. Undefined for every other credential. */
export const credentialProvider = (credential: Credential): string | undefined =>
  credential.kind === 'session' && credential.provider !== undefined ? providerName(credential.provider) : undefined;

/** The label `mode` of the metrics. */
export function credentialMode(caller: Caller | undefined): CredentialMode | 'none' {
  if (!caller) return 'none';
  const { mode = 'none' } = traitsFor(caller.credential);
  return typeof mode === 'string' ? mode : mode(caller.credential);
}

/** What the caller is shown, and nothing else. */
export const shownThing = ({ credential }: Caller): SharedThing | undefined =>
  traitsFor(credential).thing?.(credential);

/** Who sent the request: the admin, where one looks at what another person sees. */
export const actualSender = (caller: Caller): Caller =>
  caller.credential.kind === 'view-as' ? caller.credential.by : caller;

/** Browsers add cookies, Basic and a proxy's own session by themselves; a bearer token they do not. The internal listener asks for none. */
export const isAutomatic = ({ credential }: Caller): boolean => traitsFor(credential).isAutomatic?.(credential) ?? true;

/** Whether the caller may use the routes for users, roles, tokens and sessions at all: a person, or an API token that was made for it. */
export const mayManageAccounts = ({ credential }: Caller): boolean =>
  traitsFor(credential).managesAccounts?.(credential) ?? false;

/** Whether the caller has just shown to be the person, as dangerous acts ask for (SPEC 12). */
export const hasFreshProof = ({ credential }: Caller, now: number): boolean =>
  traitsFor(credential).isProven?.(credential, now) ?? false;

/** A stranger who was shown one thing: let in anew by each request, and told of nothing else. */
export const isVisitor = ({ credential }: Caller): boolean => traitsFor(credential).refusedAs !== 'cause';

/** Whether a credential that records name so is lent to viewers: what it shows says nothing of the person. Former versions named the kind alone. */
export function isLentName(name: string): boolean {
  const [kind = ''] = name.split(':', 1);
  return Object.hasOwn(CREDENTIALS, kind) && !CREDENTIALS[kind as CredentialKind].isUsedByOwner;
}

/** The holder of an open stream: streams of one holder end together. Undefined for a caller whose rights cannot end. Many requests share one caller object. */
export const holderId = decidedByObject((caller: Caller): string | undefined => {
  const { credential, name } = caller;
  const traits = traitsFor(credential);
  if (traits.isEndless) return undefined;
  return [credential.kind, traits.name(credential), traits.holder?.(credential, caller), name].join(' ');
});

/**
 * Unix seconds: when the caller's session or token is over, or the clock changes its rights. Plain headers of a proxy and
 * the internal listener name no end.
 */
export function callerEnd({ credential, changesAt = Number.POSITIVE_INFINITY }: Caller): number {
  if (credential.kind === 'view-as') return Math.min(callerEnd(credential.by), changesAt);
  return Math.min(
    ('expiresAt' in credential ? credential.expiresAt : undefined) ?? Number.POSITIVE_INFINITY,
    changesAt,
  );
}

/** The administrator at the command line of the service's machine. No request brings this caller. */
export const COMMAND_LINE_CALLER: Caller = {
  name: ':command-line' as Caller['name'],
  role: ADMIN,
  scope: { kind: 'all' },
  credential: { kind: 'command-line' },
};
