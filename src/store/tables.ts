/** The tables as the query builder sees them: a row type each. Times are Unix seconds. */

export interface UsersTable {
  name: string;
  role: string;
  password_hash: string;
  password_changed_at: number | null;
  created_at: number;
}

export interface RevokedTokensTable {
  token_id: string;
  expires_at: number;
}

export interface Tables {
  users: UsersTable;
  revoked_tokens: RevokedTokensTable;
}
