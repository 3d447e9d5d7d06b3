/** CRI messages about images. Field numbers are those of runtime/v1/api.proto. */
import { ImageSpec, Int64Value, UInt64Value } from './common-messages.ts';
import { bool, labels, many, nanoseconds, one, text, texts, uint64 } from './fields.ts';
import { message } from './message.ts';
import { PodSandboxConfig } from './sandbox-messages.ts';

export const ImageMessage = message({
  id: text(1),
  repoTags: texts(2),
  repoDigests: texts(3),
  size: uint64(4),
  uid: one(5, Int64Value),
  username: text(6),
  spec: one(7, ImageSpec),
  pinned: bool(8),
});

const ImageFilter = message({ image: one(1, ImageSpec) });
export const ListImagesRequest = message({ filter: one(1, ImageFilter) });
export const ListImagesResponse = message({ images: many(1, ImageMessage) });

export const ImageStatusRequest = message({ image: one(1, ImageSpec), verbose: bool(2) });
export const ImageStatusResponse = message({ image: one(1, ImageMessage), info: labels(2) });

const AuthConfig = message({
  username: text(1),
  password: text(2),
  auth: text(3),
  serverAddress: text(4),
  identityToken: text(5),
  registryToken: text(6),
});
export const PullImageRequest = message({
  image: one(1, ImageSpec),
  auth: one(2, AuthConfig),
  sandboxConfig: one(3, PodSandboxConfig),
});
export const PullImageResponse = message({ imageRef: text(1) });

export const RemoveImageRequest = message({ image: one(1, ImageSpec) });

const FilesystemIdentifier = message({ mountpoint: text(1) });
export const FilesystemUsage = message({
  timestamp: nanoseconds(1),
  fsId: one(2, FilesystemIdentifier),
  usedBytes: one(3, UInt64Value),
  inodesUsed: one(4, UInt64Value),
});
export const ImageFsInfoResponse = message({
  imageFilesystems: many(1, FilesystemUsage),
  containerFilesystems: many(2, FilesystemUsage),
});
