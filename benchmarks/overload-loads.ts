/**
 * The kinds of load with which one client can burden a server. A load runs in a separate process, as a
 * separate user, until it is killed. It sends only to loopback, and every count is limited.
 */
import { connect as connectHttp2, constants } from 'node:http2';
import { request as requestHttps } from 'node:https';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { JsonObject } from '../src/lib/json.ts';
import { TokenClient, type Target } from './overload-client.ts';

export type Load = (target: Target) => void | Promise<void>;

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const THINGS = '/apis/overload.example/v1/namespaces/default/things';
const YAML = { 'content-type': 'application/yaml' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

export const THING_DEFINITION: JsonObject = {
  metadata: { name: 'things.overload.example' },
  spec: {
    group: 'overload.example',
    names: { plural: 'things', kind: 'Thing' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              text: { type: 'string', pattern: '([ab]?){900}[ab]{900}$' },
              found: {
                type: 'string',
                'x-kubernetes-validations': [{ rule: "self.findAll('a.*z|a').size() > 0" }],
              },
            },
          },
        },
      },
    ],
  },
};

export const LOADS: Readonly<Record<string, Load>> = {
  'YAML of many keys': (target) => {
    const lines = Array.from({ length: 100_000 }, (_, at) => `  key-${at}: v`);
    const body = `spec:\n  nonResourceAttributes: {}\nstatus:\n${lines.join('\n')}`;
    repeat(target, 4, (client) => client.send('POST', REVIEWS, body, YAML));
  },
  'deep nesting': (target) => {
    const bodies = ['['.repeat(5000), '{"a":'.repeat(9000), `${'['.repeat(60_000)}]`];
    repeat(target, 8, async (client) => {
      for (const body of bodies) await client.send('POST', REVIEWS, body);
      await client.send('POST', REVIEWS, '- '.repeat(50_000), YAML);
    });
  },
  'large bodies': (target) => {
    const many = Object.fromEntries(Array.from({ length: 45_000 }, (_, at) => [`key-${at}`, 'v']));
    const large = JSON.stringify({ metadata: { name: 'large' }, data: many }, null, 1);
    const long = JSON.stringify({ metadata: { name: 'x' }, data: { a: 'x'.repeat(2_900_000) } });
    repeat(target, 8, async (client) => {
      await client.send('POST', `${CONFIG_MAPS}?dryRun=All`, large);
      await client.send('POST', CONFIG_MAPS, long);
    });
  },
  '2,000 watches': async (target) => {
    for (let count = 0; count < 20; count++) {
      const session = openSession(target);
      for (let stream = 0; stream < 100; stream++) {
        session.open(`${CONFIG_MAPS}?watch=1`).resume();
      }
      await pause(50);
    }
  },
  'readers that do not read': async (target) => {
    for (let count = 0; count < 100; count++) {
      const path = count % 2 === 0 ? `${CONFIG_MAPS}?watch=1` : CONFIG_MAPS;
      const outgoing = requestHttps(target.url + path, {
        ca: target.ca,
        headers: { authorization: `Bearer ${target.token}` },
      });
      outgoing.on('error', () => {}).on('response', (response) => response.pause());
      outgoing.end();
      await pause(10);
    }
  },
  'slow bodies': async (target) => {
    for (let count = 0; count < 300; count++) {
      const socket = openSocket(target);
      socket.write(headOf(target, 'POST', CONFIG_MAPS, 'content-length: 100000'));
      const timer = setInterval(() => socket.write(' '), 500);
      socket.once('close', () => clearInterval(timer));
      await pause(5);
    }
  },
  'slow headers': async (target) => {
    for (let count = 0; count < 300; count++) {
      const socket = openSocket(target);
      socket.write('GET / HTTP/1.1\r\nhost: a\r\n');
      const timer = setInterval(() => socket.write('x-a: b\r\n'), 500);
      socket.once('close', () => clearInterval(timer));
      await pause(5);
    }
  },
  'large headers': (target) => {
    const headers = { 'x-long': 'x'.repeat(60_000) };
    repeat(target, 16, (client) =>
      client.send('GET', `${CONFIG_MAPS}/quiet-0`, undefined, headers),
    );
  },
  'many connections': async (target) => {
    for (let count = 0; count < 1000; count++) {
      openSocket(target).on('data', () => {});
      await pause(5);
    }
  },
  'HTTP/2 streams, opened and reset': async (target) => {
    const sessions = Array.from({ length: 4 }, () => openSession(target));
    for (;;) {
      for (const session of sessions) {
        for (let count = 0; count < 50; count++) {
          const stream = session.open(CONFIG_MAPS);
          stream.close(constants.NGHTTP2_CANCEL);
        }
      }
      await pause(10);
    }
  },
  'patterns of a custom kind': (target) => {
    const text = `${'a'.repeat(2500)}!`;
    repeat(target, 4, async (client) => {
      await client.send('POST', THINGS, JSON.stringify({ metadata: { name: 'a' }, text }));
    });
  },
  'rules of a custom kind': (target) => {
    const found = 'a'.repeat(50_000);
    repeat(target, 2, (client) =>
      client.send('POST', THINGS, JSON.stringify({ metadata: { name: 'a' }, found })),
    );
  },
  'large lists': (target) => repeat(target, 16, (client) => client.send('GET', CONFIG_MAPS)),
  'patches of 10,000 operations': (target) => {
    const operations = Array.from({ length: 10_000 }, (_, at) => ({
      op: 'add',
      path: `/data/k${at}`,
      value: 'v',
    }));
    const body = JSON.stringify(operations);
    repeat(target, 4, (client) =>
      client.send('PATCH', `${CONFIG_MAPS}/quiet-1?dryRun=All`, body, JSON_PATCH),
    );
  },
  'selectors of thousands of requirements': (target) => {
    const selector = Array.from({ length: 7000 }, (_, at) => `k${at}!=v`).join(',');
    repeat(target, 8, (client) =>
      client.send('GET', `${CONFIG_MAPS}?labelSelector=${selector.slice(0, 60_000)}x`),
    );
  },
  'many small writes': (target) => {
    let made = 0;
    repeat(target, 64, async (client) => {
      const name = `small-${(made += 1) % 500}`;
      await client.send('POST', CONFIG_MAPS, JSON.stringify({ metadata: { name } }));
      await client.send('DELETE', `${CONFIG_MAPS}/${name}`);
    });
  },
  'logs that are not read': async (target) => {
    for (let count = 0; count < 200; count++) {
      const path = '/api/v1/namespaces/default/pods/quiet/log?follow=1';
      const outgoing = requestHttps(target.url + path, {
        ca: target.ca,
        headers: { authorization: `Bearer ${target.token}` },
      });
      outgoing.on('error', () => {}).on('response', (response) => response.pause());
      outgoing.end();
      await pause(5);
    }
  },
};

/** Runs `clients` concurrent clients; each sends its next request when the last one is answered. */
function repeat(
  target: Target,
  clients: number,
  send: (client: TokenClient) => Promise<unknown>,
): void {
  const client = new TokenClient(target, clients);
  const one = async (): Promise<never> => {
    for (;;) {
      // Reconnects after a pause if the server closes the connection.
      await send(client).catch(() => pause(20));
    }
  };
  for (let count = 0; count < clients; count++) void one();
}

function openSession(target: Target) {
  const connect = () => connectHttp2(target.url, { ca: target.ca }).on('error', () => {});
  let session = connect();
  const authorization = `Bearer ${target.token}`;
  return {
    open: (path: string) => {
      // Reconnects if the server has closed the connection.
      if (session.destroyed || session.closed) session = connect();
      return session.request({ ':path': path, authorization }).on('error', () => {});
    },
  };
}

function openSocket({ url, ca }: Target): TLSSocket {
  const { hostname: host, port } = new URL(url);
  return connectTls({ host, port: Number(port), ca, servername: 'localhost' }).on(
    'error',
    () => {},
  );
}

function headOf({ token }: Target, method: string, path: string, header: string): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    header,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
