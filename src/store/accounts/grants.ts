/** The table of grants and those of what is a kind's own: the same code for every engine (SPEC 4.4, 12, 13, 18). */
import type { User } from '../../domain/accounts/account.ts';
import type { GrantUse } from '../../domain/accounts/grant.ts';
import type { UserName } from '../../domain/names.ts';
import { fulfils, type Locked, type Queries, untyped, type Where } from '../engine/rows.ts';
import {
  type GrantKind,
  type GrantRules,
  type Grants,
  type Here,
  readRecord,
  type TableName,
  tablesWhere,
} from '../engine/tables.ts';

/** What the register says of each kind, with the table of what is its own. */
const grantRules = (): readonly (GrantRules & { readonly own: TableName })[] =>
  tablesWhere(() => true).flatMap(([own, { ofGrants }]) => (ofGrants ? { ...ofGrants, own } : []));

function rulesOf(kind: GrantKind) {
  const rules = grantRules().find((one) => one.kind === kind);
  if (!rules) throw new Error(`no table has what grants of the kind ${kind} have of their own`);
  return rules;
}

/** The kinds whose grants count where they were made alone. */
export const localKinds = (): readonly GrantKind[] =>
  grantRules().flatMap(({ kind, isLocal }) => (isLocal ? kind : []));

/** Rows of a kind that count here. */
const placed = (kind: GrantKind, here: Here): Where<'grants'> => ({ kind, ...(rulesOf(kind).isLocal && here) });

export async function listGrants<Kind extends GrantKind>(
  db: Queries,
  kind: Kind,
  where: Where<'grants'>,
): Promise<readonly Grants[Kind][]> {
  const { own, order } = rulesOf(kind);
  const tests = Object.entries({ ...where, kind }).map(([column, test]) => [`grants.${column}`, test]);
  const joined = untyped(db.kysely).selectFrom<string>('grants').innerJoin(own, `${own}.id`, 'grants.id').selectAll();
  let rows = joined.where(fulfils(Object.fromEntries(tests)));
  for (const by of order)
    rows = by.startsWith('-') ? rows.orderBy(`grants.${by.slice(1)}`, 'desc') : rows.orderBy(`grants.${by}`);
  const found = await rows.execute();
  return found.map((row) => ({ ...readRecord('grants', row), ...readRecord(own, row) }) as unknown as Grants[Kind]);
}

export const createGrantStore = (db: Queries, locked: Locked, here: Here) => ({
  /** `absent`: the account or the token of its maker is gone. `too-many`: its user has `most` of that kind. Invitations: in the place of an older one. */
  add: <Kind extends GrantKind>(kind: Kind, grant: Grants[Kind], most?: number) =>
    locked(grant.userCreatedAt === null ? { key: `grants ${grant.user}` } : { person: grant.user }, (db, user) =>
      insertGrant(kind, grant, user, { here, most }, db),
    ),

  /** Whatever has become of it. */
  find: async <Kind extends GrantKind>(
    kind: Kind,
    by: { readonly id: string } | { readonly secretHash: string },
  ): Promise<Grants[Kind] | undefined> => {
    const one = 'id' in by ? { id: by.id } : { secret_hash: by.secretHash };
    return (await listGrants(db, kind, { ...placed(kind, here), ...one }))[0];
  },

  /** Ended ones too, until they are forgotten; of all users without `user`. */
  list: <Kind extends GrantKind>(kind: Kind, user?: UserName): Promise<readonly Grants[Kind][]> =>
    listGrants(db, kind, { ...placed(kind, here), ...(user !== undefined && { user_name: user }) }),

  /** `absent`: also of one that was revoked, or used up. */
  async revoke(
    kind: GrantKind,
    by: { readonly id: string } | { readonly user: string },
    at: number,
  ): Promise<'revoked' | 'absent'> {
    const one = 'id' in by ? { id: by.id } : { user_name: by.user as UserName, last_used_at: null };
    const where = { ...placed(kind, here), ...one };
    const { staysInLists } = rulesOf(kind);
    const changed = staysInLists
      ? await db.update('grants', { ...where, revoked_at: null }, { revoked_at: at })
      : await db.delete('grants', where);
    return changed > 0 ? 'revoked' : 'absent';
  },

  noteUses: (uses: readonly GrantUse[]): Promise<void> =>
    locked({}, async (transaction) => {
      // In one order: two replicas note the same ones.
      for (const { id, at, from } of uses.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
        await transaction.update('grants', { id }, { last_used_at: at, last_used_from: from });
    }),

  /** What is over at that time, of the kinds that say how long it is kept; and what was not fetched by then. */
  forgetEnded: (now: number): Promise<void> =>
    locked({ key: 'ended grants' }, async (transaction) => {
      for (const { kind, keptSeconds } of grantRules()) {
        if (keptSeconds === undefined) continue;
        const before = { '<': now - keptSeconds };
        for (const over of [{ expires_at: before }, { revoked_at: before }, { secret_hash: null, created_at: before }])
          await transaction.delete('grants', { kind, ...over });
      }
    }),
});

/** An account may be deleted, or a token revoked, while the request to make a grant is under way. `owner`: the user, as locked. */
export async function insertGrant<Kind extends GrantKind>(
  kind: Kind,
  grant: Grants[Kind],
  owner: User | undefined,
  { here, most }: { readonly here: Here; readonly most?: number | undefined },
  transaction: Queries,
): Promise<'added' | 'absent' | 'too-many'> {
  const { user, userCreatedAt, createdAt } = grant;
  const { own, isLocal, isAlone, staysInLists } = rulesOf(kind);
  if (userCreatedAt !== null && owner?.createdAt !== userCreatedAt) return 'absent';
  if (
    'tokenId' in grant &&
    grant.tokenId !== null &&
    !(await transaction.has('grants', { id: grant.tokenId, kind: 'api-token' }))
  )
    return 'absent';
  const ofUser = { kind, user_name: user };
  if (isAlone) await transaction.delete('grants', ofUser);
  const counted = { ...ofUser, ...(staysInLists && { revoked_at: null, expires_at: { '>': createdAt } }) };
  if (most !== undefined && (await transaction.count('grants', counted)) >= most) return 'too-many';
  await transaction.insert('grants', grant, { kind, ...(isLocal && here) });
  await transaction.insert(own, grant as never);
  return 'added';
}
