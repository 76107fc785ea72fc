/** Every way to say no: reason, status and words. Log field, metric label and answer follow from the row. */
interface Refusal {
  readonly status: number;
  /** What the client is told: what is wrong, and the next step. */
  readonly message: string;
}

// biome-ignore format: a table
export const REFUSALS = {
  'target-not-plain':        { status: 400, message: 'The request target is not plain: send one path, without dot segments, empty segments, backslashes or encoded separators.' },
  'headers-not-plain':       { status: 400, message: 'A request header is not plain: names have letters, digits and hyphens, and single-valued headers are sent once.' },
  'headers-too-many':        { status: 431, message: 'The request has more than 200 header lines: send fewer.' },
  'framing-not-plain':       { status: 400, message: 'The request framing is not accepted: use Content-Length, or exactly "Transfer-Encoding: chunked" with POST, PUT or PATCH.' },
  'upgrade-not-plain':       { status: 400, message: 'Only a clean WebSocket upgrade is accepted: GET, "Upgrade: websocket", version 13, no body.' },
  'parameters-too-many':     { status: 400, message: 'The query has more than 200 parameters: send fewer.' },
  'parameter-repeated':      { status: 400, message: 'A camera parameter is given more than once: join the names with commas.' },
  'parameter-refused':       { status: 422, message: 'A parameter is out of bounds: limit, a time, a number, a time zone or a plate pattern.' },
  'ids-too-many':            { status: 400, message: 'Too many ids at once: ask for fewer.' },
  'body-unreadable':         { status: 400, message: 'The request body must be JSON in UTF-8, for it names what is asked for.' },
  'offer-unreadable':        { status: 400, message: 'The offer of this client is no session description (SDP) that can be read.' },
  'method-unknown':          { status: 405, message: 'This method is not accepted here.' },
  'expectation-unknown':     { status: 417, message: 'Only "Expect: 100-continue" is understood.' },
  'host-unknown':            { status: 403, message: 'This listener does not answer to that Host name: add it to server.internal_hosts.' },
  'description-refused':     { status: 403, message: 'Only a proxy in auth.trusted_proxies may ask about another request, and it says method and target once each.' },
  'cross-site':              { status: 403, message: 'Refused: this request came from a page of another site.' },
  'no-credentials':          { status: 401, message: 'Authentication required' },
  'token-invalid':           { status: 401, message: 'The session or token is not valid: log in again.' },
  'tokens-limited':          { status: 429, message: 'Too many bad API tokens came from this address: try again in a minute.' },
  'proxy-secret-mismatch':   { status: 401, message: 'The proxy secret is missing or wrong: the proxy in front must send X-Proxy-Secret.' },
  'proxy-user-missing':      { status: 401, message: 'The proxy in front sent no usable user name.' },
  'proxy-role-denied':       { status: 403, message: 'Your groups give you no role here: ask the administrator to map one of them.' },
  'role-too-low':            { status: 403, message: 'Access denied. A user with a higher role is required.' },
  'person-needed':           { status: 403, message: 'An API token may not manage accounts: log in, or use a token that was made with manage_accounts.' },
  'route-unlisted':          { status: 403, message: 'Access denied. This path is not in the route table, so only an admin may use it.' },
  'camera-not-in-role':      { status: 403, message: 'Access denied to that camera.' },
  'verb-denied':             { status: 403, message: 'Access denied. Your role may not do this.' },
  'offer-sends':             { status: 403, message: 'Access denied. This offer would send video or open a data channel: offer video as recvonly, and no data channel.' },
  'field-admin-only':        { status: 403, message: 'Access denied. A field or a parameter of this request may be sent by an admin only.' },
  'not-narrowable':          { status: 403, message: 'Access denied: this answer cannot be narrowed to the cameras of your role.' },
  'path-not-found':          { status: 404, message: 'There is nothing at this path.' },
  'no-nvr':                  { status: 404, message: 'No NVR is configured, so there is nothing behind this path: set nvr.url.' },
  'method-not-allowed':      { status: 405, message: 'This path does not take that method.' },
  'body-too-large':          { status: 413, message: 'The request body is larger than nvr.max_upload allows.' },
  'offer-too-large':         { status: 413, message: 'The offer of this client is larger than 64 KB.' },
  'cameras-unknown':         { status: 503, message: 'The list of cameras could not be read yet: try again in a moment.' },
  'backend-unavailable':     { status: 503, message: 'The events backend is starting or has failed: try again in a moment.' },
  'store-unavailable':       { status: 503, message: 'The store cannot be read or written at the moment: try again in a moment. The log says why.' },
  'events-unreadable':       { status: 503, message: 'The database that holds the events cannot be read at the moment: try again in a moment.' },
  'answers-too-large':       { status: 503, message: 'Too many large answers are being narrowed at this moment: try again, or ask for less at once.' },
  'query-too-slow':          { status: 503, message: 'The question took longer than events.query_timeout allows: narrow it with after and before, with cameras or with labels.' },
  'nvr-unreachable':         { status: 502, message: 'The NVR does not answer: check that it runs and that nvr.url is right.' },
  'nvr-failed':              { status: 502, message: 'The NVR reported a failure of its own: see its log.' },
  'nvr-unexpected-form':     { status: 502, message: 'The NVR answered in another form than the route table names, so nothing of it is passed on: check the version of the NVR.' },
  'nvr-bad-answer':          { status: 502, message: 'The NVR sent a response that is not valid HTTP, or has too long a head, so it is not passed on.' },
  'nvr-framing-ambiguous':   { status: 502, message: 'The NVR said in two ways where its response ends (two lengths, or a length and chunks), as request smuggling does: fix the NVR, or what stands between.' },
  'nvr-status-invalid':      { status: 502, message: 'The NVR answered with a status outside 200 to 599.' },
  'nvr-name-unknown':        { status: 502, message: 'The host name of the NVR has no address: check nvr.url, nvr.routes and the name server.' },
  'nvr-certificate-refused': { status: 502, message: 'The certificate of the NVR is not accepted: set nvr.ca to the authority that signed it, and write the host in nvr.url as the certificate has it.' },
  'nvr-tls-failed':          { status: 502, message: 'The TLS handshake with the NVR failed: check whether its port speaks HTTPS, as nvr.url says.' },
  'nvr-timeout':             { status: 504, message: 'The NVR took too long to answer.' },
  'internal-error':          { status: 500, message: 'Something went wrong here. The log has the details under this request id.' },
} as const satisfies Record<string, Refusal>;

export type RefusalReason = keyof typeof REFUSALS;
