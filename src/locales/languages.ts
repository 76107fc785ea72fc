/** The languages that a person can choose, each with its name in its own words. A build has them as a list: `compiledCatalogs`. */
import { namedLanguages } from './compile-catalogs.ts';

export const LANGUAGES = namedLanguages();
