/** All published holes: each file of these folders is one. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { PublishedHole } from './hole.ts';

export const FOLDERS = ['frigate', 'recorders', 'proxies'] as const;
export type Folder = (typeof FOLDERS)[number];

export interface FiledHole {
  readonly folder: Folder;
  /** Of this folder, without its ending. */
  readonly file: string;
  readonly hole: PublishedHole;
}

/** In the order of their files. */
export async function allHoles(): Promise<readonly FiledHole[]> {
  const found: FiledHole[] = [];
  for (const folder of FOLDERS)
    for (const file of globSync('*.ts', { cwd: join(import.meta.dirname, folder) }).sort()) {
      const { hole } = (await import(`./${folder}/${file}`)) as { readonly hole: PublishedHole };
      found.push({ folder, file: file.replace(/\.ts$/, ''), hole });
    }
  return found;
}
