/** Shapes of what the account routes answer: they are described, and the pages read them. */
import { z } from 'zod';
import { BLOCK_KINDS } from '../../domain/accounts/logins.ts';
import { VERBS } from '../../domain/policy.ts';
import { CAMERAS, described, named, TEXT, TIME } from '../../routes/shapes.ts';

export const MAYBE_TEXT = TEXT.nullable();
export const MAYBE_TIME = TIME.nullable();
const MAYBE_CAMERAS = CAMERAS.nullable().meta({ description: 'null: all' });
export const USER_NAME = TEXT.meta({ pattern: '^[A-Za-z0-9._]{1,30}$' });
const ROLE_NAME = TEXT.meta({ description: 'admin, viewer or a custom role' });
const TRUE = z.literal(true);
const SHOWN_ONCE = 'Shown this once';
const CODES = z.array(TEXT).meta({ description: `${SHOWN_ONCE}; empty when there were some already` });
export const PAGE_URL = TEXT.meta({ description: `${SHOWN_ONCE}; a path while server.public_url is not set` });

/** A feature that tells more of the caller describes it so: under this name, with its own fields. */
export const PROFILE = described('Profile', {
  username: TEXT,
  role: TEXT,
  custom_role: TEXT.optional().meta({
    description: 'The role, where `role` says viewer to pages that know no other',
  }),
  allowed_cameras: CAMERAS,
  camera_names: z
    .record(z.string(), TEXT)
    .optional()
    .meta({ description: 'What people call these cameras, where the NVR has such names' }),
  second_factor_required: TRUE.optional().meta({
    description: 'A second factor must be set up before anything else',
  }),
  password_is_generated: TRUE.optional().meta({ description: 'The password of the first start is still in use' }),
});
export const FIRST_TIME = described('FirstTime', { admin_first_time_login: z.boolean() });

export const PASSKEY = z.object({ id: TEXT, name: TEXT, created_at: TIME, last_used_at: MAYBE_TIME });
export const SECOND_FACTOR = described('SecondFactor', {
  required: z.boolean(),
  off: TRUE.optional().meta({ description: 'None can be set up here' }),
  totp: z.boolean(),
  passkeys: z.array(PASSKEY),
  recovery_codes_left: z.int(),
});
export const TOTP_OFFER = described('TotpOffer', {
  secret: TEXT.meta({ description: 'Base32' }),
  uri: TEXT.meta({ description: 'otpauth://totp/…' }),
  qr: TEXT.meta({ description: 'The same as a picture, SVG' }),
});
export const RECOVERY_CODES = described('RecoveryCodes', { recovery_codes: CODES });
export const ADDED_PASSKEY = named('AddedPasskey', PASSKEY.extend({ recovery_codes: CODES }));

export const LIMIT = described('Limit', {
  id: TEXT,
  kind: z.enum(BLOCK_KINDS).meta({ description: 'codes: wrong codes of one account; pins: wrong PINs of one link' }),
  subject: TEXT.meta({ description: 'The address, the network, the account, or the id of the link' }),
  names: z.array(TEXT).meta({ description: 'Names that were tried, the latest last' }),
  since: TIME,
  until: TIME,
});

const SETTING = z.object({
  value: MAYBE_TEXT,
  set_by: MAYBE_TEXT.meta({
    description: 'The line of the configuration file or the variable that sets it; null: it can be set here',
  }),
});
export const SETTINGS = described('Settings', { second_factor: SETTING, timezone: SETTING, public_url: SETTING });

export const USER = described('User', {
  username: USER_NAME,
  role: ROLE_NAME,
  role_source: TEXT.meta({ description: 'Who gives the role: postern, or the name of the provider' }),
  sign_ins: z.array(TEXT).optional().meta({ description: 'The providers by which the user signs in; absent: none' }),
  second_factor: TRUE.optional().meta({ description: 'The user has one' }),
  valid_from: TIME.optional().meta({ description: 'A guest, in Unix seconds: from when the account may be used' }),
  valid_until: TIME.optional().meta({ description: 'A guest: until when' }),
  last_login_at: TIME.optional().meta({ description: 'The last login within a year; absent: none' }),
});
export const INVITATION = described('Invitation', {
  user: USER_NAME,
  made_by: TEXT,
  created_at: TIME,
  expires_at: TIME,
});
export const MADE_INVITATION = described('MadeInvitation', {
  url: PAGE_URL,
  user: USER_NAME,
  expires_at: TIME,
  note: TEXT.optional(),
});
export const ACCEPTED = described('Accepted', { success: TRUE, user: USER_NAME });

export const SIGN_IN = described('SignIn', { provider: TEXT, subject: TEXT, connected_at: TIME, last_used_at: TIME });

/** A guest of a provider whose account is gone. */
export const CLOSED_GUEST = described('ClosedGuest', { provider: TEXT, subject: TEXT, known_until: TIME });

export const ROLE = described('Role', {
  role: TEXT,
  cameras: CAMERAS,
  source: z.enum(['builtin', 'file', 'store']),
  taken_over: z.literal(true).optional().meta({ description: 'Of a role of the file: the store has the same, too' }),
  users: z.int().meta({ description: 'How many users have the role' }),
  deny: z.array(z.enum(VERBS)).optional().meta({ description: 'What the role may not do on its cameras' }),
  hours: z.array(TEXT).optional().meta({ description: 'When it may be used: "Mon-Fri 07:00-18:00"' }),
  history_since: TEXT.optional().meta({
    description: 'How far back it sees: "7d", or "grant" for nothing older than the account',
  }),
});

export const SESSION = described('Session', {
  id: TEXT,
  user: TEXT,
  address: TEXT,
  agent: TEXT,
  name: MAYBE_TEXT.meta({ description: 'What the user calls the device' }),
  since: TIME,
  last_seen: TIME,
  expires_at: TIME,
  current: z.boolean().meta({ description: 'Whether this request was made with it' }),
});

export const ONE_RIGHT = { description: 'The right of a feature that it was made for: it does nothing else' };
export const TOKEN = described('Token', {
  id: TEXT,
  name: TEXT,
  user: TEXT,
  role: TEXT,
  cameras: MAYBE_CAMERAS,
  manage_accounts: TRUE.optional().meta({ description: 'It may manage accounts' }),
  login: TRUE.optional().meta({ description: 'POST /api/login takes it in the place of the password' }),
  rights: z.array(TEXT).optional().meta(ONE_RIGHT),
  created_at: TIME,
  expires_at: MAYBE_TIME,
  last_used_at: MAYBE_TIME,
  last_used_from: MAYBE_TEXT,
});
export const MADE_TOKEN = named(
  'MadeToken',
  TOKEN.omit({ user: true, created_at: true, last_used_at: true, last_used_from: true }).extend({
    token: TEXT.meta({ description: SHOWN_ONCE }),
  }),
);
