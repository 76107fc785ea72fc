/** Causes in what stands beside or behind Postern: the NVR, its ports, the store, the disk, and how accounts are protected. */
import { compareReleases } from '../../domain/policy.ts';
import { advice, type Cause, error, warning } from './cause.ts';
import type { InsideSeen } from './observations.ts';

const LEAST_FREE_BYTES = 500_000_000;

export const INSIDE_CAUSES: readonly Cause<InsideSeen>[] = [
  {
    name: 'nvr-port-open',
    signs: ({ openPorts, exposed }) => [
      ...openPorts.map(({ port, what, ask }) =>
        (ask === 'webrtc' ? warning : error)(true, `port ${port} is open at the public address: ${what}`),
      ),
      ...exposed.map((port) => error(true, exposedSentence(port))),
    ],
    advice:
      'Publish no port of the NVR: take it out of "ports:" of its container, let it listen on 127.0.0.1 only, or close it in the firewall. WebRTC needs its port only for talking to a camera.',
  },
  {
    name: 'nvr',
    signs: ({ nvrFault, cameras }) => [
      error(typeof nvrFault === 'string', `the NVR does not answer: ${nvrFault}`),
      warning(cameras === 0, 'the NVR has no cameras, so custom roles see nothing'),
    ],
    advice:
      'Check that the NVR runs, that nvr.url is right, and that both are on one network. Without cameras of its own, name them in nvr.cameras.',
  },
  {
    name: 'nvr-version',
    signs: ({ nvrVersion, policyNvrVersion }) => {
      const [order, sentence] = [
        compareReleases(nvrVersion, policyNvrVersion),
        `the NVR is ${nvrVersion}, and the route table was made for ${policyNvrVersion}`,
      ];
      return [
        warning(order > 0, `${sentence}: new paths are for admins only`),
        advice(order < 0, `${sentence}: a custom role may get less than it could`),
      ];
    },
    advice:
      'Update the older one of the two. Until then see "Unknown routes" on the status page for what a new release is refused.',
  },
  {
    name: 'store',
    signs: ({ storeFault, freeBytes = Number.POSITIVE_INFINITY }) => [
      error(typeof storeFault === 'string', `the store does not answer: ${storeFault}`),
      warning(
        freeBytes < LEAST_FREE_BYTES,
        `${Math.round(freeBytes / 1e6)} MB are free on the disk of the store: logins fail when it is full`,
      ),
    ],
    advice: 'Check store.url and the disk or server behind it: without the store no login works.',
  },
  {
    name: 'second-factor',
    signs: ({ secondFactor, admins }) => [
      advice(
        secondFactor === 'off',
        'no second factor is asked for: a guessed or stolen password is enough for a login',
      ),
      advice(
        secondFactor === 'optional' && admins !== undefined && admins.withoutFactor > 0,
        `${admins?.withoutFactor} of ${admins?.all} admins have no second factor: a stolen password is enough to get in`,
      ),
    ],
    advice:
      'Let each admin set up a second factor in the console, then set auth.second_factor to admins, or to everyone.',
  },
  {
    name: 'sign-in-provider',
    signs: ({ providerFaults }) => providerFaults.map((sentence) => error(true, sentence)),
    advice:
      'Compare its entry in auth.oidc with the provider: issuer (as in <issuer>/.well-known/openid-configuration, to the slash at the end), ca, client_id, scopes, and there the redirect URI (server.public_url, then /api/login/oidc/NAME/callback) and a signing key (RS256, PS256, ES256 or EdDSA). Set the clocks by NTP.',
  },
];

/** The sentence about an open port, for the log, the status page and doctor alike. */
export const exposedSentence = ({ address, port, what }: InsideSeen['exposed'][number]): string =>
  `port ${port} answers at ${address}, where other machines reach it unless a firewall is between: ${what}`;
