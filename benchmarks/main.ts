/** `npm run bench`: measures what podkeep does most, and prints tables with something to compare. */
import { benchStatusFunctions } from './status-functions.ts';

await benchStatusFunctions((line) => console.log(line));
