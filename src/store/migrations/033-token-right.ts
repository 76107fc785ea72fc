/** A token that was made for one right says for which (SPEC 19). */
import type { Migration } from 'kysely/migration';
import { type Dialect, runAll } from '../engine/engine.ts';

const MADE_FOR = `
alter table token_rights add column made_for text default null;
update token_rights set made_for = 'curtain' where is_for_curtain = 1;
alter table token_rights drop column is_for_curtain`;

export const tokenRight = (words: Dialect): Migration => ({ up: (db) => runAll(MADE_FOR, db, words) });
