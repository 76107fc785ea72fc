/** Who calls on port 5000: `anonymous`, as admin, by listener and never by a header (interface 5.6). */
import { INTERNAL_CALLER } from '../domain/caller.ts';
import type { IdentitySource } from '../domain/verdict.ts';

export const internalSource: IdentitySource = {
  name: 'internal',
  identify: ({ listener }) =>
    listener === 'internal' ? { kind: 'identified', caller: INTERNAL_CALLER } : { kind: 'silent' },
};
