/**
 * `tsx benchmarks/bare-burst.ts COUNT`: prints the milliseconds of a burst of bare processes, started by this
 * small process.
 */
import { bareBurst, percentile, repeated } from './node-figures.ts';

const REPEATS = 5;
const count = Number(process.argv[2] ?? 50);
console.log(percentile(await repeated(REPEATS, () => bareBurst(count)), 0.5));
