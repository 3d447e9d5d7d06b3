import { expect, test } from 'vitest';
import { livePod } from '../../../../test/kubelet/runs/live-pod.ts';
import { podDns } from './pod-dns.ts';

const SETTINGS = {
  clusterServers: ['10.96.0.10'],
  clusterDomain: 'cluster.local',
  host: { servers: ['192.168.0.1'], searches: ['example.com'], options: ['edns0'] },
};

test("by default a pod uses the cluster's servers, and finds its neighbours by short names", () => {
  expect(podDns(livePod('web'), SETTINGS)).toEqual({
    dns: {
      servers: ['10.96.0.10'],
      searches: ['rec.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'example.com'],
      options: ['ndots:5'],
    },
    warnings: [],
  });
});

test("a pod on the host network uses the host's servers, unless its policy says otherwise", () => {
  const hostNetwork = true;
  expect(podDns(livePod('web', { hostNetwork }), SETTINGS).dns).toEqual(SETTINGS.host);
  const insisting = livePod('web', { hostNetwork, dnsPolicy: 'ClusterFirstWithHostNet' });
  expect(podDns(insisting, SETTINGS).dns.servers).toEqual(['10.96.0.10']);
});

test("Default uses the host's servers, and None only those of dnsConfig", () => {
  expect(podDns(livePod('web', { dnsPolicy: 'Default' }), SETTINGS).dns).toEqual(SETTINGS.host);
  const dnsConfig = { nameservers: ['1.1.1.1'], searches: ['a.b'], options: [{ name: 'debug' }] };
  expect(podDns(livePod('web', { dnsPolicy: 'None', dnsConfig }), SETTINGS).dns).toEqual({
    servers: ['1.1.1.1'],
    searches: ['a.b'],
    options: ['debug'],
  });
});

test('an option of the pod replaces the one with its name', () => {
  const dnsConfig = {
    options: [
      { name: 'ndots', value: '2' },
      { name: 'timeout', value: '1' },
    ],
  };
  const { dns } = podDns(livePod('web', { dnsConfig }), SETTINGS);
  expect(dns.options).toEqual(['ndots:2', 'timeout:1']);
});

test('servers and domains beyond the limits of Linux are dropped, with a warning', () => {
  const dnsConfig = {
    nameservers: ['1.1.1.1', '2.2.2.2', '3.3.3.3'],
    searches: Array.from({ length: 40 }, (_, index) => `s${index}`),
  };
  const { dns, warnings } = podDns(livePod('web', { dnsConfig }), SETTINGS);
  expect(dns.servers).toEqual(['10.96.0.10', '1.1.1.1', '2.2.2.2']);
  expect(dns.searches).toHaveLength(32);
  expect(warnings.map(({ reason }) => reason)).toEqual(['DNSConfigForming', 'DNSConfigForming']);
  expect(warnings[0]?.message).toBe(
    'Nameserver limits were exceeded, some nameservers have been omitted, ' +
      'the applied nameserver line is: 10.96.0.10 1.1.1.1 2.2.2.2',
  );
});

test('long search domains are cut at 2048 characters', () => {
  const searches = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(250));
  const { dns } = podDns(livePod('web', { dnsPolicy: 'None', dnsConfig: { searches } }), SETTINGS);
  expect(dns.searches).toHaveLength(8);
});

test("without cluster servers the host's are used, and the pod is warned", () => {
  const { dns, warnings } = podDns(livePod('web'), { ...SETTINGS, clusterServers: [] });
  expect(dns).toEqual(SETTINGS.host);
  expect(warnings).toEqual([
    {
      reason: 'MissingClusterDNS',
      message:
        'pod: "web_rec(uid-of-web)". kubelet does not have ClusterDNS IP configured and cannot ' +
        'create Pod using "ClusterFirst" policy. Falling back to "Default" policy.',
      ofNode:
        'kubelet does not have ClusterDNS IP configured and cannot ' +
        'create Pod using "ClusterFirst" policy. Falling back to "Default" policy.',
    },
  ]);
});

test('in a cluster without DNS by design only the node is warned, unless the pod asks for it by name', () => {
  const settings = { ...SETTINGS, clusterServers: [], isWithoutDns: true };
  const usual = podDns(livePod('web'), settings);
  expect(usual.dns).toEqual(SETTINGS.host);
  expect(usual.warnings).toEqual([
    { reason: 'MissingClusterDNS', ofNode: expect.stringContaining('does not have ClusterDNS IP') },
  ]);
  const asking = livePod('web', { dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true });
  expect(podDns(asking, settings).warnings).toMatchObject([
    { message: expect.stringContaining('pod: "web_rec') },
  ]);
});

test('a search domain that is too long for resolvers is dropped, and the pod is warned', () => {
  const searches = ['x'.repeat(254), 'fine.example.com'];
  const pod = livePod('web', { dnsPolicy: 'None', dnsConfig: { searches } });
  const { dns, warnings } = podDns(pod, SETTINGS);
  expect(dns.searches).toEqual(['fine.example.com']);
  expect(warnings).toHaveLength(1);
});

test('an option without a value is its name', () => {
  const options = [
    { name: 'edns0', value: '' },
    { name: 'ndots', value: '2' },
  ];
  const { dns } = podDns(livePod('web', { dnsPolicy: 'None', dnsConfig: { options } }), SETTINGS);
  expect(dns.options).toEqual(['edns0', 'ndots:2']);
});

test("a node without a resolv.conf has no search domains, and the cluster's are kept", () => {
  const host = { servers: ['127.0.0.1'], searches: ['.'], options: [] };
  expect(podDns(livePod('web', { dnsPolicy: 'Default' }), { ...SETTINGS, host }).dns).toEqual(host);
  expect(podDns(livePod('web'), { ...SETTINGS, host }).dns.searches).not.toContain('.');
});
