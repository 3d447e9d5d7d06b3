/**
 * Remembers with whose secrets images were pulled, so that nobody runs an image of somebody else only
 * because it is on the node already (core/image-access.ts).
 *
 *     ROOT/image_manager/pulling/sha256-…   a pull is under way; one that a crash left counts as ours
 *     ROOT/image_manager/pulled/sha256-…    what was pulled, and with what
 *
 * The files have the kubelet's form and place. What cannot be written is told in the log: the pod then
 * pulls once more than it would have to.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseImageName } from '../../api/image-name.ts';
import { formatTime } from '../../api/time.ts';
import {
  mayUseImage,
  recordPull,
  type AccessPolicy,
  type PulledRecord,
  type SecretProof,
} from '../../core/image-access.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Credentials } from '../../ports/runtime/image-store.ts';

export interface PullRecordsOptions {
  /** Of the node. */
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
  /** How many pulls of an image are under way. */
  readonly #underWay = new Map<string, number>();

  constructor(options: PullRecordsOptions) {
    this.#options = options;
    this.#pulled = path.join(options.rootFolder, 'image_manager/pulled');
    this.#pulling = path.join(options.rootFolder, 'image_manager/pulling');
  }

  /** May a pod with these credentials use the image that is here under this name? */
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

  /** `used`: null is a pull without a name. */
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

  /** One that cannot be read is none: whoever needs it proves it again. */
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
      this.#options.log.warn('it could not be noted how an image was pulled', { file, error });
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
