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

type Importing = Pick<CommandStore, 'store' | 'settings' | 'importing'>;

/**
 * Imports users from an NVR's own SQLite file, and gives the report. One who exists here keeps role and password: they may have been
 * changed here since. Rejects with a sentence, and with the report where all users were refused.
 */
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
  const lines: string[] = [];
  const counts = { added: 0, kept: 0, refused: 0 };
  for (const { username: name, passwordHash, role: asked } of rows) {
    const checked = checkedRow(name, passwordHash, existing, mostIterations(settings.auth.hash_iterations));
    const found = checked.ok ? await roleFor(asked ?? ADMIN, nvr, open) : checked;
    if (!checked.ok || !found.ok) {
      counts.refused += 1;
      // A name that was refused may hold anything.
      lines.push(`  ${JSON.stringify(name)}: not added: ${found.ok ? '' : found.error}`);
      continue;
    }
    // The NVR keeps the time of the change without a zone. The time of the import will do: no token of ours is older.
    const times = { passwordChangedAt: now, createdAt: now };
    const { role, sees } = found.value;
    const isNew = (await store.accounts.addUser({ name: checked.value, role, passwordHash, ...times })) !== 'taken';
    existing.push(name);
    if (isNew) record({ what: 'user-created', user: name });
    counts[isNew ? 'added' : 'kept'] += 1;
    lines.push(`  ${name}: ${isNew ? `added with the role ${role}, sees ${sees}` : KEPT}`);
  }
  const total = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  const report = [...lines, rolesLine(nvr.file), `${file}: ${rows.length} read, ${total.join(', ')}`].join('\n');
  if (rows.length > 0 && counts.refused === rows.length) throw new Error(report);
  return report;
}

const KEPT = 'exists already, and keeps its role and password';

/** What the NVR's users may see. `unknownRole`: the role of users whose role is unknown. Absent: their own, without cameras. */
type NvrRights = Pick<NvrRoles, 'roles'> & { readonly unknownRole: string | undefined };

/** A role that is not here is made, with the cameras that it has in the NVR, or with none. `sees`: what it may see, for the report. */
async function roleFor(
  asked: string,
  nvr: NvrRights,
  open: Importing,
): Promise<Result<{ readonly role: Role; readonly sees: string }, string>> {
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

const rolesLine = (config: string | undefined): string =>
  config === undefined
    ? 'the roles of the NVR were not found: name its config.yml with --config, or give the cameras in auth.roles'
    : `the roles of the NVR are from ${config}`;

/** `*` alone is every camera. */
function seen(cameras: readonly string[]): string {
  if (cameras.includes('*')) return 'all cameras';
  return cameras.length === 0 ? 'no camera' : cameras.join(', ');
}
