/** What can be told of a configuration that has problems: its settings without the keys that are wrong (SPEC 1, `check`). */
import type { z } from 'zod';
import type { KeyPath } from './problems/problems.ts';
import { takeOut } from './removed-keys.ts';
import { type Settings, settingsSchema } from './schema/schema.ts';

/** Undefined when too little is left. For warnings alone: nothing may be started with it. */
export function partialSettings(tree: unknown, issues: readonly z.core.$ZodIssue[]): Settings | undefined {
  const rest = structuredClone(tree);
  for (const issue of issues) {
    const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    for (const path of paths) takeOut(rest, withoutEntries(path));
  }
  const parsed = settingsSchema.safeParse(rest);
  return parsed.success ? parsed.data : undefined;
}

/** An entry of a list goes with the whole list: the places of the others would move. */
const withoutEntries = (path: KeyPath): KeyPath => {
  const list = path.findIndex((step) => typeof step === 'number');
  return list < 0 ? path : path.slice(0, list);
};
