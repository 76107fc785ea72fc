/** Shapes of what Postern's own API takes and gives (OpenAPI 3.1, JSON Schema 2020-12). */
import { NOTICE_KINDS } from '../domain/accounts/notice.ts';
import { LEDGER_KINDS } from '../domain/ledger.ts';
import { VERBS } from '../domain/policy.ts';
import { LINK_SCHEMAS } from './link-schemas.ts';
import { CAMERAS, listOf, MAYBE_CAMERAS, MAYBE_TIME, object, type Schema, TEXT, TIME } from './schema-parts.ts';

const MAYBE_TEXT = { type: ['string', 'null'] } as const;
const MOMENT = { type: 'number', description: 'Unix seconds, with a fraction' } as const;
const VALIDITY_END = { type: ['integer', 'null'], description: 'Unix seconds; null: without that end' } as const;
/** The limits of a role. In a request null takes a limit away, and what is left out stays. */
const LIMITS = {
  deny: { type: 'array', items: { enum: VERBS }, description: 'What the role may not do on its cameras' },
  hours: { type: 'array', items: TEXT, description: 'When it may be used: "Mon-Fri 07:00-18:00"' },
  history_since: {
    type: 'string',
    description: 'How far back it sees: "7d", or "grant" for nothing older than the account',
  },
} as const;
/** The validity of a guest. */
const VALIDITY = { valid_from: VALIDITY_END, valid_until: VALIDITY_END } as const;

/** The credential of a record's act; null where none was accepted. */
const CREDENTIAL =
  'session:<id> (session alone, of a viewing), token:<id>, link:<id>, proxy, internal; null where none was accepted';

export const named = (name: keyof typeof SCHEMAS): Schema => ({ $ref: `#/components/schemas/${name}` });

const PASSWORD = {
  type: 'string',
  description:
    'At least auth.password_min_length code points (12), at most 1024 bytes; not a common one, and without the name of the user or the service',
} as const;
const CODE = { type: 'string', description: 'Six digits of an authenticator app, or a recovery code' } as const;
const PASSKEY_NAME = { type: 'string', minLength: 1, maxLength: 64 } as const;
const USER_NAME = { type: 'string', pattern: '^[A-Za-z0-9._]{1,30}$' } as const;
const ROLE_NAME = { type: 'string', description: 'admin, viewer or a custom role' } as const;

