/** `tsx benchmarks/bare-burst.ts COUNT`: prints the milliseconds of a bare burst, from a process this small. */
import { bareBurst, percentile, repeated } from './node-figures.ts';

const REPEATS = 5;
const count = Number(process.argv[2] ?? 50);
console.log(percentile(await repeated(REPEATS, () => bareBurst(count)), 0.5));
