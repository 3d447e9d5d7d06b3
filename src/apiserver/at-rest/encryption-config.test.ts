import { describe, expect, test } from 'vitest';
import { readEncryptionConfig } from './encryption-config.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const IDENTITY = { identity: {} };

function aes(secret = KEY, name = 'key1', type = 'aescbc') {
  return { [type]: { keys: [{ name, secret }] } };
}

function config(...resources: readonly unknown[]) {
  return { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources };
}

function rule(resources: readonly string[], ...providers: readonly unknown[]) {
  return { resources, providers: providers.length > 0 ? providers : [IDENTITY] };
}

function faultOf(document: unknown): string {
  try {
    readEncryptionConfig(document);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

describe('an EncryptionConfiguration', () => {
  test('is read with all providers and kinds of resources', () => {
    const rules = readEncryptionConfig(
      config(
        rule(['secrets', 'things.example.com'], aes(), aes(KEY, 'b', 'secretbox'), IDENTITY),
        rule(['configmaps'], aes(Buffer.alloc(16).toString('base64'), 'c', 'aesgcm')),
        rule(['*.apps']),
        rule(['*.']),
        rule(['*.*']),
      ),
    );
    expect(rules.map(({ resources }) => resources.length)).toEqual([2, 1, 1, 1, 1]);
    expect(rules[0]?.providers).toEqual([
      { type: 'aescbc', keys: [{ name: 'key1', secret: Buffer.alloc(32, 7) }] },
      { type: 'secretbox', keys: [{ name: 'b', secret: Buffer.alloc(32, 7) }] },
      { type: 'identity' },
    ]);
  });

  test.each([
    ['nothing', null, 'it holds no mapping'],
    ['another kind', { apiVersion: 'v1', kind: 'Secret' }, 'got unexpected config type'],
    ['no rules', config(), 'resources: Required value: at least one resources is required'],
    [
      'no resources',
      config(rule([])),
      'resources[0].resources: Required value: at least one resources[0].resources is required',
    ],
    [
      'no providers',
      config({ resources: ['secrets'] }),
      'resources[0].providers: Required value: at least one resources[0].providers is required',
    ],
    [
      'an unknown field',
      config({ ...rule(['secrets']), more: 1 }),
      'unknown field "resources[0].more"',
    ],
    [
      'an empty provider',
      config(rule(['secrets'], {})),
      'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
    ],
    [
      'two providers in one',
      config(rule(['secrets'], { ...aes(), ...IDENTITY })),
      'more than one provider specified in a single element, should split into different list elements',
    ],
    [
      'kms',
      config(rule(['secrets'], { kms: { name: 'a' } })),
      'resources[0].providers[0].kms: Forbidden: podkeep has no KMS plugins',
    ],
    [
      'no keys',
      config(rule(['secrets'], { aescbc: { keys: [] } })),
      'resources[0].providers[0].aescbc.keys: Required value: at least one keys is required',
    ],
    [
      'a key without a name',
      config(rule(['secrets'], aes(KEY, ''))),
      'resources[0].providers[0].aescbc.keys[0].name: Required value: name is a mandatory field for a key',
    ],
    [
      'a key without a secret',
      config(rule(['secrets'], aes(''))),
      'keys[0].secret: Required value: secret is a mandatory field for a key',
    ],
    [
      'a secret that is no base64',
      config(rule(['secrets'], aes('a-b'))),
      'keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded',
    ],
    [
      'a short key',
      config(rule(['secrets'], aes('AAAA'))),
      'keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 3, expected one of [16 24 32]',
    ],
    [
      'a short key for secretbox',
      config(rule(['secrets'], aes(Buffer.alloc(16).toString('base64'), 'a', 'secretbox'))),
      'got 16, expected one of [32]',
    ],
    [
      'capital letters',
      config(rule(['Secrets'])),
      'resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters',
    ],
    [
      'a lonely star',
      config(rule(['*'])),
      `use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources`,
    ],
    [
      'a resource across groups',
      config(rule(['secrets.*'])),
      'encrypting the same resource across groups is not supported',
    ],
    [
      'events by their new group',
      config(rule(['events.events.k8s.io'])),
      `Use 'events' instead in the config file`,
    ],
    [
      'the group extensions',
      config(rule(['ingresses.extensions'])),
      `'extensions' group has been removed`,
    ],
    [
      'an allocation',
      config(rule(['serviceipallocations'])),
      'resources which do not have REST API/s cannot be encrypted',
    ],
    [
      'a resource twice',
      config(rule(['secrets', 'secrets'])),
      'resources[0].resources: Invalid value: ["secrets","secrets"]: the same resource cannot be specified multiple times',
    ],
    [
      'an overlap',
      config(rule(['secrets', '*.'])),
      `using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked`,
    ],
    [
      'everything and something',
      config(rule(['*.*', 'deployments.apps'])),
      'using overlapping resources',
    ],
    [
      'a masked resource',
      config(rule(['*.apps']), rule(['deployments.apps'])),
      'resource "deployments.apps" is masked by earlier rule "*.apps"',
    ],
    [
      'a masked group',
      config(rule(['*.*']), rule(['*.'])),
      'resource "*." is masked by earlier rule "*.*"',
    ],
  ])('with %s is refused', (_, document, message) => {
    expect(faultOf(document)).toContain(message);
  });

  test('several faults are reported at once, and no key is shown', () => {
    const message = faultOf(config(rule(['Secrets'], aes('c2VjcmV0LWtleS1uZXZlci1zaG93bg=='))));
    expect(message).toMatch(/: \[.*capital letters, .*expected length, got 22/);
    expect(message).not.toContain('c2Vj');
  });
});
