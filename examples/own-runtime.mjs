// A node whose containers are JavaScript functions: what it takes to write a runtime of your own.
//
//   podkeep up --no-node --data-dir ./cluster -- node examples/own-runtime.mjs
//
// docs/runtime.md lists what each operation has to guarantee. This one keeps everything in memory, so its
// pods end with it.
import { runNode } from 'podkeep/node';

/** An image is a function here: it gets a signal, and its container runs until its promise settles. */
const IMAGES = {
  hello: async () => console.log('hello from a function'),
  forever: (signal) => new Promise((end) => signal.addEventListener('abort', () => end())),
};

class FunctionRuntime {
  name = 'functions';
  #sandboxes = new Map();
  #containers = new Map();
  #listeners = new Set();
  #last = 0;

  images = {
    find: async (image) =>
      Object.hasOwn(IMAGES, image)
        ? { ref: image, names: [image], sizeBytes: 0, isPinned: true }
        : null,
    pull: async (image) => {
      if (Object.hasOwn(IMAGES, image)) return image;
      throw new Error(`there is no function ${image}`);
    },
    list: async () => [],
    remove: async () => {},
    usage: async () => null,
  };

  version = async () => ({ name: 'functions', version: '1' });

  status = async () => ({
    isReady: true,
    isNetworkReady: true,
    features: {
      enforcesCpu: false,
      enforcesMemory: false,
      hasMounts: false,
      hasPodAddresses: false,
    },
  });

  async list() {
    const pods = new Map(
      [...this.#sandboxes.values()].map(({ config }) => [config.podUid, config]),
    );
    return Promise.all(
      [...pods].map(async ([uid, { podName: name, namespace }]) => ({
        uid,
        name,
        namespace,
        pod: await this.inspect(uid),
      })),
    );
  }

  async inspect(podUid) {
    const newestFirst = (map) =>
      [...map.values()].filter((one) => one.podUid === podUid).toReversed();
    return {
      sandboxes: newestFirst(this.#sandboxes).map(({ view }) => view),
      containers: newestFirst(this.#containers).map(({ view }) => view),
      ips: ['127.0.0.1'],
    };
  }

  follow(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async runSandbox(config) {
    const id = `sandbox-${++this.#last}`;
    const { attempt, hostNetwork } = config;
    const view = { id, attempt, hostNetwork, ready: true };
    this.#sandboxes.set(id, { podUid: config.podUid, config, view });
    this.#notify(config.podUid, 'sandboxChanged');
    return id;
  }

  async stopSandbox(id) {
    const sandbox = this.#sandboxes.get(id);
    if (!sandbox) return;
    for (const [each, { sandboxId }] of this.#containers) {
      if (sandboxId === id) await this.stopContainer(each);
    }
    sandbox.view = { ...sandbox.view, ready: false };
    this.#notify(sandbox.podUid, 'sandboxChanged');
  }

  async removeSandbox(id) {
    await this.stopSandbox(id);
    for (const [each, { sandboxId }] of this.#containers) {
      if (sandboxId === id) this.#containers.delete(each);
    }
    this.#sandboxes.delete(id);
  }

  async createContainer(sandboxId, config) {
    const id = `functions://container-${++this.#last}`;
    const { podUid } = this.#sandboxes.get(sandboxId);
    const { name, image, imageRef, attempt } = config;
    const view = {
      id,
      name,
      image,
      imageRef,
      sandboxID: sandboxId,
      state: 'created',
      createdAt: now(),
      restartCount: attempt,
    };
    this.#containers.set(id, { podUid, sandboxId, image, view, abort: new AbortController() });
    return id;
  }

  async startContainer(id) {
    const container = this.#containers.get(id);
    container.view = { ...container.view, state: 'running', startedAt: now() };
    this.#notify(container.podUid, 'containerStarted', id);
    const end = (exitCode) => {
      const reason = exitCode === 0 ? 'Completed' : 'Error';
      container.view = { ...container.view, state: 'exited', finishedAt: now(), exitCode, reason };
      this.#notify(container.podUid, 'containerDied', id);
    };
    container.life = IMAGES[container.image](container.abort.signal).then(
      () => end(0),
      () => end(1),
    );
  }

  async stopContainer(id) {
    const container = this.#containers.get(id);
    container?.abort.abort();
    await container?.life;
  }

  async removeContainer(id) {
    await this.stopContainer(id);
    const podUid = this.#containers.get(id)?.podUid;
    this.#containers.delete(id);
    if (podUid) this.#notify(podUid, 'containerRemoved', id);
  }

  reopenLog = async () => {};

  execSync = async () => ({
    stdout: new Uint8Array(),
    stderr: Buffer.from('a function has no shell'),
    exitCode: 126,
  });

  close = async () => {};

  #notify(podUid, type, containerId) {
    for (const listener of this.#listeners) listener({ podUid, type, containerId });
  }
}

/** Kubernetes' times have whole seconds. */
function now() {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}

const node = await runNode({
  name: 'functions',
  kubeconfig: process.env.KUBECONFIG,
  dataDir: './functions-node',
  runtime: new FunctionRuntime(),
  config: { port: 0, address: '127.0.0.1' },
});
console.log('node functions takes pods; Ctrl-C ends it');
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void node.stop());
