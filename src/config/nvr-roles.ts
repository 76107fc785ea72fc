/** `auth.roles` in the NVR's own configuration, for bringing its users here (SPEC 1, `users import`). */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { faultMessage } from '../domain/result.ts';

export interface NvrRoles {
  /** The file that was read; undefined where none was found. */
  readonly file: string | undefined;
  readonly roles: ReadonlyMap<string, readonly string[]>;
}

const NAMES = ['config.yml', 'config.yaml'];

/** `file`: the configuration; absent, it is looked for beside the database. Throws with a sentence. */
export function readNvrRoles(database: string, file?: string): NvrRoles {
  const found = file ?? NAMES.map((name) => join(dirname(database), name)).find((path) => existsSync(path));
  if (found === undefined) return { file: undefined, roles: new Map() };
  try {
    const roles = Object(Object(Object(parse(readFileSync(found, 'utf8')))['auth'])['roles']);
    return { file: found, roles: new Map(Object.entries(roles).map(([role, cameras]) => [role, namesIn(cameras)])) };
  } catch (cause) {
    const reason = faultMessage(cause);
    throw new Error(`cannot read the roles in ${found}: ${reason}`, { cause });
  }
}

/** The NVR takes a list; its pages once wrote a text with commas. */
function namesIn(cameras: unknown): readonly string[] {
  const list = typeof cameras === 'string' ? cameras.split(',') : cameras;
  return Array.isArray(list) ? list.map((camera) => String(camera).trim()).filter(Boolean) : [];
}
