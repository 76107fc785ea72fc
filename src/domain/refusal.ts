/** Every refusal: one row. The log field, the metric's labels, the response and the page follow from it. */
interface Refusal {
  readonly status: number;
  /** The label `result` of `postern_decisions_total`. */
  readonly label: 'malformed' | 'unauthenticated' | 'forbidden_role' | 'forbidden_route' | 'forbidden_camera' | 'error';
  /** What the client is told: what is wrong, and the next step. */
  readonly message: string;
  /** `of-person`: another account may not meet it. The others are the label `reason` of `postern_upstream_errors_total`. */
  readonly kind?: 'of-person' | 'timeout' | 'tls' | 'bad_answer';
}

// biome-ignore format: a table
export const REFUSALS = {
  'slash-doubled':           { status: 400, label: 'malformed', message: 'The path has two slashes in a row, as in //path: the address that the client or the proxy in front is given ends in a slash too many, so remove that one.' },
  'target-not-plain':        { status: 400, label: 'malformed', message: 'The request target is not accepted: send one path without dot segments, empty segments, backslashes or encoded separators.' },
  'target-too-long':         { status: 431, label: 'malformed', message: 'The request target is longer than 16 KB: send a shorter one.' },
  'headers-not-plain':       { status: 400, label: 'malformed', message: 'A request header is not accepted: names may hold letters, digits and hyphens, and single-valued headers may be sent once.' },
  'headers-too-many':        { status: 431, label: 'malformed', message: 'The request has more than 200 header lines: send fewer.' },
  'framing-not-plain':       { status: 400, label: 'malformed', message: 'The request framing is not accepted: send Content-Length, or exactly "Transfer-Encoding: chunked" with POST, PUT or PATCH.' },
  'upgrade-not-plain':       { status: 400, label: 'malformed', message: 'This upgrade is not accepted: send a WebSocket upgrade with GET, "Upgrade: websocket", version 13 and no body.' },
  'parameters-too-many':     { status: 400, label: 'malformed', message: 'The query has more than 200 parameters: send fewer.' },
  'parameter-repeated':      { status: 400, label: 'malformed', message: 'A camera parameter is given more than once: join the names with commas.' },
  'parameter-refused':       { status: 422, label: 'malformed', message: 'A query parameter is out of bounds: check limit, times, numbers, ids, camera names and time zone. At most 16 plate patterns are taken, without groups, each with at most three repetitions.' },
  'body-field-refused':      { status: 422, label: 'malformed', message: 'A field of the request body is not accepted: send only the fields of this operation, each in its form.' },
  'query-field-refused':     { status: 422, label: 'malformed', message: 'A parameter of the query is not accepted: send only the parameters of this operation, each once and in its form.' },
  'ids-too-many':            { status: 400, label: 'malformed', message: 'The request names too many ids: ask for fewer at once.' },
  'body-unreadable':         { status: 400, label: 'malformed', message: 'The request body could not be read: send JSON in UTF-8.' },
  'offer-unreadable':        { status: 400, label: 'malformed', message: 'The WebRTC offer could not be read: send a valid SDP session description.' },
  'method-unknown':          { status: 405, label: 'malformed', message: 'This HTTP method is not supported here.' },
  'expectation-unknown':     { status: 417, label: 'malformed', message: 'Only "Expect: 100-continue" is supported.' },
  'host-unknown':            { status: 403, label: 'forbidden_route', message: 'This listener does not accept that Host name: add it to server.internal_hosts.' },
  'description-refused':     { status: 403, label: 'malformed', message: 'Only a proxy in auth.trusted_proxies may ask about another request, and it must send the method and the target of that request once each.' },
  'cross-site':              { status: 403, label: 'forbidden_route', message: 'This request came from a page of another site and was refused (CSRF protection): open this service in its own tab and try again.' },
  'origin-hidden':           { status: 403, label: 'forbidden_route', message: 'Your browser did not say which page sent this form (Origin: null), so it may be a page of another site: the proxy in front adds "Referrer-Policy: no-referrer". Let it send "same-origin", or open this service by HTTPS.' },
  'no-credentials':          { status: 401, label: 'unauthenticated', message: 'Authentication required' },
  'token-invalid':           { status: 401, label: 'unauthenticated', message: 'The session or token is not valid: log in again.' },
  'tokens-limited':          { status: 429, label: 'unauthenticated', message: 'Too many bad API tokens came from this address: try again in a minute.' },
  'proxy-secret-mismatch':   { status: 401, label: 'unauthenticated', message: 'The proxy secret is missing or wrong: the proxy in front must send X-Proxy-Secret.' },
  'proxy-user-encoded':      { status: 401, label: 'unauthenticated', message: 'The proxy in front sent an encoded user name: set proxy.header_map.encoding to percent, for names such as J%C3%B6rg, or to rfc2047.' },
  'proxy-user-missing':      { status: 401, label: 'unauthenticated', message: 'The proxy in front sent no usable user name: check the header in proxy.header_map.user.' },
  'proxy-token-missing':     { status: 401, label: 'unauthenticated', message: 'The proxy in front sent no signed token: check that it is set up to send the header in proxy.jwt.header, and open this service through it.' },
  'proxy-token-expired':     { status: 401, label: 'unauthenticated', message: 'The token of the proxy in front has expired: reload the page. If this happens again, set the clocks of both machines.' },
  'proxy-token-future':      { status: 401, label: 'unauthenticated', message: 'The token of the proxy in front holds from a later time on: set the clocks of both machines.' },
  'proxy-token-audience':    { status: 401, label: 'unauthenticated', message: 'The token of the proxy in front was made for another service: set proxy.jwt.audience to the audience that it has for this one.' },
  'proxy-token-issuer':      { status: 401, label: 'unauthenticated', message: 'The token of the proxy in front comes from another issuer: set proxy.jwt.issuer exactly as the proxy writes it.' },
  'proxy-token-key':         { status: 401, label: 'unauthenticated', message: 'The token of the proxy in front is signed with a key that is not at proxy.jwt.jwks_url: check that address.' },
  'proxy-token-signature':   { status: 401, label: 'unauthenticated', message: 'The signature of the token of the proxy in front does not hold: check proxy.jwt.jwks_url.' },
  'proxy-token-unfit':       { status: 401, label: 'unauthenticated', message: 'The token of the proxy in front cannot be used: it must be one JWT with an end, signed by RS256, PS256, ES256 or EdDSA.' },
  'proxy-token-user':        { status: 401, label: 'unauthenticated', message: 'The token of the proxy in front names no usable user: check proxy.jwt.user_claim.' },
  'proxy-token-keys-away':   { status: 503, label: 'error', message: 'The keys that sign the token of the proxy in front cannot be read at the moment: check proxy.jwt.jwks_url, and try again.' },
  'proxy-role-denied':       { status: 403, label: 'forbidden_role', message: 'Your groups are mapped to no role here: ask the administrator to map one of them.' },
  'role-too-low':            { status: 403, label: 'forbidden_role', message: 'Access denied. A user with a higher role is required.', kind: 'of-person' },
  'view-as-refused':         { status: 403, label: 'forbidden_role', message: 'This cannot be seen as another user: X-Postern-View-As is for the console of an admin who is logged in, with the name of an account, and for what the console reads.' },
  'second-factor-required':  { status: 403, label: 'forbidden_role', message: 'A second factor must be set up first: open Settings > Overview in the console, or POST /api/second-factor/totp.' },
  'reauthentication-required': { status: 403, label: 'forbidden_role', message: 'Confirm your identity again: POST /api/reauthenticate with the password, a code or a passkey. An API token cannot do this.' },
  'person-needed':           { status: 403, label: 'forbidden_role', message: 'An API token may not manage accounts: log in, or use a token that was created with manage_accounts.' },
  'account-not-begun':       { status: 403, label: 'forbidden_role', message: 'Your account may not be used yet.', kind: 'of-person' },
  'account-ended':           { status: 403, label: 'forbidden_role', message: 'Your account has ended: ask an administrator to extend it.', kind: 'of-person' },
  'password-off':            { status: 403, label: 'forbidden_role', message: 'Password login is off here: use the button of your sign-in provider, or a passkey.', kind: 'of-person' },
  'role-missing':            { status: 403, label: 'forbidden_role', message: 'Your account has no role here: its sign-in provider gives none any more. Ask an administrator for one.', kind: 'of-person' },
  'outside-hours':           { status: 403, label: 'forbidden_role', message: 'Your role may not be used at this time.', kind: 'of-person' },
  'history-too-old':         { status: 403, label: 'forbidden_role', message: 'Your role does not see anything that old.', kind: 'of-person' },
  'history-not-judged':      { status: 403, label: 'forbidden_role', message: 'Your role sees recordings of a limited time only, and it cannot be told how old this is.', kind: 'of-person' },
  'route-unlisted':          { status: 403, label: 'forbidden_route', message: 'Access denied. This path is not in the route table, so only an admin may use it.', kind: 'of-person' },
  'camera-not-in-role':      { status: 403, label: 'forbidden_camera', message: 'Access denied to that camera.', kind: 'of-person' },
  'name-not-unique':         { status: 403, label: 'forbidden_camera', message: 'The NVR finds this picture by the beginning of the camera\'s name, and another camera\'s name begins so: an administrator can rename one of them.', kind: 'of-person' },
  'verb-denied':             { status: 403, label: 'forbidden_role', message: 'Access denied. Your role may not do this.', kind: 'of-person' },
  'offer-sends':             { status: 403, label: 'forbidden_role', message: 'Access denied. This WebRTC offer would send video or open a data channel: offer video as recvonly, and no data channel.' },
  'field-admin-only':        { status: 403, label: 'forbidden_role', message: 'Access denied. Only an admin may send one of the fields or parameters of this request.', kind: 'of-person' },
  'not-narrowable':          { status: 403, label: 'forbidden_camera', message: 'Access denied. This response cannot be limited to the cameras of your role.', kind: 'of-person' },
  'path-not-found':          { status: 404, label: 'forbidden_route', message: 'There is nothing at this path.' },
  'link-over':               { status: 404, label: 'unauthenticated', message: 'This link does not work: it has ended, was used up or revoked, or never existed. Ask for a new one.' },
  'link-file-absent':        { status: 404, label: 'error', message: 'The event of this link has no such picture or clip.' },
  'link-pin-missing':        { status: 403, label: 'unauthenticated', message: 'This link asks for a PIN: open it in a browser, or POST {"pin": "…"} to the address of the link and send the cookie.' },
  'screen-over':             { status: 401, label: 'unauthenticated', message: 'This screen is not paired any more: it was revoked, has ended, or its cameras are gone. Pair it again at /postern/screen.' },
  'screens-limited':         { status: 429, label: 'unauthenticated', message: 'Too many requests of screens that are not paired any more came from this address: try again in a minute.' },
  'screen-not-allowed':      { status: 403, label: 'forbidden_role', message: 'Access denied. A screen shows the live pictures of its cameras, and nothing else.' },
  'links-limited':           { status: 429, label: 'unauthenticated', message: 'Too many links that do not work were opened from this address: try again in a minute.' },
  'sign-in-unknown':         { status: 404, label: 'unauthenticated', message: 'There is no such provider here: go back to the login page and choose one of its buttons.' },
  'sign-in-away':            { status: 503, label: 'error', message: 'The provider does not answer as it should: try again in a moment, or log in another way. The log says why.' },
  'sign-in-declined':        { status: 403, label: 'unauthenticated', message: 'The provider ended the login: try again, or ask its administrator whether you may use this service. The log has its reason.' },
  'sign-in-unfit':           { status: 400, label: 'unauthenticated', message: 'The answer of the provider was not accepted: try again. If this happens again, the log says why.' },
  'sign-in-over':            { status: 400, label: 'unauthenticated', message: 'This login took too long, was used already, or was begun in another browser: start it again.' },
  'sign-in-no-role':         { status: 403, label: 'forbidden_role', message: 'Your groups at the provider give you no role here: ask the administrator to map one of them.' },
  'sign-in-guest-over':      { status: 403, label: 'unauthenticated', message: 'Your access as a guest has ended: ask the administrator for an invitation, and accept it with this provider.' },
  'sign-in-not-connected':   { status: 403, label: 'unauthenticated', message: 'No account here is connected with you at the provider: ask the administrator for an invitation, or log in with your password and connect your account in Settings > Sign-ins.' },
  'sign-in-name-taken':      { status: 409, label: 'unauthenticated', message: 'Your user name belongs to an account that is not connected with you at the provider. Its owner can log in with the password and connect it in Settings > Sign-ins. If it is not yours, ask the administrator.' },
  'sign-in-name-unfit':      { status: 403, label: 'unauthenticated', message: 'The provider sent no name for you that can be a user name: ask the administrator to set user_claim to another claim.' },
  'sign-in-of-other':        { status: 409, label: 'unauthenticated', message: 'You are connected with another account here, or your account with another person at the provider: remove that connection first, in Settings > Sign-ins.' },
  'sign-in-not-proven':      { status: 403, label: 'forbidden_role', message: 'The provider did not ask you again, so this proves nothing: log out there, and try again.' },
  'sign-in-invitation-void': { status: 404, label: 'unauthenticated', message: 'This invitation is not valid any more: it was used, has ended or was replaced. Ask for a new one.' },
  'sign-in-busy':            { status: 503, label: 'error', message: 'Too many people are logging in at once: try again in a few seconds.' },
  'no-nvr':                  { status: 404, label: 'error', message: 'No NVR is configured, so there is nothing behind this path: set nvr.url.' },
  'method-not-allowed':      { status: 405, label: 'forbidden_route', message: 'This path does not support that method.' },
  'body-too-slow':           { status: 408, label: 'malformed', message: 'The request body did not arrive in time: send it at once.' },
  'body-too-large':          { status: 413, label: 'malformed', message: 'The request body is larger than nvr.max_upload allows.' },
  'offer-too-large':         { status: 413, label: 'malformed', message: 'The WebRTC offer is larger than 64 KB: send a smaller one.' },
  'cameras-unknown':         { status: 503, label: 'error', message: 'The list of cameras could not be read yet: try again in a moment.' },
  'backend-unavailable':     { status: 503, label: 'error', message: 'The events backend is starting or has failed: try again in a moment.' },
  'store-unavailable':       { status: 503, label: 'error', message: 'The store cannot be read or written at the moment: try again in a moment. The log says why.' },
  'events-unreadable':       { status: 503, label: 'error', message: 'The database that holds the events cannot be read at the moment: try again in a moment.' },
  'answers-too-large':       { status: 503, label: 'error', message: 'Too many large responses are being filtered at this moment: try again, or ask for less at once.' },
  'filter-ended':            { status: 503, label: 'error', message: 'The thread that filters large responses ended, mostly because it had no memory left: ask for less at once, or try again.' },
  'query-too-slow':          { status: 503, label: 'error', message: 'The query took too long: narrow it with after and before, with cameras or with labels.' },
  'client-busy':             { status: 503, label: 'error', message: 'Too many requests of this client are under way at once: close streams and pages that are not needed, or try again in a moment.' },
  'rights-changed':          { status: 503, label: 'error', message: 'Your rights were changed while this request was under way: send it again.' },
  'nvr-busy':                { status: 503, label: 'error', message: 'All connections to the NVR are in use: try again in a moment.' },
  'nvr-unreachable':         { status: 502, label: 'error', message: 'The NVR does not answer: check that it runs and that nvr.url is right.' },
  'nvr-failed':              { status: 502, label: 'error', message: 'The NVR reported an internal error: see the log of the NVR.', kind: 'bad_answer' },
  'nvr-unexpected-form':     { status: 502, label: 'error', message: 'The NVR sent a response of another form than the route table expects, so it was not passed on: check that this version of the NVR is supported.', kind: 'bad_answer' },
  'nvr-bad-answer':          { status: 502, label: 'error', message: 'The NVR sent a response that is not valid HTTP, or whose head is too long, so it was not passed on: see the log of the NVR.', kind: 'bad_answer' },
  'nvr-framing-ambiguous':   { status: 502, label: 'error', message: 'The NVR sent a response with an ambiguous length (two lengths, or a length and chunks), as in request smuggling: check the NVR and any proxy in front of it.', kind: 'bad_answer' },
  'nvr-status-invalid':      { status: 502, label: 'error', message: 'The NVR sent a status code outside 200 to 599: check the NVR and any proxy in front of it.', kind: 'bad_answer' },
  'nvr-name-unknown':        { status: 502, label: 'error', message: 'The host name of the NVR has no address: check nvr.url, nvr.routes and the name server.' },
  'nvr-certificate-refused': { status: 502, label: 'error', message: 'The certificate of the NVR is not accepted: set nvr.ca to the authority that signed it, and write the host in nvr.url as it is in the certificate.', kind: 'tls' },
  'nvr-tls-failed':          { status: 502, label: 'error', message: 'The TLS handshake with the NVR failed: check that its port speaks HTTPS, as nvr.url says.', kind: 'tls' },
  'nvr-timeout':             { status: 504, label: 'error', message: 'The NVR did not respond in time: try again, or raise nvr.timeout_response.', kind: 'timeout' },
  'internal-error':          { status: 500, label: 'error', message: 'An error occurred in Postern itself: the log has the details under this request id.' },
} as const satisfies Record<string, Refusal>;

