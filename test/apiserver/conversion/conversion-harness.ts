/**
 * An API server with a kind of two versions and the webhook that converts them, over TLS on loopback. Kind and
 * conversion are those of Kubernetes' conformance tests: v1 has a `hostPort`, v2 a `host` and a `port`.
 */
import { textOf } from '../../../src/apiserver/objects/metadata.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { promisesSettled } from '../../support/virtual-clock.ts';
import { CA, WebhookHarness, type Reply, type Review } from '../webhooks/webhook-harness.ts';

export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const CRD = `${CRDS}/endpoints.stable.example.com`;
export const GROUP = 'stable.example.com';
export const KIND = 'Endpoint';
export const V1 = `/apis/${GROUP}/v1/namespaces/default/endpoints`;
export const V2 = `/apis/${GROUP}/v2/namespaces/default/endpoints`;

/** What the webhook answers; a text: it redirects there; null: it never answers. */
export type Converting = (review: Review) => JsonObject | string | null;

export class ConversionHarness {
  readonly webhook: WebhookHarness;

  constructor(webhook: WebhookHarness) {
    this.webhook = webhook;
  }

  /** `definition`: changes the CustomResourceDefinition; it calls the webhook by URL otherwise. */
  static async open(
    converting: Converting = convertReview,
    definition: (spec: JsonObject) => JsonObject = (spec) => spec,
  ): Promise<ConversionHarness> {
    const webhook = await WebhookHarness.open((review) => converting(review));
    const harness = new ConversionHarness(webhook);
    await harness.define(definition(specOf(byUrl(webhook.port))));
    return harness;
  }

  async define(spec: JsonObject): Promise<Reply> {
    const names = spec['names'] as JsonObject;
    const metadata = { name: `${textOf(names['plural'])}.${GROUP}` };
    const reply = await this.send('POST', CRDS, { metadata, spec });
    if (reply.code !== 201) throw new Error(reply.body.message);
    await promisesSettled();
    return reply;
  }

  send(method: string, path: string, body?: JsonObject, type = 'json'): Promise<Reply> {
    return this.webhook.send(method, path, body, type);
  }

  /** How many objects each review had. */
  get counts(): readonly number[] {
    return this.webhook.reviews.map((review) => objectsIn(review).length);
  }

  /** Makes the other version the storage version. */
  async store(version: 'v1' | 'v2'): Promise<void> {
    const { body } = await this.send('GET', CRD);
    const spec = body['spec'] as JsonObject & { readonly versions: readonly JsonObject[] };
    const versions = spec.versions.map((one) => ({ ...one, storage: one['name'] === version }));
    const reply = await this.send('PUT', CRD, { ...body, spec: { ...spec, versions } });
    if (reply.code !== 200) throw new Error(reply.body.message);
    await promisesSettled();
  }

  /** The lines of a watch, as they arrive. */
  async watch(path: string, query = ''): Promise<readonly JsonObject[] & { isOver?: boolean }> {
    const url = `http://podkeep${path}?watch=1${query}`;
    const response = await this.webhook.server.fetch(new Request(url));
    const events: JsonObject[] & { isOver?: boolean } = [];
    void (async () => {
      let rest = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        events.push(...lines.map((line) => JSON.parse(line) as JsonObject));
      }
      events.isOver = true;
    })();
    return events;
  }
}

export function byUrl(port: number): JsonObject {
  return {
    url: `https://127.0.0.1:${port}/crdconvert`,
    caBundle: Buffer.from(CA.cert).toString('base64'),
  };
}

export function specOf(clientConfig: JsonObject, reviews: readonly string[] = ['v1', 'v1beta1']) {
  return {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'endpoints', singular: 'endpoint', kind: KIND, listKind: 'EndpointList' },
    versions: [
      { ...versionOf('v1', ['hostPort']), storage: true },
      { ...versionOf('v2', ['host', 'port']), storage: false },
    ],
    conversion: {
      strategy: 'Webhook',
      webhook: { clientConfig, conversionReviewVersions: [...reviews] },
    },
  };
}

function versionOf(name: string, fields: readonly string[]): JsonObject {
  const properties = Object.fromEntries(fields.map((field) => [field, { type: 'string' }]));
  return {
    name,
    served: true,
    schema: { openAPIV3Schema: { type: 'object', properties } },
    selectableFields: fields.map((field) => ({ jsonPath: `.${field}` })),
    additionalPrinterColumns: fields.map((field) => ({
      name: field,
      type: 'string',
      jsonPath: `.${field}`,
    })),
  };
}

export function inV1(name: string, hostPort = 'localhost:8080'): JsonObject {
  return { apiVersion: `${GROUP}/v1`, kind: KIND, metadata: { name }, hostPort };
}

export function inV2(name: string, host = 'localhost', port = '8080'): JsonObject {
  return { apiVersion: `${GROUP}/v2`, kind: KIND, metadata: { name }, host, port };
}

export function objectsIn(review: Review): readonly JsonObject[] {
  return review.request['objects'] as readonly JsonObject[];
}

/** The answer of the conformance tests' webhook. */
export function convertReview(review: Review): JsonObject {
  const to = textOf(review.request['desiredAPIVersion']);
  return {
    convertedObjects: objectsIn(review).map((object) => convertObject(object, to)),
    result: { status: 'Success' },
  };
}

export function convertObject(object: JsonObject, to: string): JsonObject {
  const { hostPort, host, port, ...rest } = object;
  if (to.endsWith('/v2')) {
    const [first = '', second = ''] = textOf(hostPort).split(':');
    return {
      ...rest,
      apiVersion: to,
      ...(hostPort !== undefined && { host: first, port: second }),
    };
  }
  const has = host !== undefined || port !== undefined;
  const joined = `${textOf(host)}:${textOf(port)}`;
  return { ...rest, apiVersion: to, ...(has && { hostPort: joined }) };
}
