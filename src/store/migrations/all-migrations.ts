/** The store's migrations in their order: a number once given never changes, new ones are added at the end. */
import type { MigrationProvider } from 'kysely/migration';
import type { Dialect } from '../engine/dialect.ts';
import { accounts } from './001-accounts.ts';
import { events } from './002-events.ts';
import { rolesSessionsTokens } from './003-roles-sessions-tokens.ts';
import { eventWrites } from './004-event-writes.ts';
import { sessionKeys } from './005-session-keys.ts';
import { sortsWithIds } from './006-sorts-with-ids.ts';
import { changeNotices } from './007-change-notices.ts';
import { accountManagingTokens } from './008-account-managing-tokens.ts';
import { secondFactor } from './009-second-factor.ts';
import { accountNotices } from './010-account-notices.ts';
import { links } from './011-links.ts';
import { guestsAndLimits } from './012-guests-and-limits.ts';
import { ledger } from './013-ledger.ts';
import { ledgerNotices } from './014-ledger-notices.ts';
import { ledgerDeletions } from './015-ledger-deletions.ts';
import { storeIdentity } from './016-store-identity.ts';
import { rowNotices } from './017-row-notices.ts';
import { zonesByCamera } from './018-zones-by-camera.ts';
import { noUnusualViewing } from './019-no-unusual-viewing.ts';
import { loginAttempts } from './020-login-attempts.ts';
import { noticesInLedger } from './021-notices-in-ledger.ts';
import { signIns } from './022-sign-ins.ts';
import { identityKeys } from './023-identity-keys.ts';
import { tokensThatLogIn } from './024-tokens-that-log-in.ts';
import { loginBlocks } from './025-login-blocks.ts';
import { curtain } from './026-curtain.ts';
import { screens } from './027-screens.ts';
import { sites } from './028-sites.ts';
import { closedSignIns } from './029-closed-sign-ins.ts';
import { noIdentityKeys } from './030-no-identity-keys.ts';
import { namedRows } from './031-named-rows.ts';
import { namesOfCameras } from './032-names-of-cameras.ts';
import { settings } from './033-settings.ts';
import { oneLedgerChain } from './034-one-ledger-chain.ts';

export const migrationsFor = (dialect: Dialect): MigrationProvider => ({
  getMigrations: async () => ({
    '001-accounts': accounts(dialect),
    '002-events': events(dialect),
    '003-roles-sessions-tokens': rolesSessionsTokens(dialect),
    '004-event-writes': eventWrites(dialect),
    '005-session-keys': sessionKeys(dialect),
    '006-sorts-with-ids': sortsWithIds(dialect),
    '007-change-notices': changeNotices(dialect),
    '008-account-managing-tokens': accountManagingTokens,
    '009-second-factor': secondFactor(dialect),
    '010-account-notices': accountNotices(dialect),
    '011-links': links(dialect),
    '012-guests-and-limits': guestsAndLimits(dialect),
    '013-ledger': ledger(dialect),
    '014-ledger-notices': ledgerNotices(dialect),
    '015-ledger-deletions': ledgerDeletions,
    '016-store-identity': storeIdentity(dialect),
    '017-row-notices': rowNotices(dialect),
    '018-zones-by-camera': zonesByCamera(dialect),
    '019-no-unusual-viewing': noUnusualViewing,
    '020-login-attempts': loginAttempts(dialect),
    '021-notices-in-ledger': noticesInLedger,
    '022-sign-ins': signIns(dialect),
    '023-identity-keys': identityKeys(dialect),
    '024-tokens-that-log-in': tokensThatLogIn,
    '025-login-blocks': loginBlocks(dialect),
    '026-curtain': curtain(dialect),
    '027-screens': screens(dialect),
    '028-sites': sites(dialect),
    '029-closed-sign-ins': closedSignIns(dialect),
    '030-no-identity-keys': noIdentityKeys,
    '031-named-rows': namedRows(dialect),
    '032-names-of-cameras': namesOfCameras,
    '033-settings': settings(dialect),
    '034-one-ledger-chain': oneLedgerChain(dialect),
  }),
});
