/** What the routes of accounts answer, in the shapes that they declare (SPEC 4.3, 4.4, 12, 13). */
import type { z } from 'zod';
import type * as Answers from '../../../accounts/http/answers.ts';

export type AnswerOf<Name extends keyof typeof Answers> = (typeof Answers)[Name] extends z.ZodType
  ? z.output<(typeof Answers)[Name]>
  : never;

export type UserRecord = AnswerOf<'USER'>;
export type RoleRecord = AnswerOf<'ROLE'>;
export type SessionRecord = AnswerOf<'SESSION'>;
