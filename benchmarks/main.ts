/** `npm run bench`: measures podkeep's most frequent operations, and prints tables with reference values. */
import { benchApiServer } from './apiserver.ts';
import { benchNode } from './node.ts';
import { benchStatusFunctions } from './status-functions.ts';
import { benchStatusWrites } from './status-writes.ts';
import { benchStore } from './store.ts';

const print = (line: string): void => console.log(`${line}\n`);

await benchStatusFunctions(print);
await benchStatusWrites(print);
await benchStore(print);
await benchApiServer(print);
await benchNode(print);
