/** Settings of the house: two-step login, time zone and public address, set by an admin, kept in the store, and felt by all who share it (SPEC 8). */
import { describe } from 'node:test';
import { sharedStore } from '../sites/support/two-sites.ts';
import { settingsSuite } from './support/house-settings.ts';

describe('Settings of the house, on SQLite', () => settingsSuite(async () => sharedStore()));
