import { expect, test } from 'vitest';
import { nearest } from './did-you-mean.ts';

const KNOWN = ['maxPods', 'maxOpenFiles', 'port', 'podCIDR', 'clusterDNS'];

test.each([
  ['maxPod', 'maxPods'],
  ['maxpods', 'maxPods'],
  ['mxaPods', 'maxPods'],
  ['prot', null], // two letters of four: that could be anything
  ['prt', 'port'],
  ['clusterDns', 'clusterDNS'],
  ['colour', null],
  ['', null],
])('%j is probably %j', (word, meant) => {
  expect(nearest(word, KNOWN)).toBe(meant);
});
