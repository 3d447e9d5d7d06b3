// podkeep/api: quantities, selectors and patches, as exact as Kubernetes has them.
import assert from 'node:assert/strict';
import {
  addQuantities,
  applyStrategicMergePatch,
  formatQuantity,
  matchesLabelSelector,
  parseLabelSelector,
  parseQuantity,
  PodkeepError,
  schemaKindOf,
} from 'podkeep/api';

const sum = addQuantities(parseQuantity('1.5Gi'), parseQuantity('512Mi'));
assert.equal(formatQuantity(sum), '2Gi');

const selector = parseLabelSelector('app in (web, api), !canary');
assert.equal(matchesLabelSelector(selector, { app: 'web' }), true);
assert.equal(matchesLabelSelector(selector, { app: 'web', canary: 'yes' }), false);

// Containers are merged by their names, as the schema of a Pod says.
const podType = schemaKindOf('v1', 'Pod')?.type;
assert.ok(podType);
const pod = { spec: { containers: [{ name: 'main', image: 'web:1' }] } };
const patch = { spec: { containers: [{ name: 'main', image: 'web:2' }, { name: 'log' }] } };
const patched = applyStrategicMergePatch(pod, patch, podType);
assert.deepEqual(patched, {
  spec: { containers: [{ name: 'main', image: 'web:2' }, { name: 'log' }] },
});

assert.throws(
  () => parseQuantity('many'),
  (error) => error instanceof PodkeepError && error.code === 'QUANTITY_INVALID',
);
console.log('api: ok');
