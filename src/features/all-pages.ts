/** The features in the console, in their order: a feature's folder has its pages, and a line here. */
import { curtainPages } from './curtain/page/index.ts';
import { doctorPages } from './doctor/page/index.ts';
import { ledgerPages } from './ledger/page/index.ts';
import { linkPages } from './links/page/index.ts';
import { oidcPages } from './oidc/page/index.ts';
import { screenPages } from './screens/page/index.ts';

export const FEATURE_PAGES = [oidcPages, ledgerPages, linkPages, screenPages, curtainPages, doctorPages];
