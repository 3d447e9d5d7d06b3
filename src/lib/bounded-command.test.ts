import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { makeTempFolder } from '../../test/support/temp-folder.ts';
import { runBoundedCommand } from './bounded-command.ts';

const never = new AbortController().signal;
const script = (text: string): readonly string[] => [process.execPath, '-e', text];

test('a program gets its arguments as they are, its input, and nothing of our environment', async () => {
  vi.stubEnv('SECRET_OF_PODKEEP', 'x');
  const text =
    'process.stdin.on("data", (input) => console.log(JSON.stringify([process.argv.slice(1), String(input), Object.keys(process.env).sort(), process.cwd()])))';
  const args = [...script(text), '$(id)', '; a  b'];
  const { exitCode, output } = await runBoundedCommand(args, '{"a":1}', never);
  vi.unstubAllEnvs();
  expect(exitCode).toBe(0);
  expect(JSON.parse(output)).toEqual([['$(id)', '; a  b'], '{"a":1}', ['LANG', 'PATH'], '/']);
});

test('the result has its exit code, and only the beginning of its output is kept', async () => {
  const text = 'process.stderr.write("e".repeat(1e6), () => process.exit(3))';
  const { exitCode, output } = await runBoundedCommand(script(text), '', never);
  expect(exitCode).toBe(3);
  expect(output).toBe('e'.repeat(4096));
});

test('a program that takes too long is killed, with everything that it started', async () => {
  const file = path.join(makeTempFolder(), 'child');
  const text = `const child = require('child_process').spawn('sleep', ['60'], { stdio: 'inherit' });
    require('fs').writeFileSync(${JSON.stringify(file)}, String(child.pid)); setInterval(() => {}, 1000)`;
  const abort = new AbortController();
  const running = runBoundedCommand(script(text), '', abort.signal);
  await vi.waitFor(
    () => expect(existsSync(file) && readFileSync(file, 'utf8')).toBeTruthy(),
    20_000,
  );
  abort.abort(new Error('it took too long'));
  await expect(running).rejects.toThrow('it took too long');
  const pid = Number(readFileSync(file, 'utf8'));
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 20_000);
});

test('what a program leaves behind ends with it', async () => {
  const text = `const child = require('child_process').spawn('sleep', ['60'], { stdio: 'inherit' });
    child.unref(); process.stdout.write(String(child.pid), () => process.exit(0))`;
  const { output } = await runBoundedCommand(script(text), '', never);
  await vi.waitFor(() => expect(isAlive(Number(output))).toBe(false), 20_000);
});

test('a program that is not there is an error', async () => {
  await expect(runBoundedCommand(['/nowhere/program'], '', never)).rejects.toThrow('ENOENT');
});

/** A process that ended and was not waited for by its parent still has a number. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
