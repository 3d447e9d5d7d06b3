/** The paths at which clients find out what there is: versions, groups, and what is in them. */
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
    description: 'Tells which resources there are in this version.',
  });
}

/** `/apis/apps/` */
export function groupPath(group: string): Path {
  return discoveryPath(`/apis/${group}/`, OBJECTS, typeContent('meta/v1.APIGroup'), {
    id: operationId('get', { group, version: '' }, 'APIGroup'),
    tag: groupTag(group),
    description: 'Tells which versions this group has.',
  });
}

export const CORE_PATH = discoveryPath('/api/', OBJECTS, typeContent('meta/v1.APIVersions'), {
  id: 'getCoreAPIVersions',
  tag: 'core',
  description: 'Tells which versions the core group has.',
});

export const GROUPS_PATH = discoveryPath('/apis/', OBJECTS, typeContent('meta/v1.APIGroupList'), {
  id: 'getAPIVersions',
  tag: 'apis',
  description: 'Tells which groups there are, and their versions.',
});

const VERSION_CONTENT: Content = { of: 'definition', name: VERSION_INFO };

export const VERSION_PATH = discoveryPath('/version/', JSON_ONLY, VERSION_CONTENT, {
  id: 'getCodeVersion',
  tag: 'version',
  description: 'Tells which version this server is.',
});

function discoveryPath(
  path: string,
  media: readonly string[],
  content: Content,
  told: { readonly id: string; readonly tag: string; readonly description: string },
): Path {
  const answers = [
    { code: 200, description: 'OK', content },
    { code: 401, description: 'Unauthorized' },
  ];
  const operation = { method: 'get', parameters: [], consumes: media, produces: media } as const;
  return { path, operations: [{ ...operation, ...told, answers }] };
}
