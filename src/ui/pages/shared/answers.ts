/** What the routes of accounts answer, in the shapes that they declare (SPEC 4.3, 4.4, 12, 13). */
import type { z } from 'zod';
import type * as Answers from '../../../accounts/http/answers.ts';

export type AnswerOf<Name extends keyof typeof Answers> = (typeof Answers)[Name] extends z.ZodType
  ? z.output<(typeof Answers)[Name]>
  : never;

/** The records of the lists, by path; features add theirs (`declare module`). */
export interface Lists {
  'api/users': UserRecord;
  'api/roles': RoleRecord;
  'api/tokens': AnswerOf<'TOKEN'>;
  'api/sessions': SessionRecord;
  'api/invitations': AnswerOf<'INVITATION'>;
  'api/closed-guests': AnswerOf<'CLOSED_GUEST'>;
  'api/account/sign-ins': AnswerOf<'SIGN_IN'>;
  'api/status/limits': AnswerOf<'LIMIT'>;
}

export type UserRecord = AnswerOf<'USER'>;
export type RoleRecord = AnswerOf<'ROLE'>;
export type SessionRecord = AnswerOf<'SESSION'>;
