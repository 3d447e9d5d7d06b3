/** A web server in a pod, and what people do with one through kubectl. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { podCluster } from '../support/pod-cluster.ts';
import { shellPod } from '../support/pod-view.ts';

const cluster = podCluster('web');
const EXAMPLE = path.join(import.meta.dirname, '../../../examples/web.yaml');

test('a web server is applied, becomes ready, and answers at the address of its pod', async () => {
  expect(await cluster.kubectl(['apply', '-f', EXAMPLE])).toBe('pod/web created\n');
  await cluster.kubectl('wait --for=condition=Ready pod/web --timeout=60s');
  const ip = await cluster.kubectl('get pod web -o jsonpath={.status.podIP}');
  const answer = await fetch(`http://${ip}:8080/hello`);
  expect(await answer.text()).toBe(`Hello from web at ${ip}\n`);
  expect(await cluster.kubectl('get pod web --no-headers')).toMatch(/^web +1\/1 +Running +0 /);
});

test('its log is read from the beginning, from the end, and with times', async () => {
  await cluster.logWith('web', 'GET /hello');
  expect(await cluster.kubectl('logs web')).toMatch(/^listening\n/);
  expect(await cluster.kubectl('logs web --tail=1')).toMatch(/^GET \/\w+\n$/);
  const times = await cluster.kubectl('logs web --timestamps -c server');
  expect(times).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z listening\n/);
});

test('its log is followed while it is written', async () => {
  const ip = await cluster.kubectl('get pod web -o jsonpath={.status.podIP}');
  let isAsked = false;
  const { stdout } = await cluster.attempt('logs -f web', {
    onOutput: (text, { end }) => {
      if (text.includes('GET /later')) end();
      if (!isAsked) void fetch(`http://${ip}:8080/later`);
      isAsked = true;
    },
  });
  expect(stdout).toMatch(/^listening\n[^]*GET \/later\n$/);
});

test('a command in it reads its stdin and ends with its own code', async () => {
  const words = ['exec', '-i', 'web', '--', 'sh', '-c', 'cat; echo trouble >&2; exit 7'];
  const { code, stdout, stderr } = await cluster.attempt(words, { stdin: 'a question\n' });
  expect(stdout).toBe('a question\n');
  expect(stderr).toBe('trouble\ncommand terminated with exit code 7\n');
  expect(code).toBe(7);
});

test('a missing command is refused with a reason', async () => {
  const { code, stderr } = await cluster.attempt('exec web -- no-such-program');
  expect(stderr).toMatch(/no-such-program/);
  expect(code).toBeGreaterThan(0);
});

test('a command in a terminal has the size of the window, and gets what is typed', async () => {
  // kubectl sends the size after it has connected, so it may come a moment later.
  const size = 'until stty size 2>/dev/null | grep "33 77"; do sleep 0.1; done';
  const inside = `test -t 0 && test -t 1 && echo terminal; ${size}; read line; echo "got $line"`;
  const outside = `stty rows 33 cols 77; kubectl exec -it web -- sh -c '${inside}; exit 5'`;
  let isTyped = false;
  const { code, stdout } = await cluster.run(['script', '-qec', outside, '/dev/null'], {
    keepsStdin: true,
    onOutput: (text, { say }) => {
      if (isTyped || !text.includes('33 77')) return;
      isTyped = true;
      say('hello\n');
    },
  });
  expect(stdout).toMatch(/terminal\r\n33 77\r\n[^]*got hello\r\n/);
  expect(code).toBe(5);
});

test('files are copied into it and out of it', async () => {
  const [there, back] = [path.join(cluster.folder, 'there'), path.join(cluster.folder, 'back')];
  const content = 'some lines\n'.repeat(10_000);
  writeFileSync(there, content, { mode: 0o644 });
  await cluster.kubectl(['cp', there, 'web:/tmp/copied']);
  expect(await cluster.kubectl('exec web -- wc -c /tmp/copied')).toMatch(/^110000 /);
  await cluster.kubectl(['cp', 'web:/tmp/copied', back]);
  expect(readFileSync(back, 'utf8')).toBe(content);
});

test('a port of it is forwarded to this machine', async () => {
  let answer: Promise<string> | undefined;
  await cluster.attempt('port-forward pod/web :http', {
    onOutput: (text, { end }) => {
      const port = /127\.0\.0\.1:(\d+) -> 8080/.exec(text)?.[1];
      if (port === undefined || answer) return;
      answer = fetch(`http://127.0.0.1:${port}/forwarded`).then((found) => found.text());
      void answer.finally(end);
    },
  });
  expect(await answer).toMatch(/^Hello from web/);
});

test('attach shows the output of the process and writes to its stdin', async () => {
  const script = 'while read -r line; do echo "you said $line"; done';
  await cluster.apply(shellPod({ name: 'parrot', script, container: { stdin: true } }));
  await cluster.ready('parrot');
  const { stdout } = await cluster.attempt('attach -i parrot', {
    stdin: 'hello\n',
    keepsStdin: true,
    onOutput: (text, { end }) => {
      if (text.includes('you said hello')) end();
    },
  });
  expect(stdout).toContain('you said hello\n');
});

test('it is deleted, ends gracefully, and is gone when kubectl says so', async () => {
  expect(await cluster.kubectl('delete pod web parrot')).toContain('pod "web" deleted');
  expect(await cluster.pod('web')).toBeUndefined();
  const { code, stderr } = await cluster.attempt('get pod web');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'Error from server (NotFound): pods "web" not found\n',
  });
});
