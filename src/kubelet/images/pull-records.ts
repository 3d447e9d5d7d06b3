/**
 * Records which secrets images were pulled with, so that a pod cannot use a private image only because it is
 * already on the node (core/images/image-access.ts).
 *
 *     ROOT/image_manager/pulling/sha256-…   a pull is in flight, or was interrupted by a crash
 *     ROOT/image_manager/pulled/sha256-…    what was pulled, and with which secrets
 *
 * Format and paths of the files are those of Kubernetes' kubelet. A failed write is only logged: it causes at
 * most an unnecessary pull later.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseImageName } from '../../api/values/image-name.ts';
import { formatTime } from '../../api/values/time.ts';
import {
  mayUseImage,
  recordPull,
  type AccessPolicy,
  type PulledRecord,
  type SecretProof,
} from '../../core/images/image-access.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Credentials } from '../../ports/runtime/image-store.ts';

export interface PullRecordsOptions {
  /** The root folder of the node. */
  readonly rootFolder: string;
  readonly policy: AccessPolicy;
  readonly clock: Clock;
  readonly log: Log;
}

const API_VERSION = 'kubelet.config.k8s.io/v1beta1';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export class PullRecords {
  readonly #options: PullRecordsOptions;
  readonly #pulled: string;
  readonly #pulling: string;
  /** The number of pulls in flight, by image. */
  readonly #underWay = new Map<string, number>();

  constructor(options: PullRecordsOptions) {
    this.#options = options;
    this.#pulled = path.join(options.rootFolder, 'image_manager/pulled');
    this.#pulling = path.join(options.rootFolder, 'image_manager/pulling');
  }

  /** Whether a pod with these credentials may use the present image of this name. */
  async mayUse(image: string, ref: string, credentials: readonly Credentials[]): Promise<boolean> {
    const { policy } = this.#options;
    return mayUseImage({
      policy,
      record: await this.#read(ref),
      isPulling: (await readText(path.join(this.#pulling, fileName(image)))) !== null,
      repository: repositoryOf(image),
      secrets: credentials.flatMap((each) => proofOf(each) ?? []),
    });
  }

  async begin(image: string): Promise<void> {
    this.#underWay.set(image, (this.#underWay.get(image) ?? 0) + 1);
    const intent = { kind: 'ImagePullIntent', apiVersion: API_VERSION, image };
    await this.#write(this.#pulling, fileName(image), intent);
  }

  /** `used`: null is an anonymous pull. */
  async succeeded(image: string, ref: string, used: Credentials | null): Promise<void> {
    const before = await this.#read(ref);
    const repository = repositoryOf(image);
    const proof = used && proofOf(used);
    const time = formatTime(this.#options.clock.now());
    const record = recordPull(before, { imageRef: ref, repository, proof }, time);
    const text = { kind: 'ImagePulledRecord', apiVersion: API_VERSION, ...record };
    if (record !== before) await this.#write(this.#pulled, fileName(ref), text);
    await this.failed(image);
  }

  async failed(image: string): Promise<void> {
    const left = (this.#underWay.get(image) ?? 1) - 1;
    if (left > 0) {
      this.#underWay.set(image, left);
      return;
    }
    this.#underWay.delete(image);
    await rm(path.join(this.#pulling, fileName(image)), { force: true });
  }

  /** Forgets all images but these. */
  async keepOnly(refs: ReadonlySet<string>): Promise<void> {
    const kept = new Set([...refs].map(fileName));
    const names = await readdir(this.#pulled).catch((): string[] => []);
    for (const name of names) {
      if (!kept.has(name)) await rm(path.join(this.#pulled, name), { force: true });
    }
  }

  /** An unreadable record counts as empty, so pods have to pull the image again. */
  async #read(ref: string): Promise<PulledRecord | null> {
    const text = await readText(path.join(this.#pulled, fileName(ref)));
    if (text === null) return null;
    const empty = { imageRef: ref, lastUpdatedTime: '', credentialMapping: {} };
    try {
      const json: unknown = JSON.parse(text);
      const mapping = isJsonObject(json) ? json['credentialMapping'] : null;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this class or a kubelet
      return isJsonObject(mapping) ? (json as PulledRecord) : empty;
    } catch {
      return empty;
    }
  }

  async #write(folder: string, name: string, content: object): Promise<void> {
    const file = path.join(folder, name);
    try {
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
      await writeFile(`${file}.new`, JSON.stringify(content), { mode: FILE_MODE });
      await rename(`${file}.new`, file);
    } catch (error) {
      this.#options.log.warn('Failed to write an image pull record', { file, error });
    }
  }
}

function repositoryOf(image: string): string {
  const { domain, path: name } = parseImageName(image);
  return `${domain}/${name}`;
}

function proofOf({ source, username, password }: Credentials): SecretProof | null {
  if (!source) return null;
  const credentialHash = sha256(JSON.stringify({ username, password }));
  return { ...source, credentialHash };
}

function fileName(text: string): string {
  return `sha256-${sha256(text)}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function readText(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null);
}
