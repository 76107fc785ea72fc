/** What the routes of accounts answer, in the shapes that they declare (SPEC 4.3, 4.4, 12, 13). */
import type { z } from 'zod';
import type {
  ACCOUNT_EVENT,
  CLOSED_GUEST,
  INVITATION,
  LIMIT,
  LINK,
  MADE_INVITATION,
  MADE_TOKEN,
  ROLE,
  SCREEN,
  SCREEN_DEVICE,
  SESSION,
  SETTINGS,
  SIGN_IN,
  TOKEN,
  USER,
} from '../../../accounts/http/answers.ts';

export type UserRecord = z.output<typeof USER>;
export type RoleRecord = z.output<typeof ROLE>;
export type TokenRecord = z.output<typeof TOKEN>;
export type MadeToken = z.output<typeof MADE_TOKEN>;
export type SessionRecord = z.output<typeof SESSION>;
export type ClosedGuestRecord = z.output<typeof CLOSED_GUEST>;
export type InvitationRecord = z.output<typeof INVITATION>;
export type MadeInvitation = z.output<typeof MADE_INVITATION>;
export type AccountEvent = z.output<typeof ACCOUNT_EVENT>;
export type SignInRecord = z.output<typeof SIGN_IN>;
export type LimitRecord = z.output<typeof LIMIT>;
export type ScreenRecord = z.output<typeof SCREEN>;
export type ScreenDevice = z.output<typeof SCREEN_DEVICE>;
export type SecurityRecord = z.output<typeof SETTINGS>;
export type LinkRecord = z.output<typeof LINK>;
