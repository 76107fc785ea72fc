/** For tests of what pages say: the console loads its language before anything is shown. */
import { learnWords } from '../../../src/ui/pages/shared/words.ts';

await learnWords('en');
