/** Who calls on port 5000: `anonymous`, as admin, by listener and never by a header (interface 5.6). */
import { type IdentitySource, INTERNAL_CALLER } from '../domain/caller.ts';

export const internalSource: IdentitySource = {
  name: 'internal',
  identify: ({ listener }) =>
    listener === 'internal' ? { kind: 'identified', caller: INTERNAL_CALLER } : { kind: 'silent' },
};
