/** The NVR's users become users here, with their password hashes as they are (interface 2.1; SPEC 1, `users import`). */
import type { AccountStore, ImportedUser } from '../../domain/accounts/account.ts';
import type { CustomRoles } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { ADMIN, parseUserName, type UserName, VIEWER } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { parseHash } from '../passwords/password-hash.ts';

/** As the NVR keeps them. */
export interface UserRow {
  readonly username: string;
  readonly passwordHash: string;
  /** Null in files from before the NVR had roles, when every user was an admin. */
  readonly role: string | null;
}

export interface ImportUsersDeps {
  readonly store: Pick<AccountStore, 'addUser'>;
  readonly clock: Clock;
  readonly roles: () => CustomRoles | Promise<CustomRoles>;
}

export async function importUsers(
  rows: readonly UserRow[],
  { store, clock, roles }: ImportUsersDeps,
): Promise<readonly ImportedUser[]> {
  const known = [ADMIN, VIEWER, ...(await roles()).keys()];
  const now = unixSeconds(clock);
  const imported: ImportedUser[] = [];
  for (const row of rows) {
    const checked = checkedRow(row);
    if (!checked.ok) {
      imported.push({ kind: 'refused', name: row.username, reason: checked.error });
      continue;
    }
    const name = checked.value;
    const asked = row.role ?? ADMIN;
    const role = known.find((candidate) => candidate === asked);
    // The NVR keeps the time of the change without a zone. The time of the import will do: no token of ours is older.
    const user = { name, role: role ?? VIEWER, passwordHash: row.passwordHash, passwordChangedAt: now, createdAt: now };
    const outcome = await store.addUser(user);
    if (outcome === 'taken') imported.push({ kind: 'kept', name });
    else imported.push({ kind: 'added', name, role: user.role, ...(role ? {} : { unknownRole: asked }) });
  }
  return imported;
}

function checkedRow({ username, passwordHash }: UserRow): Result<UserName, string> {
  const name = parseUserName(username);
  if (!name.ok) return name;
  const isHash = parseHash(passwordHash) !== undefined;
  return isHash ? ok(name.value) : err('the password hash is not of the kind pbkdf2_sha256$iterations$salt$hash');
}
