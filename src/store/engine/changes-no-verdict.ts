/** Which statements change no verdict: after any other one, what is remembered of accounts, roles and tokens is read again. */

/**
 * Sessions as seen, sign-ins and the sessions of providers, devices and networks of logins, who must wait at the login, the ledger, events, last uses of tokens and screens, codes that pair screens, and
 * openings and wrong PINs of links, which are counted by the store itself. They are written all the time, and must not end what is remembered; the
 * triggers of PostgreSQL do not tell of them either. Whatever else changes a row counts.
 */
const CHANGES_NO_VERDICT =
  /^(?:insert into|update|delete from) "(?:seen_sessions|sign_ins|closed_sign_ins|oidc_sessions|known_clients|login_blocks|link_openings|screen_codes|ledger_[a-z]+)"|^update "api_tokens"|^update "links" set "(?:opened|wrong_pins)"|^update "screens" set "last_seen_at"|^(?:delete from events|update event_writes) /;

/** A statement that begins with `with` is taken for a write: at worst what is remembered is read again. */
export const mayChangeVerdict = (statement: string): boolean =>
  !/^\s*select\b/i.test(statement) && !CHANGES_NO_VERDICT.test(statement);
