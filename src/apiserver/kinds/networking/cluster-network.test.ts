/** Service CIDRs and IP addresses, classes of volumes, flow control. */
import { expect, it } from 'vitest';
import { createWith, tryCreate, tryUpdate } from '../../../../test/support/rule-trials.ts';
import { valueAt } from '../../objects/field-path.ts';

const RANGES = 'networking.k8s.io/v1/servicecidrs';
const ADDRESSES = 'networking.k8s.io/v1/ipaddresses';
const CLASSES = 'storage.k8s.io/v1/volumeattributesclasses';
const FLOWS = 'flowcontrol.apiserver.k8s.io/v1/flowschemas';
const LEVELS = 'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations';
const cidrs = (...of: readonly string[]) => ({ spec: { cidrs: of } });

it.each([
  ['192.0.2.0', 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ['192.0.2.1/24', 'must not have bits set beyond the prefix length'],
  ['192.0.02.0/24', 'must not have leading 0s in IP or prefix length'],
  ['2001:DB8::/64', 'must be in canonical form ("2001:db8::/64")'],
])('the CIDR %s is refused', async (range, detail) => {
  expect(await tryCreate(RANGES, cidrs(range))).toEqual([
    `spec.cidrs[0]: Invalid value: "${range}": ${detail}`,
  ]);
});

it('a CIDR of the other family may be added, and nothing else may change', async () => {
  const both = cidrs('192.0.2.0/24', '2001:db8::/64');
  expect(await tryUpdate(RANGES, both)).toEqual(['accepted']);
  expect(await tryUpdate(RANGES, cidrs('198.51.100.0/24'))).toEqual([
    'spec.cidrs[0]: Invalid value: "198.51.100.0/24": field is immutable',
  ]);
});

it('an IPAddress is named by its canonical form, and has a parent', async () => {
  expect(await tryCreate(ADDRESSES, { metadata: { name: '2001:db8:0::1' } })).toEqual([
    'metadata.name: Invalid value: "2001:db8:0::1": must be in canonical form ("2001:db8::1")',
  ]);
  expect(await tryCreate(ADDRESSES, { spec: { parentRef: null } })).toEqual([
    'spec.parentRef: Required value',
  ]);
});

it('a VolumeAttributesClass has parameters, and is immutable', async () => {
  expect(await tryCreate(CLASSES, { parameters: null })).toEqual([
    'parameters: Required value: must contain at least one key/value pair',
  ]);
  expect(await tryUpdate(CLASSES, { parameters: { iops: '200' } })).toEqual([
    'parameters: Forbidden: updates to parameters are forbidden.',
  ]);
});

it('a flow needs a priority level, and rules with subjects', async () => {
  const spec = { priorityLevelConfiguration: { name: '' }, rules: [{ subjects: [] }] };
  expect(await tryCreate(FLOWS, { spec })).toEqual([
    'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
    'spec.rules[0].subjects: Required value: subjects must contain at least one value',
    'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
  ]);
});

it('a priority level has default queues', async () => {
  const { body: level } = await createWith(LEVELS, {});
  expect(valueAt(level, 'spec.limited')).toEqual({
    nominalConcurrencyShares: 30,
    lendablePercent: 0,
    limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
  });
});
