/** Connections and heads that never become a request, because the parser, TLS or the listener refuses them: what the log says of each (SPEC 5). */

/** Values of the label `cause`. */
// biome-ignore format: a table
export const CONNECTION_REFUSALS = {
  full:           'connections are closed because few file descriptors are left: raise the limit of the service (ulimit -n, LimitNOFILE=)',
  head_too_large: 'a request head of more than 32 KB got 431: a browser with many or large cookies of this host, or a login in front that sends very many groups',
  too_slow:       'a request head, or the end of an empty body, did not come in time and got 408: a client or a proxy that stalls',
  malformed:      'bytes that are no HTTP/1.1 request got 400: the code says what the parser met; mostly a scanner, or a client that speaks another protocol',
  plain_http:     'plain HTTP came to the HTTPS port and got 400: write https:// at the client or proxy, or set tls.enabled to false',
  tls:            'a TLS handshake failed: the code says why. A client that does not know the certificate, or speaks only old versions of TLS',
  http2:          'an HTTP/2 connection was ended for a fault of its protocol: a client or proxy in between is broken',
  http2_resets:   'an HTTP/2 connection was ended because its client reset very many requests within seconds: a page that is changed again and again while many pictures load, or an attack',
} as const;

export type ConnectionRefusal = keyof typeof CONNECTION_REFUSALS;

/** `peer` is the address of the other end, empty where it is gone; `code` is what Node calls the fault. */
export type OnConnectionRefused = (cause: ConnectionRefusal, peer: string, code?: string) => void;
