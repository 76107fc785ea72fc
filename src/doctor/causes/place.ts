/** Causes in the certificate, the clock, and the build that answers at the address. */
import { type Cause, headerOf, when } from '../cause.ts';

const DAY = 86_400;
const SOON_DAYS = 14;
const MOST_SKEW_SECONDS = 60;

const NAME_FAULT = /ALTNAME|altnames|does not match/i;
const END_FAULT = /expired/i;

const day = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

export const PLACE_CAUSES: readonly Cause[] = [
  {
    name: 'certificate-ended',
    level: 'error',
    sign: ({ tls, now }) =>
      when(tls !== undefined && tls.endsAt <= now, `the certificate ended on ${day(tls?.endsAt ?? 0)}`),
    advice: 'Renew it, and find out why the automatic renewal failed.',
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
    advice: 'Renew it, and find out why the automatic renewal failed.',
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
      'Get a certificate of a public authority, or install your own authority on the devices. If the chain is incomplete, give the proxy the full chain: fullchain.pem, not cert.pem.',
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
        'the address is not encrypted: anyone on the network path can read passwords and pictures',
      ),
    advice: 'Serve the address by https.',
    lines: {},
  },
  {
    name: 'http-2-missing',
    level: 'advice',
    sign: ({ tls, seen }) =>
      when(
        seen !== undefined && tls?.offersHttp2 === false,
        'the address offers no HTTP/2: a browser opens six connections at most, so pages with many pictures load slowly',
      ),
    advice: 'Let the proxy offer HTTP/2 to browsers. To Postern it may speak HTTP/1.1.',
    lines: {
      nginx: ['http2 on;    # before nginx 1.25.1: listen 443 ssl http2;'],
      npm: ['HTTP/2 Support: on    # in the tab SSL'],
      haproxy: ['bind :443 ssl crt /etc/haproxy/tls/nvr.pem alpn h2,http/1.1'],
      caddy: ['# remove from the option protocols: h1 alone'],
      apache: ['Protocols h2 http/1.1    # a2enmod http2'],
      traefik: ['# tls.options: remove alpnProtocols: [http/1.1]'],
      cloudflare: ['Speed > Settings > HTTP/2: on'],
    },
  },
  {
    name: 'other-version',
    level: 'warning',
    sign: ({ seen, own }) =>
      when(
        seen !== undefined && seen.build.version !== own.version,
        `Postern ${seen?.build.version} answers there, and this program is ${own.version}`,
      ),
    advice: 'Restart the service after an update, and check that the address leads to this machine.',
    lines: {},
  },
  {
    name: 'policy-not-in-force',
    level: 'warning',
    sign: ({ seen, own }) =>
      when(
        seen !== undefined && seen.build.version === own.version && seen.build.policy !== own.policy,
        'the Postern that answers there judges by another route table than the one that nvr.policy names here',
      ),
    advice:
      'Look in the log for a reload that was refused, and restart; with several Posterns give each the same files.',
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
