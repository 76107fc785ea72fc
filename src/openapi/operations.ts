/** Postern's own operations, a row each: a test holds them to the route table, both ways (SPEC 15). */
import { listOf, type Schema, TEXT } from './schema-parts.ts';
import { named } from './schemas.ts';

export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** The path as in the route table. */
  readonly path: string;
  readonly summary: string;
  readonly who: 'public' | 'any' | 'admin';
  /** The parameters of the query. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Schema;
  /** The answer that means yes; undefined schema: no body, or a page. */
  readonly yes: readonly [status: number, schema?: Schema];
  /** The answers that mean no, beside 401 and 403 where a login is needed. */
  readonly no?: readonly number[];
  /** What else an answer may be. */
  readonly type?: 'text/html' | 'application/octet-stream' | 'text/event-stream';
}

const SUCCESS = named('Success');
const NAMES_METHOD_PATH = {
  method: 'GET when not given',
  path: 'With its query',
  user: 'An account',
  header: '"Name: value", may be repeated',
  peer: 'Address that the request comes from',
};
const LEDGER_QUERY = {
  kind: 'One of live, history, export, login, login-failed, logout, change, refusal, link; several with commas',
  user: 'A name',
  camera: 'A camera',
  after: 'Unix seconds',
  before: 'Unix seconds',
  limit: 'At most 1000',
  cursor: 'From the Link header of the page before',
  format: 'json, ndjson or csv',
};
const COUNTS_QUERY = {
  cameras: 'Names, with commas; every other filter of /api/events holds, too',
  after: 'Unix seconds',
  before: 'Unix seconds',
  until: 'Unix seconds: slices go on to here when after is given',
  timezone: 'Where days begin, such as Europe/Berlin; UTC when not given',
  slices: 'The most slices of time, 2 to 1000; 96 when not given',
  series: 'So many of the most frequent cameras are told slice by slice; 8 when not given',
};
const CAMERAS_QUERY = { cameras: 'Only of these cameras, joined by commas' };
const LOGIN_NO = [401, 403, 404, 413, 415, 422, 429, 503];
const BODY_NO = [400, 413, 415, 422];

