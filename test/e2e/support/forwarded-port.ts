/** Asks a port of a pod through `kubectl port-forward`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { findProgram } from './programs.ts';

/** What the other end of the port sends before it closes; empty: it was refused. */
export async function answerThrough(
  kubeconfig: string,
  target: string,
  port: number,
): Promise<string> {
  const words = ['port-forward', target, `:${port}`];
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: path.dirname(kubeconfig) };
  const child = spawn(findProgram('kubectl'), words, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  try {
    const local = await Promise.race([localPort(child.stdout), ended]);
    if (typeof local !== 'number') return '';
    const socket = connect(local, '127.0.0.1').setEncoding('utf8');
    let answer = '';
    socket.on('data', (text: string) => (answer += text));
    await once(socket, 'close').catch(() => undefined);
    return answer;
  } finally {
    child.kill('SIGINT');
    await ended;
  }
}

/** kubectl needs its output until it ends, so it is read on. */
function localPort(output: Readable): Promise<number> {
  let text = '';
  return new Promise((resolve) => {
    output.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const found = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
  });
}
