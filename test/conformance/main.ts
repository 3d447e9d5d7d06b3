/** `npm run conformance -- FILE…`: see run.ts. Without files, the ones that live in this repo. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { replayFiles } from './run.ts';

const HOME = path.join(import.meta.dirname, '..', 'vectors');

const named = process.argv.slice(2);
const files =
  named.length > 0
    ? named
    : readdirSync(HOME)
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => path.relative('.', path.join(HOME, name)));

const missing = files.filter((file) => !existsSync(file));
if (missing.length > 0) {
  console.error(`no such file: ${missing.join(', ')}\nGive paths of vector files (*.jsonl).`);
  process.exitCode = 1;
} else {
  const { failed } = await replayFiles(files, (line) => console.log(line));
  process.exitCode = failed > 0 ? 1 : 0;
}