export const SCHEMAS = {
  Success: object({ success: { const: true } }),
  Refusal: object(
    {
      success: { const: false },
      message: TEXT,
      reason: { ...TEXT, description: 'For programs: second-factor-required, reauthentication-required, not-proven' },
      second_factor: {
        ...listOf({ enum: ['totp', 'passkey'] }),
        description: 'After the right password: what is asked for',
      },
    },
    ['message'],
  ),
  Login: object({ user: TEXT, password: TEXT, code: CODE }, ['user', 'password']),
  Proof: object(
    {
      password: TEXT,
      code: CODE,
      credential: { type: 'object', description: 'AuthenticationResponseJSON of WebAuthn' },
    },
    [],
  ),
  Code: object({ code: CODE }),
  SecondFactor: object({
    required: { type: 'boolean' },
    totp: { type: 'boolean' },
    passkeys: listOf(object({ id: TEXT, name: TEXT, created_at: TIME, last_used_at: MAYBE_TIME })),
    recovery_codes_left: { type: 'integer' },
  }),
  TotpOffer: object({
    secret: { ...TEXT, description: 'Base32' },
    uri: { ...TEXT, description: 'otpauth://totp/…' },
    qr: { ...TEXT, description: 'The same as a picture, SVG' },
  }),
  Name: object({ name: PASSKEY_NAME }),
  NewPasskey: object(
    { name: PASSKEY_NAME, credential: { type: 'object', description: 'RegistrationResponseJSON of WebAuthn' } },
    ['credential'],
  ),
  AddedPasskey: object({
    id: TEXT,
    name: PASSKEY_NAME,
    created_at: TIME,
    last_used_at: MAYBE_TIME,
    recovery_codes: { ...listOf(TEXT), description: 'Shown this once; empty when there were some already' },
  }),
  PasskeyAsked: object({ user: TEXT, password: TEXT }, []),
  PasskeyShown: object({ credential: { type: 'object', description: 'AuthenticationResponseJSON of WebAuthn' } }),
  RecoveryCodes: object({
    recovery_codes: { ...listOf(TEXT), description: 'Shown this once; empty when there were some already' },
  }),
  Profile: object(
    {
      username: TEXT,
      role: TEXT,
      allowed_cameras: CAMERAS,
      camera_names: { type: 'object', description: 'What people call these cameras, where the NVR has such names' },
      second_factor_required: { const: true, description: 'A second factor must be set up before anything else' },
      password_is_generated: { const: true, description: 'The password of the first start is still in use' },
    },
    ['username', 'role', 'allowed_cameras'],
  ),
  FirstTime: object({ admin_first_time_login: { type: 'boolean' } }),
  User: object(
    {
      username: USER_NAME,
      role: ROLE_NAME,
      second_factor: { const: true, description: 'The user has one' },
      valid_from: { ...TIME, description: 'A guest: from when the account may be used' },
      valid_until: { ...TIME, description: 'A guest: until when' },
      last_login_at: { ...TIME, description: 'The last login within a year; absent: none' },
    },
    ['username', 'role'],
  ),
  NewUser: object({ username: USER_NAME, password: PASSWORD, role: ROLE_NAME, ...VALIDITY }, ['username', 'password']),
  Validity: object(VALIDITY, []),
  NewPassword: object({ password: PASSWORD, old_password: { ...TEXT, description: "Needed for one's own" } }, [
    'password',
  ]),
  NewRole: object({ role: ROLE_NAME }),
  Named: object({ name: TEXT }),
  NewInvitation: object({ role: { ...ROLE_NAME, description: 'Makes the user, with this role' }, ...VALIDITY }, []),
  MadeInvitation: object(
    {
      url: { ...TEXT, description: 'Shown this once; a path while server.public_url is not set' },
      user: USER_NAME,
      expires_at: TIME,
      note: TEXT,
    },
    ['url', 'user', 'expires_at'],
  ),
  Invitation: object({ user: USER_NAME, made_by: TEXT, created_at: TIME, expires_at: TIME }),
  AccountEvent: object({
    id: TEXT,
    user: USER_NAME,
    event: { enum: NOTICE_KINDS },
    at: TIME,
    by: { type: ['string', 'null'] },
    address: TEXT,
    agent: { type: ['string', 'null'] },
    detail: { type: ['string', 'null'] },
  }),
  LedgerRecord: object(
    {
      id: TEXT,
      kind: { enum: LEDGER_KINDS },
      user: MAYBE_TEXT,
      credential: { ...MAYBE_TEXT, description: CREDENTIAL },
      address: MAYBE_TEXT,
      camera: MAYBE_TEXT,
      from: MOMENT,
      to: MOMENT,
      watched_from: MOMENT,
      watched_to: MOMENT,
      detail: { type: 'object' },
      hash: { ...MAYBE_TEXT, description: 'SHA-256 in hex; null while a viewing goes on' },
    },
    ['id', 'kind', 'user', 'credential', 'address', 'camera', 'from', 'to', 'hash'],
  ),
  LedgerDay: object({
    day: TEXT,
    user: TEXT,
    minutes: { type: 'number' },
    viewings: { type: 'integer' },
    exports: { type: 'integer' },
  }),
  InvitedPassword: object({ password: PASSWORD }),
  Accepted: object({ success: { const: true }, user: USER_NAME }),
  Role: object(
    {
      role: TEXT,
      cameras: CAMERAS,
      source: { enum: ['builtin', 'file', 'store'] },
      users: { type: 'integer', description: 'How many users have the role' },
      ...LIMITS,
    },
    ['role', 'cameras', 'source', 'users'],
  ),
  RoleCameras: object(
    {
      cameras: { ...CAMERAS, minItems: 1, description: 'Names; "*" stands for any text' },
      deny: { ...LIMITS.deny, type: ['array', 'null'] },
      hours: { ...LIMITS.hours, type: ['array', 'null'] },
      history_since: { ...LIMITS.history_since, type: ['string', 'null'] },
    },
    ['cameras'],
  ),
  Session: { type: 'object', properties: { id: TEXT, user: TEXT }, required: ['id'] },
  Token: object({
    id: TEXT,
    name: TEXT,
    user: TEXT,
    role: TEXT,
    cameras: MAYBE_CAMERAS,
    created_at: TIME,
    expires_at: MAYBE_TIME,
    last_used_at: MAYBE_TIME,
    last_used_from: { type: ['string', 'null'] },
  }),
  NewToken: object(
    {
      name: { type: 'string', minLength: 1, maxLength: 100 },
      role: ROLE_NAME,
      cameras: MAYBE_CAMERAS,
      expires_at: MAYBE_TIME,
    },
    ['name'],
  ),
  MadeToken: object({
    id: TEXT,
    token: { ...TEXT, description: 'Shown this once' },
    name: TEXT,
    role: TEXT,
    cameras: MAYBE_CAMERAS,
    expires_at: MAYBE_TIME,
  }),
  ...LINK_SCHEMAS,
  EventCounts: object({
    total: { type: 'integer' },
    complete: { type: 'boolean', description: 'false: older events were not counted' },
    seconds: { type: 'integer', description: 'How long a slice is' },
    starts: { type: 'array', items: { type: 'number' }, description: 'Unix seconds: where each slice begins' },
    end: { type: ['number', 'null'], description: 'Unix seconds: where the last slice ends' },
    cameras: listOf(
      object({ camera: TEXT, total: { type: 'integer' }, counts: { type: 'array', items: { type: 'integer' } } }, [
        'camera',
        'total',
      ]),
    ),
    others: { type: 'array', items: { type: 'integer' }, description: 'All cameras without counts, one a slice' },
  }),
  Status: { type: 'object', description: 'State of the service' },
  Report: object({
    url: { type: ['string', 'null'], description: 'server.public_url; null: only this machine was looked at' },
    proxy: { type: ['string', 'null'], description: 'As it says of itself' },
    findings: listOf(
      object({
        name: TEXT,
        level: { enum: ['error', 'warning', 'advice'] },
        seen: TEXT,
        advice: TEXT,
        lines: { type: 'array', items: TEXT, description: 'To change at the proxy' },
      }),
    ),
  }),
  Explanation: { type: 'object', description: 'How a request would be authorized, and why' },
  Seen: { type: 'object', description: 'How a request looked when it arrived' },
  Any: {},
} as const satisfies Readonly<Record<string, Schema>>;
