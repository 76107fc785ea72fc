/** `postern backup FILE` and `postern restore FILE` (SPEC 15). */
import type { CommandGroup, Frame } from '../../accounts/http/route-commands.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { momentText } from '../../domain/moment.ts';
import type { RestoreDone } from './restore.ts';

// biome-ignore format: a table
export const BACKUP: CommandGroup = {
  commands: [
    { words: 'backup <file>', about: 'write accounts, roles, tokens, events, the signing secret, the configuration and every file in its directory that a key names into one file; the server may run',
      run: backUpInto },
    { words: 'restore <file>', about: 'put a backup into the configuration directory, or the copy that an update kept in the place of the store; the server must not run',
      options: [
        ['--replace', 'set aside what is there'],
        ['--revoke', 'end all sessions, API tokens, links, invitations and screens of the backup'],
      ],
      run: restoreFrom },
  ],
};

async function backUpInto({ file }: { readonly file: string }, { place }: Frame): Promise<string> {
  const { backUp } = await import('./back-up.ts');
  const { files, size, missing } = await backUp(file, place());
  return lines([
    `${file}: ${files.length} files, ${Math.ceil(size / 1000)} kB. It holds secrets: keep it as safe as the passwords.`,
    ...missing.map(notInIt),
  ]);
}

interface RestoreWishes {
  readonly file: string;
  readonly replace?: boolean;
  readonly revoke?: boolean;
}

async function restoreFrom({ file, replace = false, revoke = false }: RestoreWishes, frame: Frame): Promise<string> {
  const { restore } = await import('./restore.ts');
  const place = frame.place();
  const done = await restore(file, { ...place, replace, revoke, isRunning: frame.isRunning });
  const problems = await frame.check(place);
  return lines([
    `Restored ${done.names.join(', ')}, as of ${momentText(done.madeAt)} (${age(unixSeconds(place.clock) - done.madeAt)}).`,
    revoke ? ended(done) : workingAgain(done),
    ...done.missing.map(notInIt),
    ...problems.map((problem) => `before a start: ${problem}`),
    problems.length === 0 ? 'Start the server now.' : 'Then start the server: "postern check" says what is left.',
  ]);
}

const lines = (all: readonly string[]): string => all.join('\n');

const notInIt = (line: string): string => `not in it: ${line}`;

const workingAgain = ({ returned }: RestoreDone): string =>
  `What was changed or revoked since then is as it was: passwords, roles and second factors of ${some(returned.account, 'account')}, deleted ones included, and the curtain; ${credentials(returned)} work again, and so do sessions of after the backup that were ended. To end them, restore once more with --replace --revoke.`;

const ended = ({ returned }: RestoreDone): string =>
  `Ended: ${credentials(returned)}, and all sessions of after the backup. Passwords, roles and second factors of ${some(returned.account, 'account')}, deleted ones included, and the curtain are as they were: change what was changed since then.`;

const credentials = ({ account: _, ...counts }: RestoreDone['returned']): string =>
  new Intl.ListFormat('en-GB').format(Object.entries(counts).map(([kind, count]) => some(count, kind)));

const some = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;

const AGES = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

function age(seconds: number): string {
  const [unit, length] = AGES.find(([, each]) => seconds >= each) ?? ['minute', 60];
  return `${some(Math.max(0, Math.floor(seconds / length)), unit)} old`;
}
