/** The tables of second factors and passkeys: the same code for every engine (SPEC 12). */
import type { User } from '../../domain/accounts/account.ts';
import type { FirstFactor, SpentChallenge } from '../../domain/accounts/second-factor.ts';
import type { UserName } from '../../domain/names.ts';
import { type Queries, storePart } from '../engine/rows.ts';
import type { PasskeyRecord } from '../engine/tables.ts';
import { changeSecrets, hasOtherWay } from './accounts.ts';

export type SecondFactorStore = ReturnType<typeof createSecondFactorStore>;

/** Each change uses up its challenge or its code, or changes nothing: what a code is good for is decided here. */
export const createSecondFactorStore = storePart(
  {
    listPasskeys: (db, user: UserName) => db.list('passkeys', { user_name: user }, ['created_at', 'id']),
    findPasskey: (db, id: string) => db.find('passkeys', { id }),
    renamePasskey: async (db, user: UserName, id: string, name: string) =>
      (await db.update('passkeys', { user_name: user, id }, { name })) ? 'renamed' : 'absent',

    findTotp: (db, user: string) => db.find('totp_secrets', { user_name: user }),

    /** `spent` when the secret is another one by now, or a code of that step or a later one was accepted before. */
    async useTotpStep(db, user: UserName, sealed: string, step: number) {
      const unspent = { user_name: user, secret: sealed, last_step: { '<': step } };
      return (await db.update('totp_secrets', unspent, { last_step: step })) ? 'used' : 'spent';
    },

    /** Deletes it: of two who give it at once, one has used it. */
    useRecoveryCode: async (db, user: UserName, hash: string) =>
      (await db.delete('recovery_codes', { code_hash: hash, user_name: user })) ? 'used' : 'absent',

    countRecoveryCodes: (db, user: UserName) => db.count('recovery_codes', { user_name: user }),

    /** Users who have a passkey. */
    async passkeyUsers(db): Promise<readonly UserName[]> {
      const rows = await db.kysely.selectFrom('passkeys').select('user_name').distinct().execute();
      return rows.map((row) => row.user_name as UserName);
    },

    /** Confirmed secrets that were sealed with another key than that of this id. */
    countTotpNotSealedWith: (db, keyId: string) => db.count('totp_secrets', { secret: { 'not like': `${keyId}.%` } }),
  },
  {
    /**
     * `first` counts when the user had no factor until then. `full`: the user has `most` of them already; `taken`: a passkey of
     * that id exists; `gone`: the user does not, or not as `first` knows it.
     */
    addPasskey: (
      locked,
      passkey: PasskeyRecord,
      added: { readonly challenge: SpentChallenge; readonly first: FirstFactor; readonly most: number },
    ) =>
      locked({ person: passkey.user }, async (db, user) => {
        if (!user) return 'gone';
        if ((await db.count('passkeys', { user_name: user.name })) >= added.most) return 'full';
        if (await db.has('passkeys', { id: passkey.id })) return 'taken';
        if (!(await isSpentNow(added.challenge, db))) return 'spent';
        if (!isAsKnown(user, added.first)) return 'gone';
        return (await db.insertNew('passkeys', passkey)) ? afterGain(user, added.first, db) : 'taken';
      }),

    /** `cloned`: the counter was over 0 and has not risen, as that of a copy. Authenticators without a counter stay at 0. */
    usePasskey: (
      locked,
      { id, user }: Pick<PasskeyRecord, 'id' | 'user'>,
      used: Pick<PasskeyRecord, 'counter' | 'isBackedUp'> & { readonly challenge: SpentChallenge; readonly at: number },
    ) =>
      locked({}, async (db) => {
        const own = { id, user_name: user };
        if (!(await db.has('passkeys', own))) return 'gone';
        if (!(await isSpentNow(used.challenge, db))) return 'spent';
        // The challenge stays used up: a copy gets no second try with it.
        const { counter, isBackedUp, at } = used;
        const latest = { counter, is_backed_up: Number(isBackedUp), last_used_at: at };
        for (const risen of [{ '<': counter }, 0])
          if (await db.update('passkeys', { ...own, counter: risen }, latest)) return 'used';
        return (await db.has('passkeys', own)) ? 'cloned' : 'gone';
      }),

    /**
     * `epoch` becomes the user's when this was the last factor. `last-way-in`: the account has no password, no other passkey and
     * no sign-in; `gone`: the user does not exist, or not as known.
     */
    removePasskey: (locked, name: UserName, id: string, { epoch, known }: Pick<FirstFactor, 'epoch' | 'known'>) =>
      locked({ person: name }, async (db, user) => {
        if (!isAsKnown(user, { known })) return 'gone';
        if (!(await db.has('passkeys', { user_name: name, id }))) return 'absent';
        if (!(await hasOtherWay(user, { passkey: id }, db))) return 'last-way-in';
        await db.delete('passkeys', { user_name: name, id });
        return afterLoss(name, epoch, db);
      }),

    /** Replaces a secret that waits; one that is confirmed stays in use until the new one is. */
    startTotp: (locked, name: UserName, sealed: string, until: number) =>
      locked({ person: name }, async (db, user) => {
        if (!user) return 'absent';
        const waiting = { pending: sealed, pending_until: until };
        if (!(await db.update('totp_secrets', { user_name: name }, waiting)))
          await db.insert('totp_secrets', {}, { user_name: name, ...waiting });
        return 'started';
      }),

    /**
     * The secret that waits becomes the user's, and the time step of its first code is used up. `gone` when another secret
     * waits by now, or the user is not as `first` knows it. `first` counts when the user had no factor until then: otherwise epoch and recovery codes stay.
     */
    confirmTotp: (
      locked,
      name: UserName,
      { sealed, step, first }: { readonly sealed: string; readonly step: number; readonly first: FirstFactor },
    ) =>
      locked({ person: name }, async (db, user) => {
        if (!isAsKnown(user, first)) return 'gone';
        const confirmed = { secret: sealed, last_step: step, pending: null, pending_until: null };
        const changed = await db.update('totp_secrets', { user_name: name, pending: sealed }, confirmed);
        return changed ? afterGain(user, first, db) : 'gone';
      }),

    /** `epoch` becomes the user's when this was the last factor. */
    removeTotp: (locked, name: UserName, epoch: string) =>
      locked({ person: name }, async (db) => {
        const removed = await db.delete('totp_secrets', { user_name: name, secret: { '!=': null } });
        return removed ? afterLoss(name, epoch, db) : 'absent';
      }),

    /** All factors and recovery codes of a user. */
    removeFactors: (locked, name: UserName, epoch: string) =>
      locked({ person: name }, async (db, user) => {
        await db.delete('totp_secrets', { user_name: name });
        await db.delete('passkeys', { user_name: name });
        if (!user?.hasFactor) return 'absent';
        await afterLoss(name, epoch, db);
        return 'last';
      }),

    /** `gone`: the user does not exist, has no factor, or is not as known. */
    replaceRecoveryCodes: (locked, name: UserName, hashes: readonly string[], known: FirstFactor['known']) =>
      locked({ person: name }, async (db, user) => {
        if (!user?.hasFactor || !isAsKnown(user, { known })) return 'gone';
        await writeRecoveryCodes(name, hashes, db);
        return 'replaced';
      }),
  },
);

