/** `postern users list|add|password|role|delete`: account work beside the server or without it (SPEC 1). */
import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import { type Role, type UserName, VIEWER } from '../domain/names.ts';
import type { Result } from '../domain/result.ts';
import { readNewPassword, type Terminal } from './read-password.ts';

type Outcome = Promise<Result<UserName, { readonly message: string }>>;

/** The accounts of a store that is open for the length of one command. */
export interface OpenUsers {
  readonly users: {
    list(): Promise<readonly { readonly name: UserName; readonly role: Role }[]>;
    add(user: { readonly name: string; readonly password: string; readonly role: string }): Outcome;
    setPassword(name: string, password: string): Outcome;
    setRole(name: string, role: string): Outcome;
    remove(name: string): Outcome;
  };
  close(): Promise<void>;
}

export interface UsersCommandParts extends Terminal {
  readonly openStore: () => Promise<OpenUsers>;
  readonly stdout: Writable;
  readonly exit: (code: number) => void;
}

export function registerUsersCommands(program: Command, parts: UsersCommandParts): void {
  const users = program.command('users').description('list and change the accounts that people log in with');
  const run = (work: (users: OpenUsers['users']) => Promise<Result<string, string>>) => runOn(work, parts);
  users
    .command('list')
    .description('print every user with the role')
    .action(() => run(async (accounts) => ({ ok: true, value: listing(await accounts.list()) })));
  users
    .command('add <name>')
    .description('make a user; the password is asked for, or read from standard input')
    .option('--role <role>', 'admin, viewer or a custom role', VIEWER)
    .action((name: string, { role }: { role: string }) =>
      run((accounts) =>
        withPassword(parts, name, (password) =>
          said(accounts.add({ name, password, role }), `Added ${name} with the role ${role}.`),
        ),
      ),
    );
  users
    .command('password <name>')
    .description("change a user's password, which ends the sessions; it is asked for, or read from standard input")
    .action((name: string) =>
      run((accounts) =>
        withPassword(parts, name, (password) =>
          said(accounts.setPassword(name, password), `The password of ${name} is changed; open sessions are over.`),
        ),
      ),
    );
  users
    .command('role <name> <role>')
    .description("change a user's role, from the next request on")
    .action((name: string, role: string) =>
      run((accounts) => said(accounts.setRole(name, role), `${name} has the role ${role} now.`)),
    );
  users
    .command('delete <name>')
    .description('remove a user, which ends the sessions')
    .action((name: string) =>
      run((accounts) => said(accounts.remove(name), `${name} is removed; open sessions are over.`)),
    );
}

async function runOn(
  work: (users: OpenUsers['users']) => Promise<Result<string, string>>,
  { openStore, stdout, stderr, exit }: UsersCommandParts,
): Promise<void> {
  const store = await openStore();
  try {
    const outcome = await work(store.users);
    if (outcome.ok) stdout.write(`${outcome.value}\n`);
    else stderr.write(`${outcome.error}\n`);
    exit(outcome.ok ? 0 : 1);
  } finally {
    await store.close();
  }
}

async function withPassword(
  terminal: Terminal,
  name: string,
  work: (password: string) => Promise<Result<string, string>>,
): Promise<Result<string, string>> {
  const password = await readNewPassword(terminal, name);
  return password.ok ? work(password.value) : password;
}

async function said(outcome: Outcome, sentence: string): Promise<Result<string, string>> {
  const settled = await outcome;
  return settled.ok ? { ok: true, value: sentence } : { ok: false, error: settled.error.message };
}

function listing(users: readonly { readonly name: UserName; readonly role: Role }[]): string {
  if (users.length === 0) return 'There are no users yet: the first start makes the admin.';
  const width = Math.max(...users.map(({ name }) => name.length));
  return users.map(({ name, role }) => `${name.padEnd(width)}  ${role}`).join('\n');
}
