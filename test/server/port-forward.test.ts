/** Connections to the ports of pods, over SPDY and over a WebSocket. */
import { duplexPair, type Duplex } from 'node:stream';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { StreamingHarness, type SpdyClient } from './streaming-harness.ts';

describe('port-forward', () => {
  /** Each connection to a port, as the pod sees it. */
  function podWith(connections: Map<number, Duplex>): StreamingHarness {
    const connectPort = async (_id: string, port: number): Promise<Duplex> => {
      if (port === 1) throw new Error('connection refused');
      const [kubelet, pod] = duplexPair();
      connections.set(port, pod);
      return kubelet;
    };
    return new StreamingHarness({ findPod: () => ({ id: 'sandbox' }), runtime: { connectPort } });
  }

  function openPair(
    client: SpdyClient,
    port: string,
    requestid: string,
  ): { error: number; data: number } {
    const error = client.open({ streamtype: 'error', port, requestid }, true);
    return { error, data: client.open({ streamtype: 'data', port, requestid }) };
  }

  test('connections in one session live and end on their own', async () => {
    const pods = new Map<number, Duplex>();
    const client = await podWith(pods).spdy('portForward', '', 'portforward.k8s.io');
    const [one, two] = [openPair(client, '80', '0'), openPair(client, '81', '1')];
    await expect.poll(() => pods.size).toBe(2);
    client.say(one.data, 'to 80', true);
    client.say(two.data, 'to 81');
    const [first, second] = [pods.get(80), pods.get(81)];
    if (!first || !second) throw new Error('nobody has connected');
    expect(String(await once(first, 'data'))).toBe('to 80');
    await once(first, 'end');
    // The client has closed its side, and still gets its answer.
    first.end('from 80');
    await client.until(() => client.has({ type: 'data', streamId: one.error, isFin: true }));
    expect([client.heard(one.data), client.heard(one.error)]).toEqual(['from 80', '']);
    expect(String(await once(second, 'data'))).toBe('to 81');
    second.write('from 81');
    await client.until(() => client.heard(two.data) === 'from 81');
    client.send({ type: 'rstStream', streamId: two.data, status: 5 });
    await client.until(() => client.has({ type: 'data', streamId: two.error, isFin: true }));
    client.socket.destroy();
    await client.done;
  });

  test('a port without a listener is an error of that connection alone', async () => {
    const client = await podWith(new Map()).spdy('portForward', '', 'portforward.k8s.io');
    const { error, data } = openPair(client, '1', '0');
    await client.until(() => client.has({ type: 'data', streamId: error, isFin: true }));
    expect(client.heard(error)).toBe(
      'error forwarding port 1 to pod sandbox, uid : connection refused',
    );
    expect(client.has({ type: 'rstStream', streamId: data, status: 5 })).toBe(true);
    openPair(client, '80', '1');
    await client.until(() => client.has({ type: 'synReply', streamId: 7 }));
  });

  test('half a pair is closed after 30 s', async () => {
    const harness = podWith(new Map());
    const client = await harness.spdy('portForward', '', 'portforward.k8s.io');
    const error = client.open({ streamtype: 'error', port: '80', requestid: '0' });
    await client.until(() => client.has({ type: 'synReply', streamId: error }));
    await harness.clock.pass(30_000);
    await client.until(() => client.has({ type: 'data', streamId: error, isFin: true }));
    expect(client.heard(error)).toBe('(request=0) timed out waiting for streams');
  });

  test('old clients, whose requests have no ID, are understood', async () => {
    const pods = new Map<number, Duplex>();
    const client = await podWith(pods).spdy('portForward', '', 'portforward.k8s.io');
    client.open({ streamtype: 'error', port: '80' });
    client.open({ streamtype: 'data', port: '80' });
    await expect.poll(() => pods.size).toBe(1);
  });

  test.each([
    { streamtype: 'data' },
    { port: '80' },
    { streamtype: 'data', port: '0' },
    { streamtype: 'x', port: '80' },
  ])('a stream with %o is reset', async (headers) => {
    const client = await podWith(new Map()).spdy('portForward', '', 'portforward.k8s.io');
    const streamId = client.open(headers);
    await client.until(() => client.frames.length > 1);
    expect(client.frames[1]).toEqual({ type: 'rstStream', streamId, status: 5 });
  });

  test('over a WebSocket every channel begins with its port, and errors have their own', async () => {
    const pods = new Map<number, Duplex>();
    const client = await podWith(pods).webSocket('portForward', 'port=8080,1', 'v4.channel.k8s.io');
    await client.until(() => client.messages.length >= 4);
    expect(client.messages.slice(0, 4).map((message) => message.toString('hex'))).toEqual([
      '00901f',
      '01901f',
      '020100',
      '030100',
    ]);
    client.send(0, 'ping');
    await expect.poll(() => pods.size).toBe(1);
    const pod = pods.get(8080);
    if (!pod) throw new Error('nobody has connected');
    expect(String(await once(pod, 'data'))).toBe('ping');
    pod.write('pong');
    await client.until(() => client.heard(0).endsWith('pong'));
    await client.until(() => client.heard(3).includes('error forwarding port 1 to pod sandbox'));
    client.terminate();
    await client.done;
  });
});
