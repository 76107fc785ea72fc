/** The NVR's users become users here, with their password hashes as they are (interface 2.1; SPEC 1, `users import`). */
import { type NvrRoles, readNvrRoles } from '../../config/nvr-roles.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { ADMIN, parseNewUserName, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { readNvrUsers } from '../../store/nvr-database.ts';
import { Refused } from '../http/kernel.ts';
import type { CommandStore } from '../http/route-commands.ts';
import { mostIterations, parseHash } from '../passwords/password-hash.ts';
import { changeRoles } from '../roles/roles.ts';

/** The outcome of one user, and its line of the report. One who exists here keeps role and password: they may have been changed here since. */
interface ImportedUser {
  readonly kind: 'added' | 'kept' | 'refused';
  readonly name: string;
  readonly line: string;
}

interface FoundRole {
  readonly role: Role;
  /** What it may see, for the report. */
  readonly sees: string;
}

type Importing = Pick<CommandStore, 'store' | 'settings' | 'importing'>;

/** Imports users from an NVR's own SQLite file. Rejects with a sentence. */
export async function importUsers(
  open: Importing,
  {
    file = '',
    config,
    unknownRole,
  }: { readonly file?: string; readonly config?: string; readonly unknownRole?: string },
): Promise<string> {
  const { store, settings, importing } = open;
  const { clock, roleRegistry, record } = importing;
  const nvr = { ...readNvrRoles(file, config), unknownRole };
  const rows = await readNvrUsers(file);
  const names = [ADMIN, VIEWER, ...(await roleRegistry.latest()).keys(), ...nvr.roles.keys()];
  if (unknownRole !== undefined && !names.includes(unknownRole as Role))
    throw new Error(
      `there is no role ${JSON.stringify(unknownRole)} for --unknown-role: take one of ${names.join(', ')}`,
    );
  const now = unixSeconds(clock);
  const existing: string[] = (await store.accounts.listUsers()).map(({ name }) => name);
  const imported: ImportedUser[] = [];
  for (const { username: name, passwordHash, role: asked } of rows) {
    const checked = checkedRow(name, passwordHash, existing, mostIterations(settings.auth.hash_iterations));
    const found = checked.ok ? await roleFor(asked ?? ADMIN, nvr, open) : checked;
    if (!checked.ok || !found.ok) {
      // A name that was refused may hold anything.
      const line = `${JSON.stringify(name)}: not added: ${found.ok ? '' : found.error}`;
      imported.push({ kind: 'refused', name, line });
      continue;
    }
    // The NVR keeps the time of the change without a zone. The time of the import will do: no token of ours is older.
    const times = { passwordChangedAt: now, createdAt: now };
    const { role, sees } = found.value;
    const isNew = (await store.accounts.addUser({ name: checked.value, role, passwordHash, ...times })) !== 'taken';
    existing.push(name);
    imported.push(
      isNew
        ? { kind: 'added', name, line: `${name}: added with the role ${role}, sees ${sees}` }
        : { kind: 'kept', name, line: `${name}: exists already, and keeps its role and password` },
    );
  }
  for (const { kind, name } of imported) if (kind === 'added') record({ what: 'user-created', user: name });
  return importReport(file, nvr.file, imported);
}

/** What the NVR's users may see. `unknownRole`: the role of users whose role is unknown. Absent: their own, without cameras. */
type NvrRights = Pick<NvrRoles, 'roles'> & { readonly unknownRole: string | undefined };

/** A role that is not here is made, with the cameras that it has in the NVR, or with none. */
async function roleFor(asked: string, nvr: NvrRights, open: Importing): Promise<Result<FoundRole, string>> {
  if (asked === ADMIN || asked === VIEWER) return ok({ role: asked as Role, sees: seen(['*']) });
  const { roleRegistry, record } = open.importing;
  const here = (await roleRegistry.latest()).get(asked as Role);
  if (here) return ok({ role: asked as Role, sees: seen(here) });
  const there = nvr.roles.get(asked);
  const unknown = there ? '' : `, for nothing says what the role ${JSON.stringify(asked)} may see`;
  if (!there && nvr.unknownRole !== undefined) {
    const found = await roleFor(nvr.unknownRole, nvr, open);
    return found.ok ? ok({ ...found.value, sees: `${found.value.sees}${unknown}` }) : found;
  }
  const cameras = there ?? [];
  try {
    await changeRoles(new Map([[asked, { cameras, mayBeEmpty: true }]]), { store: open.store, roleRegistry });
  } catch (fault) {
    if (!(fault instanceof Refused)) throw fault;
    return err(`the role ${JSON.stringify(asked)} cannot be made: ${fault.message}`);
  }
  record({ what: 'custom-role-changed', role: asked });
  return ok({ role: asked as Role, sees: `${seen(cameras)}${unknown}` });
}

function checkedRow(
  username: string,
  passwordHash: string,
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

/** A file without users is no failure; a file whose users are all refused is. */
function importReport(file: string, config: string | undefined, imported: readonly ImportedUser[]): string {
  const count = (kind: ImportedUser['kind']): number => imported.filter((user) => user.kind === kind).length;
  const total = `${file}: ${imported.length} read, ${count('added')} added, ${count('kept')} kept, ${count('refused')} refused`;
  const report = [...imported.map(({ line }) => `  ${line}`), rolesLine(config), total].join('\n');
  if (imported.length > 0 && count('refused') === imported.length) throw new Error(report);
  return report;
}

const rolesLine = (config: string | undefined): string =>
  config === undefined
    ? 'the roles of the NVR were not found: name its config.yml with --config, or give the cameras in auth.roles'
    : `the roles of the NVR are from ${config}`;

/** `*` alone is every camera. */
function seen(cameras: readonly string[]): string {
  if (cameras.includes('*')) return 'all cameras';
  return cameras.length === 0 ? 'no camera' : cameras.join(', ');
}
