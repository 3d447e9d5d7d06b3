/** Programs of the machine that people expect to run in a container without an image. */
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestHarness } from '../suites/pod-runtime/runtime-harness.ts';
import { openForTest } from './process-runtime.ts';

let harness: TestHarness;

beforeEach(async () => {
  harness = new TestHarness(await openForTest({ network: 'host' }));
});

afterEach(() => harness.close());

const TLS = `cd /tmp
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost \\
  -keyout key -out cert 2>/dev/null
(sleep 20 | openssl s_server -accept 127.0.0.1:14433 -key key -cert cert -naccept 1 -quiet) >/dev/null 2>&1 &
for n in 1 2 3 4 5 6 7 8 9 10; do
  echo | openssl s_client -connect 127.0.0.1:14433 -CAfile cert -verify_return_error 2>/dev/null >out && break
  sleep 0.2
done
grep -q 'Verify return code: 0' out && echo verified`;

test.for([
  ['node', '/usr/bin/node', `node -p '6 * 7'`, '42'],
  ['python3', '/usr/bin/python3', `python3 -c 'import json, ssl; print(json.dumps([1]))'`, '[1]'],
  ['git', '/usr/bin/git', 'cd /tmp && git init -q x && cd x && git status --short | wc -l', '0'],
  ['a TLS client', '/usr/bin/openssl', TLS, 'verified'],
] as const)('%s runs', async ([, program, script, output], context) => {
  if (!existsSync(program)) {
    console.log(`skipped: this machine has no ${program}`);
    return context.skip('no such program');
  }
  expect((await harness.output({ command: ['sh', '-c', script] })).trim()).toBe(output);
});
