import { expect, test } from 'vitest';
import type { Pod } from '../../../api/pod.ts';
import { hostNetworkHosts, managedHosts, needsHostsFile } from './hosts-file.ts';

function podOf(spec: object): Pod {
  return { metadata: { name: 'web', namespace: 'shop' }, spec: { containers: [], ...spec } };
}

const LOCAL =
  '# Kubernetes-managed hosts file.\n' +
  '127.0.0.1\tlocalhost\n' +
  '::1\tlocalhost ip6-localhost ip6-loopback\n' +
  'fe00::0\tip6-localnet\n' +
  'fe00::0\tip6-mcastprefix\n' +
  'fe00::1\tip6-allnodes\n' +
  'fe00::2\tip6-allrouters\n';

test('a pod has its name at all of its addresses', () => {
  expect(managedHosts(podOf({}), ['10.0.0.7', 'fd00::7'], 'cluster.local')).toBe(
    `${LOCAL}10.0.0.7\tweb\nfd00::7\tweb\n`,
  );
});

test('a pod in a subdomain has its full name first', () => {
  const pod = podOf({ hostname: 'a', subdomain: 'db' });
  expect(managedHosts(pod, ['10.0.0.7'], 'cluster.local')).toBe(
    `${LOCAL}10.0.0.7\ta.db.shop.svc.cluster.local\ta\n`,
  );
  const named = podOf({ hostname: 'a', subdomain: 'db', hostnameOverride: 'mine.example.com' });
  expect(managedHosts(named, ['10.0.0.7'], 'x')).toBe(`${LOCAL}10.0.0.7\tmine.example.com\n`);
});

test('a name that is too long is cut, and does not end in a dash', () => {
  const pod = podOf({ hostname: `${'a'.repeat(62)}-b` });
  expect(managedHosts(pod, ['1.1.1.1'], 'x')).toBe(`${LOCAL}1.1.1.1\t${'a'.repeat(62)}\n`);
});

test('host aliases are added after a comment line', () => {
  const pod = podOf({ hostAliases: [{ ip: '1.2.3.4', hostnames: ['a', 'b'] }, { ip: '::2' }] });
  expect(managedHosts(pod, [], 'x')).toBe(
    `${LOCAL}\n# Entries added by HostAliases.\n1.2.3.4\ta\tb\n::2\t\n`,
  );
});

test("with the host's network the node's own file is shown", () => {
  const pod = podOf({ hostNetwork: true, hostAliases: [{ ip: '1.2.3.4', hostnames: ['a'] }] });
  expect(hostNetworkHosts(pod, '127.0.0.1 localhost\n')).toBe(
    '# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n' +
      '\n# Entries added by HostAliases.\n1.2.3.4\ta\n',
  );
});

test('a pod without an address has no such file', () => {
  expect(needsHostsFile(podOf({}), [])).toBe(false);
  expect(needsHostsFile(podOf({}), ['10.0.0.7'])).toBe(true);
  expect(needsHostsFile(podOf({ hostNetwork: true }), [])).toBe(true);
});
