/** Runs the real kubectl against a server, with its own home folder, for a limited time. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { RunningApiServer } from './api-server.ts';
import { findProgram } from './programs.ts';

export interface KubectlOutput {
  /** Its exit code; null if it had to be killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface KubectlOptions {
  readonly stdin?: string | undefined;
  readonly editor?: string | undefined;
  /** Called with all output so far, whenever there is more; may end the run. */
  readonly onOutput?: (stdout: string, end: () => void) => void;
}

const COMMAND_MS = 90_000;

export function runKubectl(
  server: RunningApiServer,
  words: readonly string[],
  { stdin = '', editor, onOutput }: KubectlOptions = {},
): Promise<KubectlOutput> {
  const home = path.join(server.folder, 'home');
  mkdirSync(home, { recursive: true });
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    KUBECONFIG: server.kubeconfig,
    ...(editor === undefined ? {} : { KUBE_EDITOR: editor }),
  };
  return new Promise((resolve, reject) => {
    let [stdout, stderr] = ['', ''];
    const child = spawn(findProgram('kubectl'), words, { cwd: home, env, timeout: COMMAND_MS });
    const end = (): void => void child.kill('SIGINT');
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      onOutput?.(stdout, end);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    // A command that has ended without reading ignores our input.
    child.stdin.on('error', () => undefined).end(stdin);
  });
}

/** For commands that must succeed: their output, or an error with what they printed. */
export async function kubectlOrThrow(
  server: RunningApiServer,
  line: string,
  stdin?: string,
): Promise<string> {
  const { code, stdout, stderr } = await runKubectl(server, line.split(' '), { stdin });
  if (code !== 0) throw new Error(`kubectl ${line} ended with ${code}\n${stdout}${stderr}`);
  return stdout.trim();
}
