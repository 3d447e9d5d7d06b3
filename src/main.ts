/** The program: hands the arguments and the real streams to cli/, and exits with its code. */
import { run } from './cli/run.ts';

process.exitCode = await run(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