// biome-ignore format: a table
export const OPERATIONS: readonly Operation[] = [
  { method: 'post',   path: '/api/login',                   who: 'public', summary: 'Log in: the session comes as a cookie',                                            body: named('Login'),       yes: [200, SUCCESS], no: LOGIN_NO },
  { method: 'post',   path: '/api/login/passkey/options',   who: 'public', summary: 'What to ask a passkey for; with user and password: as second factor', body: named('PasskeyAsked'), yes: [200, named('Any')], no: [...LOGIN_NO, 409] },
  { method: 'post',   path: '/api/login/passkey',           who: 'public', summary: 'Log in with a passkey: the session comes as a cookie', body: named('PasskeyShown'), yes: [200, SUCCESS], no: [...LOGIN_NO, 409] },
  { method: 'get',    path: '/login',                       who: 'public', summary: 'The login page',                                                                   yes: [200], type: 'text/html' },
  { method: 'post',   path: '/login',                       who: 'public', summary: 'The form of the login page, sent without JavaScript',                              yes: [303], no: LOGIN_NO, type: 'text/html' },
  { method: 'get',    path: '/logout',                      who: 'public', summary: 'End the session',                                                                  yes: [303], no: [403] },
  { method: 'post',   path: '/logout',                      who: 'public', summary: 'End the session',                                                                  yes: [303], no: [403] },
  { method: 'get',    path: '/api/logout',                  who: 'public', summary: 'End the session',                                                                  yes: [303], no: [403] },
  { method: 'post',   path: '/api/logout',                  who: 'public', summary: 'End the session',                                                                  yes: [303], no: [403] },
  { method: 'get',    path: '/auth',                        who: 'any',    summary: 'Whether the caller is authenticated, for forward-auth proxies',                    yes: [202] },
  { method: 'get',    path: '/api/auth',                    who: 'any',    summary: 'Whether the caller is authenticated, for forward-auth proxies',                    yes: [202] },
  { method: 'get',    path: '/api/auth/first_time_login',   who: 'public', summary: 'Whether the first login is still to come',                                         yes: [200, named('FirstTime')] },
  { method: 'get',    path: '/api/profile',                 who: 'any',    summary: 'The caller, and the cameras that the caller sees',                                 yes: [200, named('Profile')] },
  { method: 'post',   path: '/api/reauthenticate',          who: 'any',    summary: 'Show again to be the person: the password, a code or a passkey', body: named('Proof'), yes: [200, SUCCESS], no: [...BODY_NO, 409, 429, 503] },
  { method: 'post',   path: '/api/reauthenticate/options',  who: 'any',    summary: 'What to ask a passkey for, as that proof',         yes: [200, named('Any')], no: [409] },
  { method: 'get',    path: '/api/second-factor',           who: 'any',    summary: "One's own second factors",                       yes: [200, named('SecondFactor')] },
  { method: 'post',   path: '/api/second-factor/totp',      who: 'any',    summary: 'A secret for an authenticator app, good once a code confirms it', yes: [200, named('TotpOffer')], no: [409] },
  { method: 'delete', path: '/api/second-factor/totp',      who: 'any',    summary: 'Remove the authenticator app',                   yes: [200, SUCCESS], no: [404] },
  { method: 'post',   path: '/api/second-factor/totp/confirm', who: 'any', summary: 'The first code: the authenticator app is set up', body: named('Code'),     yes: [200, named('RecoveryCodes')], no: [...BODY_NO, 409] },
  { method: 'post',   path: '/api/second-factor/recovery-codes', who: 'any', summary: 'New recovery codes; the old ones are void',    yes: [200, named('RecoveryCodes')], no: [409] },
  { method: 'post',   path: '/api/second-factor/passkeys/options', who: 'any', summary: 'What to ask an authenticator for, to add a passkey', yes: [200, named('Any')], no: [409] },
  { method: 'post',   path: '/api/second-factor/passkeys',  who: 'any',    summary: 'Add the passkey that the authenticator made',     body: named('NewPasskey'),  yes: [201, named('AddedPasskey')], no: [...BODY_NO, 409] },
  { method: 'patch',  path: '/api/second-factor/passkeys/{passkey}', who: 'any', summary: 'Rename a passkey',                         body: named('Name'),        yes: [200, SUCCESS], no: [...BODY_NO, 404] },
  { method: 'delete', path: '/api/second-factor/passkeys/{passkey}', who: 'any', summary: 'Remove a passkey',                         yes: [200, SUCCESS], no: [404] },
  { method: 'delete', path: '/api/users/{user}/second-factor', who: 'admin', summary: "Remove a user's second factors",               yes: [200, SUCCESS], no: [404] },
  { method: 'get',    path: '/api/users',                   who: 'admin',  summary: 'All users',                                                                        yes: [200, listOf(named('User'))] },
  { method: 'post',   path: '/api/users',                   who: 'admin',  summary: 'Make a user',                                                                      body: named('NewUser'),     yes: [201, named('Any')], no: [...BODY_NO, 409, 503] },
  { method: 'delete', path: '/api/users/{user}',            who: 'admin',  summary: "Remove a user; the user's sessions and tokens end",                               yes: [200, SUCCESS], no: [404, 409] },
  { method: 'post',   path: '/api/users/delete',            who: 'admin',  summary: 'Remove a user whose name cannot stand in a path',                                  body: named('Named'),       yes: [200, SUCCESS], no: [...BODY_NO, 404, 409] },
  { method: 'put',    path: '/api/users/{user}/password',   who: 'any',    summary: "Change one's own password; as an admin, any user's",                               body: named('NewPassword'), yes: [200, SUCCESS], no: [...BODY_NO, 404, 429, 503] },
  { method: 'put',    path: '/api/users/{user}/role',       who: 'admin',  summary: "Change a user's role",                                                             body: named('NewRole'),     yes: [200, SUCCESS], no: [...BODY_NO, 404, 409] },
  { method: 'put',    path: '/api/users/{user}/validity',   who: 'admin',  summary: 'Change from when and until when a guest may use the account; what is left out stays', body: named('Validity'),    yes: [200, SUCCESS], no: [...BODY_NO, 404] },
  { method: 'post',   path: '/api/users/{user}/invitation', who: 'admin',  summary: 'A link, good once, by which the user sets the own password; with a role the user is made', body: named('NewInvitation'), yes: [201, named('MadeInvitation')], no: [...BODY_NO, 404, 409, 503] },
  { method: 'delete', path: '/api/users/{user}/invitation', who: 'admin',  summary: 'Revoke the link',                                                                  yes: [200, SUCCESS], no: [404] },
  { method: 'get',    path: '/api/invitations',             who: 'admin',  summary: 'Links that hold',                                                                  yes: [200, listOf(named('Invitation'))] },
  { method: 'get',    path: '/invitation/{token}',          who: 'public', summary: 'The page behind a link',                                                           yes: [200], no: [404, 429], type: 'text/html' },
  { method: 'post',   path: '/invitation/{token}',          who: 'public', summary: 'Set the password, as JSON or by the form of the page',                             body: named('InvitedPassword'), yes: [200, named('Accepted')], no: [...BODY_NO, 403, 404, 408, 429, 503], type: 'text/html' },
  { method: 'post',   path: '/invitation/{token}/passkey/options', who: 'public', summary: 'What to ask an authenticator for, instead of a password',                     yes: [200, named('Any')], no: [...BODY_NO, 404, 408, 409, 429] },
  { method: 'post',   path: '/invitation/{token}/passkey',  who: 'public', summary: 'Set a passkey that verifies its user; the password is replaced by one that no person knows', body: named('NewPasskey'), yes: [200, named('Accepted')], no: [...BODY_NO, 404, 408, 409, 429, 503] },
  { method: 'get',    path: '/api/account/events',          who: 'any',    summary: "What happened to one's own account lately; as an admin, to any",                   query: { user: 'As an admin: whose' }, yes: [200, listOf(named('AccountEvent'))] },
  { method: 'get',    path: '/api/sessions',                who: 'any',    summary: "One's own sessions; as an admin, all",                                             yes: [200, listOf(named('Session'))] },
  { method: 'delete', path: '/api/sessions/{id}',           who: 'any',    summary: 'End a session',                                                                    yes: [200, SUCCESS], no: [404] },
  { method: 'get',    path: '/api/roles',                   who: 'admin',  summary: 'All roles',                                                                        yes: [200, listOf(named('Role'))] },
  { method: 'put',    path: '/api/roles/{role}',            who: 'admin',  summary: 'Create or change a role',                                                          body: named('RoleCameras'), yes: [200, named('Any')], no: [...BODY_NO, 409] },
  { method: 'post',   path: '/api/roles/delete',            who: 'admin',  summary: 'Remove a role whose name cannot stand in a path',                                  body: named('Named'),       yes: [200, SUCCESS], no: [...BODY_NO, 404, 409] },
  { method: 'delete', path: '/api/roles/{role}',            who: 'admin',  summary: 'Remove a role; its users become viewers',                                          yes: [200, SUCCESS], no: [404, 409] },
  { method: 'put',    path: '/api/config/set',              who: 'admin',  summary: 'Roles, as the pages of the NVR send them; the rest goes to the NVR',               body: named('Any'), yes: [200, named('Any')], no: [...BODY_NO, 404, 409, 502, 504] },
  { method: 'get',    path: '/api/tokens',                  who: 'any',    summary: "One's own API tokens; as an admin, all",                                           yes: [200, listOf(named('Token'))] },
  { method: 'post',   path: '/api/tokens',                  who: 'any',    summary: 'Create an API token',                                                              body: named('NewToken'),    yes: [201, named('MadeToken')], no: [...BODY_NO, 409] },
  { method: 'delete', path: '/api/tokens/{id}',             who: 'any',    summary: 'Revoke an API token',                                                              yes: [200, SUCCESS], no: [404] },
  { method: 'get',    path: '/api/links',                   who: 'any',    summary: "One's own links, with who opened them; as an admin, all",                          yes: [200, listOf(named('Link'))] },
  { method: 'post',   path: '/api/links',                   who: 'any',    summary: 'Make a link: an address that shows one thing without an account',                  body: named('NewLink'),     yes: [201, named('MadeLink')], no: [...BODY_NO, 404, 409, 502, 503, 504] },
  { method: 'delete', path: '/api/links/{id}',              who: 'any',    summary: 'Revoke a link',                                                                    yes: [200, SUCCESS], no: [404] },
  { method: 'get',    path: '/s/{secret}',                  who: 'public', summary: 'The page of a link',                                                               yes: [200], no: [404, 429, 503], type: 'text/html' },
  { method: 'post',   path: '/s/{secret}',                  who: 'public', summary: 'Give the PIN of a link, as JSON or by the form of the page: the answer sets a cookie for that link', body: named('Pin'), yes: [200, named('Given')], no: [...BODY_NO, 303, 403, 404, 408, 429, 503], type: 'text/html' },
  { method: 'get',    path: '/s/{secret}/{file}',           who: 'public', summary: 'What a link shows: snapshot.jpg, thumbnail.jpg, clip.mp4, preview.gif or live',    yes: [200], no: [206, 304, 403, 404, 416, 429, 502, 503, 504], type: 'application/octet-stream' },
  { method: 'get',    path: '/s/{secret}/vod/{file}',  who: 'public', summary: 'The playlist of a link, index.m3u8, and its segments',                             yes: [200], no: [206, 304, 403, 404, 416, 429, 502, 503, 504], type: 'application/octet-stream' },
  { method: 'get',    path: '/api/ledger',                  who: 'any',    summary: "Who watched what, and what was changed, newest first: one's own records; as an admin, all; API tokens of others than admins get 403", query: LEDGER_QUERY, yes: [200, listOf(named('LedgerRecord'))], no: [422, 429] },
  { method: 'get',    path: '/api/ledger/days',             who: 'any',    summary: 'Minutes watched, by person and day',                                               query: LEDGER_QUERY, yes: [200, listOf(named('LedgerDay'))], no: [422] },
  { method: 'get',    path: '/api/events/counts',           who: 'any',    summary: 'How many events there are, by camera and slice of time; filters as in /api/events', query: COUNTS_QUERY, yes: [200, named('EventCounts')], no: [422, 502, 503] },
  { method: 'get',    path: '/api/events/changes',          who: 'any',    summary: 'A stream: an event "newest" with {"id"} when it begins, and whenever the newest events of the caller have changed', query: CAMERAS_QUERY, yes: [200], no: [404, 503], type: 'text/event-stream' },
  { method: 'get',    path: '/api/zones',                   who: 'any',    summary: 'Names of zones, on the cameras that the caller sees',                              query: CAMERAS_QUERY, yes: [200, listOf(TEXT)], no: [503] },
  { method: 'get',    path: '/api/status',                  who: 'admin',  summary: 'State of the service',                                                             yes: [200, named('Status')] },
  { method: 'post',   path: '/api/status/doctor',           who: 'admin',  summary: 'What is wrong between server.public_url and Postern; takes half a minute at most', yes: [200, named('Report')], no: [409, 503] },
  { method: 'post',   path: '/api/status/canary',           who: 'admin',  summary: 'One round of the canary now, and what it found', yes: [200, named('Status')], no: [409] },
  { method: 'get',    path: '/api/explain',                 who: 'admin',  summary: 'How a request would be authorized, and why',                                       query: NAMES_METHOD_PATH, yes: [200, named('Explanation')], no: [422] },
  { method: 'get',    path: '/postern',                     who: 'public', summary: 'The console',                                                                      yes: [301] },
  { method: 'get',    path: '/postern/{rest}',              who: 'public', summary: 'Pages and assets of the console',                                                  yes: [200], no: [404], type: 'text/html' },
  { method: 'get',    path: '/postern/api/openapi.json',    who: 'any',    summary: 'This description',                                                                 yes: [200, named('Any')] },
  { method: 'get',    path: '/postern/api/doctor/{probe}',  who: 'any',    summary: 'A probe of the command doctor',                                                    yes: [200, named('Seen')], no: [404], type: 'application/octet-stream' },
  { method: 'put',    path: '/postern/api/doctor/{probe}',  who: 'any',    summary: 'A probe of the command doctor',                                                    yes: [200, named('Seen')], no: [404] },
  { method: 'post',   path: '/postern/api/doctor/{probe}',  who: 'any',    summary: 'A probe of the command doctor',                                                    yes: [200, named('Any')], no: [404, 413] },
];
