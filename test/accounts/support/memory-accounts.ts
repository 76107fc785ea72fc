/** Accounts kept in memory, by the contract of `AccountStore`. */
import type { AccountStore, User } from '../../../src/domain/account.ts';
import { ADMIN, VIEWER } from '../../../src/domain/names.ts';

export function memoryAccounts(): AccountStore {
  const users = new Map<string, User>();
  const revoked = new Map<string, number>();
  const change = (name: string, changes: Partial<User>): boolean => {
    const user = users.get(name);
    if (user) users.set(name, { ...user, ...changes });
    return user !== undefined;
  };
  const isLastAdmin = (name: string): boolean =>
    users.get(name)?.role === ADMIN && [...users.values()].filter(({ role }) => role === ADMIN).length === 1;
  return {
    countUsers: async () => users.size,
    listUsers: async () => [...users.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    findUser: async (name) => users.get(name),
    async addUser(user) {
      if (users.has(user.name)) return 'taken';
      users.set(user.name, user);
      return 'added';
    },
    setPassword: async (name, passwordHash, changedAt) =>
      change(name, { passwordHash, passwordChangedAt: changedAt }) ? 'set' : 'absent',
    async rehashPassword(name, oldHash, newHash) {
      if (users.get(name)?.passwordHash === oldHash) change(name, { passwordHash: newHash });
    },
    async setRole(name, role) {
      if (role !== ADMIN && isLastAdmin(name)) return 'last-admin';
      return change(name, { role }) ? 'set' : 'absent';
    },
    async deleteUser(name) {
      if (isLastAdmin(name)) return 'last-admin';
      return users.delete(name) ? 'deleted' : 'absent';
    },
    async demoteUnknownRoles(known) {
      const lost = [...users.values()].filter(({ role }) => !known.includes(role));
      for (const { name } of lost) change(name, { role: VIEWER });
      return lost.map(({ name }) => name);
    },
    async revokeToken(tokenId, expiresAt) {
      revoked.set(tokenId, expiresAt);
    },
    isRevoked: async (tokenId) => revoked.has(tokenId),
    async forgetRevocationsBefore(expiredAt) {
      for (const [tokenId, expiresAt] of revoked) if (expiresAt < expiredAt) revoked.delete(tokenId);
    },
  };
}
