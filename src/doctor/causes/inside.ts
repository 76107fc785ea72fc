/** Causes in what stands beside or behind Postern: the NVR, its ports, the store, the disk, and how accounts are protected. */
import type { Level } from '../cause.ts';
import type { InsideSeen, ProviderFaultSeen } from '../observations.ts';

export interface InsideCause {
  readonly name: string;
  readonly level: Level;
  /** A sentence for each thing that was seen. */
  readonly signs: (inside: InsideSeen) => readonly string[];
  readonly advice: string;
}

/** A sentence for each provider with that fault. */
const ofProviders =
  (kind: ProviderFaultSeen['kind'], sentence: (provider: string, why: string) => string) =>
  ({ providerFaults }: InsideSeen): readonly string[] =>
    providerFaults.filter((fault) => fault.kind === kind).map(({ provider, why }) => sentence(provider, why));

const LEAST_FREE_BYTES = 500_000_000;

export const INSIDE_CAUSES: readonly InsideCause[] = [
  {
    name: 'nvr-port-open',
    level: 'error',
    signs: ({ openPorts }) =>
      openPorts
        .filter(({ ask }) => ask === undefined)
        .map(({ port, what }) => `port ${port} is open at the public address: ${what}`),
    advice: 'Publish no port of the NVR: remove it from "ports:" of its container, or close it in the firewall.',
  },
  {
    name: 'webrtc-port-open',
    level: 'warning',
    signs: ({ openPorts }) =>
      openPorts
        .filter(({ ask }) => ask === 'webrtc')
        .map(({ port, what }) => `port ${port} accepts connections at the public address: ${what}`),
    advice: 'Only talking to a camera needs it. Otherwise take it out of "ports:" of its container.',
  },
  {
    name: 'nvr-port-exposed',
    level: 'error',
    signs: ({ exposed }) => exposed.map(exposedSentence),
    advice: 'Publish no port of the NVR: take it out of "ports:" of its container, or let it listen on 127.0.0.1 only.',
  },
  {
    name: 'nvr-unreachable',
    level: 'error',
    signs: ({ nvrFault }) => (typeof nvrFault === 'string' ? [`the NVR does not answer: ${nvrFault}`] : []),
    advice: 'Check that the NVR runs, that nvr.url is right, and that both are on one network.',
  },
  {
    name: 'store-unreachable',
    level: 'error',
    signs: ({ storeFault }) => (typeof storeFault === 'string' ? [`the store does not answer: ${storeFault}`] : []),
    advice: 'Check store.url and the disk or server behind it: without the store no login works.',
  },
  {
    name: 'no-cameras',
    level: 'warning',
    signs: ({ cameras, nvrFault }) =>
      cameras === 0 && nvrFault === null ? ['the NVR has no cameras, so custom roles see nothing'] : [],
    advice: 'Add cameras to the NVR, or name them in nvr.cameras.',
  },
  {
    name: 'camera-names-alike',
    level: 'warning',
    signs: ({ camerasAlike }) =>
      camerasAlike.length > 0 ? [`the name of a camera is the beginning of another one: ${listed(camerasAlike)}`] : [],
    advice:
      'Rename one of each pair in the NVR. It finds preview frames by the beginning of a name, so a role that sees the first camera alone gets no picture of it while it is offline, and no export of its current hour.',
  },
  {
    name: 'disk-full',
    level: 'warning',
    signs: ({ freeBytes }) =>
      freeBytes !== undefined && freeBytes < LEAST_FREE_BYTES
        ? [`${Math.round(freeBytes / 1e6)} MB are free on the disk of the store: logins fail when it is full`]
        : [],
    advice: 'Make room.',
  },
  {
    name: 'nvr-newer',
    level: 'warning',
    signs: ({ nvrVersion, policyNvrVersion }) =>
      compareReleases(nvrVersion, policyNvrVersion) > 0
        ? [
            `the NVR is ${nvrVersion}, and the route table was made for ${policyNvrVersion}: new paths are for admins only`,
          ]
        : [],
    advice: 'Update Postern. Until then see "Unknown routes" on the status page for what is refused.',
  },
  {
    name: 'nvr-older',
    level: 'advice',
    signs: ({ nvrVersion, policyNvrVersion, customRolesSince }) =>
      compareReleases(nvrVersion, policyNvrVersion) < 0
        ? [
            `the NVR is ${nvrVersion}, and the route table was made for ${policyNvrVersion}: a custom role may get less than it could${pagesOf(nvrVersion, customRolesSince)}`,
          ]
        : [],
    advice: 'Update the NVR when you can: each of its releases closes ways to foreign cameras.',
  },
  {
    name: 'second-factor-off',
    level: 'advice',
    signs: ({ secondFactor }) =>
      secondFactor === 'off'
        ? ['no second factor is asked for: a guessed or stolen password is enough for a login']
        : [],
    advice: 'Set auth.second_factor to admins, or to everyone.',
  },
  {
    name: 'admins-without-factor',
    level: 'advice',
    signs: ({ secondFactor, admins }) =>
      secondFactor === 'optional' && admins !== undefined && admins.withoutFactor > 0
        ? [`${adminsWithout(admins)} no second factor: a stolen password is enough to get in`]
        : [],
    advice: 'Let each admin set up a second factor in the console, then set auth.second_factor to admins.',
  },
  {
    name: 'provider-unreachable',
    level: 'error',
    signs: ofProviders('away', (name, why) => `the provider ${name} does not answer: ${why}`),
    advice: 'Check "issuer" of its entry in auth.oidc, the name server, and "ca" for an authority of your own.',
  },
  {
    name: 'provider-unfit',
    level: 'error',
    signs: ofProviders('unfit', (name, why) => `the discovery document of the provider ${name} cannot be used: ${why}`),
    advice:
      'Compare "issuer" with the document at <issuer>/.well-known/openid-configuration: both must name the same issuer, to the slash at the end.',
  },
  {
    name: 'provider-keys',
    level: 'error',
    signs: ofProviders('keys', (name, why) => `the provider ${name} shows no keys: ${why}`),
    advice: 'Choose a signing key for this client at the provider (RS256, PS256, ES256 or EdDSA).',
  },
  {
    name: 'provider-clock-differs',
    level: 'error',
    signs: ofProviders('clock', (name, why) => `the clock of the provider ${name} is ${why}: its tokens do not hold`),
    advice: 'Set the clocks by NTP.',
  },
  {
    name: 'provider-refuses-client',
    level: 'error',
    signs: ofProviders('client', (name, why) => `the provider ${name} begins no login for this client: ${why}`),
    advice:
      'Compare client_id and scopes, and enter the redirect URI there: server.public_url, then /api/login/oidc/NAME/callback.',
  },
  {
    name: 'passkeys-idle',
    level: 'warning',
    signs: ({ idlePasskeys }) =>
      idlePasskeys ? [`${idlePasskeys.users} users have passkeys that cannot be used. ${idlePasskeys.why}`] : [],
    advice: 'Set server.public_url to the address that the passkeys were made for: another host name voids them.',
  },
];

