/** Describes the paths of discovery: versions, groups, and their resources. */
import { groupTag, operationId, tagOf } from './operation-name.ts';
import { rootOf, typeContent, type Content, type GroupVersion, type Path } from './spec.ts';
import { VERSION_INFO } from './type-facts.ts';

const JSON_ONLY = ['application/json'];
const OBJECTS = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** `/api/v1/`, `/apis/apps/v1/` */
export function resourcesPath(version: GroupVersion): Path {
  return discoveryPath(`${rootOf(version)}/`, OBJECTS, typeContent('meta/v1.APIResourceList'), {
    id: operationId('get', version, 'APIResources'),
    tag: tagOf(version),
    description: 'Lists the resources of this version.',
  });
}

/** `/apis/apps/` */
export function groupPath(group: string): Path {
  return discoveryPath(`/apis/${group}/`, OBJECTS, typeContent('meta/v1.APIGroup'), {
    id: operationId('get', { group, version: '' }, 'APIGroup'),
    tag: groupTag(group),
    description: 'Lists the versions of this group.',
  });
}

export const CORE_PATH = discoveryPath('/api/', OBJECTS, typeContent('meta/v1.APIVersions'), {
  id: 'getCoreAPIVersions',
  tag: 'core',
  description: 'Lists the versions of the core group.',
});

export const GROUPS_PATH = discoveryPath('/apis/', OBJECTS, typeContent('meta/v1.APIGroupList'), {
  id: 'getAPIVersions',
  tag: 'apis',
  description: 'Lists the groups and their versions.',
});

const VERSION_CONTENT: Content = { of: 'definition', name: VERSION_INFO };

export const VERSION_PATH = discoveryPath('/version/', JSON_ONLY, VERSION_CONTENT, {
  id: 'getCodeVersion',
  tag: 'version',
  description: 'Returns the version of this server.',
});

function discoveryPath(
  path: string,
  media: readonly string[],
  content: Content,
  described: { readonly id: string; readonly tag: string; readonly description: string },
): Path {
  const answers = [
    { code: 200, description: 'OK', content },
    { code: 401, description: 'Unauthorized' },
  ];
  const operation = { method: 'get', parameters: [], consumes: media, produces: media } as const;
  return { path, operations: [{ ...operation, ...described, answers }] };
}
