/** The NVR's users become users here, with their password hashes as they are (interface 2.1; SPEC 1, `users import`). */
import { readNvrRoles } from '../../config/nvr-roles.ts';
import type { ImportedUser } from '../../domain/accounts/account.ts';
import type { CustomRoles } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { orEnd } from '../../domain/command-frame.ts';
import { ADMIN, parseNewUserName, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { AccountStore } from '../../store/accounts/accounts.ts';
import { readNvrUsers } from '../../store/nvr-database.ts';
import { Refused } from '../http/kernel.ts';
import type { CommandStore } from '../http/route-commands.ts';
import { mostIterations, PBKDF2_ITERATIONS, parseHash } from '../passwords/password-hash.ts';

/** A row as the NVR keeps it. */
export interface UserRow {
  readonly username: string;
  readonly passwordHash: string;
  /** Null in files from before the NVR had roles, when every user was an admin. */
  readonly role: string | null;
}

export interface ImportUsersDeps {
  readonly store: Pick<AccountStore, 'addUser' | 'listUsers'>;
  readonly clock: Clock;
  readonly roles: () => CustomRoles | Promise<CustomRoles>;
  /** Makes a role that is not here yet; refuses by a `Refused`. */
  readonly makeRole: (name: string, cameras: readonly string[]) => Promise<unknown>;
  /** `auth.hash_iterations`. */
  readonly iterations?: number;
}

/** What the NVR's users may see. */
export interface NvrRights {
  /** `auth.roles` of the NVR's configuration; entries are camera names. */
  readonly roles: ReadonlyMap<string, readonly string[]>;
  /** The role of users whose role is unknown. Absent: their own, without cameras. */
  readonly unknownRole?: string | undefined;
}

/** Errs with a sentence before anything is written. */
export async function importUsers(
  rows: readonly UserRow[],
  nvr: NvrRights,
  deps: ImportUsersDeps,
): Promise<Result<readonly ImportedUser[], string>> {
  const { store, clock, roles, iterations = PBKDF2_ITERATIONS } = deps;
  const now = unixSeconds(clock);
  const { unknownRole: given } = nvr;
  const names = [ADMIN, VIEWER, ...(await roles()).keys(), ...nvr.roles.keys()];
  if (given !== undefined && !names.includes(given as Role))
    return err(`there is no role ${JSON.stringify(given)} for --unknown-role: take one of ${names.join(', ')}`);
  const existing: string[] = (await store.listUsers()).map(({ name }) => name);
  const imported: ImportedUser[] = [];
  for (const row of rows) {
    const { username: name } = row;
    const checked = checkedRow(row, existing, mostIterations(iterations));
    const role = checked.ok ? await roleFor(row.role ?? ADMIN, nvr, deps) : checked;
    if (!checked.ok || !role.ok) {
      imported.push({ kind: 'refused', name, reason: checked.ok ? (role as { error: string }).error : checked.error });
      continue;
    }
    // The NVR keeps the time of the change without a zone. The time of the import will do: no token of ours is older.
    const times = { passwordChangedAt: now, createdAt: now };
    const user = { name: checked.value, role: role.value.role, passwordHash: row.passwordHash, ...times };
    const outcome = await store.addUser(user);
    existing.push(name);
    imported.push(outcome === 'taken' ? { kind: 'kept', name } : { kind: 'added', name, ...role.value });
  }
  return ok(imported);
}

type FoundRole = Pick<Extract<ImportedUser, { kind: 'added' }>, 'role' | 'cameras' | 'unknownRole'>;

const EVERY_CAMERA = ['*'];

/** A role that is not here is made, with the cameras that it has in the NVR, or with none. */
async function roleFor(asked: string, nvr: NvrRights, deps: ImportUsersDeps): Promise<Result<FoundRole, string>> {
  if (asked === ADMIN || asked === VIEWER) return ok({ role: asked as Role, cameras: EVERY_CAMERA });
  const known = await deps.roles();
  const here = known.get(asked as Role);
  if (here) return ok({ role: asked as Role, cameras: here });
  const there = nvr.roles.get(asked);
  if (!there && nvr.unknownRole !== undefined) {
    const found = await roleFor(nvr.unknownRole, nvr, deps);
    return found.ok ? ok({ ...found.value, unknownRole: asked }) : found;
  }
  const cameras = there ?? [];
  try {
    await deps.makeRole(asked, cameras);
  } catch (fault) {
    if (!(fault instanceof Refused)) throw fault;
    return err(`the role ${JSON.stringify(asked)} cannot be made: ${fault.message}`);
  }
  return ok({ role: asked as Role, cameras, ...(!there && { unknownRole: asked }) });
}

function checkedRow(
  { username, passwordHash }: UserRow,
  existing: readonly string[],
  most: number,
): Result<UserName, string> {
  const name = parseNewUserName(username, existing);
  if (!name.ok) return name;
  if (parseHash(passwordHash, most)) return ok(name.value);
  return err(
    parseHash(passwordHash, Number.POSITIVE_INFINITY)
      ? `the password hash has more than ${most} iterations: every wrong password would cost as much`
      : 'the password hash is not of the kind pbkdf2_sha256$iterations$salt$hash',
  );
}

/** Imports users from an NVR's own SQLite file. */
export async function importFrom(
  { store, settings, importing }: Pick<CommandStore, 'store' | 'settings' | 'importing'>,
  {
    file = '',
    config,
    unknownRole,
  }: { readonly file?: string; readonly config?: string; readonly unknownRole?: string },
): Promise<string> {
  const { file: found, roles: ofNvr } = readNvrRoles(file, config);
  const { clock, roles, customRoles, record } = importing;
  const makeRole = async (role: string, cameras: readonly string[]): Promise<void> => {
    await customRoles.change(new Map([[role, { cameras, mayBeEmpty: true }]]));
    record({ what: 'custom-role-changed', role });
  };
  const parts = { store: store.accounts, clock, roles, makeRole, iterations: settings.auth.hash_iterations };
  const imported = orEnd(await importUsers(await readNvrUsers(file), { roles: ofNvr, unknownRole }, parts));
  for (const { kind, name } of imported) if (kind === 'added') record({ what: 'user-created', user: name });
  return importReport(file, found, imported);
}

/** A file without users is no failure; a file whose users are all refused is. */
function importReport(file: string, config: string | undefined, imported: readonly ImportedUser[]): string {
  const count = (kind: ImportedUser['kind']): number => imported.filter((user) => user.kind === kind).length;
  const total = `${file}: ${imported.length} read, ${count('added')} added, ${count('kept')} kept, ${count('refused')} refused`;
  const report = [...imported.map(importLine), rolesLine(config), total].join('\n');
  if (imported.length > 0 && count('refused') === imported.length) throw new Error(report);
  return report;
}

const rolesLine = (config: string | undefined): string =>
  config === undefined
    ? 'the roles of the NVR were not found: name its config.yml with --config, or give the cameras in auth.roles'
    : `the roles of the NVR are from ${config}`;

function importLine(user: ImportedUser): string {
  if (user.kind === 'kept') return `  ${user.name}: exists already, and keeps its role and password`;
  // A name that was refused may hold anything.
  if (user.kind === 'refused') return `  ${JSON.stringify(user.name)}: not added: ${user.reason}`;
  const { name, role, cameras, unknownRole } = user;
  const why =
    unknownRole === undefined ? '' : `, for nothing says what the role ${JSON.stringify(unknownRole)} may see`;
  return `  ${name}: added with the role ${role}, sees ${camerasText(cameras)}${why}`;
}

function camerasText(cameras: readonly string[]): string {
  if (cameras.includes('*')) return 'all cameras';
  return cameras.length === 0 ? 'no camera' : cameras.join(', ');
}
