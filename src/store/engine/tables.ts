/** The tables as the query builder sees them: a row type each. Times are Unix seconds. */
import type { Generated } from 'kysely';

export interface UsersTable {
  name: string;
  role: string;
  password_hash: string;
  password_changed_at: number | null;
  created_at: number;
  /** 0 or 1. */
  has_factor: Generated<number>;
  /** New with every gain of a first factor and loss of the last one. */
  factor_epoch: string | null;
  /** 0 or 1. */
  password_is_generated: Generated<number>;
  /** Null: the role was given with the account. */
  role_since: number | null;
  valid_from: number | null;
  valid_until: number | null;
  /** Null: Postern's own. Else the provider that gives it. */
  role_source: string | null;
  /** The JSON of a list: what the provider's groups give beside `role`. */
  other_roles: string | null;
  /** 0 or 1; 0: made without a password that a person knows. */
  has_password: Generated<number>;
}

/** Sealed secrets; see the migration. */
export interface TotpSecretsTable {
  user_name: string;
  secret: string | null;
  last_step: number | null;
  pending: string | null;
  pending_until: number | null;
}

export interface RecoveryCodesTable {
  code_hash: string;
  user_name: string;
}

/** `transports` is the JSON of a list. */
export interface PasskeysTable {
  id: string;
  user_name: string;
  user_handle: string;
  public_key: string;
  counter: number;
  transports: string;
  is_backup_eligible: number;
  is_backed_up: number;
  name: string;
  created_at: number;
  last_used_at: number | null;
}

