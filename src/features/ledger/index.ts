/** The ledger: who watched what, and what was changed, in a chain of hashes; notices are records of it (SPEC 12, 14). */
import type { Feature } from '../feature.ts';
import { registerLedgerCommands } from './command.ts';
import { openCommandLedger } from './command-ledger.ts';
import { openLedger } from './ledger.ts';
import { LEDGER_ROUTES } from './ledger-routes.ts';
import { NOTICE_ROUTES } from './notice-routes.ts';

export const ledger: Feature = {
  name: 'ledger',
  routes: [...NOTICE_ROUTES, ...LEDGER_ROUTES],
  commands: registerLedgerCommands,
  open: openLedger,
  openForCommand: openCommandLedger,
};
