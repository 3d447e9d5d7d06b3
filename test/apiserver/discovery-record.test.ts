/**
 * Every method at every path of every resource is served or refused as kube-apiserver does it. The
 * record holds what a real one answered (`npm run discovery:update`); the same probe asks podkeep.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { PROBED_DEFINITIONS } from '../../scripts/discovery/definitions.ts';
import { requestOf, type Ask } from '../../scripts/discovery/probe.ts';
import {
  DISCOVERY_FILE,
  recordDiscovery,
  type DiscoveryRecord,
} from '../../scripts/discovery/record.ts';
import { AGGREGATED_TYPE } from '../../src/apiserver/registry/aggregated-discovery.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { promisesSettled } from '../support/virtual-clock.ts';
import { AccessHarness, ADMIN_TOKEN } from './access-harness.ts';

const file = new URL(`../../${DISCOVERY_FILE}`, import.meta.url);
const recorded = JSON.parse(readFileSync(file, 'utf8')) as DiscoveryRecord;

const admin = { authorization: `Bearer ${ADMIN_TOKEN}` };

async function record(): Promise<DiscoveryRecord> {
  const harness = await AccessHarness.open();
  for (const body of PROBED_DEFINITIONS) {
    await harness.admin('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body);
  }
  await promisesSettled();
  const read = async (path: string): Promise<JsonObject> => {
    const headers = { ...admin, accept: AGGREGATED_TYPE };
    return (await harness.fetch('GET', path, undefined, headers)).json() as Promise<JsonObject>;
  };
  const ask: Ask = async (method, path) => {
    const sent = requestOf(method, path);
    const type = sent.contentType === undefined ? {} : { 'content-type': sent.contentType };
    const headers = { ...admin, ...type };
    const response = await harness.fetch(sent.method, sent.path, sent.body, headers);
    const isWatch = sent.watches === true && response.status === 200;
    if (isWatch) await response.body?.cancel();
    return { code: response.status, text: isWatch ? '' : await response.text() };
  };
  return recordDiscovery(recorded.version, [await read('/api'), await read('/apis')], ask);
}

describe('the methods that are served', () => {
  let ours: DiscoveryRecord;
  beforeAll(async () => {
    ours = await record();
  });

  it('are those of the same resources', () => {
    expect(Object.keys(ours.resources).toSorted()).toEqual(
      Object.keys(recorded.resources).toSorted(),
    );
  });

  it.each(Object.keys(recorded.resources))(
    'at the paths of %s are those of kube-apiserver',
    (key) => {
      expect(named(ours, key)).toEqual(named(recorded, key));
    },
  );
});

/** The outcomes with the bodies of their refusals: the two records may number them differently. */
function named({ resources, refusals }: DiscoveryRecord, key: string): unknown {
  const found = resources[key];
  const paths = Object.entries(found?.paths ?? {}).map(([name, outcomes]) => {
    const spelled = Object.entries(outcomes).map(([outcome, methods]) => {
      const body = refusals[outcome];
      const given = isJsonObject(body) ? JSON.stringify(sorted(body)) : (body ?? '');
      return `${outcome.replace(/ \(\d+\)$/, '')} ${given}: ${methods}`;
    });
    return [name, spelled.toSorted()];
  });
  return { ...found, paths: Object.fromEntries(paths) as JsonObject };
}

function sorted(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
