/** The doctor in the console: the check of the public address, a tile of Status. */
import type { PagePieces } from '../../../ui/pages/shared/pieces.tsx';

export const doctorPages: PagePieces = {
  pieces: { status: async () => (await import('./address-check.tsx')).AddressCheck },
};
