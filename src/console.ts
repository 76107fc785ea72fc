/** Entry of the console, the program in the browser: the core's pages, and those of the features. */
import { FEATURE_PAGES } from './features/all-pages.ts';
import { startConsole } from './ui/pages/console/console.tsx';

void startConsole(FEATURE_PAGES);
