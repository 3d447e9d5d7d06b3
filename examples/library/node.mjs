// podkeep/node: a node of a cluster in this process. Run it beside an API server:
//
//   podkeep up --no-node -- node examples/library/node.mjs
//
// Its runtime is simulated; examples/own-runtime.mjs is one of your own.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runNode } from 'podkeep/node';

const kubeconfig = process.env['KUBECONFIG'];
assert.ok(kubeconfig, 'KUBECONFIG names the file that says where the API server is');
const dataDir = mkdtempSync(path.join(tmpdir(), 'podkeep-example-'));
const node = await runNode({
  name: 'example',
  kubeconfig,
  dataDir,
  runtime: 'simulated',
  config: { port: 0, address: '127.0.0.1' },
});
await node.stop();
rmSync(dataDir, { recursive: true });
console.log('node: ok');
