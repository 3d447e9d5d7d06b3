import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { serviceVariables } from './service-variables.ts';

function service(namespace: string, name: string, clusterIP: string, ports: JsonObject[]) {
  return { metadata: { namespace, name }, spec: { clusterIP, ports } };
}

const MASTER = service('default', 'kubernetes', '10.96.0.1', [
  { name: 'https', port: 443, protocol: 'TCP' },
]);
const DNS = service('shop', 'name-server', 'fd00::a', [
  { name: 'dns', port: 53, protocol: 'UDP' },
  { name: 'dns-tcp', port: 53 },
]);

describe('variables of services', () => {
  test('the API server is always included', () => {
    const variables = serviceVariables([MASTER, DNS], 'shop', false);
    expect(Object.fromEntries(variables)).toEqual({
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      KUBERNETES_SERVICE_PORT: '443',
      KUBERNETES_SERVICE_PORT_HTTPS: '443',
      KUBERNETES_PORT: 'tcp://10.96.0.1:443',
      KUBERNETES_PORT_443_TCP: 'tcp://10.96.0.1:443',
      KUBERNETES_PORT_443_TCP_PROTO: 'tcp',
      KUBERNETES_PORT_443_TCP_PORT: '443',
      KUBERNETES_PORT_443_TCP_ADDR: '10.96.0.1',
    });
  });

  test('others of the namespace are included if the pod has service links', () => {
    const variables = serviceVariables([MASTER, DNS], 'shop', true);
    expect(variables.get('NAME_SERVER_SERVICE_HOST')).toBe('fd00::a');
    expect(variables.get('NAME_SERVER_SERVICE_PORT_DNS_TCP')).toBe('53');
    expect(variables.get('NAME_SERVER_PORT')).toBe('udp://[fd00::a]:53');
    expect(variables.get('NAME_SERVER_PORT_53_TCP_PROTO')).toBe('tcp');
    expect(serviceVariables([MASTER, DNS], 'other', true).has('NAME_SERVER_PORT')).toBe(false);
  });

  test("a service of the API server's name in the pod's namespace comes first", () => {
    const own = service('shop', 'kubernetes', '10.1.1.1', [{ port: 1 }]);
    for (const services of [
      [MASTER, own],
      [own, MASTER],
    ]) {
      const variables = serviceVariables(services, 'shop', true);
      expect(variables.get('KUBERNETES_SERVICE_HOST')).toBe('10.1.1.1');
    }
  });

  test('a service without an address has no variables', () => {
    const headless = service('shop', 'a', 'None', [{ port: 1 }]);
    const waiting = service('shop', 'b', '', [{ port: 1 }]);
    expect(serviceVariables([headless, waiting, {}], 'shop', true).size).toBe(0);
  });

  test('a service without ports has only its address', () => {
    const variables = serviceVariables([service('shop', 'a', '10.1.1.1', [])], 'shop', true);
    expect([...variables]).toEqual([['A_SERVICE_HOST', '10.1.1.1']]);
  });
});
