/** Refuses a configuration that was cut, or that lacks `auth.roles` while users have roles that nothing defines. */
import { basename } from 'node:path';
import { CUT, EMPTIED, isCut } from '../../config/configured-mark.ts';
import type { Problem } from '../../config/problems/problems.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';
import type { Store } from '../../store/open-store.ts';

/** What is wrong with a configuration that lacks what was there before. `before`: the active one, at a reload. */
export async function lossIn(
  config: ServiceConfig,
  store: Pick<Store, 'accounts' | 'roles'>,
  before?: ServiceConfig,
): Promise<Problem | undefined> {
  if (config.isEmpty && before && !before.isEmpty) return EMPTIED;
  const cut = before && cutFile(config, before);
  if (cut) return cut;
  if (config.given.has('auth.roles')) return undefined;
  const defined = new Set([ADMIN, VIEWER, ...(await store.roles.listRoles()).map(({ role }) => role)]);
  const orphans = (await store.accounts.listUsers()).filter(({ role }) => !defined.has(role));
  if (orphans.length === 0) return undefined;
  const roles = [...new Set(orphans.map(({ role }) => role))].sort().join(', ');
  const users = orphans.length === 1 ? '1 user has' : `${orphans.length} users have`;
  const message = `is missing, but ${users} a role that nothing else defines (${roles}): put auth.roles back, or write "roles: {}" below "auth:" to make these users viewers`;
  return config.placed({ path: ['auth', 'roles'], message });
}

/** The problem when the configuration itself, or a route table that it names, is only the beginning of the one before. */
function cutFile(config: ServiceConfig, before: ServiceConfig): Problem | undefined {
  if (isCut(config.text, before.text)) return CUT;
  const cut = [...config.policyTexts].find(([file, text]) => isCut(text, before.policyTexts.get(file) ?? ''));
  return cut && { ...CUT, source: basename(cut[0]) };
}