const MOST_LISTED = 5;
const listed = (texts: readonly string[]): string =>
  texts.length > MOST_LISTED
    ? `${texts.slice(0, MOST_LISTED).join(', ')} and ${texts.length - MOST_LISTED} more`
    : texts.join(', ');

/** The sentence about an open port, for the log, the status page and doctor alike. */
export const exposedSentence = ({ address, port, what }: InsideSeen['exposed'][number]): string =>
  `port ${port} answers at ${address}, where other machines reach it unless a firewall is between: ${what}`;

const pagesOf = (nvrVersion: string | undefined, since: string | undefined): string =>
  compareReleases(nvrVersion, since) < 0
    ? `. Before ${since} its pages know the roles admin and viewer only, so they are told that such a user is a viewer; the cameras stay those of the role`
    : '';

const RELEASE = /^(?<major>\d+)\.(?<minor>\d+)/;

/** Compares major and minor number; 0 when one of the two is not known. */
export function compareReleases(one: string | undefined, other: string | undefined): number {
  const [left, right] = [one, other].map((text) => RELEASE.exec(text ?? '')?.groups);
  if (!left || !right) return 0;
  const major = Number(left['major']) - Number(right['major']);
  return major === 0 ? Number(left['minor']) - Number(right['minor']) : major;
}

const adminsWithout = ({ all, withoutFactor }: { readonly all: number; readonly withoutFactor: number }): string =>
  all === 1 ? 'the only admin has' : `${withoutFactor} of ${all} admins have`;
