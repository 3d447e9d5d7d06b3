/** Finds, pulls, lists and removes images with CRI calls. */
import { parseImageName } from '../../api/values/image-name.ts';
import type {
  Credentials,
  Image,
  ImageStore,
  ImageUsage,
} from '../../ports/runtime/image-store.ts';
import { hasCode } from './errors.ts';
import { IMAGE_CALLS } from './messages/calls.ts';
import type { ImageMessage } from './messages/image-messages.ts';
import type { Sent } from './messages/message.ts';
import type { CriService } from './wire/cri-service.ts';

export class CriImages implements ImageStore {
  readonly #service: CriService;

  constructor(service: CriService) {
    this.#service = service;
  }

  async find(name: string): Promise<Image | null> {
    parseImageName(name);
    const { image } = await this.#service.ask(IMAGE_CALLS.imageStatus, { image: { image: name } });
    return image ? viewImage(image) : null;
  }

  /** Has no timeout; the caller can abort it. */
  async pull(name: string, credentials: Credentials | null, signal: AbortSignal): Promise<string> {
    parseImageName(name);
    const request = { image: { image: name }, ...(credentials && { auth: authOf(credentials) }) };
    const { pullImage } = IMAGE_CALLS;
    const { imageRef } = await this.#service.ask(pullImage, request, { timeoutMs: 0, signal });
    return imageRef;
  }

  async list(): Promise<readonly Image[]> {
    const { images } = await this.#service.ask(IMAGE_CALLS.listImages, {});
    return images.map(viewImage);
  }

  async remove(ref: string): Promise<void> {
    try {
      await this.#service.ask(IMAGE_CALLS.removeImage, { image: { image: ref } });
    } catch (error) {
      if (!hasCode(error, 'RUNTIME_NOT_FOUND')) throw error;
    }
  }

  async usage(): Promise<ImageUsage | null> {
    const answer = await this.#service.ask(IMAGE_CALLS.imageFsInfo, {});
    const [first] = answer.imageFilesystems;
    if (!first) return null;
    const containerMountpoint = answer.containerFilesystems[0]?.fsId?.mountpoint;
    return {
      mountpoint: first.fsId?.mountpoint ?? '',
      ...(containerMountpoint && { containerMountpoint }),
      usedBytes: Number(first.usedBytes?.value ?? 0n),
      usedInodes: Number(first.inodesUsed?.value ?? 0n),
    };
  }
}

function viewImage(image: Sent<typeof ImageMessage>): Image {
  const { id, repoDigests, repoTags, size, uid, username, pinned } = image;
  return {
    ref: id,
    // The kubelet lists digests before tags in its node status.
    names: [...repoDigests, ...repoTags],
    sizeBytes: size,
    isPinned: pinned,
    ...(uid && { uid: uid.value }),
    ...(username !== '' && { userName: username }),
    // An image without a user runs as root.
    ...(!uid && username === '' && { uid: 0 }),
  };
}

function authOf(credentials: Credentials) {
  const { username, password, auth, serverAddress, identityToken, registryToken } = credentials;
  return { username, password, auth, serverAddress, identityToken, registryToken };
}
