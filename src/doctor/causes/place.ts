/** Causes in the certificate, the clock, and what stands beside or behind Postern. */
import { type Cause, headerOf, when } from '../cause.ts';
import type { InsideSeen } from '../observations.ts';

const DAY = 86_400;
const SOON_DAYS = 14;
const MOST_SKEW_SECONDS = 60;
const LEAST_FREE_BYTES = 500_000_000;

const NAME_FAULT = /ALTNAME|altnames|does not match/i;
const END_FAULT = /expired/i;

const day = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

export const PLACE_CAUSES: readonly Cause[] = [
  {
    name: 'certificate-ended',
    level: 'error',
    sign: ({ tls, now }) =>
      when(tls !== undefined && tls.endsAt <= now, `the certificate ended on ${day(tls?.endsAt ?? 0)}`),
    advice: 'Renew it, and look why that did not happen by itself.',
    lines: {},
  },
  {
    name: 'certificate-ends-soon',
    level: 'warning',
    sign: ({ tls, now }) =>
      when(
        tls !== undefined && tls.endsAt > now && tls.endsAt - now < SOON_DAYS * DAY,
        `the certificate ends on ${day(tls?.endsAt ?? 0)}`,
      ),
    advice: 'Renew it, and look why that did not happen by itself.',
    lines: {},
  },
  {
    name: 'certificate-name',
    level: 'error',
    sign: ({ tls, url }) =>
      when(NAME_FAULT.test(tls?.fault ?? ''), `the certificate is for another name than ${url.host}`),
    advice: 'Use an address that the certificate names, or get one for this name.',
    lines: {},
  },
  {
    name: 'certificate-untrusted',
    level: 'warning',
    sign: ({ tls, now }) =>
      when(
        tls?.fault !== undefined && !NAME_FAULT.test(tls.fault) && !END_FAULT.test(tls.fault) && tls.endsAt > now,
        `browsers do not trust the certificate (${tls?.fault}): they warn, and Home Assistant refuses unless its check is off`,
      ),
    advice:
      'Get a certificate of a public authority, or install the own one on the devices. With a chain that is cut, give the proxy the full chain: fullchain.pem, not cert.pem.',
    lines: {
      nginx: ['ssl_certificate /etc/nginx/tls/fullchain.pem;'],
      haproxy: ['bind :443 ssl crt /etc/haproxy/tls/nvr.pem    # chain and key in one file'],
      apache: ['SSLCertificateFile /etc/apache2/tls/fullchain.pem'],
    },
  },
  {
    name: 'not-encrypted',
    level: 'warning',
    sign: ({ url, seen }) =>
      when(
        url.protocol === 'http:' && seen !== undefined && !/^(?:localhost|127\.|\[::1\])/.test(url.host),
        'the address is not encrypted: everybody on the way can read passwords and pictures',
      ),
    advice: 'Serve it by https.',
    lines: {},
  },
  {
    name: 'clock-differs',
    level: 'error',
    sign: ({ seen, now }) => {
      const skew = seen === undefined ? 0 : seen.time - now;
      return when(
        Math.abs(skew) > MOST_SKEW_SECONDS,
        `the clock of Postern is ${Math.round(Math.abs(skew))} s ${skew > 0 ? 'ahead of' : 'behind'} the clock here: sessions end too early, or too late`,
      );
    },
    advice: 'Set the clocks by NTP.',
    lines: {},
  },
  {
    name: 'proxy-clock-differs',
    level: 'warning',
    sign: ({ reach, now, seen }) => {
      const told = Date.parse(headerOf(reach, 'date') ?? '') / 1000;
      return when(
        seen !== undefined && Math.abs(told - now) > MOST_SKEW_SECONDS,
        'the clock of the proxy is wrong by more than a minute',
      );
    },
    advice: 'Set the clocks by NTP.',
    lines: {},
  },
];

export interface InsideCause {
  readonly name: string;
  readonly level: 'error' | 'warning';
  readonly signs: (inside: InsideSeen) => readonly string[];
  readonly advice: string;
}

export const INSIDE_CAUSES: readonly InsideCause[] = [
  {
    name: 'nvr-port-open',
    level: 'error',
    signs: ({ openPorts }) => openPorts.map(({ port, what }) => `port ${port} is open at the public address: ${what}`),
    advice: 'Publish no port of the NVR: take it out of "ports:" of its container, or close it in the firewall.',
  },
  {
    name: 'nvr-unreachable',
    level: 'error',
    signs: ({ nvrFault }) => (typeof nvrFault === 'string' ? [`the NVR does not answer: ${nvrFault}`] : []),
    advice: 'Check that it runs, nvr.url, and that both are on one network.',
  },
  {
    name: 'no-cameras',
    level: 'warning',
    signs: ({ cameras, nvrFault }) =>
      cameras === 0 && nvrFault === null ? ['the NVR has no cameras, so custom roles see nothing'] : [],
    advice: 'Add cameras to the NVR, or name them in nvr.cameras.',
  },
  {
    name: 'disk-full',
    level: 'warning',
    signs: ({ freeBytes }) =>
      freeBytes !== undefined && freeBytes < LEAST_FREE_BYTES
        ? [`${Math.round(freeBytes / 1e6)} MB are free where the store is: logins fail when it is full`]
        : [],
    advice: 'Make room.',
  },
];