/** Kept beside ended sessions, whose ids look different, until the challenge is over: another replica sees it there. */
export const isSpentNow = ({ id, expiresAt }: SpentChallenge, db: Queries): Promise<boolean> =>
  db.insertNew('revoked_tokens', { tokenId: id, expiresAt });

/** Whether the factors of the user, who is locked, are as known: of two sessions that add the first one, one is over by then. */
const isAsKnown = (user: User | undefined, { known }: Pick<FirstFactor, 'known'>): user is User =>
  user?.passwordChangedAt === known.passwordChangedAt && user.factorEpoch === known.factorEpoch;

/** Notes that a factor was written: with the first one the user, who is locked, gets recovery codes. */
export async function afterGain(
  { name, hasFactor }: User,
  { epoch, recoveryCodes }: Omit<FirstFactor, 'known'>,
  db: Queries,
): Promise<'first' | 'more'> {
  if (hasFactor) return 'more';
  await changeSecrets(name, { has_factor: 1, factor_epoch: epoch }, db);
  await writeRecoveryCodes(name, recoveryCodes, db);
  return 'first';
}

/** Notes that a factor was deleted. Nothing changes while the user has another one. */
async function afterLoss(user: UserName, epoch: string, db: Queries): Promise<'last' | 'more'> {
  if (await db.has('totp_secrets', { user_name: user, secret: { '!=': null } })) return 'more';
  if (await db.has('passkeys', { user_name: user })) return 'more';
  await changeSecrets(user, { has_factor: 0, factor_epoch: epoch }, db);
  await writeRecoveryCodes(user, [], db);
  return 'last';
}

/** Replaces the earlier ones. */
async function writeRecoveryCodes(user: UserName, hashes: readonly string[], db: Queries): Promise<void> {
  await db.delete('recovery_codes', { user_name: user });
  for (const codeHash of hashes) await db.insert('recovery_codes', { codeHash, user });
}
