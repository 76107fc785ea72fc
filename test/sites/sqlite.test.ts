/** Two sites on one SQLite file (SPEC 20). */
import { describe } from 'node:test';
import { siteSuite } from './support/site-suite.ts';
import { sharedStore } from './support/two-sites.ts';

describe('Two sites on one SQLite file', () => siteSuite(async () => sharedStore()));
