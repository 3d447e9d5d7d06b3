import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { defaultPod } from '../../../src/api/pod-validation/defaults/pod-defaults.ts';
import { validatePod } from '../../../src/api/pod-validation/pod-validation.ts';
import type { Pod } from '../../../src/api/pod.ts';
import { MirrorClient } from '../../../src/kubelet/pod-manager/mirror-pods.ts';
import { NodePodManager } from '../../../src/kubelet/pod-manager/pod-manager.ts';
import { startApiSource } from '../../../src/kubelet/sources/api-source.ts';
import { FileSource } from '../../../src/kubelet/sources/file-source.ts';
import { PodConfig } from '../../../src/kubelet/sources/pod-config.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { silentLog } from '../../support/silent-ports.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { ClientHarness, NODE } from './client-harness.ts';

const { signal } = new AbortController();

/** As the API server would default and validate it. */
function prepare(pod: JsonObject): JsonObject {
  const full = defaultPod(pod);
  const [error] = validatePod(full);
  if (error) throw new Error(`${error.field}: ${error.type}`);
  return full;
}

/** Both sources, the pod manager behind them, and mirrors: everything except running pods. */
class NodeHarness {
  readonly client: ClientHarness;
  readonly folder = makeTempFolder();
  readonly pods = new NodePodManager();
  readonly mirrors: MirrorClient;
  readonly story: string[] = [];
  readonly #source: FileSource;
  #scans = 0;
  #changed: () => void = () => {};

  constructor(client: ClientHarness) {
    this.client = client;
    const { clock, api, startInformer } = client;
    this.mirrors = new MirrorClient({ api, log: silentLog, nodeName: NODE });
    const config = new PodConfig({
      clock,
      log: silentLog,
      events: { record: () => {} },
      sources: ['api', 'file'],
      notify: ({ operation, source, pods }) => {
        for (const pod of pods) {
          this.story.push(`${source} ${operation} ${pod.metadata.name}`);
          if (operation === 'REMOVE') this.pods.remove(pod);
          else this.pods.update(pod);
        }
      },
    });
    onTestFinished(startApiSource({ startInformer, nodeName: NODE, config }));
    this.#source = new FileSource({
      path: this.folder,
      nodeName: NODE,
      clock,
      log: silentLog,
      prepare,
      set: (pods) => {
        config.set('file', pods);
        this.#scans += 1;
      },
      watch: (_path, changed) => {
        this.#changed = changed;
        return () => {};
      },
    });
    onTestFinished(() => this.#source.stop());
    this.#source.start();
  }

  async scanned(change: () => void = () => {}): Promise<void> {
    const before = this.#scans;
    change();
    this.#changed();
    // oxlint-disable-next-line vitest/no-standalone-expect -- it waits, in every test
    await expect.poll(() => this.#scans).toBeGreaterThan(before);
    await this.client.clock.pass(0);
  }

  /** What each sync of a static pod does about its mirror. */
  async reconcile(): Promise<void> {
    for (const { pod, mirrorPod } of this.pods.staticPods()) {
      await this.mirrors.reconcile(pod, mirrorPod ?? null, signal);
    }
    await this.client.clock.pass(0);
  }

  write(image: string): void {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };
    const spec = { containers: [{ name: 'c', image }] };
    writeFileSync(path.join(this.folder, 'web.yaml'), JSON.stringify({ ...pod, spec }));
  }

  get web(): { readonly pod: Pod; readonly mirrorPod?: Pod } | undefined {
    return this.pods.findByName({ namespace: 'default', name: `web-${NODE}` });
  }
}

test('a manifest becomes a pod and a mirror, changes them, and takes them away (KL-57, KL-60)', async () => {
  const harness = new NodeHarness(await ClientHarness.open());
  await harness.scanned(() => harness.write('one'));
  expect(harness.web?.pod.spec).toMatchObject({ restartPolicy: 'Always', nodeName: NODE });
  expect(harness.web?.mirrorPod).toBeUndefined();

  await harness.reconcile();
  const { pod: first, mirrorPod: firstMirror } = harness.web ?? {};
  expect(firstMirror?.metadata).toMatchObject({
    ownerReferences: [{ kind: 'Node', name: NODE, controller: true }],
    annotations: {
      'kubernetes.io/config.mirror': first?.metadata.uid,
      'kubernetes.io/config.hash': first?.metadata.uid,
      'kubernetes.io/config.source': 'api',
    },
  });
  expect(harness.pods.sourceUidOf(firstMirror?.metadata.uid ?? '')).toBe(first?.metadata.uid);

  harness.story.length = 0;
  await harness.reconcile();
  expect(harness.story).toEqual([]);

  await harness.scanned(() => harness.write('two'));
  await harness.reconcile();
  const { pod: second, mirrorPod: secondMirror } = harness.web ?? {};
  expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
  expect(secondMirror?.metadata.uid).not.toBe(firstMirror?.metadata.uid);
  expect(secondMirror?.metadata.annotations?.['kubernetes.io/config.mirror']).toBe(
    second?.metadata.uid,
  );
  expect(harness.story).toEqual([
    `file REMOVE web-${NODE}`,
    `file ADD web-${NODE}`,
    `api DELETE web-${NODE}`,
    `api REMOVE web-${NODE}`,
    `api ADD web-${NODE}`,
  ]);

  await harness.scanned(() => rmSync(path.join(harness.folder, 'web.yaml')));
  expect(harness.web).toBeUndefined();
  const [orphan] = harness.pods.orphanedMirrors();
  const name = { namespace: 'default', name: orphan?.metadata.name ?? '' };
  expect(await harness.mirrors.delete(name, orphan?.metadata.uid ?? null, signal)).toBe(true);
  await harness.client.clock.pass(0);
  expect(harness.pods.mirrorPods()).toEqual([]);
});

test('a mirror that a user deletes comes back (KL-59)', async () => {
  const harness = new NodeHarness(await ClientHarness.open());
  await harness.scanned(() => harness.write('one'));
  await harness.reconcile();
  const path = `/api/v1/namespaces/default/pods/web-${NODE}`;
  await harness.client.server.send('DELETE', path, { gracePeriodSeconds: 30 });
  await harness.client.clock.pass(0);
  expect(harness.story.at(-1)).toMatch(/^api (?:DELETE|REMOVE)/);
  await harness.reconcile();
  expect(harness.web?.mirrorPod?.metadata.deletionTimestamp).toBeUndefined();
});

test('a manifest that the API server would refuse makes no pod', async () => {
  const harness = new NodeHarness(await ClientHarness.open());
  await harness.scanned(() => harness.write(''));
  expect(harness.web).toBeUndefined();
});