export type RefusalReason = keyof typeof REFUSALS;

export const refusalKind = (reason: RefusalReason): Refusal['kind'] => (REFUSALS[reason] as Refusal).kind;

/** A refusal that ends by itself. `at` in Unix seconds; `text` is that moment in the time zone of the service, for programs. */
export interface Reopening {
  readonly at: number;
  /** IANA name. */
  readonly timeZone: string;
  readonly inSeconds: number;
  readonly text: string;
}

/** Cameras that a refused request names itself: a message that repeats them tells nothing new. */
export interface RefusedCameras {
  /** Not in the caller's role, whether they exist or not. */
  readonly foreign: readonly string[];
  /** The cameras of the caller's role that the service does not know. */
  readonly unknown: readonly string[];
}

/** What is known of one refusal beside its reason. */
export interface RefusalFacts {
  /** When it ends by itself. */
  readonly opens?: Reopening | undefined;
  readonly cameras?: RefusedCameras | undefined;
  /** The place of the field in the request's body that is refused: `items[2].camera`; the empty text for the body itself. */
  readonly field?: string | undefined;
  /** The name of the parameter of the query that is refused. */
  readonly parameter?: string | undefined;
  /** The header in which an API token came, which is not read there. */
  readonly misplacedIn?: string | undefined;
  /** The path of a page on which a person can do what was refused. */
  readonly page?: string | undefined;
}

