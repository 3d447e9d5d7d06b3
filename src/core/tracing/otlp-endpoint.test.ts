import { expect, test } from 'vitest';
import { isGrpcPort, OTLP_ENDPOINT_DEFAULT, otlpTracesUrl } from './otlp-endpoint.ts';

test.each([
  [OTLP_ENDPOINT_DEFAULT, 'http://localhost:4318/v1/traces'],
  ['collector.example:80', 'http://collector.example/v1/traces'],
  ['[::1]:4318', 'http://[::1]:4318/v1/traces'],
  ['https://collector.example', 'https://collector.example/v1/traces'],
  ['HTTPS://collector.example/otlp/', 'https://collector.example/otlp/v1/traces'],
])('%s is posted to %s', (endpoint, url) => {
  expect(otlpTracesUrl(endpoint)).toBe(url);
});

test.each([
  'localhost',
  'localhost:99999',
  'localhost:4318/otlp',
  'dns:///collector:4317',
  'unix:///run/otel.sock',
  'grpc://collector:4317',
  'user:secret@collector:4318',
  'http://user:secret@collector:4318',
  'http://collector:4318?token=secret',
  'http://collector:4318#x',
  'http://collector:4318/v1/traces',
  'http://',
])('%s is refused', (endpoint) => {
  expect(otlpTracesUrl(endpoint)).toBeNull();
});

test('the port of gRPC is recognised', () => {
  expect(isGrpcPort('http://localhost:4317/v1/traces')).toBe(true);
  expect(isGrpcPort('http://localhost:4318/v1/traces')).toBe(false);
});