export interface InvitationsTable {
  token_hash: string;
  user_name: string;
  user_created_at: number;
  made_by: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

/** `id` is the issuer, a blank and the subject. */
export interface SignInsTable {
  id: string;
  issuer: string;
  subject: string;
  provider: string;
  user_name: string;
  connected_at: number;
  last_used_at: number;
}

/** Guests whose accounts are gone. `id` is that of a sign-in. */
export interface ClosedSignInsTable {
  id: string;
  subject: string;
  provider: string;
  known_until: number;
}

export interface OidcSessionsTable {
  session_id: string;
  issuer: string;
  subject: string;
  sid: string | null;
  expires_at: number;
}

/** `id` is a digest of user, device or network. */
export interface KnownClientsTable {
  id: string;
  user_name: string;
  last_seen: number;
}

/** `names` is the JSON of a list; `is_open` is 0 or 1. */
/** `roles` is the JSON of a list. */
export interface CurtainTable {
  camera: string;
  until: number | null;
  drawn_by: string;
  drawn_at: number;
}

/** `cameras` and `roles` are the JSON of lists. */
export interface SitesTable {
  site: string;
  cameras: string | null;
  roles: string;
  key_id: string;
  changed_at: number;
}

export interface SettingsTable {
  id: string;
  value: string;
}

export interface LoginBlocksTable {
  id: string;
  kind: string;
  subject: string;
  names: string;
  since: number;
  until: number;
  shared_window: string | null;
  is_open: number;
  lifted_at: number | null;
}

/** `thing` is JSON; `notifies_on_open` is 0 or 1. */
export interface LinksTable {
  id: string;
  secret_hash: string;
  thing: string;
  user_name: string;
  user_created_at: number | null;
  token_id: string | null;
  role: string;
  name: string | null;
  uses: number | null;
  pin_hash: string | null;
  notifies_on_open: number;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
  opened: number;
  wrong_pins: number;
  /** Empty: of a service without `server.site`. */
  site: Generated<string>;
}

export interface LinkOpeningsTable {
  id: string;
  link_id: string;
  viewer: string | null;
  client: string;
  at: number;
  address: string;
  agent: string | null;
}

/** `cameras` is the JSON of a list. */
export interface ScreensTable {
  id: string;
  secret_hash: string | null;
  name: string;
  user_name: string;
  user_created_at: number;
  cameras: string | null;
  created_at: number;
  ends_at: number | null;
  last_seen_at: number | null;
  last_seen_from: string | null;
  agent: string | null;
  site: Generated<string>;
}

/** `state` is that of a `ScreenCode`. */
export interface ScreenCodesTable {
  device_hash: string;
  user_hash: string;
  address: string;
  agent: string | null;
  created_at: number;
  expires_at: number;
  state: string;
  screen_id: string | null;
  polled_at: number | null;
  site: Generated<string>;
}

export interface RevokedTokensTable {
  token_id: string;
  expires_at: number;
}

/** `cameras` is the JSON of a list, `limits` that of an object. */
export interface CustomRolesTable {
  role: string;
  cameras: string;
  limits: string | null;
}

export interface SeenSessionsTable {
  id: string;
  user_name: string;
  address: string;
  agent: string;
  since: number;
  last_seen: number;
  expires_at: number;
  signed_with: string;
}

export interface ApiTokensTable {
  id: string;
  secret_hash: string;
  name: string;
  user_name: string;
  user_created_at: number | null;
  role: string;
  cameras: string | null;
  /** 0 or 1. */
  manages_accounts: number;
  /** 0 or 1. */
  logs_in: Generated<number>;
  /** 0 or 1. */
  is_for_curtain: Generated<number>;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  last_used_from: string | null;
}

/** `zones` and `data` are JSON text; `score`, `speed`, `plate` and `sub_labels_folded` are for searching only. */
export interface EventsTable {
  id: string;
  camera: string;
  label: string;
  start_time: number;
  end_time: number | null;
  score: number | null;
  speed: number | null;
  /** SQLite gives 0 and 1 back. */
  has_clip: boolean | number;
  has_snapshot: boolean | number;
  retain_indefinitely: boolean | number;
  false_positive: boolean | number | null;
  plus_id: string | null;
  plate: string | null;
  sub_label: string | null;
  sub_labels_folded: string | null;
  zones: string;
  model_hash: string | null;
  detector_type: string | null;
  model_type: string | null;
  data: string;
  thumbnail: string | null;
}

/** Counted by triggers. Days since 1 January 1970. */
export interface EventWritesTable {
  day: number;
  writes: number;
}

/** `detail` is JSON text. */
export interface LedgerOpenTable {
  id: string;
  chain: string;
  kind: string;
  user_name: string | null;
  credential: string | null;
  address: string | null;
  camera: string | null;
  from_at: number;
  to_at: number;
  watched_from: number | null;
  watched_to: number | null;
  detail: string | null;
}

/** `id` is the chain and the number in it, padded with zeros: it sorts as the chain goes. */
export interface LedgerRecordsTable extends LedgerOpenTable {
  hash: string;
}

/** `seen_at` is 0 when no process writes the chain. */
export interface LedgerChainsTable {
  chain: string;
  seq: number;
  hash: string;
  holder: string;
  seen_at: number;
}

export interface LedgerClosingsTable {
  id: string;
  chain: string;
  day: string;
  seq: number;
  hash: string;
  records: number;
}

export interface LedgerDaysTable {
  id: string;
  day: string;
  user_name: string;
  viewer: string;
  kind: string;
  camera: string;
  seconds: number;
  records: number;
  hours: number;
}

/** One row. */
export interface StoreIdentityTable {
  id: string;
}

export interface Tables {
  store_identity: StoreIdentityTable;
  events: EventsTable;
  event_writes: EventWritesTable;
  users: UsersTable;
  revoked_tokens: RevokedTokensTable;
  custom_roles: CustomRolesTable;
  seen_sessions: SeenSessionsTable;
  api_tokens: ApiTokensTable;
  totp_secrets: TotpSecretsTable;
  recovery_codes: RecoveryCodesTable;
  passkeys: PasskeysTable;
  invitations: InvitationsTable;
  sign_ins: SignInsTable;
  closed_sign_ins: ClosedSignInsTable;
  oidc_sessions: OidcSessionsTable;
  known_clients: KnownClientsTable;
  login_blocks: LoginBlocksTable;
  curtain: CurtainTable;
  sites: SitesTable;
  settings: SettingsTable;
  links: LinksTable;
  link_openings: LinkOpeningsTable;
  screens: ScreensTable;
  screen_codes: ScreenCodesTable;
  ledger_records: LedgerRecordsTable;
  ledger_open: LedgerOpenTable;
  ledger_chains: LedgerChainsTable;
  ledger_closings: LedgerClosingsTable;
  ledger_days: LedgerDaysTable;
}
