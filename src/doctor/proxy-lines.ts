/** Lines for proxies that are set up elsewhere than in a file of their own, Traefik and Cloudflare, and the gaps of the others. */
import type { Lines } from './cause.ts';

/** What a proxy does to requests by a middleware of Traefik's. */
const request = (...headers: readonly string[]): readonly string[] =>
  headers.map((name) => `# middlewares, headers: remove from customRequestHeaders: ${name}`);
const response = (name: string): readonly string[] => [
  `# middlewares, headers: remove from customResponseHeaders: ${name}`,
];
const CLOUDFLARE_TRANSFORMS = ['Rules > Overview: remove Transform Rules and Snippets for this host'];

/** Lines by the name of their cause. */
export const PROXY_LINES: Readonly<Record<string, Lines>> = {
  'tls-broken': {
    caddy: ['nvr.example.com { reverse_proxy postern:8971 }'],
    traefik: ['tls: { certResolver: letsencrypt }    # at the router, with entryPoints: [websecure]'],
    cloudflare: ['SSL/TLS > Edge Certificates: Universal SSL on'],
  },
  'http-to-https-port': { cloudflare: ['SSL/TLS > Overview: Full'] },
  'bad-gateway': {
    cloudflare: ['SSL/TLS > Overview: Full, where Postern has TLS', 'DNS: the record leads to Postern'],
  },
  redirected: {
    nginx: ['proxy_set_header X-Forwarded-Proto $scheme;'],
    caddy: ['# remove: redir'],
    traefik: ['# middlewares: remove redirectScheme where another proxy has the TLS'],
    haproxy: ['http-request set-header X-Forwarded-Proto https if { ssl_fc }'],
    apache: ['# remove: Redirect, RewriteRule [R]'],
    cloudflare: ['SSL/TLS > Overview: Full (strict), not Flexible'],
  },
  'authorization-lost': { cloudflare: CLOUDFLARE_TRANSFORMS },
  'not-postern': { cloudflare: ['DNS, or Zero Trust > Networks > Tunnels: the service is https://postern:8971'] },
  'certificate-untrusted': {
    caddy: ['# remove: tls internal'],
    traefik: ['tls: { certResolver: letsencrypt }'],
    cloudflare: ['SSL/TLS > Edge Certificates: Universal SSL on'],
  },
  'client-address-lost': { cloudflare: ['Rules > Settings > Managed Transforms: "Remove visitor IP headers" off'] },
  'client-address-forgeable': {
    traefik: ['# entryPoints: remove forwardedHeaders.insecure: true'],
    cloudflare: ['auth.trusted_proxies: the networks of https://www.cloudflare.com/ips, and those alone'],
  },
  'proxy-not-trusted': { cloudflare: ['auth.trusted_proxies: the networks of https://www.cloudflare.com/ips'] },
  'proto-lost': { cloudflare: CLOUDFLARE_TRANSFORMS },
  'proto-wrong': {
    traefik: request('X-Forwarded-Proto'),
    cloudflare: ['SSL/TLS > Edge Certificates: Always Use HTTPS on'],
  },
  'host-lost': { cloudflare: ['Rules > Origin Rules: remove Host Header'] },
  'upgrade-lost': { traefik: request('Upgrade', 'Connection') },
  'cookie-lost': { traefik: request('Cookie'), cloudflare: CLOUDFLARE_TRANSFORMS },
  'identity-forgeable': {
    cloudflare: ['Rules > Transform Rules > Modify Request Header: remove Remote-User and Remote-Groups'],
  },
  'target-rewritten': {
    traefik: ['# middlewares: remove replacePath, replacePathRegex, stripPrefix, addPrefix'],
    cloudflare: [
      'Rules > Settings > URL Normalization: off',
      'Rules > Transform Rules > Rewrite URL: none for this host',
    ],
  },
  'methods-refused': {
    traefik: ['# rule of the router: remove Method(…)'],
    cloudflare: ['Security > WAF: no rule on http.request.method for this host'],
  },
  'body-limit': {
    cloudflare: ['# 100 MB in free plans, and not to be raised there: larger uploads go by another way'],
  },
  'set-cookie-lost': { traefik: response('Set-Cookie'), cloudflare: CLOUDFLARE_TRANSFORMS },
  'set-cookie-changed': { traefik: response('Set-Cookie'), cloudflare: CLOUDFLARE_TRANSFORMS },
  'stream-compressed': { cloudflare: ['Rules > Compression Rules: no compression for this host'] },
  'cut-while-silent': {
    cloudflare: ['# 100 s, and more in Enterprise plans only: DNS > Proxy status: DNS only, for what is longer silent'],
  },
  'range-lost': { traefik: request('Range') },
  'answers-cached': { caddy: ['# remove: cache'], traefik: ['# middlewares: remove the plugin that caches'] },
  'errors-replaced': { cloudflare: ['Rules > Error Pages, Custom Error Rules: none for this host'] },
};