export function refusalSentence(
  reason: RefusalReason,
  { opens, cameras, field, parameter, misplacedIn, page }: RefusalFacts = {},
): string {
  const { message } = REFUSALS[reason];
  if (field !== undefined) return fieldSentence(reason, field);
  if (parameter !== undefined && reason === 'parameter-refused')
    return `The parameter ${shownName(parameter)} of the query is missing or out of bounds: send a value that this operation takes.`;
  if (parameter !== undefined)
    return `The parameter ${shownName(parameter)} of the query is not accepted: leave it out, or send it once, in the form that this operation takes.`;
  if (misplacedIn !== undefined)
    return `An API token came in the header ${shownName(misplacedIn)} and was not read there: send it as "Authorization: Bearer pst_…", or as the password of Basic.`;
  if (page !== undefined) return `${message} In a browser, open ${page} and make the change there.`;
  if (opens) return `${message} It may be used from ${opens.text} on.`;
  return reason === 'camera-not-in-role' && cameras ? cameraSentence(cameras) : message;
}

/** Letters of a field's name that are repeated: the client may have chosen it. */
const LONGEST_FIELD = 64;

const shownName = (name: string): string => JSON.stringify(name.slice(0, LONGEST_FIELD).toWellFormed());

function fieldSentence(reason: RefusalReason, field: string): string {
  const shown = shownName(field);
  if (reason === 'field-admin-only') return `Access denied. Only an admin may send the field ${shown}.`;
  return field === ''
    ? 'The request body is not accepted: send a JSON object.'
    : `The field ${shown} of the request body is not accepted: leave it out, or send it in the form that this operation takes.`;
}

/** A foreign camera first: it is refused for good. */
function cameraSentence({ foreign, unknown }: RefusedCameras): string {
  if (foreign.length > 0) return `Access denied to the camera ${foreign.join(', ')}.`;
  return `Your role has the camera ${unknown.join(', ')}, but the service does not know it: an administrator can add it to nvr.cameras.`;
}

/** The JSON that a client gets: a sentence for programs and their logs, and the reason, by which pages say it in the reader's language. */
export function refusalBody(reason: RefusalReason, facts: RefusalFacts = {}): object {
  const { opens, page } = facts;
  const message = refusalSentence(reason, facts);
  return { success: false, message, reason, ...(page && { page }), ...(opens && { opens_at: opens.at }) };
}

/** Connections and heads that never become a request, because the parser, TLS or the listener refuses them: values of the label `cause`, and what the log says of each (SPEC 5). */
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
