/** The page Security and the configuration file: what is in use, what sets it, and a change that is written and reloaded (SPEC 1, 12). */
import { SECURITY_KEYS, type SecurityName, type SecuritySettings } from '../accounts/security/security-routes.ts';
import { canWrite, changeConfigFile } from '../config/change-file.ts';
import { loadServiceConfig, type ServiceConfig } from '../config/service-config.ts';
import { publicAddress } from '../domain/addresses/public-url.ts';
import { createTaskQueue } from '../domain/async/task-queue.ts';
import type { Generations } from './hot-reload.ts';
import type { StartOptions } from './start-options.ts';

const NAMES = Object.keys(SECURITY_KEYS) as readonly SecurityName[];

export function createSecuritySettings(
  { directory, env }: Pick<StartOptions, 'directory' | 'env'>,
  { config, reload }: { readonly config: () => ServiceConfig } & Pick<Generations, 'reload'>,
): SecuritySettings {
  // Two changes at once would each write what the other one lacks.
  const turns = createTaskQueue(1);
  return {
    async current() {
      const { file, settings, placed } = config();
      const shown: Readonly<Record<SecurityName, string | null>> = {
        second_factor: settings.auth.second_factor,
        timezone: settings.auth.timezone ?? null,
        public_url: settings.server.public_url ? publicAddress(settings.server.public_url, '') : null,
      };
      const keys = Object.fromEntries(
        NAMES.map((name) => [name, { value: shown[name], set_by: setBy(name, placed) ?? null }]),
      ) as Record<SecurityName, { value: string | null; set_by: string | null }>;
      return { file, writable: await canWrite(file), keys };
    },
    async change(values) {
      const leave = await turns.enter();
      try {
        const { file, placed } = config();
        const given = NAMES.flatMap((name) => {
          const value = values[name];
          return value === undefined ? [] : [{ name, value, source: setBy(name, placed) }];
        });
        const fixed = given.find(({ source }) => source !== undefined);
        if (fixed)
          return {
            kind: 'not-writable',
            message: `${pathOf(fixed.name)} is set by ${fixed.source}, which comes before the file: change it there`,
          };
        const written = await changeConfigFile(
          { directory, env, file },
          given.map(({ name, value }) => ({ ...SECURITY_KEYS[name], value })),
        );
        if (written.kind === 'invalid') return { kind: 'invalid', message: written.problems.join('\n') };
        if (written.kind === 'not-writable')
          return { kind: 'not-writable', message: `${file} was not changed: ${written.reason}` };
        const { isTaken } = await reload(() => loadServiceConfig({ directory, env, whenMissing: 'refuse' }));
        if (isTaken) return { kind: 'changed' };
        return { kind: 'not-reloaded', message: `${file} was changed, but is not in use: the page Status says why` };
      } finally {
        leave();
      }
    },
  };
}

const pathOf = (name: SecurityName): string => `${SECURITY_KEYS[name].section}.${SECURITY_KEYS[name].key}`;

/** The variable that sets the key; undefined: the file, or its default. */
const setBy = (name: SecurityName, placed: ServiceConfig['placed']): string | undefined =>
  placed({ path: pathOf(name).split('.'), message: '' }).source;
