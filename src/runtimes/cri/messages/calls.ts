/** The CRI calls that podkeep makes: their names, requests and responses. */
import { Nothing } from './common-messages.ts';
import * as container from './container-messages.ts';
import * as image from './image-messages.ts';
import type { Message } from './message.ts';
import * as runtime from './runtime-messages.ts';
import * as sandbox from './sandbox-messages.ts';
import * as stats from './stats-messages.ts';

export interface Call<Request, Response> {
  /** The path of the HTTP/2 request. */
  readonly path: string;
  /** The name of the call, for error messages. */
  readonly name: string;
  readonly request: Message<unknown, Request>;
  readonly response: Message<Response, unknown>;
}

export const RUNTIME_CALLS = {
  version: ofRuntime('Version', runtime.VersionRequest, runtime.VersionResponse),
  status: ofRuntime('Status', runtime.StatusRequest, runtime.StatusResponse),
  runtimeConfig: ofRuntime('RuntimeConfig', Nothing, runtime.RuntimeConfigResponse),
  runPodSandbox: ofRuntime(
    'RunPodSandbox',
    sandbox.RunPodSandboxRequest,
    sandbox.RunPodSandboxResponse,
  ),
  stopPodSandbox: ofRuntime('StopPodSandbox', sandbox.PodSandboxRequest, Nothing),
  removePodSandbox: ofRuntime('RemovePodSandbox', sandbox.PodSandboxRequest, Nothing),
  podSandboxStatus: ofRuntime(
    'PodSandboxStatus',
    sandbox.PodSandboxStatusRequest,
    sandbox.PodSandboxStatusResponse,
  ),
  listPodSandbox: ofRuntime(
    'ListPodSandbox',
    sandbox.ListPodSandboxRequest,
    sandbox.ListPodSandboxResponse,
  ),
  createContainer: ofRuntime(
    'CreateContainer',
    container.CreateContainerRequest,
    container.CreateContainerResponse,
  ),
  startContainer: ofRuntime('StartContainer', container.ContainerRequest, Nothing),
  stopContainer: ofRuntime('StopContainer', container.StopContainerRequest, Nothing),
  removeContainer: ofRuntime('RemoveContainer', container.ContainerRequest, Nothing),
  listContainers: ofRuntime(
    'ListContainers',
    container.ListContainersRequest,
    container.ListContainersResponse,
  ),
  containerStatus: ofRuntime(
    'ContainerStatus',
    container.ContainerStatusRequest,
    container.ContainerStatusResponse,
  ),
  updateContainerResources: ofRuntime(
    'UpdateContainerResources',
    container.UpdateContainerResourcesRequest,
    Nothing,
  ),
  reopenContainerLog: ofRuntime('ReopenContainerLog', container.ContainerRequest, Nothing),
  execSync: ofRuntime('ExecSync', container.ExecSyncRequest, container.ExecSyncResponse),
  exec: ofRuntime('Exec', runtime.ExecRequestMessage, runtime.StreamingUrlResponse),
  attach: ofRuntime('Attach', runtime.AttachRequest, runtime.StreamingUrlResponse),
  portForward: ofRuntime('PortForward', runtime.PortForwardRequest, runtime.StreamingUrlResponse),
  listContainerStats: ofRuntime(
    'ListContainerStats',
    stats.ListContainerStatsRequest,
    stats.ListContainerStatsResponse,
  ),
  listPodSandboxStats: ofRuntime(
    'ListPodSandboxStats',
    stats.ListPodSandboxStatsRequest,
    stats.ListPodSandboxStatsResponse,
  ),
  /** The only call with a stream of responses. */
  getContainerEvents: ofRuntime('GetContainerEvents', Nothing, runtime.ContainerEventResponse),
} as const;

export const IMAGE_CALLS = {
  listImages: ofImages('ListImages', image.ListImagesRequest, image.ListImagesResponse),
  imageStatus: ofImages('ImageStatus', image.ImageStatusRequest, image.ImageStatusResponse),
  pullImage: ofImages('PullImage', image.PullImageRequest, image.PullImageResponse),
  removeImage: ofImages('RemoveImage', image.RemoveImageRequest, Nothing),
  imageFsInfo: ofImages('ImageFsInfo', Nothing, image.ImageFsInfoResponse),
} as const;

function ofRuntime<Request, Response>(
  name: string,
  request: Message<unknown, Request>,
  response: Message<Response, unknown>,
): Call<Request, Response> {
  return { path: `/runtime.v1.RuntimeService/${name}`, name, request, response };
}

function ofImages<Request, Response>(
  name: string,
  request: Message<unknown, Request>,
  response: Message<Response, unknown>,
): Call<Request, Response> {
  return { path: `/runtime.v1.ImageService/${name}`, name, request, response };
}
