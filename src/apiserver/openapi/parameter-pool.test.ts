import { expect, test } from 'vitest';
import { ParameterPool } from './parameter-pool.ts';

const limit = { uniqueItems: true, type: 'integer', name: 'limit', in: 'query' };

test('a parameter that occurs twice is written once', () => {
  const pool = new ParameterPool();
  const first = pool.share(limit);
  expect(first).toEqual(pool.share({ ...limit }));
  expect(Object.values(pool.all())).toEqual([limit]);
  expect(first).toEqual({ $ref: `#/parameters/${Object.keys(pool.all())[0]}` });
});

test('two different parameters of the same name get two names', () => {
  const pool = new ParameterPool();
  pool.share(limit);
  pool.share({ ...limit, description: 'Another.' });
  expect(Object.keys(pool.all())).toHaveLength(2);
});

test('its name has a hash of its content, the same as in Kubernetes', () => {
  const pool = new ParameterPool();
  const meta = '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1';
  pool.share({ name: 'body', in: 'body', schema: { $ref: `${meta}.DeleteOptions` } });
  pool.share({ name: 'body', in: 'body', required: true, schema: { $ref: `${meta}.Patch` } });
  expect(Object.keys(pool.all())).toEqual(['body-2Y1dVQaQ', 'body-78PwaGsr']);
});

test('parameters that clients look for in the operation itself are not shared', () => {
  const pool = new ParameterPool();
  for (const name of ['name', 'dryRun', 'fieldValidation']) {
    const parameter = { ...limit, name };
    expect(pool.share(parameter)).toBe(parameter);
  }
  const body = {
    name: 'body',
    in: 'body',
    schema: { $ref: '#/definitions/io.k8s.api.core.v1.Pod' },
  };
  expect(pool.share(body)).toBe(body);
  expect(pool.all()).toEqual({});
});
